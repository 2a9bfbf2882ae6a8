"""Halves of a class joined into boards, a thousand pairs at a time.

Two halves make a board if no triple lies across the cut, no row is in both, and no two columns are
equal in both. The first depends on the rows at the cut and behind it: where the two rows at the cut
are equal, neither may be equal to the one behind it. So the halves of each pair of rows at the cut
are taken that keep this. For the rest, one side of them becomes a table of bits::

                 half 0 1 2 3 ...
    row 0             1 . . 1        a line for each row and for each pair of columns: which halves
    row 1             . . 1 .        have that row, or have these columns equal
    ...
    columns 0 and 1   . 1 . .

For each half of the other side, the lines of its own rows and equal columns are or-ed; where that
leaves 0, the halves make a board. Halves of one weight are in words of their own, so that the ones
of a word count alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.census.halves import SLOTS
from binairo_cp.puzzle.bits.words import ONE, ZERO, size

_WIDE, _NARROW = 32, 4
"""So many words are in a line of the table: as many as the nearest cache holds, or few."""


class Side(NamedTuple):
    """The `halves.Halves` above or below the cut, with what joining needs besides.

    Attributes:
        groups: as there.
        rows: as there; a row that is missing or may repeat has the number after the last row.
        orders: as there.
        edges: at [i, k] the columns where that row differs from the row at the cut.
        kinds: as there.
        kind_begin: as there.
        kind_pairs: as there.
    """

    groups: Any
    rows: Any
    orders: Any
    edges: Any
    kinds: Any
    kind_begin: Any
    kind_pairs: Any


class Chosen(NamedTuple):
    """The entries of a group that fit: the first `length` of `entries`, and their `weights`."""

    entries: Any
    weights: Any
    length: int


def _counter(words: int) -> Callable[..., Any]:
    """What counts by tables with so many words in a line, which the machine adds side by side."""

    @njit
    def count(
        table: Any, free: Any, word_weights: Any, first_pair: int, side: Any, chosen: Any
    ) -> int:
        rows, kinds = side.rows, side.kinds
        kind_begin, kind_pairs = side.kind_begin, side.kind_pairs
        entries, weights = chosen.entries, chosen.weights
        left, rest = np.empty(words, np.uint64), np.empty(words, np.uint64)
        stride = np.uint64(words)
        slots = rows.shape[0]
        total, kind = 0, -1
        for k in range(chosen.length):
            entry = entries[k]
            if kinds[entry] != kind:
                kind = kinds[entry]
                for w in range(words):
                    left[w] = free[w]
                for pair in range(kind_begin[kind], kind_begin[kind + 1]):
                    line = np.uint64(first_pair + kind_pairs[pair]) * stride
                    for w in range(words):
                        left[w] &= ~table[line + np.uint64(w)]
            for i in range(SLOTS, slots):
                line = np.uint64(rows[i, entry]) * stride
                for w in range(words):
                    before = left[w] if i == SLOTS else rest[w]
                    rest[w] = before & ~table[line + np.uint64(w)]
            kept = left if slots == SLOTS else rest
            a, b = np.uint64(rows[0, entry]) * stride, np.uint64(rows[1, entry]) * stride
            c, d = np.uint64(rows[2, entry]) * stride, np.uint64(rows[3, entry]) * stride
            e = np.uint64(rows[4, entry]) * stride
            found = ZERO
            for w in range(words):
                v = np.uint64(w)
                taken = table[a + v] | table[b + v] | table[c + v] | table[d + v] | table[e + v]
                found += size(kept[w] & ~taken) * np.uint64(word_weights[w])
            total += np.int64(found) * weights[k]
        return total

    return count


_count_wide, _count_narrow = _counter(_WIDE), _counter(_NARROW)


@njit
def _add_fitting(edges: Any, orders: Any, wanted: Any, sums: Any) -> None:
    for k in range(len(sums)):
        fits = np.uint16(edges[k] & wanted) == wanted
        sums[k] = np.uint16(sums[k] + (orders[k] if fits else np.uint16(0)))


@njit
def _leave_out(rows: Any, no: Any, sums: Any) -> None:
    for k in range(len(sums)):
        sums[k] = np.uint16(0) if rows[k] == no else sums[k]


@njit
def _select(
    side: Any, group: int, equal: int, foreign: int, sums: Any, chosen: Any, weights: Any
) -> int:
    """Choose the entries of a group that fit the other row at the cut.

    Args:
        side: the `Side`.
        group: the number of the row at the cut.
        equal: the columns where the two rows at the cut are equal.
        foreign: the row that no entry may have, or a number that no row has.
        sums: room for numbers.
        chosen: room for the entries.
        weights: room for their weights.
    """
    groups, rows, orders, edges = side.groups, side.rows, side.orders, side.edges
    begin, end = groups[group], groups[group + 1]
    wanted, no = np.uint16(equal), np.int16(foreign)
    # All entries are looked at, side by side, and those of weight 0 are left out in the end.
    some = sums[: end - begin]
    some[:] = 0
    for i in range(rows.shape[0]):
        _add_fitting(edges[i, begin:end], orders[i, begin:end], wanted, some)
    for i in range(rows.shape[0]):
        _leave_out(rows[i, begin:end], no, some)
    found = 0
    for k in range(len(some)):
        chosen[found], weights[found] = begin + k, some[k]
        found += some[k] != 0
    return found


@njit
def _edges(lines: Any, groups: Any, rows: Any, others: int) -> Any:
    """For each other row of each entry, the columns where it differs from the row at the cut."""
    edges = np.empty(rows.shape, np.uint16)
    for i in range(rows.shape[0]):
        for group in range(len(groups) - 1):
            for k in range(groups[group], groups[group + 1]):
                edges[i, k] = np.uint16(
                    lines[group] ^ lines[rows[i, k]] if i < others else ~np.int64(0)
                )
    return edges


@njit
def _by_weight(weights: Any, length: int) -> Any:
    """An order of entries in which each weight begins a word; -1 where there is none."""
    begin = np.zeros(weights[:length].max() + 2, np.int64)
    for k in range(length):
        begin[weights[k] + 1] += 1
    end = 0
    for weight in range(len(begin) - 1):
        number = begin[weight + 1]
        begin[weight] = end
        end += (number + 63) // 64 * 64
    order = np.full(end, -1, np.int64)
    for k in range(length):
        order[begin[weights[k]]] = k
        begin[weights[k]] += 1
    return order


@njit
def _fill(
    side: Any, chosen: Any, order: Any, start: int, end: int, words: int,
    names: Any, table: Any, free: Any, word_weights: Any,
) -> None:  # fmt: skip
    """Make the table of the entries from a place of an order to another."""
    rows, kinds, kind_begin, kind_pairs = side.rows, side.kinds, side.kind_begin, side.kind_pairs
    entries, weights = chosen.entries, chosen.weights
    first_pair = len(names) + 1
    table[: len(table) // _WIDE * words] = ZERO
    free[:] = ZERO
    word_weights[:] = 0
    for place in range(start, end):
        if order[place] < 0:
            continue
        entry, word = entries[order[place]], (place - start) >> 6
        bit = ONE << np.uint64(place & 63)
        free[word] |= bit
        word_weights[word] = np.uint32(weights[order[place]])
        for i in range(rows.shape[0]):
            table[names[rows[i, entry]] * words + word] |= bit
        for pair in range(kind_begin[kinds[entry]], kind_begin[kinds[entry] + 1]):
            table[(first_pair + kind_pairs[pair]) * words + word] |= bit


@njit
def _meet(one: Any, ones: Any, other: Any, others: Any, names: Any, table: Any) -> int:
    """Count the pairs of chosen entries of two sides that share nothing, with their weights.

    Args:
        one: the `Side` that is gone through.
        ones: its `Chosen` entries.
        other: the side that the table is made of.
        others: its chosen entries.
        names: what a row of the other side is called in the one.
        table: room for the table.
    """
    order = _by_weight(others.weights, others.length)
    free, word_weights = np.empty(_WIDE, np.uint64), np.empty(_WIDE, np.uint32)
    total, start = 0, 0
    while start < len(order):
        words = _WIDE if len(order) - start > 192 * _NARROW else _NARROW
        end = min(len(order), start + 64 * words)
        _fill(other, others, order, start, end, words, names, table, free, word_weights)
        if words == _WIDE:
            total += _count_wide(table, free, word_weights, len(names) + 1, one, ones)
        else:
            total += _count_narrow(table, free, word_weights, len(names) + 1, one, ones)
        start = end
    return total


@njit
def _side(lines: Any, rows_differ: bool, listed: Any) -> Any:
    """A side as `_select` takes it. Rows that there are not, or that may repeat, have the number
    after the last.
    """
    rows = listed.rows
    others = 0
    while others < rows.shape[0] and rows.shape[1] and rows[others, 0] >= 0:
        others += 1
    edges = _edges(lines, listed.groups, rows, others)
    n = len(lines)
    used = rows.copy()
    for i in range(0 if not rows_differ else others, rows.shape[0]):
        used[i] = n
    return Side(
        listed.groups,
        used,
        listed.orders,
        edges,
        listed.kinds,
        listed.kind_begin,
        listed.kind_pairs,
    )


@njit
def join(
    lines: Any, full: int, names: Any, symmetric: bool, rows_differ: bool, upper: Any, lower: Any
) -> int:
    """Count the boards that the halves of a class make.

    Args:
        lines: the rows as numbers.
        full: the number of a row of ones.
        names: for each row of the lower halves as they are listed, which row it is; that is its own
            inverse.
        symmetric: the lower halves are the upper ones, upside down and complemented, so that what
            two of them make is counted once for both ways.
        rows_differ: whether no two rows may be the same.
        upper: the upper `Halves`.
        lower: the lower ones.
    """
    n = len(lines)
    width = np.int64(size(np.uint64(full)))
    # The line after the rows is of no row, and has no ones: those go to the one after that.
    line_names = np.append(names, n + 1)
    above = _side(lines, rows_differ, upper)
    below = above if symmetric else _side(lines[names], rows_differ, lower)
    most = max(np.diff(upper.groups).max(), np.diff(lower.groups).max())
    sums = np.empty(most, np.uint16)
    one, one_weights = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    other, other_weights = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    table = np.empty((n + 2 + width * (width - 1) // 2) * _WIDE, np.uint64)
    total = 0
    for cut in range(n):
        if above.groups[cut] == above.groups[cut + 1]:
            continue
        for group in range(cut if symmetric else 0, n):
            under = names[group]
            if below.groups[group] == below.groups[group + 1] or (rows_differ and under == cut):
                continue
            equal = full & ~(lines[cut] ^ lines[under])
            # Each side calls rows in its own way.
            few = _select(above, cut, equal, under, sums, one, one_weights)
            if not few:
                continue
            many = _select(below, group, equal, names[cut], sums, other, other_weights)
            if not many:
                continue
            ones, others = Chosen(one, one_weights, few), Chosen(other, other_weights, many)
            if few <= many:
                found = _meet(above, ones, below, others, line_names, table)
            else:
                found = _meet(below, others, above, ones, line_names, table)
            total += found * (2 if symmetric and group != cut else 1)
    return total
