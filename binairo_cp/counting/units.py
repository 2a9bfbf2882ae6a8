"""Count the boards whose upper halves belong to one class: lists of halves, and units of work.

The kernel that lists and joins halves says if it needs more memory. The memory is kept for the next
call, unless it is large.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from binairo_cp.counting.blocks import BITS, Numbers, RowBlocks
from binairo_cp.counting.sizes import Census, Tables, tables
from binairo_cp.kernels import census as kernel

_MAX_KEPT = 2_000_000
"""The most places of arrays that are kept; they take up to 80 MB."""

Side = Literal["upper", "lower"]


class _Memory(threading.local):
    """The memory of a thread."""

    def __init__(self) -> None:
        self.lengths = [0, 1 << 12, 1 << 12, 1 << 12, 1 << 10, 1 << 13]
        """By the numbers of the parts, as `list_halves` returns them."""
        self._kept: dict[str, tuple[Any, Any]] = {}

    def get(self, name: str, create: Callable[..., Any], *key: int) -> Any:
        """What `create` returns for a key; the last memory of this name if it has the same key."""
        known, memory = self._kept.get(name, (None, None))
        if known == key:
            return memory
        memory = create(*key)
        if sum(key) <= _MAX_KEPT:
            self._kept[name] = key, memory
        return memory


_memory = _Memory()


def _kernel_blocks(blocks: RowBlocks) -> kernel.Blocks:
    return kernel.Blocks(*(each.data for each in blocks))


@lru_cache(maxsize=4)
def _blocks(census: Census) -> dict[Side, tuple[kernel.Blocks, kernel.Blocks]]:
    """The outer and the inner blocks of each half."""
    shared = tables(census)
    upper, lower = (
        (_kernel_blocks(outer), _kernel_blocks(inner))
        for outer, inner in (shared.upper, shared.lower)
    )
    return {"upper": upper, "lower": lower}


def list_halves(census: Census, classes: Numbers, side: Side) -> kernel.HalfList:
    """The halves of classes; the next call for the same side may overwrite them."""
    shared, blocks = tables(census), _blocks(census)[side]
    slots = max((census.height + 1) // 2 - 1, kernel.SLOTS)
    differences = shared.differences.data
    while True:
        lengths = _memory.lengths[1:]
        halves: kernel.HalfList = _memory.get(
            side, kernel.HalfList, len(shared.lines), slots, *lengths
        )
        ended = kernel.list_halves(
            classes.data, shared.full, census.rows_differ, differences, *blocks, halves
        )
        if ended == kernel.LISTED:
            return halves
        _memory.lengths[ended] *= 2


def join(census: Census, upper: kernel.HalfList, lower: kernel.HalfList) -> int:
    """The number of pairs of halves that make a board. It changes the halves."""
    # A power of two, so that the memory is often large enough for the next call.
    length = 1 << max(upper.largest(), lower.largest()).bit_length()
    joiner = _memory.get("join", kernel.Joiner, len(tables(census).lines), census.width, length)
    return kernel.join(*_cut(tables(census)), census.rows_differ, upper, lower, joiner)


def _ends_memory(length: int) -> tuple[memoryview, memoryview]:
    return np.empty(length, np.int64).data, np.empty(length, np.int64).data


def count_ends(census: Census, classes: Numbers, side: Side) -> Numbers:
    """The numbers of halves of classes by their two rows at the cut."""
    shared, blocks = tables(census), _blocks(census)[side]
    n = len(shared.lines)
    counts = np.zeros((n, n + 1), np.int64)
    packed, begin, into = (classes.data, np.empty(n + 1, np.int64).data, counts.data)
    while True:
        length = _memory.lengths[kernel.BLOCKS]
        ys, ts = _memory.get("ends", _ends_memory, length)
        if kernel.count_ends(packed, shared.full, *blocks, begin, ys, ts, into) <= length:
            return counts
        _memory.lengths[kernel.BLOCKS] *= 2


def join_ends(census: Census, upper: Numbers, lower: Numbers) -> int:
    """The number of pairs of halves that make a board, from the counts of `count_ends`."""
    return kernel.join_plain(*_cut(tables(census)), upper.data, lower.data)


def _cut(shared: Tables) -> tuple[memoryview, int, memoryview, bool]:
    """The rows at the cut, as both functions that join take them."""
    return shared.lines.data, shared.full, shared.names.data, shared.symmetric


class Unit(NamedTuple):
    """The counts of a class.

    Attributes:
        boards: the number of boards with an upper half of that class.
        halves: the number of upper halves of that class.
    """

    packed: int
    boards: int
    halves: int


def count_unit(census: Census, packed: int) -> Unit:
    """Count the boards whose upper halves belong to a class."""
    shared = tables(census)
    above, below = np.array([packed]), shared.totals - packed
    if census.distinct == "nothing":
        ends = count_ends(census, above, "upper")
        others = ends if shared.symmetric else count_ends(census, below, "lower")
        return Unit(packed, join_ends(census, ends, others), int(ends.sum()))
    upper = list_halves(census, above, "upper")
    lower = upper if shared.symmetric else list_halves(census, below, "lower")
    return Unit(packed, join(census, upper, lower), upper.number())


def count_units(census: Census, classes: Iterable[int]) -> list[Unit]:
    """Count several units one after the other; this is the task of a worker."""
    return [count_unit(census, packed) for packed in classes]


def digits_of(packed: int, width: int) -> str:
    """A class as hexadecimal digits, the leftmost column first."""
    return "".join(f"{(packed >> (BITS * k)) & 15:x}" for k in range(width))
