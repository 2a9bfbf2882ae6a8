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

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.census.halves import SLOTS, HalfList, Row, Short, check_names
from binairo_cp.kernels.words import Index, Word, cell, size

_WIDE, _NARROW = 32, 4
"""Words in a line of the table: as many as fit the L1 cache, or a few for short lists."""

_WEIGHTS = 1 << 16
"""A weight fits 16 bits."""


@cython.final
@cython.cclass
class _Selection:
    """Selected entries of a group: the first `length` of `entries`, and their `weights`."""

    entries: Index[::1]
    weights: Index[::1]
    length: Index

    def __init__(self, largest: Index) -> None:
        self.entries, self.weights, self.length = zeros("q", largest), zeros("q", largest), 0


@cython.final
@cython.cclass
class Joiner:
    """The memory of `join`.

    Args:
        n: the number of legal rows.
        width: their number of cells.
        largest: the most entries of a group.
    """

    upper: _Selection  # the selected entries of a group above the cut
    lower: _Selection  # those of a group below the cut
    order: Index[::1]  # an order of the entries in the table; each weight starts at a new word
    weight_begin: Index[::1]  # for each weight, where its entries begin in this order
    line_names: Index[::1]  # for each row of the lower halves, its line in the table
    identity: Index[::1]  # the index of each row
    sums: Short[::1]  # the weights of all entries of a group
    word_weights: cython.uint[::1]  # the weight of the entries in each word
    free: Word[::1]  # the entries in each word
    left: Word[::1]  # the words of a line
    rest: Word[::1]  # the words of another one
    table: Word[::1]  # the table
    first_pair: Index  # its first line for a pair of columns
    lines: Index  # its number of lines
    largest: Index

    def __init__(self, n: Index, width: Index, largest: Index) -> None:
        if n < 0 or not 0 < width <= 16 or largest < 0:
            raise ValueError(
                f"{n} rows of {width} cells, {largest} entries; expected 1 to 16 cells"
            )
        self.upper, self.lower = _Selection(largest), _Selection(largest)
        self.order = zeros("q", largest + 64 * min(largest, _WEIGHTS))
        self.weight_begin = zeros("q", _WEIGHTS)
        self.line_names, self.identity = zeros("q", n + 1), zeros("q", n)
        for k in range(n):
            self.identity[k] = k
        self.sums, self.word_weights = zeros("H", largest), zeros("I", _WIDE)
        self.free, self.left, self.rest = zeros("Q", _WIDE), zeros("Q", _WIDE), zeros("Q", _WIDE)
        self.first_pair = n + 2
        self.lines = self.first_pair + (width * (width - 1) >> 1)
        self.table = zeros("Q", self.lines * _WIDE)
        self.largest = largest


@cython.inline_nogil_noexcept
def _weighed(joiner: Joiner, word: Index) -> Word:
    """The number of entries left in a word, times their weight."""
    return cython.cast(Word, size(joiner.rest[word])) * joiner.word_weights[word]


@cython.inline_nogil_noexcept
def _count(words: Index, side: HalfList, selection: _Selection, joiner: Joiner) -> Index:
    """Count the pairs of the selected entries and those in the table, with weights.

    The number of words per line is a constant in each call, so that the C compiler vectorizes the
    loops over words.
    """
    total: Index = 0
    kind: Index = -1
    for k in range(selection.length):
        entry = selection.entries[k]
        if side.kinds[entry] != kind:
            kind = side.kinds[entry]
            for w in range(words):
                joiner.left[w] = joiner.free[w]
            for pair in range(side.kind_begin[kind], side.kind_begin[kind + 1]):
                line: Index = (joiner.first_pair + side.kind_pairs[pair]) * words
                for w in range(words):
                    joiner.left[w] &= ~joiner.table[line + w]
        a: Index = side.rows[0, entry] * words
        b: Index = side.rows[1, entry] * words
        c: Index = side.rows[2, entry] * words
        d: Index = side.rows[3, entry] * words
        e: Index = side.rows[4, entry] * words
        for w in range(words):
            one = joiner.table[a + w] | joiner.table[b + w] | joiner.table[c + w]
            two = joiner.table[d + w] | joiner.table[e + w]
            joiner.rest[w] = joiner.left[w] & ~(one | two)
        for i in range(SLOTS, side.slots):
            line = side.rows[i, entry] * words
            for w in range(words):
                joiner.rest[w] &= ~joiner.table[line + w]
        pairs: Word = 0
        for w in range(0, words, _NARROW):
            # Written out, since gcc doesn't unroll it.
            pairs += _weighed(joiner, w) + _weighed(joiner, w + 1)
            pairs += _weighed(joiner, w + 2) + _weighed(joiner, w + 3)
        total += cython.cast(Index, pairs) * selection.weights[k]
    return total


@cython.nogil_noexcept
def _add_fitting(
    side: HalfList, i: Index, begin: Index, number: Index, required: Short, joiner: Joiner
) -> None:
    """Add the orders of the entries whose edges contain the required columns."""
    for k in range(number):
        # A product instead of a condition: clang vectorizes no loop with a branch.
        fits: cython.bint = side.edges[i, begin + k] & required == required
        joiner.sums[k] += side.orders[i, begin + k] * fits


@cython.nogil_noexcept
def _clear_with_row(
    side: HalfList, i: Index, begin: Index, number: Index, row: Row, joiner: Joiner
) -> None:
    """Set the sums of the entries with a row to 0."""
    for k in range(number):
        joiner.sums[k] *= side.rows[i, begin + k] != row


@cython.nogil_noexcept
def _select(
    side: HalfList,
    group: Index,
    equal: Index,
    excluded_row: Index,
    selection: _Selection,
    joiner: Joiner,
) -> None:
    """Select the entries of a group that are compatible with the other row at the cut.

    In the columns `equal`, the two rows at the cut are equal. Entries must not have the excluded
    row, which may be no row.
    """
    begin = side.groups[group]
    number = side.groups[group + 1] - begin
    # Process all entries in loops that vectorize, and drop those of weight 0 at the end.
    for k in range(number):
        joiner.sums[k] = 0
    for i in range(side.slots):
        _add_fitting(side, i, begin, number, equal, joiner)
    for i in range(side.slots):
        _clear_with_row(side, i, begin, number, excluded_row, joiner)
    length: Index = 0
    for k in range(number):
        selection.entries[length] = begin + k
        selection.weights[length] = joiner.sums[k]
        length += 1 if joiner.sums[k] else 0
    selection.length = length


@cython.nogil_noexcept
def _order_by_weight(selection: _Selection, joiner: Joiner) -> Index:
    """Order entries so that each weight starts at a new word, padded with -1; return the length."""
    heaviest: Index = 0
    for k in range(selection.length):
        heaviest = max(heaviest, selection.weights[k])
    for weight in range(heaviest + 1):
        joiner.weight_begin[weight] = 0
    for k in range(selection.length):
        joiner.weight_begin[selection.weights[k]] += 1
    end: Index = 0
    for weight in range(heaviest + 1):
        number = joiner.weight_begin[weight]
        joiner.weight_begin[weight] = end
        end += (number + 63) >> 6 << 6
    for place in range(end):
        joiner.order[place] = -1
    for k in range(selection.length):
        weight = selection.weights[k]
        joiner.order[joiner.weight_begin[weight]] = k
        joiner.weight_begin[weight] += 1
    return end


@cython.nogil_noexcept
def _fill(
    side: HalfList, selection: _Selection, start: Index, end: Index, words: Index, joiner: Joiner
) -> None:
    """Fill a table with the entries ``order[start:end]``."""
    for k in range(joiner.lines * words):
        joiner.table[k] = 0
    for word in range(_WIDE):
        joiner.free[word] = 0
        joiner.word_weights[word] = 0
    for place in range(start, end):
        chosen = joiner.order[place]
        if chosen < 0:
            continue
        entry = selection.entries[chosen]
        word = (place - start) >> 6
        bit = cell(place & 63)
        joiner.free[word] |= bit
        joiner.word_weights[word] = selection.weights[chosen]
        for i in range(side.slots):
            joiner.table[joiner.line_names[side.rows[i, entry]] * words + word] |= bit
        kind: Index = side.kinds[entry]
        for pair in range(side.kind_begin[kind], side.kind_begin[kind + 1]):
            joiner.table[(joiner.first_pair + side.kind_pairs[pair]) * words + word] |= bit


@cython.nogil_noexcept
def _count_pairs(
    side: HalfList,
    selection: _Selection,
    table_side: HalfList,
    table_selection: _Selection,
    joiner: Joiner,
) -> Index:
    """Count the pairs of entries without a common row or pair of equal columns, with weights.

    The entries of one side are looked up in a table, which those of the other side fill.
    """
    length = _order_by_weight(table_selection, joiner)
    total: Index = 0
    start: Index = 0
    while start < length:
        words: Index = _WIDE if length - start > 192 * _NARROW else _NARROW
        end: Index = min(length, start + 64 * words)
        _fill(table_side, table_selection, start, end, words, joiner)
        if words == _WIDE:
            total += _count(_WIDE, side, selection, joiner)
        else:
            total += _count(_NARROW, side, selection, joiner)
        start = end
    return total


@cython.nogil_noexcept
def _prepare(
    lines: Index[::1], names: Index[::1], rows_differ: cython.bint, side: HalfList
) -> None:
    """Compute the edges of halves, and name the rows that are missing or may repeat."""
    n = lines.shape[0]
    others: Index = 0
    while others < side.slots and side.length and side.rows[others, 0] >= 0:
        others += 1
    for i in range(side.slots):
        for group in range(n):
            line = lines[names[group]]
            for k in range(side.groups[group], side.groups[group + 1]):
                edge: Index = 0xFFFF
                if i < others:
                    edge = (line ^ lines[names[side.rows[i, k]]]) & 0xFFFF
                side.edges[i, k] = edge
                if i >= others or not rows_differ:
                    side.rows[i, k] = n


def join(
    lines: Index[::1],
    full: Index,
    names: Index[::1],
    symmetric: cython.bint,
    rows_differ: cython.bint,
    above: HalfList,
    below: HalfList,
    joiner: Joiner,
) -> int:
    """Count the pairs of halves that make a board. It changes the halves.

    Args:
        lines: the legal rows as bit sets.
        full: the bit set of a row of ones.
        names: for each row index in the lower halves, the index of the actual row; an involution.
        symmetric: whether the lower halves are the upper halves, upside down and complemented; then
            each pair of groups is counted once, for both orders.
        rows_differ: whether rows must differ.
        above: the upper halves, as `list_halves` left them.
        below: the lower ones; if `symmetric`, the same object.
        joiner: memory for so many rows, cells and entries.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    n: Index = lines.shape[0]
    if names.shape[0] != n or joiner.first_pair != n + 2:
        raise ValueError(f"expected names and memory for {n} rows")
    check_names(names)
    if above.groups.shape[0] != n + 1 or below.groups.shape[0] != n + 1:
        raise ValueError(f"expected a group of entries for each of {n} rows")
    if max(above.largest(), below.largest()) > joiner.largest:
        raise ValueError(f"a group has more than {joiner.largest} entries")
    if above.is_joined or below.is_joined or symmetric != (above is below):
        raise ValueError("expected halves that were not joined, the same ones only if symmetric")
    above.is_joined = below.is_joined = True
    total: Index = 0
    with cython.nogil:
        # Table line n stands for missing rows and must stay 0, so their bits go to line n + 1.
        for k in range(n):
            joiner.line_names[k] = names[k]
        joiner.line_names[n] = n + 1
        _prepare(lines, joiner.identity, rows_differ, above)
        if not symmetric:
            _prepare(lines, names, rows_differ, below)
        for cut in range(n):
            if above.groups[cut] == above.groups[cut + 1]:
                continue
            for group in range(cut if symmetric else 0, n):
                under = names[group]
                if below.groups[group] == below.groups[group + 1] or (rows_differ and under == cut):
                    continue
                equal = full & ~(lines[cut] ^ lines[under])
                # The excluded row is given as an index of the respective side.
                _select(above, cut, equal, under, joiner.upper, joiner)
                if not joiner.upper.length:
                    continue
                _select(below, group, equal, names[cut], joiner.lower, joiner)
                if not joiner.lower.length:
                    continue
                pairs: Index = 0
                # The longer list becomes the table.
                if joiner.upper.length <= joiner.lower.length:
                    pairs = _count_pairs(above, joiner.upper, below, joiner.lower, joiner)
                else:
                    pairs = _count_pairs(below, joiner.lower, above, joiner.upper, joiner)
                total += pairs * (2 if symmetric and group != cut else 1)
    return total
