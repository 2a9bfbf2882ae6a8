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

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.counting.halves import SLOTS
from binairo_cp.puzzle.bits.words import ONE, ZERO, at, copy_into, size

WIDE, _NARROW = 32, 4
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


class Memory(NamedTuple):
    """The memory of `join`; compiled code allocates none.

    Attributes:
        upper_entries: the selected entries of a group above the cut.
        upper_weights: their weights.
        lower_entries: the selected entries of a group below the cut.
        lower_weights: their weights.
        order: an order of the entries in the table.
        weight_begin: for each weight, where its entries begin in this order.
        line_names: for each row of the lower halves, its line in the table.
        identity: the index of each row.
        sums: the weights of all entries of a group.
        word_weights: the weight of the entries in each word.
        free: the entries in each word.
        left: the words of a line.
        rest: the words of another one.
        table: the table.
    """

    upper_entries: Any
    upper_weights: Any
    lower_entries: Any
    lower_weights: Any
    order: Any
    weight_begin: Any
    line_names: Any
    identity: Any
    sums: Any
    word_weights: Any
    free: Any
    left: Any
    rest: Any
    table: Any


class Selection(NamedTuple):
    """Selected entries of a group: the first `length` of `entries`, and their `weights`."""

    entries: Any
    weights: Any
    length: int


@njit(forceinline=True)
def _count(words: int, first_pair: int, side: Any, selection: Any, memory: Any) -> int:
    """Count the pairs of the selected entries and those in the table, with weights.

    The number of words per line is a constant in each call. So LLVM can vectorize the loops over
    words.
    """
    table, free, word_weights = memory.table, memory.free, memory.word_weights
    left, rest = memory.left, memory.rest
    rows, kinds = side.rows, side.kinds
    kind_begin, kind_pairs = side.kind_begin, side.kind_pairs
    entries, weights = selection.entries, selection.weights
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


@njit
def _add_fitting(side: Any, i: int, begin: int, number: int, required: Any, sums: Any) -> None:
    """Add the orders of the entries whose edges contain the required columns."""
    edges, orders = side.edges, side.orders
    for k in range(number):
        fits = np.uint16(edges[at(i), at(begin + k)] & required) == required
        order = orders[at(i), at(begin + k)]
        sums[at(k)] = np.uint16(sums[at(k)] + (order if fits else np.uint16(0)))


@njit
def _clear_with_row(rows: Any, i: int, begin: int, number: int, row: Any, sums: Any) -> None:
    """Set the sums of the entries with a row to 0."""
    for k in range(number):
        has_row = rows[at(i), at(begin + k)] == row
        sums[at(k)] = np.uint16(0) if has_row else sums[at(k)]


@njit
def _selection(
    side: Any, group: int, equal: int, excluded_row: int, entries: Any, weights: Any, sums: Any
) -> Any:
    """Select the entries of a group that are compatible with the other row at the cut.

    Args:
        side: the `Side`.
        group: the index of the row at the cut.
        equal: the columns where the two rows at the cut are equal.
        excluded_row: the row that entries must not have, or a number that is not a row.
        entries: filled with the selected entries.
        weights: filled with their weights.
        sums: a buffer for sums.

    Returns:
        The `Selection`.
    """
    rows, begin = side.rows, side.groups[group]
    number = side.groups[group + 1] - begin
    required, excluded = np.uint16(equal), np.int16(excluded_row)
    # Process all entries in loops that vectorize, and drop those of weight 0 at the end.
    for k in range(number):
        sums[at(k)] = 0
    for i in range(rows.shape[0]):
        _add_fitting(side, i, begin, number, required, sums)
    for i in range(rows.shape[0]):
        _clear_with_row(rows, i, begin, number, excluded, sums)
    length = 0
    for k in range(number):
        entries[length], weights[length] = begin + k, sums[k]
        length += sums[k] != 0
    return Selection(entries, weights, length)


@njit
def _order_by_weight(selection: Any, begin: Any, order: Any) -> int:
    """Order entries so that each weight starts at a new word, padded with -1; return the length."""
    weights, heaviest = selection.weights, 0
    for k in range(selection.length):
        heaviest = max(heaviest, weights[k])
    for weight in range(heaviest + 1):
        begin[weight] = 0
    for k in range(selection.length):
        begin[weights[k]] += 1
    end = 0
    for weight in range(heaviest + 1):
        number = begin[weight]
        begin[weight] = end
        end += (number + 63) // 64 * 64
    for place in range(end):
        order[place] = -1
    for k in range(selection.length):
        order[begin[weights[k]]] = k
        begin[weights[k]] += 1
    return end


@njit
def _fill(
    side: Any, selection: Any, start: int, end: int, words: int, lines: int, memory: Any
) -> None:
    """Fill a table of so many lines with the entries ``order[start:end]``."""
    rows, kinds, kind_begin, kind_pairs = side.rows, side.kinds, side.kind_begin, side.kind_pairs
    entries, weights, order = selection.entries, selection.weights, memory.order
    names, table = memory.line_names, memory.table
    free, word_weights = memory.free, memory.word_weights
    first_pair = len(names) + 1
    for k in range(lines * words):
        table[at(k)] = ZERO
    for word in range(WIDE):
        free[word] = ZERO
        word_weights[word] = 0
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
    side: Any, selection: Any, table_side: Any, table_selection: Any, lines: int, memory: Any
) -> int:
    """Count the pairs of entries without a common row or pair of equal columns, with weights.

    Args:
        side: the `Side` whose entries are looked up.
        selection: its selected entries.
        table_side: the other side, whose entries fill the table.
        table_selection: its selected entries.
        lines: the lines of the table.
        memory: the `Memory`.
    """
    length = _order_by_weight(table_selection, memory.weight_begin, memory.order)
    first_pair = len(memory.line_names) + 1
    total, start = 0, 0
    while start < length:
        words = WIDE if length - start > 192 * _NARROW else _NARROW
        end = min(length, start + 64 * words)
        _fill(table_side, table_selection, start, end, words, lines, memory)
        if words == WIDE:
            total += _count(WIDE, first_pair, side, selection, memory)
        else:
            total += _count(_NARROW, first_pair, side, selection, memory)
        start = end
    return total


@njit
def _prepare(lines: Any, names: Any, rows_differ: bool, side: Any) -> None:
    """Compute the edges of a `Side`, and name the rows that are missing or may repeat."""
    rows, edges, groups = side.rows, side.edges, side.groups
    others = 0
    while others < rows.shape[0] and rows.shape[1] and rows[others, 0] >= 0:
        others += 1
    for i in range(rows.shape[0]):
        for group in range(len(groups) - 1):
            line = lines[names[group]]
            for k in range(groups[group], groups[group + 1]):
                edge = ~np.int64(0)
                if i < others:
                    edge = line ^ lines[names[rows[i, k]]]
                edges[i, k] = np.uint16(edge)
                if i >= others or not rows_differ:
                    rows[i, k] = len(lines)


@njit
def join(
    lines: Any, full: int, names: Any, symmetric: bool, rows_differ: bool, above: Any, below: Any,
    memory: Any,
) -> int:  # fmt: skip
    """Count the pairs of halves that make a board.

    Args:
        lines: the legal rows as bit sets.
        full: the bit set of a row of ones.
        names: for each row index in the lower halves, the index of the actual row; an involution.
        symmetric: whether the lower halves are the upper halves, upside down and complemented; then
            each pair of groups is counted once, for both orders.
        rows_differ: whether rows must differ.
        above: the upper `Halves` as a `Side` with any edges, which are computed here.
        below: the lower ones; if `symmetric`, the same arrays.
        memory: the `Memory`.
    """
    n = len(lines)
    width = np.int64(size(np.uint64(full)))
    table_lines = n + 2 + width * (width - 1) // 2
    # Table line n stands for missing rows and must stay 0, so their bits go to line n + 1.
    copy_into(memory.line_names, names)
    memory.line_names[n] = n + 1
    _prepare(lines, memory.identity, rows_differ, above)
    if not symmetric:
        _prepare(lines, names, rows_differ, below)
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
            upper = _selection(
                above, cut, equal, under, memory.upper_entries, memory.upper_weights, memory.sums
            )
            if not upper.length:
                continue
            lower = _selection(
                below, group, equal, names[cut], memory.lower_entries, memory.lower_weights,
                memory.sums,
            )  # fmt: skip
            if not lower.length:
                continue
            # The longer list becomes the table.
            if upper.length <= lower.length:
                pairs = _count_pairs(above, upper, below, lower, table_lines, memory)
            else:
                pairs = _count_pairs(below, lower, above, upper, table_lines, memory)
            total += pairs * (2 if symmetric and group != cut else 1)
    return total
