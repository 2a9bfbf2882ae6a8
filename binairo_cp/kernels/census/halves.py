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

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import ALL, Index, Word, cell, first

SLOTS = 5
"""The minimum number of slots for the other rows of an entry; unused slots hold no row."""

_HASH_FACTOR = 0x9E3779B97F4A7C15
_TOP = 0x8000_0000_0000_0000

LISTED, BLOCKS, KEYS, ENTRIES, KIND_ENTRIES, KIND_PAIRS = 0, 1, 2, 3, 4, 5
"""How `list_halves` ended: all halves are listed, or a part of the memory is too small."""

Row = cython.typedef(cython.short)
"""The index of a row; -1 stands for no row."""

Short = cython.typedef(cython.ushort)

if cython.compiled:
    from cython.cimports.binairo_cp.kernels.sorting import sort_first


def check_names(names: Index[::1]) -> None:
    """Raise ValueError unless all names of rows are indices of rows."""
    for k in range(names.shape[0]):
        if not 0 <= names[k] < names.shape[0]:
            raise ValueError(f"row {k} has the name {names[k]}, which is no row")


@cython.final
@cython.cclass
class Blocks:
    """Blocks of rows, ordered by their column sums."""

    sums: Index[::1]  # the distinct column sums, packed, in ascending order
    # The index of the first block of each sum, and the number of blocks at the end.
    start: Index[::1]
    line: Index[::1]  # the row of each block that is next to the other block of the half
    # The columns where that row differs from the row behind it; all columns if there is none.
    edge: Index[::1]
    rows: Row[:, ::1]  # the row indices of each block, from top to bottom
    height: Index  # the number of rows of a block
    end: Index  # the first number above all row indices

    def __init__(
        self,
        sums: Index[::1],
        start: Index[::1],
        line: Index[::1],
        edge: Index[::1],
        rows: Row[:, ::1],
    ) -> None:
        number: Index = rows.shape[0]
        count: Index = sums.shape[0]
        if start.shape[0] != count + 1 or start[count] != number:
            raise ValueError("the blocks of each sum must end with the last block")
        if line.shape[0] != number or edge.shape[0] != number:
            raise ValueError(f"expected a line and an edge for each of {number} blocks")
        for k in range(count):
            if not 0 <= start[k] <= start[k + 1]:
                raise ValueError(f"the blocks of sum {k} end before they begin")
        self.end = 0
        for k in range(number):
            for i in range(rows.shape[1]):
                if rows[k, i] < 0:
                    raise ValueError(f"block {k} has the row {rows[k, i]}, which is no row")
                self.end = max(self.end, rows[k, i] + 1)
        self.sums, self.start, self.line, self.edge, self.rows = sums, start, line, edge, rows
        self.height = rows.shape[1]


@cython.final
@cython.cclass
class HalfList:
    """The halves of classes as entries, and the memory to list them.

    Args:
        n: the number of legal rows.
        slots: the number of slots for the other rows of an entry, at least `SLOTS`.
        blocks: room for so many inner blocks.
        keys: room for so many halves with one row at the cut.
        entries: room for so many entries.
        kinds: room for so many kinds.
        pairs: room for so many pairs of all kinds, which have up to 128 each.
    """

    length: Index  # the number of entries
    total: Index  # the number of halves, including those with equal rows
    is_joined: cython.bint  # whether `join` has changed the halves
    # For each row at the cut, the index of its first entry; the number of entries last.
    groups: Index[::1]
    begin: Index[::1]  # for each row at the cut, the first of its `blocks`; their number last
    behind: Index[::1]  # the other rows of a half
    blocks: Index[::1]  # the inner blocks, grouped by the row at the cut
    needed_sums: Index[::1]  # for each of them, the index of the sum that the outer block must have
    keys: Word[::1]  # the halves with one row at the cut
    runs: Word[::1]  # where the keys with the same rows begin
    order: Word[::1]  # an order of these runs
    one: Word[::1]  # the first word of equal columns of each run
    other: Word[::1]  # the second one
    kinds: cython.int[::1]  # the kind of each entry; entries of a kind have the same equal columns
    rows: Row[:, ::1]  # at [i, k], the i-th other row of entry k
    # At [i, k], the number of row orders of entry k with that row behind the cut.
    orders: Short[:, ::1]
    # At [i, k], the columns where that row differs from the row at the cut; for `join`, which also
    # names the rows that are missing or may repeat n.
    edges: Short[:, ::1]
    slots: Index  # the number of rows of an entry, at least `SLOTS`
    kind_begin: Index[::1]  # for each kind, the index of its first pair in `kind_pairs`
    kind_pairs: Short[::1]  # the pairs of equal columns of all kinds

    def __init__(
        self,
        n: Index,
        slots: Index,
        blocks: Index,
        keys: Index,
        entries: Index,
        kinds: Index,
        pairs: Index,
    ) -> None:
        if slots < SLOTS or min(n, blocks, keys, entries, kinds, pairs) < 0:
            raise ValueError(f"expected {SLOTS} slots or more, and room for no less than nothing")
        self.groups, self.begin, self.behind = (
            zeros("q", n + 1),
            zeros("q", n + 1),
            zeros("q", slots),
        )
        self.blocks, self.needed_sums = zeros("q", blocks), zeros("q", blocks)
        self.keys, self.runs, self.order = zeros("Q", keys), zeros("Q", keys + 1), zeros("Q", keys)
        self.one, self.other = zeros("Q", keys), zeros("Q", keys)
        self.kinds = zeros("i", entries)
        self.rows, self.orders = zeros("h", slots, entries), zeros("H", slots, entries)
        self.edges, self.slots = zeros("H", slots, entries), slots
        self.kind_begin, self.kind_pairs = zeros("q", kinds), zeros("H", pairs)
        self.length = self.total = 0
        self.is_joined = False

    def number(self) -> int:
        """The number of halves, including those with equal rows."""
        return self.total

    def largest(self) -> int:
        """The number of entries of the largest group."""
        largest: Index = 0
        for cut in range(self.groups.shape[0] - 1):
            largest = max(largest, self.groups[cut + 1] - self.groups[cut])
        return largest


@cython.nogil_noexcept
def _sort(values: Word[::1], length: Index) -> None:
    """Sort the first words of an array."""
    if length > 1:
        if cython.compiled:
            sort_first(cython.address(values[0]), length)
        else:
            for place, value in enumerate(sorted(values[:length])):
                values[place] = value


def sort_words(values: Word[::1]) -> None:
    """Sort the words of an array."""
    _sort(values, values.shape[0])


@cython.nogil_noexcept
def inner_blocks(
    classes: Index[::1],
    outer: Blocks,
    inner: Blocks,
    begin: Index[::1],
    blocks: Index[::1],
    needed_sums: Index[::1],
) -> Index:
    """List the inner blocks that halves of some classes can have, grouped by the row at the cut.

    `begin` is filled with the index where each group begins, and the number of blocks, `blocks`
    with the blocks, and `needed_sums`, for each, with the index of the sum that the outer block
    must have. Returns the number of blocks; if there is no room for them, none are listed.
    """
    last: Index = inner.height - 1
    n: Index = begin.shape[0] - 1
    cut: Index = 0
    for cut in range(n + 1):
        begin[cut] = 0
    for listing in range(2):
        for k in range(classes.shape[0]):
            # The larger the sum of the outer block, the smaller that of the inner one.
            number: Index = inner.sums.shape[0] - 1
            for sum_before in range(outer.sums.shape[0]):
                needed: Index = classes[k] - outer.sums[sum_before]
                while number >= 0 and inner.sums[number] > needed:
                    number -= 1
                if number < 0:
                    break
                if inner.sums[number] != needed:
                    continue
                for y in range(inner.start[number], inner.start[number + 1]):
                    cut = inner.rows[y, last]
                    if listing:
                        blocks[begin[cut]] = y
                        needed_sums[begin[cut]] = sum_before
                        begin[cut] += 1
                    else:
                        begin[cut + 1] += 1
        if not listing:
            for cut in range(n):
                begin[cut + 1] += begin[cut]
            if begin[n] > blocks.shape[0]:
                return begin[n]
    # Each group now begins where the next one should.
    for cut in range(n, 0, -1):
        begin[cut] = begin[cut - 1]
    begin[0] = 0
    return begin[n]


@cython.nogil_noexcept
def _list_keys(
    cut: Index,
    full: Index,
    bits: Index,
    rows_differ: cython.bint,
    outer: Blocks,
    inner: Blocks,
    halves: HalfList,
) -> Index:
    """List the halves that share the row at the cut, as keys.

    A key packs the other rows in ascending order, and the position of the row behind the cut among
    them. Returns the number of keys; -1 if the memory is too small.
    """
    p: Index = outer.height
    others: Index = p + inner.height - 1
    key_count: Index = 0
    for number in range(halves.begin[cut], halves.begin[cut + 1]):
        y: Index = halves.blocks[number]
        t: Index = halves.needed_sums[number]
        line: Index = inner.line[y]
        edge: Index = inner.edge[y]
        for x in range(outer.start[t], outer.start[t + 1]):
            if p and ((outer.line[x] ^ line) | (outer.edge[x] & edge)) != full:
                continue
            halves.total += 1
            # Insertion sort; the last inserted row is the one behind the cut.
            behind: Index = -1
            k: Index = 0
            spot: Index = 0
            for k in range(others):
                behind = outer.rows[x, k] if k < p else inner.rows[y, k - p]
                spot = k
                while spot and halves.behind[spot - 1] > behind:
                    halves.behind[spot] = halves.behind[spot - 1]
                    spot -= 1
                halves.behind[spot] = behind
            key: Word = 0
            has_equal_rows: cython.bint = False
            spot = 0
            before: Index = -1
            for k in range(others):
                row: Index = halves.behind[k]
                has_equal_rows |= (row == cut) | (row == before)
                key = (key << bits) | cython.cast(Word, row)
                if row < behind:
                    spot += 1
                before = row
            if has_equal_rows and rows_differ:
                continue
            if key_count == halves.keys.shape[0]:
                return -1
            halves.keys[key_count] = (key << 4) | cython.cast(Word, spot)
            key_count += 1
    return key_count


@cython.nogil_noexcept
def _merge(key_count: Index, halves: HalfList) -> Index:
    """Group ascending keys by their rows; return the number of groups."""
    number: Index = 0
    last: Word = ALL
    for k in range(key_count):
        if halves.keys[k] >> 4 != last:
            last = halves.keys[k] >> 4
            halves.runs[number] = k
            number += 1
    halves.runs[number] = key_count
    return number


@cython.nogil_noexcept
def _order_by_kind(
    number: Index,
    cut: Index,
    others: Index,
    bits: Index,
    differences: Word[:, ::1],
    halves: HalfList,
) -> Word:
    """Compute the pairs of equal columns of all runs, as two words of bits, and order the runs.

    They are sorted by a hash: the order does not matter, but equal values must be adjacent. Returns
    the word that masks the number of a run in `order`.
    """
    mask: Word = 1
    count: Word = number
    row_mask: Word = cell(bits) - 1
    while mask < count:
        mask = 2 * mask + 1
    for k in range(number):
        one: Word = differences[cut, 0]
        other: Word = differences[cut, 1]
        key: Word = halves.keys[halves.runs[k]] >> 4
        for _ in range(others):
            row: Index = key & row_mask
            key >>= bits
            one |= differences[row, 0]
            other |= differences[row, 1]
        one, other = ~one & ALL, ~other & ALL
        halves.one[k], halves.other[k] = one, other
        hashed: Word = one ^ ((other * _HASH_FACTOR) & ALL)
        halves.order[k] = ((hashed & ~mask) | cython.cast(Word, k)) ^ _TOP
    _sort(halves.order, number)
    return mask


@cython.nogil_noexcept
def _add_kind(run: Index, kind: Index, halves: HalfList) -> Index:
    """Add the pairs of equal columns of a run as a kind; return its number or how this failed."""
    if kind + 2 > halves.kind_begin.shape[0]:
        return -KIND_ENTRIES
    end: Index = halves.kind_begin[kind]
    if end + 128 > halves.kind_pairs.shape[0]:
        return -KIND_PAIRS
    for word in range(2):
        rest: Word = halves.other[run] if word else halves.one[run]
        while rest:
            halves.kind_pairs[end] = 64 * word + first(rest)
            end += 1
            rest &= rest - 1
    halves.kind_begin[kind + 1] = end
    return kind + 1


@cython.nogil_noexcept
def _add_entry(run: Index, length: Index, others: Index, bits: Index, halves: HalfList) -> None:
    """Add a run as an entry: its rows, and the numbers of its row orders."""
    begin: Index = halves.runs[run]
    end: Index = halves.runs[run + 1]
    row_mask: Word = cell(bits) - 1
    key: Word = halves.keys[begin] >> 4
    for i in range(halves.rows.shape[0]):
        halves.orders[i, length] = 0
        halves.rows[i, length] = -1
    for i in range(others - 1, -1, -1):
        halves.rows[i, length] = key & row_mask
        key >>= bits
    for k in range(begin, end):
        halves.orders[cython.cast(Index, halves.keys[k] & 15), length] += 1


def list_halves(
    classes: Index[::1],
    full: Index,
    rows_differ: cython.bint,
    differences: Word[:, ::1],
    outer: Blocks,
    inner: Blocks,
    halves: HalfList,
) -> int:
    """List the halves of classes.

    Args:
        classes: the classes, packed.
        full: the bit set of a row of ones.
        rows_differ: whether rows must differ.
        differences: for each row, the pairs of cells that differ, as two words of bits.
        outer: the outer blocks.
        inner: the inner blocks, of at least one row.
        halves: filled.

    Returns:
        `LISTED`, or the part of the memory that is too small.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    n: Index = differences.shape[0]
    others: Index = outer.height + inner.height - 1
    bits: Index = 1
    while n >> bits:
        bits += 1
    if halves.groups.shape[0] != n + 1 or differences.shape[1] != 2:
        raise ValueError(f"expected two words and a group for each of {n} rows")
    if inner.height < 1 or others > halves.rows.shape[0] or others > 15 or others * bits > 59:
        raise ValueError(f"halves of {others + 1} rows; their keys have at most 59 bits")
    if max(outer.end, inner.end) > n:
        raise ValueError(f"expected blocks of {n} rows")
    halves.is_joined = False
    ended: Index = 0
    with cython.nogil:
        ended = _list_halves(classes, full, bits, rows_differ, differences, outer, inner, halves)
    return ended


@cython.nogil_noexcept
def _list_halves(
    classes: Index[::1],
    full: Index,
    bits: Index,
    rows_differ: cython.bint,
    differences: Word[:, ::1],
    outer: Blocks,
    inner: Blocks,
    halves: HalfList,
) -> Index:
    """`list_halves` with the bits of a row in a key."""
    n: Index = differences.shape[0]
    others: Index = outer.height + inner.height - 1
    blocks = inner_blocks(classes, outer, inner, halves.begin, halves.blocks, halves.needed_sums)
    if blocks > halves.blocks.shape[0]:
        return BLOCKS
    halves.length = halves.total = halves.kind_begin[0] = halves.groups[0] = 0
    length: Index = 0
    kind: Index = 0
    for cut in range(n):
        halves.groups[cut + 1] = length
        if halves.begin[cut] == halves.begin[cut + 1]:
            continue
        key_count = _list_keys(cut, full, bits, rows_differ, outer, inner, halves)
        if key_count < 0:
            return KEYS
        _sort(halves.keys, key_count)
        number = _merge(key_count, halves)
        if length + number > halves.kinds.shape[0]:
            return ENTRIES
        mask = _order_by_kind(number, cut, others, bits, differences, halves)
        before: Index = -1
        for place in range(number):
            run: Index = halves.order[place] & mask
            if (
                before < 0
                or halves.one[run] != halves.one[before]
                or halves.other[run] != halves.other[before]
            ):
                kind = _add_kind(run, kind, halves)
                if kind < 0:
                    return -kind
            before = run
            halves.kinds[length] = kind - 1
            _add_entry(run, length, others, bits, halves)
            length += 1
        halves.groups[cut + 1] = length
    halves.length = length
    return LISTED
