"""Propagation on a board: line after line, until nothing changes.

The words of a board are consecutive in an array, and so are the boards of a search, one per level
of its tree::

    base                       base + lines               base + 2 lines
     | ones of                  | zeros of                 | flags
     | row 0 .. row h-1, column 0 .. column w-1 | ...      | FULL NEARLY_FULL CHANGED ...

With ``lines = h + w``, row r is line r and column c is line h + c. Cell (r, c) is therefore bit c
of line r and bit r of line h + c, and both are always set together. A flag is a pair of words, one
for rows and one for columns. In the first three flags, each bit stands for a line: the full lines,
the nearly full lines (with one or two open cells), and the lines that changed since they were last
propagated. FULL_HASHES and COMPLETION_HASHES are small Bloom filters of the bits of `_hash_bit`: of
the full lines, and of the possible completions of the nearly full lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from binairo_cp.puzzle.bits.line import consistent
from binairo_cp.puzzle.bits.shape import max_ones, max_zeros
from binairo_cp.puzzle.bits.words import ONE, TWO, ZERO, at, cell, first, line_of, lowest, size

FULL, NEARLY_FULL, CHANGED, FULL_HASHES, COMPLETION_HASHES, FLAGS = 0, 2, 4, 6, 8, 10


@register_jitable(forceinline=True)  # called from Python too, where compiling would take longer
def level_words(lines: int) -> int:
    """The number of words of a board with its flags."""
    return 2 * lines + FLAGS


@njit(forceinline=True)
def set_cell(
    boards: Any, base: int, height: int, lines: int, row: int, column: int, zero: int
) -> None:
    """Fill a cell with 1, or with 0 if `zero` is 1, and mark its lines as changed."""
    words = base + zero * lines
    boards[at(words + row)] |= cell(column)
    boards[at(words + height + column)] |= cell(row)
    boards[at(base + 2 * lines + CHANGED)] |= cell(row)
    boards[at(base + 2 * lines + CHANGED + 1)] |= cell(column)


@njit(forceinline=True)
def _fill_crossing(boards: Any, crossing: int, lines: int, this: Any, new: Any, ones: Any) -> None:
    """Copy the new cells of a line to the lines that cross it.

    `ones` are the cells of the line that are 1; `this` is the bit of the line.
    """
    while new:
        low = lowest(new)
        rest = new ^ low
        # Usually there are one or two: with two per iteration, the exit is easier to predict.
        high = lowest(rest) | (low if rest == ZERO else ZERO)
        k = first(low)
        zero = np.int64((~ones >> np.uint64(k)) & ONE)
        boards[at(crossing + zero * lines + k)] |= this
        k = first(high)
        zero = np.int64((~ones >> np.uint64(k)) & ONE)
        boards[at(crossing + zero * lines + k)] |= this
        new = rest & (rest - ONE)


@njit(forceinline=True)
def _hash_bit(ones: Any) -> Any:
    """One of 64 bits, as a hash of a full line: lines with different bits are different."""
    return cell(np.int64((ones * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)))


@njit
def propagate_signs(ones: Any, zeros: Any, equal: Any, opposite: Any) -> Any:
    """Propagate the signs of a line; bit k of a word is a sign between cells k and k + 1."""
    while True:
        more_ones = ones | ((ones & equal) << ONE) | ((ones >> ONE) & equal)
        more_ones |= ((zeros & opposite) << ONE) | ((zeros >> ONE) & opposite)
        more_zeros = zeros | ((zeros & equal) << ONE) | ((zeros >> ONE) & equal)
        more_zeros |= ((ones & opposite) << ONE) | ((ones >> ONE) & opposite)
        if more_ones == ones and more_zeros == zeros:
            return ones, zeros
        ones, zeros = more_ones, more_zeros
        if ones & zeros:
            return ones, zeros


@njit(forceinline=True)
def _line_consequences(
    ones: Any,
    zeros: Any,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    ternary: Any,
    shared: Any,
) -> Any:
    """The result of `line.consistent`, from the table if there is one."""
    if len(shared) == 0:
        return consistent(ones, zeros, line, longest, most_ones, most_zeros)
    entry = shared[at(ternary[ones] + 2 * ternary[zeros])]
    return np.uint64(entry & np.uint32(0xFFFF)), np.uint64(entry >> np.uint32(16))


@njit(forceinline=True)
def _agree(ones: Any, zeros: Any, other_ones: Any, other_zeros: Any) -> bool:
    return not (ones & other_zeros) | (zeros & other_ones)


@njit
def _repeats(boards: Any, mine: int, ones: Any, others: Any) -> bool:
    """Whether a full line is equal to one of `others`, which are full too."""
    while others:
        if boards[at(mine + first(others))] == ones:
            return True
        others &= others - ONE
    return False


@njit
def _must_differ(
    boards: Any,
    mine: int,
    lines: int,
    line: Any,
    ones: Any,
    zeros: Any,
    others: Any,
    balanced: bool,
) -> Any:
    """The nearly full lines among `others` that agree with a full line so far.

    They must differ from it in their open cells. That is known for a line with one open cell, and
    for a line with two if it needs one of each symbol.
    """
    to_complete = ZERO
    while others:
        other = lowest(others)
        k = first(other)
        others ^= other
        other_ones, other_zeros = boards[at(mine + k)], boards[at(mine + lines + k)]
        if _agree(ones, zeros, other_ones, other_zeros):
            rest = size(line & ~(other_ones | other_zeros))
            if rest == ONE or (balanced and rest == TWO):
                to_complete |= other
    return to_complete


@njit
def _equal_full_line(boards: Any, mine: int, lines: int, ones: Any, zeros: Any, others: Any) -> int:
    """The index of a full line among `others` that agrees with a nearly full line; -1 for none."""
    while others:
        k = first(others)
        if _agree(ones, zeros, boards[at(mine + k)], boards[at(mine + lines + k)]):
            return k
        others &= others - ONE
    return -1


@njit(forceinline=True)
def _propagate_lines(
    boards: Any, base: int, shape: Any, ternary: Any, shared: Any, signs: Any, across: int
) -> bool:
    """Propagate all changed rows (`across` 0) or columns (1); False means a contradiction."""
    height, width = shape.height, shape.width
    lines = height + width
    if across == 0:
        mine, crossing, length, side = base, base + height, width, 0
        distinct = shape.distinct_rows != 0
    else:
        mine, crossing, length, side = base + height, base, height, height
        distinct = shape.distinct_columns != 0
    flags = base + 2 * lines + across
    line, longest = line_of(length), shape.longest_run
    most_o, most_z = max_ones(shape, across), max_zeros(shape, across)
    balanced = most_o + most_z == np.uint64(length)
    signed = signs.shape[1] > 0
    full, nearly_full = boards[at(flags + FULL)], boards[at(flags + NEARLY_FULL)]
    full_hashes, completion_hashes = (
        boards[at(flags + FULL_HASHES)],
        boards[at(flags + COMPLETION_HASHES)],
    )
    changed, touched = boards[at(flags + CHANGED)], ZERO
    boards[at(flags + CHANGED)] = ZERO
    while changed:
        this = lowest(changed)
        number = first(changed)
        changed ^= this
        before_ones, before_zeros = boards[at(mine + number)], boards[at(mine + lines + number)]
        ones, zeros = before_ones, before_zeros
        if ones & zeros:
            return False
        while signed:
            known = ones | zeros
            equal, opposite = signs[0, side + number], signs[1, side + number]
            ones, zeros = propagate_signs(ones, zeros, equal, opposite)
            if ones & zeros:
                return False
            ones, zeros = _line_consequences(
                ones, zeros, line, longest, most_o, most_z, ternary, shared
            )
            if ones & zeros or ones | zeros == known:
                break
        if not signed:
            ones, zeros = _line_consequences(
                ones, zeros, line, longest, most_o, most_z, ternary, shared
            )
        if ones & zeros:
            return False
        new = (ones | zeros) & ~(before_ones | before_zeros)
        if new:
            touched |= new
            boards[at(mine + number)], boards[at(mine + lines + number)] = ones, zeros
            _fill_crossing(boards, crossing, lines, this, new, ones)
        rest = line & ~(ones | zeros)
        if rest == ZERO:
            full |= this
            nearly_full &= ~this
            if distinct:
                hash_bit = _hash_bit(ones)
                if full_hashes & hash_bit and _repeats(boards, mine, ones, full ^ this):
                    return False
                full_hashes |= hash_bit
                if not completion_hashes & hash_bit:
                    continue
                to_complete = _must_differ(
                    boards, mine, lines, line, ones, zeros, nearly_full, balanced
                )
                changed |= to_complete
                while to_complete:
                    other = lowest(to_complete)
                    k = first(other)
                    to_complete ^= other
                    rest = line & ~(boards[at(mine + k)] | boards[at(mine + lines + k)])
                    touched |= rest
                    boards[at(mine + k)] |= rest & zeros
                    boards[at(mine + lines + k)] |= rest & ones
                    _fill_crossing(boards, crossing, lines, other, rest, zeros)
        elif size(rest) <= TWO:
            nearly_full |= this
            if distinct and (balanced or size(rest) == ONE):
                low = lowest(rest)
                # The completions of the line have one of these bits.
                hash_bit = _hash_bit(ones | low) | _hash_bit(ones | (rest ^ low))
                completion_hashes |= hash_bit
                if full_hashes & hash_bit:
                    k = _equal_full_line(boards, mine, lines, ones, zeros, full)
                    if k >= 0:
                        opposite = boards[at(mine + lines + k)]
                        touched |= rest
                        changed |= this
                        boards[at(mine + number)] |= rest & opposite
                        boards[at(mine + lines + number)] |= rest & ~opposite
                        _fill_crossing(boards, crossing, lines, this, rest, opposite)
    boards[at(flags + FULL)], boards[at(flags + NEARLY_FULL)] = full, nearly_full
    boards[at(flags + FULL_HASHES)], boards[at(flags + COMPLETION_HASHES)] = (
        full_hashes,
        completion_hashes,
    )
    boards[at(base + 2 * lines + CHANGED + 1 - across)] |= touched
    return True


@njit
def propagate(boards: Any, base: int, shape: Any, tables: Any, signs: Any) -> bool:
    """Propagate until no line changes; False means that the board has no solution."""
    changed = base + 2 * (shape.height + shape.width) + CHANGED
    ternary = tables.ternary
    while boards[at(changed)] | boards[at(changed + 1)]:
        if boards[at(changed)] and not _propagate_lines(
            boards, base, shape, ternary, tables.rows, signs, 0
        ):
            return False
        if boards[at(changed + 1)] and not _propagate_lines(
            boards, base, shape, ternary, tables.columns, signs, 1
        ):
            return False
    return True
