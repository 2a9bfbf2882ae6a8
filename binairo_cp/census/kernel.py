"""The compiled code of the census, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
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
    """The machine code: each piece is loaded, or compiled, when it is first asked for."""

    @cached_property
    def list_halves(self) -> Any:
        """`halves.list_halves`."""
        returned = types.Tuple([*_LISTED, int64])
        signature = returned(_NUMBERS, int64, boolean, uint64[:, ::1], *_BLOCKS, *_BLOCKS)
        return _code(_list_entry, signature)

    @cached_property
    def join(self) -> Any:
        """`joining.join`."""
        return _code(
            _join_entry, int64(_NUMBERS, int64, _NUMBERS, boolean, boolean, *_LISTED, *_LISTED)
        )

    @cached_property
    def count_ends(self) -> Any:
        """`plain.count_ends`."""
        returned = types.Tuple([_ENDS, int64])
        return _code(_ends_entry, returned(_NUMBERS, int64, int64, *_BLOCKS, *_BLOCKS))

    @cached_property
    def join_plain(self) -> Any:
        """`plain.join_plain`."""
        return _code(_plain_entry, int64(_NUMBERS, int64, _NUMBERS, boolean, _ENDS, _ENDS))

    @cached_property
    def sample(self) -> Any:
        """`sampling.sample`."""
        room = (uint64[::1], float64[::1])
        return _code(
            _sample_entry, types.void(_NUMBERS, int64, int64, _WAYS, boolean, boolean, *room)
        )

    @cached_property
    def ways_below(self) -> Any:
        """`sampling.ways_below`."""
        return _code(_ways_entry, _WAYS(int64, int64, int64))

    @cached_property
    def count_fixed(self) -> Any:
        """`fixed.count_fixed`."""
        return _code(_fixed_entry, int64(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS))

    def load(self) -> None:
        """Load what counting units needs, under any rules."""
        _ = self.list_halves, self.join, self.count_ends, self.join_plain


def _code(entry: Callable[[int], Callable[..., Any]], signature: Any) -> Any:
    with notice("the census"):
        return compiled(entry(digest("census", "generation", "backends/bitboard")), signature)


@cache
def kernel() -> Kernel:
    """The one of this process."""
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
