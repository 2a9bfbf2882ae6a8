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

from binairo_cp.puzzle.bits.words import ONE, first

SLOTS = 5
"""The minimum number of slots for the other rows of an entry; unused slots hold no row."""

_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHORT = 16
"""Up to this length, a part of an array is sorted by insertion."""

LENGTH, KINDS, PAIRS, TOTAL = RESULTS = range(4)
"""The places in the results of `list_halves`: the numbers of entries, kinds, `kind_pairs` and
halves, including those with equal rows."""

LISTED, BLOCKS, KEYS, ENTRIES, KIND_ENTRIES, KIND_PAIRS = range(6)
"""How `list_halves` ended: all halves are listed, or a part of the memory is too small."""


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


class Memory(NamedTuple):
    """The memory of `list_halves`; compiled code allocates none.

    Attributes:
        results: the numbers at `LENGTH`, `KINDS`, `PAIRS` and `TOTAL`.
        groups: as in `Halves`.
        begin: for each row at the cut, the first of its `blocks`; their number last.
        behind: the other rows of a half.
        stack: for `_sort`.
        blocks: the inner blocks, grouped by the row at the cut.
        needed_sums: for each of them, the index of the sum that the outer block must have.
        keys: the halves with one row at the cut.
        runs: where the keys with the same rows begin.
        order: an order of these runs.
        one: the first word of equal columns of each run.
        other: the second one.
        kinds: as in `Halves`, and so on.
        rows: as in `Halves`.
        orders: as in `Halves`.
        kind_begin: as in `Halves`.
        kind_pairs: as in `Halves`.
    """

    results: Any
    groups: Any
    begin: Any
    behind: Any
    stack: Any
    blocks: Any
    needed_sums: Any
    keys: Any
    runs: Any
    order: Any
    one: Any
    other: Any
    kinds: Any
    rows: Any
    orders: Any
    kind_begin: Any
    kind_pairs: Any


@njit
def _find(numbers: Any, number: int) -> int:
    """Return the index of a number in an ascending array, or -1."""
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low if low < len(numbers) and numbers[low] == number else -1


@njit
def inner_blocks(
    classes: Any, outer_sums: Any, inner: Any, n: int, begin: Any, blocks: Any, needed_sums: Any
) -> int:
    """List the inner blocks that halves of some classes can have, grouped by the row at the cut.

    Args:
        classes: the classes, packed.
        outer_sums: the sums of the outer blocks.
        inner: the inner `Blocks`; their last row is at the cut.
        n: the number of legal rows.
        begin: filled with the index where each group begins, and the number of blocks.
        blocks: filled with the blocks.
        needed_sums: filled, for each block, with the index of the sum that the outer block must
            have.

    Returns:
        The number of blocks. If it exceeds the length of `blocks`, none are listed.
    """
    last, start = inner.rows.shape[1] - 1, inner.start
    for cut in range(n + 1):
        begin[cut] = 0
    for listing in range(2):
        for k in range(len(classes)):
            for outer in range(len(outer_sums)):
                number = _find(inner.sums, classes[k] - outer_sums[outer])
                if number < 0:
                    continue
                for y in range(start[number], start[number + 1]):
                    cut = np.int64(inner.rows[y, last])
                    if listing:
                        blocks[begin[cut]] = y
                        needed_sums[begin[cut]] = outer
                        begin[cut] += 1
                    else:
                        begin[cut + 1] += 1
        if not listing:
            for cut in range(n):
                begin[cut + 1] += begin[cut]
            if begin[n] > len(blocks):
                return begin[n]
    # Each group now begins where the next one should.
    for cut in range(n, 0, -1):
        begin[cut] = begin[cut - 1]
    begin[0] = 0
    return begin[n]


@njit
def _sort(values: Any, length: int, stack: Any) -> None:
    """Sort the first numbers of an array. numba's own sorting takes seconds to compile."""
    low, high, top = 0, length - 1, 0
    while True:
        while high - low > _SHORT:
            one, two, three = values[low], values[(low + high) >> 1], values[high]
            pivot = max(min(one, two), min(max(one, two), three))
            i, j = low, high
            while i <= j:
                while values[i] < pivot:
                    i += 1
                while values[j] > pivot:
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    i += 1
                    j -= 1
            # The smaller part comes first, so that the stack remains small.
            if j - low < high - i:
                stack[top], stack[top + 1] = i, high
                high = j
            else:
                stack[top], stack[top + 1] = low, j
                low = i
            top += 2
        if not top:
            break
        top -= 2
        low, high = stack[top], stack[top + 1]
    for k in range(1, length):
        value, place = values[k], k
        while place and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@njit
def _list_keys(
    cut: int, full: int, bits: int, rows_differ: bool, outer: Any, inner: Any, memory: Any
) -> int:
    """List the halves that share the row at the cut, as keys.

    A key packs the other rows in ascending order, and the position of the row behind the cut among
    them.

    Returns:
        The number of keys; -1 if the memory is too small.
    """
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    others = p + q - 1
    rows, keys = memory.behind, memory.keys
    key_count, total = 0, 0
    for number in range(memory.begin[cut], memory.begin[cut + 1]):
        y, t = memory.blocks[number], memory.needed_sums[number]
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
                return -1
            keys[key_count] = (key << 4) | spot
            key_count += 1
    memory.results[TOTAL] += total
    return key_count


@njit
def _merge(key_count: int, memory: Any) -> int:
    """Group ascending keys by their rows; return the number of groups."""
    keys, runs = memory.keys, memory.runs
    number, last = 0, -1
    for k in range(key_count):
        if keys[k] >> 4 != last:
            last = keys[k] >> 4
            runs[number] = k
            number += 1
    runs[number] = key_count
    return number


@njit
def _order_by_kind(
    number: int, cut: int, others: int, bits: int, differences: Any, memory: Any
) -> int:
    """Compute the pairs of equal columns of all runs, as two words of bits, and order the runs.

    They are sorted by a hash: the order does not matter, but equal values must be adjacent.

    Returns:
        The word that masks the number of a run in `order`.
    """
    mask = 1
    while mask < number:
        mask = 2 * mask + 1
    for k in range(number):
        one, other = differences[cut, 0], differences[cut, 1]
        for i in range(others):
            row = (memory.keys[memory.runs[k]] >> (4 + bits * i)) & ((1 << bits) - 1)
            one |= differences[row, 0]
            other |= differences[row, 1]
        memory.one[k], memory.other[k] = ~one, ~other
        memory.order[k] = (np.int64(~one ^ (~other * _HASH_FACTOR)) & ~mask) | k
    _sort(memory.order, number, memory.stack)
    return mask


@njit
def _add_kind(run: int, kind: int, memory: Any) -> int:
    """Add the pairs of equal columns of a run as a kind; return its number or how this failed."""
    kind_begin, kind_pairs = memory.kind_begin, memory.kind_pairs
    if kind + 2 > len(kind_begin):
        return -KIND_ENTRIES
    end = kind_begin[kind]
    if end + 128 > len(kind_pairs):
        return -KIND_PAIRS
    for word in range(2):
        rest = memory.other[run] if word else memory.one[run]
        while rest:
            kind_pairs[end] = 64 * word + first(rest)
            end += 1
            rest &= rest - ONE
    kind_begin[kind + 1] = end
    return kind + 1


@njit
def _add_entry(run: int, length: int, others: int, bits: int, memory: Any) -> None:
    """Add a run as an entry: its rows, and the numbers of its row orders."""
    rows, orders, keys = memory.rows, memory.orders, memory.keys
    begin = memory.runs[run]
    for i in range(rows.shape[0]):
        orders[i, length] = 0
        rows[i, length] = -1
        if i < others:
            rows[i, length] = (keys[begin] >> (4 + bits * (others - 1 - i))) & ((1 << bits) - 1)
    for k in range(begin, memory.runs[run + 1]):
        orders[keys[k] & 15, length] += 1


@njit
def list_halves(
    classes: Any,
    full: int,
    rows_differ: bool,
    differences: Any,
    outer: Any,
    inner: Any,
    memory: Any,
) -> int:
    """List the halves of classes in the memory.

    Args:
        classes: the classes, packed.
        full: the bit set of a row of ones.
        rows_differ: whether rows must differ.
        differences: for each row, the pairs of cells that differ, as two words of bits.
        outer: the outer `Blocks`.
        inner: the inner `Blocks`, of at least one row.
        memory: the `Memory`.

    Returns:
        `LISTED`, or the part of the memory that is too small.
    """
    n = len(differences)
    others = outer.rows.shape[1] + inner.rows.shape[1] - 1
    bits = 1
    while n >> bits:
        bits += 1
    results, groups, begin, order = memory.results, memory.groups, memory.begin, memory.order
    if inner_blocks(classes, outer.sums, inner, n, begin, memory.blocks, memory.needed_sums) > len(
        memory.blocks
    ):
        return BLOCKS
    results[TOTAL] = memory.kind_begin[0] = groups[0] = 0
    length, kind = 0, 0
    for cut in range(n):
        groups[cut + 1] = length
        if begin[cut] == begin[cut + 1]:
            continue
        key_count = _list_keys(cut, full, bits, rows_differ, outer, inner, memory)
        if key_count < 0:
            return KEYS
        _sort(memory.keys, key_count, memory.stack)
        number = _merge(key_count, memory)
        if length + number > len(memory.kinds):
            return ENTRIES
        mask = _order_by_kind(number, cut, others, bits, differences, memory)
        before = -1
        for place in range(number):
            run = order[place] & mask
            if (
                before < 0
                or memory.one[run] != memory.one[before]
                or memory.other[run] != memory.other[before]
            ):
                kind = _add_kind(run, kind, memory)
                if kind < 0:
                    return -kind
            before = run
            memory.kinds[length] = kind - 1
            _add_entry(run, length, others, bits, memory)
            length += 1
        groups[cut + 1] = length
    results[LENGTH], results[KINDS], results[PAIRS] = length, kind, memory.kind_begin[kind]
    return LISTED
