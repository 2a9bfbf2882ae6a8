"""The compiled functions for sets of clues, and their signatures."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from numba import int64, types, uint64

from binairo_cp.counting.fewest_clues import hitting, listing, search
from binairo_cp.puzzle.bits.shape import SHAPE
from binairo_cp.workers.compiling import compiled, notice

_SOURCES = ("counting/fewest_clues", "puzzle/bits")
_NUMBERS, _WORDS = int64[::1], uint64[::1]
_INDEX = types.NamedTuple((_WORDS, _NUMBERS, _WORDS, uint64), search.Index)


class Kernel:
    """The compiled functions; each is loaded or compiled on first use."""

    @cached_property
    def list_boards(self) -> Any:
        """`listing.list_boards`."""
        return _code(listing.list_boards, int64(SHAPE, _NUMBERS, _WORDS))

    @cached_property
    def fewest_clues(self) -> Any:
        """`search.fewest_clues`."""
        signature = int64(_INDEX, _WORDS, uint64, int64, int64, _WORDS)
        return _code(search.fewest_clues, signature)

    @cached_property
    def keep_minimal(self) -> Any:
        """`search.keep_minimal`."""
        return _code(search.keep_minimal, int64(_WORDS, int64))

    @cached_property
    def count_hitting(self) -> Any:
        """`hitting.count_hitting`."""
        return _code(hitting.count_hitting, types.void(_WORDS, _WORDS, int64[:, :, :, ::1]))

    @cached_property
    def count_minimal(self) -> Any:
        """`hitting.count_minimal`."""
        signature = int64(_WORDS, uint64[:, ::1], int64, int64[:, ::1], _WORDS)
        return _code(hitting.count_minimal, signature)


def load_all() -> None:
    """Load or compile all functions."""
    for name, attribute in vars(Kernel).items():
        if isinstance(attribute, cached_property):
            getattr(kernel(), name)


def _code(function: Callable[..., Any], signature: Any) -> Any:
    with notice("the search for sets of clues", seconds=4):
        return compiled(function, signature, _SOURCES)


@cache
def kernel() -> Kernel:
    """Return the kernel of this process."""
    return Kernel()
