"""List the halves of a class, merged into weighted entries.

A half consists of an outer block of rows and an inner block, which lies at the cut. Whether two
halves make a board depends only on the set of their rows, the pairs of equal columns, the row at
the cut and the row behind it. So halves that agree in these are merged into one entry with a
weight, and there are far fewer entries than halves.

The entries of a class are grouped by the row at the cut. An entry holds the indices of its other
rows in ascending order, the number of row orders that put each of them behind the cut, and the
pairs of equal columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, copy_into, first

SLOTS = 5
"""The minimum number of slots for the other rows of an entry; unused slots hold no row."""

_INITIAL_LENGTH = 1024
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Halves(NamedTuple):
    """The halves of classes, as entries with weights.

    Attributes:
        groups: for each row at the cut, the index of its first entry; the number of entries last.
        rows: at [i, k], the i-th other row of entry k.
        orders: at [i, k], the number of row orders of entry k with that row behind the cut.
        kinds: the kind of each entry; entries of a kind have the same equal columns.
        kind_begin: for each kind, the index of its first pair in `kind_pairs`.
        kind_pairs: the pairs of equal columns of all kinds.
    """

    groups: Any
    rows: Any
    orders: Any
    kinds: Any
    kind_begin: Any
    kind_pairs: Any


@njit
def _find(numbers: Any, number: int) -> int:
    """Return the index of a number in an ascending array, or -1."""
    place = np.searchsorted(numbers, number)
    return place if place < len(numbers) and numbers[place] == number else -1


@njit
def inner_blocks(classes: Any, outer_sums: Any, inner: Any, n: int) -> Any:
    """List the inner blocks that halves of some classes can have, grouped by the row at the cut.

    Args:
        classes: the classes, packed.
        outer_sums: the sums of the outer blocks.
        inner: the inner `Blocks`; their last row is at the cut.
        n: the number of legal rows.

    Returns:
        The index where each group begins, the blocks, and for each block the index of the sum that
        the outer block must have.
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
    blocks, needed_sums = np.empty(begin[n], np.int64), np.empty(begin[n], np.int64)
    for one_class in classes:
        for outer in range(len(outer_sums)):
            number = _find(inner.sums, one_class - outer_sums[outer])
            if number >= 0:
                for y in range(start[number], start[number + 1]):
                    blocks[place[cut[y]]] = y
                    needed_sums[place[cut[y]]] = outer
                    place[cut[y]] += 1
    return begin, blocks, needed_sums


@njit
def _extended(array: Any, length: int) -> Any:
    """Return a longer array with the same elements at the front."""
    longer = np.empty(length, array.dtype)
    copy_into(longer, array)
    return longer


@njit
def _keys(
    blocks: Any, needed_sums: Any, cut: int, full: int, bits: int, rows_differ: bool,
    outer: Any, inner: Any, keys: Any,
) -> Any:  # fmt: skip
    """List the halves of inner blocks that share the row at the cut, as keys.

    A key packs the other rows in ascending order, and the position of the row behind the cut among
    them.

    Returns:
        The number of keys, an array that starts with the keys, and the number of halves, including
        those with equal rows.
    """
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    others = p + q - 1
    rows = np.zeros(max(others, 1), np.int64)
    key_count, total = 0, 0
    for number in range(len(blocks)):
        y, t = blocks[number], needed_sums[number]
        line, edge = inner.line[y], inner.edge[y]
        for x in range(outer.start[t], outer.start[t + 1]):
            if p and ((outer.line[x] ^ line) | (outer.edge[x] & edge)) != full:
                continue
            total += 1
            # Insertion sort; the last inserted row is the one behind the cut.
            behind = -1
            for k in range(others):
                behind = np.int64(outer.rows[x, k] if k < p else inner.rows[y, k - p])
                spot = k
                while spot and rows[spot - 1] > behind:
                    rows[spot] = rows[spot - 1]
                    spot -= 1
                rows[spot] = behind
            key, has_equal_rows, spot = 0, False, 0
            for k in range(others):
                has_equal_rows |= rows[k] == cut or (k > 0 and rows[k] == rows[k - 1])
                key = (key << bits) | rows[k]
                spot += rows[k] < behind
            if has_equal_rows and rows_differ:
                continue
            if key_count == len(keys):
                keys = _extended(keys, 2 * key_count)
            keys[key_count] = (key << 4) | spot
            key_count += 1
    return key_count, keys, total


@njit
def _equal_pairs(keys: Any, length: int, cut: int, others: int, bits: int, differences: Any) -> Any:
    """Compute the pairs of equal columns of each key, as two words of bits."""
    equal = np.empty((length, 2), np.uint64)
    for k in range(length):
        one, other = differences[cut, 0], differences[cut, 1]
        for i in range(others):
            row = (keys[k] >> (4 + bits * i)) & ((1 << bits) - 1)
            one |= differences[row, 0]
            other |= differences[row, 1]
        equal[k, 0], equal[k, 1] = ~one, ~other
    return equal


@njit
def _merge(keys: Any, length: int) -> Any:
    """Group ascending keys by their rows, and return where each group begins; the length last."""
    begin = np.empty(length + 1, np.int64)
    group, last = 0, -1
    for k in range(length):
        if keys[k] >> 4 != last:
            last = keys[k] >> 4
            begin[group] = k
            group += 1
    begin[group] = length
    return begin[: group + 1]


@njit
def list_halves(
    classes: Any, full: int, rows_differ: bool, differences: Any, outer: Any, inner: Any
) -> Any:
    """List the halves of classes.

    Args:
        classes: the classes, packed.
        full: the bit set of a row of ones.
        rows_differ: whether rows must differ.
        differences: for each row, the pairs of cells that differ, as two words of bits.
        outer: the outer `Blocks`.
        inner: the inner `Blocks`, of at least one row.

    Returns:
        The `Halves`, and the number of halves, including those with equal rows.
    """
    n = len(differences)
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    others = p + q - 1
    bits = 1
    while n >> bits:
        bits += 1
    begin, blocks, needed_sums = inner_blocks(classes, outer.sums, inner, n)
    keys = np.empty(_INITIAL_LENGTH, np.int64)
    groups = np.zeros(n + 1, np.int64)
    # An entry is the rows of a key, and the numbers of its row orders.
    entries = np.empty(_INITIAL_LENGTH, np.int64)
    orders = np.zeros(_INITIAL_LENGTH * SLOTS, np.uint16)
    slots = max(others, SLOTS)
    kinds = np.empty(_INITIAL_LENGTH, np.int32)
    kind_begin = np.zeros(_INITIAL_LENGTH, np.int64)
    kind_pairs = np.empty(_INITIAL_LENGTH, np.uint16)
    length, kind, total = 0, 0, 0
    for cut in range(n):
        groups[cut + 1] = length
        if begin[cut] == begin[cut + 1]:
            continue
        group = slice(begin[cut], begin[cut + 1])
        key_count, keys, halves = _keys(
            blocks[group], needed_sums[group], cut, full, bits, rows_differ, outer, inner, keys
        )
        total += halves
        if key_count == 0:
            continue
        keys[:key_count].sort()
        runs = _merge(keys, key_count)
        number = len(runs) - 1
        equal = _equal_pairs(keys[runs[:-1]], number, cut, others, bits, differences)
        # Sort by a hash: the order does not matter, but equal values must be adjacent.
        order = np.argsort(equal[:, 0] ^ (equal[:, 1] * _HASH_FACTOR))
        while length + number > len(entries):
            entries = _extended(entries, 2 * len(entries))
            kinds = _extended(kinds, 2 * len(kinds))
        while (length + number) * slots > len(orders):
            orders = _extended(orders, 2 * len(orders))
        for place in range(number):
            run = order[place]
            before = order[max(place - 1, 0)]
            if place == 0 or equal[run, 0] != equal[before, 0] or equal[run, 1] != equal[before, 1]:
                if kind + 2 > len(kind_begin):
                    kind_begin = _extended(kind_begin, 2 * len(kind_begin))
                end = kind_begin[kind]
                if end + 128 > len(kind_pairs):
                    kind_pairs = _extended(kind_pairs, 2 * len(kind_pairs))
                for word in range(2):
                    rest = equal[run, word]
                    while rest:
                        kind_pairs[end] = 64 * word + first(rest)
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
    order_counts = np.empty((slots, length), np.uint16)
    for k in range(length):
        for i in range(others):
            rows[i, k] = (entries[k] >> (bits * (others - 1 - i))) & ((1 << bits) - 1)
        for i in range(slots):
            order_counts[i, k] = orders[k * slots + i]
    listed = Halves(groups, rows, order_counts, kinds[:length], kind_begin[: kind + 1], kind_pairs)
    return listed, total
