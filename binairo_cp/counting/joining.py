"""Count the pairs of halves that make a board, a thousand pairs at a time.

Two halves make a board if no triple crosses the cut, no row is in both, and no two columns are
equal in both. The first condition depends on the rows at the cut and behind it: in columns where
the two rows at the cut are equal, neither may equal the row behind it. So for each pair of rows at
the cut, the halves that satisfy this are selected. For the other conditions, the halves of one side
become a bit table::

                 half 0 1 2 3 ...
    row 0             1 . . 1        one line for each row and each pair of columns, with a bit for
    row 1             . . 1 .        each half that has the row, or has the columns equal
    ...
    columns 0 and 1   . 1 . .

For each half of the other side, the lines of its rows and of its equal columns are combined by or.
The zero bits of the result are the halves that make a board with it. Each word contains halves of
one weight only, so the weight multiplies the number of zero bits of the word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.counting.halves import SLOTS
from binairo_cp.puzzle.bits.words import ONE, ZERO, copy_into, size

_WIDE, _NARROW = 32, 4
"""Words in a line of the table: as many as fit the L1 cache, or a few for short lists."""


class Side(NamedTuple):
    """The `halves.Halves` above or below the cut, prepared for joining.

    Attributes:
        groups: as in `Halves`.
        rows: as in `Halves`, with n, the number of legal rows, in place of a row that is missing or
            may repeat.
        orders: as in `Halves`.
        edges: at [i, k], the columns where that row differs from the row at the cut.
        kinds: as in `Halves`.
        kind_begin: as in `Halves`.
        kind_pairs: as in `Halves`.
    """

    groups: Any
    rows: Any
    orders: Any
    edges: Any
    kinds: Any
    kind_begin: Any
    kind_pairs: Any


class Selection(NamedTuple):
    """Selected entries of a group: the first `length` of `entries`, and their `weights`."""

    entries: Any
    weights: Any
    length: int


def _counter(words: int) -> Callable[..., Any]:
    """Return a function that counts with tables of a fixed number of words per line.

    A constant number lets the compiler vectorize the loops over words.
    """

    @njit
    def count(
        table: Any, free: Any, word_weights: Any, first_pair: int, side: Any, selection: Any
    ) -> int:
        rows, kinds = side.rows, side.kinds
        kind_begin, kind_pairs = side.kind_begin, side.kind_pairs
        entries, weights = selection.entries, selection.weights
        left, rest = np.empty(words, np.uint64), np.empty(words, np.uint64)
        stride = np.uint64(words)
        slots = rows.shape[0]
        total, kind = 0, -1
        for k in range(selection.length):
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
            pairs = ZERO
            for w in range(words):
                v = np.uint64(w)
                taken = table[a + v] | table[b + v] | table[c + v] | table[d + v] | table[e + v]
                pairs += size(kept[w] & ~taken) * np.uint64(word_weights[w])
            total += np.int64(pairs) * weights[k]
        return total

    return count


_count_wide, _count_narrow = _counter(_WIDE), _counter(_NARROW)


@njit
def _add_fitting(edges: Any, orders: Any, required: Any, sums: Any) -> None:
    """Add the orders of the entries whose edges contain the required columns."""
    for k in range(len(sums)):
        fits = np.uint16(edges[k] & required) == required
        sums[k] = np.uint16(sums[k] + (orders[k] if fits else np.uint16(0)))


@njit
def _clear_with_row(rows: Any, row: Any, sums: Any) -> None:
    """Set the sums of the entries with a row to 0."""
    for k in range(len(sums)):
        sums[k] = np.uint16(0) if rows[k] == row else sums[k]


@njit
def _select(
    side: Any, group: int, equal: int, excluded_row: int, sums: Any, entries: Any, weights: Any
) -> int:
    """Select the entries of a group that are compatible with the other row at the cut.

    Args:
        side: the `Side`.
        group: the index of the row at the cut.
        equal: the columns where the two rows at the cut are equal.
        excluded_row: the row that entries must not have, or a number that is not a row.
        sums: a buffer for sums.
        entries: filled with the selected entries.
        weights: filled with their weights.

    Returns:
        The number of selected entries.
    """
    groups, rows, orders, edges = side.groups, side.rows, side.orders, side.edges
    begin, end = groups[group], groups[group + 1]
    required, excluded = np.uint16(equal), np.int16(excluded_row)
    # Process all entries in loops that vectorize, and drop those of weight 0 at the end.
    group_sums = sums[: end - begin]
    group_sums[:] = 0
    for i in range(rows.shape[0]):
        _add_fitting(edges[i, begin:end], orders[i, begin:end], required, group_sums)
    for i in range(rows.shape[0]):
        _clear_with_row(rows[i, begin:end], excluded, group_sums)
    length = 0
    for k in range(len(group_sums)):
        entries[length], weights[length] = begin + k, group_sums[k]
        length += group_sums[k] != 0
    return length


@njit
def _edges(lines: Any, groups: Any, rows: Any, others: int) -> Any:
    """Compute where each other row of each entry differs from the row at the cut."""
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
    """Return an order of entries in which each weight starts at a new word, padded with -1."""
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
    side: Any, selection: Any, order: Any, start: int, end: int, words: int,
    names: Any, table: Any, free: Any, word_weights: Any,
) -> None:  # fmt: skip
    """Fill the table with the entries ``order[start:end]``."""
    rows, kinds, kind_begin, kind_pairs = side.rows, side.kinds, side.kind_begin, side.kind_pairs
    entries, weights = selection.entries, selection.weights
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
def _count_pairs(
    side: Any, selection: Any, table_side: Any, table_selection: Any, names: Any, table: Any
) -> int:
    """Count the pairs of entries without a common row or pair of equal columns, with weights.

    Args:
        side: the `Side` whose entries are looked up.
        selection: its selected entries.
        table_side: the other side, whose entries fill the table.
        table_selection: its selected entries.
        names: the index in `side` of each row of `table_side`.
        table: a buffer for the table.
    """
    order = _by_weight(table_selection.weights, table_selection.length)
    free, word_weights = np.empty(_WIDE, np.uint64), np.empty(_WIDE, np.uint32)
    total, start = 0, 0
    while start < len(order):
        words = _WIDE if len(order) - start > 192 * _NARROW else _NARROW
        end = min(len(order), start + 64 * words)
        _fill(
            table_side, table_selection, order, start, end, words,
            names, table, free, word_weights,
        )  # fmt: skip
        if words == _WIDE:
            total += _count_wide(table, free, word_weights, len(names) + 1, side, selection)
        else:
            total += _count_narrow(table, free, word_weights, len(names) + 1, side, selection)
        start = end
    return total


@njit
def _side(lines: Any, rows_differ: bool, listed: Any) -> Any:
    """Prepare `Halves` as a `Side`."""
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
def _largest_group(begin: Any) -> int:
    largest = 0
    for group in range(len(begin) - 1):
        largest = max(largest, begin[group + 1] - begin[group])
    return largest


@njit
def join(
    lines: Any, full: int, names: Any, symmetric: bool, rows_differ: bool, upper: Any, lower: Any
) -> int:
    """Count the pairs of halves that make a board.

    Args:
        lines: the legal rows as bit sets.
        full: the bit set of a row of ones.
        names: for each row index in the lower halves, the index of the actual row; an involution.
        symmetric: whether the lower halves are the upper halves, upside down and complemented; then
            each pair of groups is counted once, for both orders.
        rows_differ: whether rows must differ.
        upper: the upper `Halves`.
        lower: the lower `Halves`.
    """
    n = len(lines)
    width = np.int64(size(np.uint64(full)))
    # Table line n stands for missing rows and must stay 0, so their bits go to line n + 1.
    line_names = np.empty(len(names) + 1, np.int64)
    copy_into(line_names, names)
    line_names[len(names)] = n + 1
    above = _side(lines, rows_differ, upper)
    below = above if symmetric else _side(lines[names], rows_differ, lower)
    largest = max(_largest_group(upper.groups), _largest_group(lower.groups))
    sums = np.empty(largest, np.uint16)
    # One more than the largest group, because `_select` writes one entry past the last.
    upper_entries, upper_weights = np.empty(largest + 1, np.int64), np.empty(largest + 1, np.int64)
    lower_entries, lower_weights = np.empty(largest + 1, np.int64), np.empty(largest + 1, np.int64)
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
            # The excluded row is given as an index of the respective side.
            upper_length = _select(above, cut, equal, under, sums, upper_entries, upper_weights)
            if not upper_length:
                continue
            lower_length = _select(
                below, group, equal, names[cut], sums, lower_entries, lower_weights
            )
            if not lower_length:
                continue
            upper_selection = Selection(upper_entries, upper_weights, upper_length)
            lower_selection = Selection(lower_entries, lower_weights, lower_length)
            # The longer list becomes the table.
            if upper_length <= lower_length:
                pairs = _count_pairs(
                    above, upper_selection, below, lower_selection, line_names, table
                )
            else:
                pairs = _count_pairs(
                    below, lower_selection, above, upper_selection, line_names, table
                )
            total += pairs * (2 if symmetric and group != cut else 1)
    return total
