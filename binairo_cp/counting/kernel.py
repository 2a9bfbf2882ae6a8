"""The compiled functions of the census and their signatures."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from numba import boolean, float64, int8, int16, int32, int64, types, uint16, uint32, uint64

from binairo_cp.counting import (
    halves,
    joining,
    mirrored_halves,
    repeated_lines,
    sampling,
    symmetric_boards,
    symmetric_matrices,
)
from binairo_cp.counting.blocks import Blocks
from binairo_cp.puzzle.bits.shape import SHAPE
from binairo_cp.workers.compiling import compiled, notice

_SOURCES = ("counting", "generation", "puzzle/bits")
_NUMBERS = int64[::1]
_BLOCKS = types.NamedTuple((_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, int16[:, ::1]), Blocks)
_LISTING = types.NamedTuple(
    (_NUMBERS,) * 10
    + (uint64[::1],) * 2
    + (int32[::1], int16[:, ::1], uint16[:, ::1], _NUMBERS, uint16[::1]),
    halves.Memory,
)
_SIDE = types.NamedTuple(
    (_NUMBERS, int16[:, ::1], *(uint16[:, ::1],) * 2, int32[::1], _NUMBERS, uint16[::1]),
    joining.Side,
)
_JOINING = types.NamedTuple(
    (_NUMBERS,) * 8 + (uint16[::1], uint32[::1]) + (uint64[::1],) * 4, joining.Memory
)
_ENDS = int64[:, ::1]
_WORDS = uint64[:, ::1]
_ROWS = types.NamedTuple(
    (_NUMBERS, int64, _NUMBERS, _WORDS, _WORDS, uint64[::1]), mirrored_halves.Rows
)
_FOLLOWING = types.NamedTuple((_NUMBERS, int16[::1]), mirrored_halves.Following)
_HALF = types.NamedTuple(
    (_NUMBERS, _NUMBERS, _NUMBERS, _WORDS, _WORDS, int8[::1]), mirrored_halves.Half
)
_GOAL = types.NamedUniTuple(int64, len(mirrored_halves.Goal._fields), mirrored_halves.Goal)
_WAYS = float64[:, :, :, ::1]


class Kernel:
    """The compiled functions; each is loaded or compiled on first use."""

    @cached_property
    def list_halves(self) -> Any:
        """`halves.list_halves`."""
        arguments = (_NUMBERS, int64, boolean, uint64[:, ::1], _BLOCKS, _BLOCKS, _LISTING)
        return _code(halves.list_halves, int64(*arguments), allocates=False)

    @cached_property
    def join(self) -> Any:
        """`joining.join`."""
        arguments = (_NUMBERS, int64, _NUMBERS, boolean, boolean, _SIDE, _SIDE, _JOINING)
        return _code(joining.join, int64(*arguments), allocates=False)

    @cached_property
    def count_ends(self) -> Any:
        """`repeated_lines.count_ends`."""
        arguments = (_NUMBERS, int64, int64, _BLOCKS, _BLOCKS, *(_NUMBERS,) * 3, _ENDS)
        return _code(repeated_lines.count_ends, int64(*arguments), allocates=False)

    @cached_property
    def join_plain(self) -> Any:
        """`repeated_lines.join_plain`."""
        return _code(
            repeated_lines.join_plain, int64(_NUMBERS, int64, _NUMBERS, boolean, _ENDS, _ENDS)
        )

    @cached_property
    def sample(self) -> Any:
        """`sampling.sample`."""
        arguments = (_NUMBERS, int64, int64, _WAYS, boolean, boolean, uint64[::1], float64[::1])
        return _code(sampling.sample, types.void(*arguments))

    @cached_property
    def ways_below(self) -> Any:
        """`sampling.ways_below`."""
        return _code(sampling.ways_below, _WAYS(int64, int64, int64))

    @cached_property
    def count_fixed(self) -> Any:
        """`symmetric_boards.count_fixed`."""
        return _code(symmetric_boards.count_fixed, int64(SHAPE, _NUMBERS, _NUMBERS, _NUMBERS))

    @cached_property
    def following(self) -> Any:
        """`mirrored_halves.following`."""
        return _code(mirrored_halves.following, _FOLLOWING(_NUMBERS, int64))

    @cached_property
    def count_mirrored(self) -> Any:
        """`mirrored_halves.count_mirrored`."""
        signature = int64(_ROWS, _FOLLOWING, _GOAL, _HALF, int64)
        return _code(mirrored_halves.count_mirrored, signature, allocates=False)

    @cached_property
    def count_symmetric(self) -> Any:
        """`symmetric_matrices.count_symmetric`."""
        return _code(symmetric_matrices.count_symmetric, int64(_NUMBERS, int64, boolean, int64))

    def load_counting(self) -> None:
        """Load the functions that count units, for all rules."""
        self.counting_any_lines()
        self.counting_distinct_lines()

    def counting_any_lines(self) -> tuple[Any, Any]:
        """The functions that count units if lines may be equal."""
        return self.count_ends, self.join_plain

    def counting_distinct_lines(self) -> tuple[Any, Any]:
        """The functions that count units if rows or columns are distinct."""
        return self.list_halves, self.join


def load_all() -> None:
    """Load or compile all functions."""
    for name, attribute in vars(Kernel).items():
        if isinstance(attribute, cached_property):
            getattr(kernel(), name)


def _code(function: Callable[..., Any], signature: Any, *, allocates: bool = True) -> Any:
    with notice("the census", seconds=2):
        return compiled(function, signature, _SOURCES, allocates=allocates)


@cache
def kernel() -> Kernel:
    """Return the kernel of this process."""
    return Kernel()
