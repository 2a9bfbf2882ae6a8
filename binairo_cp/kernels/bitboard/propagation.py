"""Propagation on a board: line after line, until nothing changes."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.bitboard.levels import (
    CHANGED,
    COMPLETION_HASHES,
    FULL,
    FULL_HASHES,
    NEARLY_FULL,
    Search,
)
from binairo_cp.kernels.line import Direction, consistent_in, propagate_signs
from binairo_cp.kernels.words import ALL, Index, Word, cell, first, lowest, size

_ODD = 0x9E3779B97F4A7C15


@cython.inline_nogil_noexcept
def set_cell(search: Search, base: Index, row: Index, column: Index, zero: Index) -> None:
    """Fill a cell with 1, or with 0 if `zero` is 1, and mark its lines as changed."""
    words = base + zero * search.lines
    search.boards[words + row] |= cell(column)
    search.boards[words + search.height + column] |= cell(row)
    search.boards[base + 2 * search.lines + CHANGED] |= cell(row)
    search.boards[base + 2 * search.lines + CHANGED + 1] |= cell(column)


@cython.inline_nogil_noexcept
def _fill_crossing(search: Search, crossing: Index, this: Word, new: Word, ones: Word) -> None:
    """Copy the new cells of a line to the lines that cross it.

    `ones` are the cells of the line that are 1; `this` is the bit of the line.
    """
    while new:
        low = lowest(new)
        rest = new ^ low
        # Usually there are one or two: with two per iteration, the exit is easier to predict.
        high = lowest(rest) | (0 if rest else low)
        k = first(low)
        zero: Index = (~ones >> k) & 1
        search.boards[crossing + zero * search.lines + k] |= this
        k = first(high)
        zero = (~ones >> k) & 1
        search.boards[crossing + zero * search.lines + k] |= this
        new = rest & (rest - 1)


@cython.inline_nogil_noexcept
def _hash_bit(ones: Word) -> Word:
    """One of 64 bits, as a hash of a full line: lines with different bits are different."""
    return cell(((ones * _ODD) & ALL) >> 58)


@cython.inline_nogil_noexcept
def _line_consequences(
    search: Search, direction: Direction, ones: Word, zeros: Word
) -> tuple[Word, Word]:
    """The result of `line.consistent`, from the table if there is one."""
    if not direction.has_table:
        return consistent_in(ones, zeros, direction, search.longest_run)
    entry: Word = direction.table[direction.ternary[ones] + 2 * direction.ternary[zeros]]
    return entry & 0xFFFF, entry >> 16


@cython.inline_nogil_noexcept
def _agree(ones: Word, zeros: Word, other_ones: Word, other_zeros: Word) -> cython.bint:
    return not (ones & other_zeros) | (zeros & other_ones)


@cython.nogil_noexcept
def _repeats(search: Search, mine: Index, ones: Word, others: Word) -> cython.bint:
    """Whether a full line is equal to one of `others`, which are full too."""
    while others:
        if search.boards[mine + first(others)] == ones:
            return True
        others &= others - 1
    return False


@cython.nogil_noexcept
def _must_differ(
    search: Search, direction: Direction, mine: Index, ones: Word, zeros: Word, others: Word
) -> Word:
    """The nearly full lines among `others` that agree with a full line so far.

    They must differ from it in their open cells. That is known for a line with one open cell, and
    for a line with two if it needs one of each symbol.
    """
    to_complete: Word = 0
    while others:
        other = lowest(others)
        k = first(other)
        others ^= other
        other_ones = search.boards[mine + k]
        other_zeros = search.boards[mine + search.lines + k]
        if _agree(ones, zeros, other_ones, other_zeros):
            rest = size(direction.cells & ~(other_ones | other_zeros))
            if rest == 1 or (direction.balanced and rest == 2):
                to_complete |= other
    return to_complete


@cython.nogil_noexcept
def _equal_full_line(search: Search, mine: Index, ones: Word, zeros: Word, others: Word) -> Index:
    """The index of a full line among `others` that agrees with a nearly full line; -1 for none."""
    while others:
        k = first(others)
        if _agree(ones, zeros, search.boards[mine + k], search.boards[mine + search.lines + k]):
            return k
        others &= others - 1
    return -1


@cython.nogil_noexcept
def _signed_consequences(
    search: Search, direction: Direction, number: Index, ones: Word, zeros: Word
) -> tuple[Word, Word]:
    """Propagate a line with signs; the words overlap if there is a contradiction."""
    equal = search.signs[search.puzzle, 0, direction.begin + number]
    opposite = search.signs[search.puzzle, 1, direction.begin + number]
    if not equal | opposite:
        return _line_consequences(search, direction, ones, zeros)
    while True:
        known = ones | zeros
        ones, zeros = propagate_signs(ones, zeros, equal, opposite)
        if ones & zeros:
            return ones, zeros
        ones, zeros = _line_consequences(search, direction, ones, zeros)
        if ones & zeros or ones | zeros == known:
            return ones, zeros


@cython.nogil_noexcept
def _keep_different(
    search: Search, base: Index, direction: Direction, across: Index, number: Index, rest: Word
) -> cython.bint:
    """Note that a line is full or nearly full, and propagate that lines differ.

    It is row `number` if `across` is 0, else that column; `rest` are its open cells, at most two.
    False if it is equal to another line.
    """
    mine, zeros_of = base + direction.begin, base + direction.begin + search.lines
    crossing = base + search.height - direction.begin
    flags = base + 2 * search.lines + across
    crossing_flags = base + 2 * search.lines + 1 - across
    this = cell(number)
    ones, zeros = search.boards[mine + number], search.boards[zeros_of + number]
    if not rest:
        search.boards[flags + FULL] |= this
        search.boards[flags + NEARLY_FULL] &= ~this
        if not direction.distinct:
            return True
        hash_bit = _hash_bit(ones)
        if search.boards[flags + FULL_HASHES] & hash_bit and _repeats(
            search, mine, ones, search.boards[flags + FULL] ^ this
        ):
            return False
        search.boards[flags + FULL_HASHES] |= hash_bit
        if not search.boards[flags + COMPLETION_HASHES] & hash_bit:
            return True
        to_complete = _must_differ(
            search, direction, mine, ones, zeros, search.boards[flags + NEARLY_FULL]
        )
        search.boards[flags + CHANGED] |= to_complete
        while to_complete:
            other = lowest(to_complete)
            k = first(other)
            to_complete ^= other
            rest = direction.cells & ~(search.boards[mine + k] | search.boards[zeros_of + k])
            search.boards[crossing_flags + CHANGED] |= rest
            search.boards[mine + k] |= rest & zeros
            search.boards[zeros_of + k] |= rest & ones
            _fill_crossing(search, crossing, other, rest, zeros)
        return True
    search.boards[flags + NEARLY_FULL] |= this
    if direction.distinct and (direction.balanced or size(rest) == 1):
        low = lowest(rest)
        # The completions of the line have one of these bits.
        hash_bit = _hash_bit(ones | low) | _hash_bit(ones | (rest ^ low))
        search.boards[flags + COMPLETION_HASHES] |= hash_bit
        if search.boards[flags + FULL_HASHES] & hash_bit:
            k = _equal_full_line(search, mine, ones, zeros, search.boards[flags + FULL])
            if k >= 0:
                opposite = search.boards[zeros_of + k]
                search.boards[crossing_flags + CHANGED] |= rest
                search.boards[flags + CHANGED] |= this
                search.boards[mine + number] |= rest & opposite
                search.boards[zeros_of + number] |= rest & ~opposite
                _fill_crossing(search, crossing, this, rest, opposite)
    return True


@cython.inline_nogil_noexcept
def _propagate_lines(
    search: Search, base: Index, direction: Direction, across: Index
) -> cython.bint:
    """Propagate all changed rows (`across` 0) or columns (1); False means a contradiction."""
    mine, zeros_of = base + direction.begin, base + direction.begin + search.lines
    crossing = base + search.height - direction.begin
    flags = base + 2 * search.lines + across
    touched: Word = 0
    changed = search.boards[flags + CHANGED]
    search.boards[flags + CHANGED] = 0
    while changed:
        number = first(changed)
        this = lowest(changed)
        changed ^= this
        before_ones, before_zeros = search.boards[mine + number], search.boards[zeros_of + number]
        if before_ones & before_zeros:
            return False
        if search.signed:
            ones, zeros = _signed_consequences(search, direction, number, before_ones, before_zeros)
        else:
            ones, zeros = _line_consequences(search, direction, before_ones, before_zeros)
        if ones & zeros:
            return False
        new = (ones | zeros) & ~(before_ones | before_zeros)
        if new:
            touched |= new
            search.boards[mine + number], search.boards[zeros_of + number] = ones, zeros
            _fill_crossing(search, crossing, this, new, ones)
        rest = direction.cells & ~(ones | zeros)
        if size(rest) <= 2:
            if not _keep_different(search, base, direction, across, number, rest):
                return False
            changed |= search.boards[flags + CHANGED]
            search.boards[flags + CHANGED] = 0
    search.boards[base + 2 * search.lines + CHANGED + 1 - across] |= touched
    return True


@cython.nogil_noexcept
def propagate(search: Search, base: Index) -> cython.bint:
    """Propagate until no line changes; False means that the board has no solution."""
    changed = base + 2 * search.lines + CHANGED
    while search.boards[changed] | search.boards[changed + 1]:
        if search.boards[changed] and not _propagate_lines(search, base, search.rows, 0):
            return False
        if search.boards[changed + 1] and not _propagate_lines(search, base, search.columns, 1):
            return False
    return True
