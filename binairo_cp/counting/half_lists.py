"""The memory of the functions that list and join halves, and calls of these functions.

Compiled code that allocates arrays takes several times as long to compile. So it gets its memory
from here, and says if it needs more. The memory is kept for the next call, unless it is large.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from binairo_cp.counting import halves, joining
from binairo_cp.counting.blocks import Blocks, Numbers
from binairo_cp.counting.halves import LISTED, SLOTS, Halves
from binairo_cp.counting.kernel import kernel
from binairo_cp.counting.sizes import Census, Tables

_MAX_KEPT = 64_000_000
"""The most bytes that are kept."""

_STACK_LENGTH = 128
_WEIGHTS = 1 << 16
"""A weight fits 16 bits."""


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
        if sum(array.nbytes for array in memory) <= _MAX_KEPT:
            self._kept[name] = key, memory
        return memory


_memory = _Memory()


def list_halves(
    census: Census, shared: Tables, classes: Numbers, blocks: tuple[Blocks, Blocks]
) -> tuple[Halves, int]:
    """The halves of classes, and their number."""
    outer, inner = blocks
    n, slots = len(shared.lines), max(outer.rows.shape[1] + inner.rows.shape[1] - 1, SLOTS)
    while True:
        memory = _memory.get("halves", _listing_memory, n, slots, *_memory.lengths)
        ended = kernel().list_halves(
            classes, shared.full, census.rows_differ, shared.differences, outer, inner, memory
        )
        if ended == LISTED:
            break
        _memory.lengths[ended] *= 2
    length, kinds, pairs, number = memory.results.tolist()
    listed = Halves(
        memory.groups.copy(),
        memory.rows[:, :length].copy(),
        memory.orders[:, :length].copy(),
        memory.kinds[:length].copy(),
        memory.kind_begin[: kinds + 1].copy(),
        memory.kind_pairs[:pairs].copy(),
    )
    return listed, number


def _listing_memory(
    n: int, slots: int, _: int, blocks: int, keys: int, entries: int, kinds: int, pairs: int
) -> halves.Memory:
    arrays: list[Any] = [
        np.zeros(len(halves.RESULTS), np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros(slots, np.int64),
        np.empty(_STACK_LENGTH, np.int64),
        *(np.empty(blocks, np.int64) for _ in range(2)),
        np.empty(keys, np.int64),
        np.empty(keys + 1, np.int64),
        np.empty(keys, np.int64),
        *(np.empty(keys, np.uint64) for _ in range(2)),
        np.empty(entries, np.int32),
        np.empty((slots, entries), np.int16),
        np.empty((slots, entries), np.uint16),
        np.empty(kinds, np.int64),
        np.empty(pairs, np.uint16),
    ]
    return halves.Memory(*arrays)


def join(census: Census, shared: Tables, upper: Halves, lower: Halves) -> int:
    """The number of pairs of halves that make a board. It changes the halves."""
    above = _side(upper)
    below = above if lower is upper else _side(lower)
    largest = max(int(np.diff(side.groups).max(initial=0)) for side in (above, below))
    # A power of two, so that the memory is often large enough for the next call.
    length = 1 << largest.bit_length()
    memory = _memory.get("join", _joining_memory, len(shared.lines), census.width, length)
    lines = (shared.lines, shared.full, shared.names, shared.symmetric)
    return int(kernel().join(*lines, census.rows_differ, above, below, memory))


def _side(listed: Halves) -> joining.Side:
    groups, rows, orders, *kinds = listed
    return joining.Side(groups, rows, orders, np.empty_like(orders), *kinds)


def _joining_memory(n: int, width: int, largest: int) -> joining.Memory:
    wide = joining.WIDE
    arrays: list[Any] = [
        *(np.empty(largest, np.int64) for _ in range(4)),
        # Each weight starts at a new word.
        np.empty(largest + 64 * min(largest, _WEIGHTS), np.int64),
        np.empty(_WEIGHTS, np.int64),
        np.empty(n + 1, np.int64),
        np.arange(n),
        np.empty(largest, np.uint16),
        np.empty(wide, np.uint32),
        *(np.empty(wide, np.uint64) for _ in range(3)),
        np.empty((n + 2 + width * (width - 1) // 2) * wide, np.uint64),
    ]
    return joining.Memory(*arrays)


def _ends_memory(length: int) -> tuple[Numbers, Numbers]:
    return np.empty(length, np.int64), np.empty(length, np.int64)


def count_ends(
    shared: Tables, classes: Numbers, blocks: tuple[Blocks, Blocks]
) -> tuple[Numbers, int]:
    """The halves of classes by their two rows at the cut, and their number."""
    n = len(shared.lines)
    counts, begin = np.zeros((n, n + 1), np.int64), np.empty(n + 1, np.int64)
    while True:
        length = _memory.lengths[halves.BLOCKS]
        ys, ts = _memory.get("ends", _ends_memory, length)
        count = kernel().count_ends
        if count(classes, shared.full, n, *blocks, begin, ys, ts, counts) <= length:
            return counts, int(counts.sum())
        _memory.lengths[halves.BLOCKS] *= 2
