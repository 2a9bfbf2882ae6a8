"""The halves of a class, listed: which sets of rows, and in how many orders each.

A half is put together from an outer block of rows and an inner one, which lies at the cut. Whether
two halves make a board depends on little of them: which rows they have, in whatever order, which
columns are equal, the row at the cut and the one behind it. So halves that agree in all of that are
one entry with a weight, and there are far fewer entries than halves.

The entries of a class are grouped by the row at the cut. An entry holds the numbers of its other
rows in ascending order, for each of them in how many orders it is the one behind the cut, and
which pairs of columns are equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, first

SLOTS = 5
"""An entry has room for so many other rows at least; a row that there is not fills up."""

_ROOM = 1024
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Halves(NamedTuple):
    """The halves of classes, as entries with weights.

    Attributes:
        groups: where the entries of each row at the cut begin.
        rows: at [i, k] the i-th other row of entry k.
        orders: at [i, k] in how many orders that is the row behind the cut.
        kinds: the kind of each entry; entries of a kind have the same equal columns.
        kind_begin: where the pairs of equal columns of each kind begin.
        kind_pairs: those pairs.
    """

    groups: Any
    rows: Any
    orders: Any
    kinds: Any
    kind_begin: Any
    kind_pairs: Any


@njit
def _find(numbers: Any, number: int) -> int:
    """The place of a number in an ascending array, or -1."""
    place = np.searchsorted(numbers, number)
    return place if place < len(numbers) and numbers[place] == number else -1


@njit
def inner_blocks(classes: Any, outer_sums: Any, inner: Any, n: int) -> Any:
    """The inner blocks that halves of some classes can have, grouped by the row at the cut.

    Args:
        classes: packed.
        outer_sums: of the outer blocks.
        inner: the inner `Blocks`; their last row is at the cut.
        n: how many rows there are.

    Returns:
        Where each group begins, the blocks, and for each the number of the sum that an outer block
        must have.
    """
    cut, start = inner.rows[:, inner.rows.shape[1] - 1], inner.start
    begin = np.zeros(n + 1, np.int64)
    for one_class in classes:
        for outer in range(len(outer_sums)):
            number = _find(inner.sums, one_class - outer_sums[outer])
            if number >= 0:
                for y in range(start[number], start[number + 1]):
                    begin[cut[y] + 1] += 1
    begin = np.cumsum(begin)
    place = begin.copy()
    blocks, wanted = np.empty(begin[n], np.int64), np.empty(begin[n], np.int64)
    for one_class in classes:
        for outer in range(len(outer_sums)):
            number = _find(inner.sums, one_class - outer_sums[outer])
            if number >= 0:
                for y in range(start[number], start[number + 1]):
                    blocks[place[cut[y]]] = y
                    wanted[place[cut[y]]] = outer
                    place[cut[y]] += 1
    return begin, blocks, wanted


@njit
def _longer(array: Any, length: int) -> Any:
    """An array with more room."""
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer


@njit
def _keys(
    blocks: Any, wanted: Any, cut: int, full: int, bits: int, rows_differ: bool,
    outer: Any, inner: Any, keys: Any,
) -> Any:  # fmt: skip
    """The halves of some inner blocks that have the same row at the cut.

    Each is a number: its other rows in ascending order, and which of them is behind the cut.

    Returns:
        How many keys there are, the keys in an array with room, and how many halves there are, with
        those of which two rows are the same.
    """
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    others = p + q - 1
    rows = np.zeros(max(others, 1), np.int64)
    found, total = 0, 0
    for number in range(len(blocks)):
        y, t = blocks[number], wanted[number]
        line, edge = inner.line[y], inner.edge[y]
        for x in range(outer.start[t], outer.start[t + 1]):
            if p and ((outer.line[x] ^ line) | (outer.edge[x] & edge)) != full:
                continue
            total += 1
            # The row behind the cut comes last.
            behind = -1
            for k in range(others):
                behind = np.int64(outer.rows[x, k] if k < p else inner.rows[y, k - p])
                spot = k
                while spot and rows[spot - 1] > behind:
                    rows[spot] = rows[spot - 1]
                    spot -= 1
                rows[spot] = behind
            key, same, spot = 0, False, 0
            for k in range(others):
                same |= rows[k] == cut or (k > 0 and rows[k] == rows[k - 1])
                key = (key << bits) | rows[k]
                spot += rows[k] < behind
            if same and rows_differ:
                continue
            if found == len(keys):
                keys = _longer(keys, 2 * found)
            keys[found] = (key << 4) | spot
            found += 1
    return found, keys, total


@njit
def _marks(keys: Any, length: int, cut: int, others: int, bits: int, differences: Any) -> Any:
    """Which pairs of columns are equal, for each key."""
    marks = np.empty((length, 2), np.uint64)
    for k in range(length):
        one, other = differences[cut, 0], differences[cut, 1]
        for i in range(others):
            row = (keys[k] >> (4 + bits * i)) & ((1 << bits) - 1)
            one |= differences[row, 0]
            other |= differences[row, 1]
        marks[k, 0], marks[k, 1] = ~one, ~other
    return marks


@njit
def _merge(keys: Any, length: int) -> Any:
    """Ascending keys without their last part, each once; and where each begins among the keys."""
    begin = np.empty(length + 1, np.int64)
    found, last = 0, -1
    for k in range(length):
        if keys[k] >> 4 != last:
            last = keys[k] >> 4
            begin[found] = k
            found += 1
    begin[found] = length
    return begin[: found + 1]


@njit
def list_halves(
    classes: Any, full: int, rows_differ: bool, differences: Any, outer: Any, inner: Any
) -> Any:
    """List the halves of classes.

    Args:
        classes: packed.
        full: the number of a row of ones.
        rows_differ: whether no two rows may be the same.
        differences: for each row, which pairs of cells differ, in two words.
        outer: the outer `Blocks`.
        inner: the inner ones, of at least one row.

    Returns:
        The `Halves`, and how many halves there are, with those of which two rows are the same.
    """
    n = len(differences)
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    others = p + q - 1
    bits = 1
    while n >> bits:
        bits += 1
    begin, blocks, wanted = inner_blocks(classes, outer.sums, inner, n)
    keys = np.empty(_ROOM, np.int64)
    groups = np.zeros(n + 1, np.int64)
    # An entry is a key, and the numbers of its orders.
    entries = np.empty(_ROOM, np.int64)
    orders = np.zeros(_ROOM * SLOTS, np.uint16)
    slots = max(others, SLOTS)
    kinds = np.empty(_ROOM, np.int32)
    kind_begin, kind_pairs = np.zeros(_ROOM, np.int64), np.empty(_ROOM, np.uint16)
    length, kind, total = 0, 0, 0
    for cut in range(n):
        groups[cut + 1] = length
        if begin[cut] == begin[cut + 1]:
            continue
        some = slice(begin[cut], begin[cut + 1])
        found, keys, halves = _keys(
            blocks[some], wanted[some], cut, full, bits, rows_differ, outer, inner, keys
        )
        total += halves
        if found == 0:
            continue
        keys[:found].sort()
        runs = _merge(keys, found)
        number = len(runs) - 1
        marks = _marks(keys[runs[:-1]], number, cut, others, bits, differences)
        # Only for order: those that are equal come together.
        order = np.argsort(marks[:, 0] ^ (marks[:, 1] * _SPREAD))
        while length + number > len(entries):
            entries, kinds = _longer(entries, 2 * len(entries)), _longer(kinds, 2 * len(kinds))
        while (length + number) * slots > len(orders):
            orders = _longer(orders, 2 * len(orders))
        for place in range(number):
            run = order[place]
            before = order[max(place - 1, 0)]
            if place == 0 or marks[run, 0] != marks[before, 0] or marks[run, 1] != marks[before, 1]:
                if kind + 2 > len(kind_begin):
                    kind_begin = _longer(kind_begin, 2 * len(kind_begin))
                end = kind_begin[kind]
                if end + 128 > len(kind_pairs):
                    kind_pairs = _longer(kind_pairs, 2 * len(kind_pairs))
                for half in range(2):
                    rest = marks[run, half]
                    while rest:
                        kind_pairs[end] = 64 * half + first(rest)
                        end += 1
                        rest &= rest - ONE
                kind += 1
                kind_begin[kind] = end
            entries[length] = keys[runs[run]] >> 4
            kinds[length] = kind - 1
            orders[length * slots : (length + 1) * slots] = 0
            for k in range(runs[run], runs[run + 1]):
                orders[length * slots + (keys[k] & 15)] += 1
            length += 1
        groups[cut + 1] = length
    rows = np.full((slots, length), -1, np.int16)
    side_by_side = np.empty((slots, length), np.uint16)
    for k in range(length):
        for i in range(others):
            rows[i, k] = (entries[k] >> (bits * (others - 1 - i))) & ((1 << bits) - 1)
        for i in range(slots):
            side_by_side[i, k] = orders[k * slots + i]
    listed = Halves(groups, rows, side_by_side, kinds[:length], kind_begin[: kind + 1], kind_pairs)
    return listed, total
