"""The compiled code of the census, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import boolean, float64, int16, int32, int64, types, uint16, uint64

from binairo_cp.census import fixed, halves, joining, plain, sampling
from binairo_cp.compiling import compiled, digest, notice

_NUMBERS = int64[::1]
_BLOCKS = (_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, int16[:, ::1])
_LISTED = (_NUMBERS, int16[:, ::1], uint16[:, ::1], int32[::1], _NUMBERS, uint16[::1])
_ENDS = int64[:, ::1]
_WAYS = float64[:, :, :, ::1]


class Kernel:
    """The machine code, loaded or compiled.

    Attributes:
        list_halves: `halves.list_halves`.
        join: `joining.join`.
        count_ends: `plain.count_ends`.
        join_plain: `plain.join_plain`.
        sample: `sampling.sample`.
        ways_below: `sampling.ways_below`.
        count_fixed: `fixed.count_fixed`.
    """

    def __init__(self) -> None:
        with notice("the census"):
            sources = digest("census", "generation", "backends/bitboard")
            self.list_halves = compiled(
                _list_entry(sources),
                types.Tuple([*_LISTED, int64])(
                    _NUMBERS, int64, boolean, uint64[:, ::1], *_BLOCKS, *_BLOCKS
                ),
            )
            self.join = compiled(
                _join_entry(sources),
                int64(_NUMBERS, int64, _NUMBERS, boolean, boolean, *_LISTED, *_LISTED),
            )
            self.count_ends = compiled(
                _ends_entry(sources),
                types.Tuple([_ENDS, int64])(_NUMBERS, int64, int64, *_BLOCKS, *_BLOCKS),
            )
            self.join_plain = compiled(
                _plain_entry(sources),
                int64(_NUMBERS, int64, _NUMBERS, boolean, _ENDS, _ENDS),
            )
            self.sample = compiled(
                _sample_entry(sources),
                types.void(
                    _NUMBERS, int64, int64, _WAYS, boolean, boolean, uint64[::1], float64[::1]
                ),
            )
            self.ways_below = compiled(_ways_entry(sources), _WAYS(int64, int64, int64))
            self.count_fixed = compiled(
                _fixed_entry(sources), int64(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS)
            )


@cache
def kernel() -> Kernel:
    """The machine code, once for the process."""
    return Kernel()


# What encloses the digest of all sources: see `compiling.digest`. All arguments are named, since
# numba compiles no entry with a star for a signature that is given.


def _list_entry(digest: int) -> Callable[..., Any]:
    def entry(
        classes: Any, full: int, rows_differ: bool, differences: Any,
        a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any,
    ) -> Any:  # fmt: skip
        return halves.list_halves(
            classes, full + 0 * digest, rows_differ, differences, (a, b, c, d, e), (f, g, h, i, j)
        )

    return entry


def _join_entry(digest: int) -> Callable[..., Any]:
    def entry(
        lines: Any, full: int, names: Any, symmetric: bool, rows_differ: bool,
        a: Any, b: Any, c: Any, d: Any, e: Any, f: Any,
        g: Any, h: Any, i: Any, j: Any, k: Any, m: Any,
    ) -> Any:  # fmt: skip
        upper, lower = (a, b, c, d, e, f), (g, h, i, j, k, m)
        return joining.join(lines, full + 0 * digest, names, symmetric, rows_differ, upper, lower)

    return entry


def _ends_entry(digest: int) -> Callable[..., Any]:
    def entry(
        classes: Any, full: int, n: int,
        a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any,
    ) -> Any:  # fmt: skip
        return plain.count_ends(classes, full + 0 * digest, n, (a, b, c, d, e), (f, g, h, i, j))

    return entry


def _plain_entry(digest: int) -> Callable[..., Any]:
    def entry(lines: Any, full: int, names: Any, symmetric: bool, upper: Any, lower: Any) -> Any:
        return plain.join_plain(lines, full, names, symmetric, upper, lower) + 0 * digest

    return entry


def _sample_entry(digest: int) -> Callable[..., None]:
    def entry(
        lines: Any, height: int, width: int, ways: Any, rows_differ: bool, columns_differ: bool,
        state: Any, weights: Any,
    ) -> None:  # fmt: skip
        sampling.sample(
            lines, height + 0 * digest, width, ways, rows_differ, columns_differ, state, weights
        )

    return entry


def _ways_entry(digest: int) -> Callable[..., Any]:
    def entry(height: int, least: int, most: int) -> Any:
        return sampling.ways_below(height + 0 * digest, least, most)

    return entry


def _fixed_entry(digest: int) -> Callable[..., int]:
    def entry(shape: Any, begin: Any, cells: Any, opposite: Any) -> int:
        return fixed.count_fixed(shape, begin, cells, opposite) + 0 * digest

    return entry
