"""What follows on a board: line after line, until nothing changes.

The words of a board lie one after the other in an array, and so do the boards of a search, one for
each level of its tree::

    base                       base + lines               base + 2 lines
     | ones of                  | zeros of                 | flags
     | row 0 .. row h-1, column 0 .. column w-1 | ...      | FULL NEARLY CHANGED MARKS EXPECTED

With ``lines = h + w``, row r is line r and column c is line h + c. Cell (r, c) is therefore bit c
of line r and bit r of line h + c, and both are always set together. A flag is a pair of words with
one bit for each row, and one for each column: which lines are full, which are nearly so (one or two
open cells), and which changed since they were last looked at. The bits of MARKS and EXPECTED are
those of `_mark`: for the full lines, and for what the nearly full ones may become.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from binairo_cp.puzzle.bits.line import consistent
from binairo_cp.puzzle.bits.shape import max_ones, max_zeros
from binairo_cp.puzzle.bits.words import ONE, TWO, ZERO, at, cell, first, line_of, lowest, size

FULL, NEARLY, CHANGED, MARKS, EXPECTED, FLAGS = 0, 2, 4, 6, 8, 10


@register_jitable(forceinline=True)  # called from Python too, where compiling would take longer
def level_words(lines: int) -> int:
    """How many words a board with its flags takes."""
    return 2 * lines + FLAGS


@njit(forceinline=True)
def put(boards: Any, base: int, height: int, lines: int, row: int, column: int, zero: int) -> None:
    """Fill a cell with 1, or with 0 if `zero` is 1, and note that its lines changed."""
    words = base + zero * lines
    boards[at(words + row)] |= cell(column)
    boards[at(words + height + column)] |= cell(row)
    boards[at(base + 2 * lines + CHANGED)] |= cell(row)
    boards[at(base + 2 * lines + CHANGED + 1)] |= cell(column)


@njit(forceinline=True)
def _fill(boards: Any, crossing: int, lines: int, me: Any, new: Any, ones: Any) -> None:
    """Enter the new cells of a line, some of them ones, in the lines that cross it."""
    while new:
        low = lowest(new)
        rest = new ^ low
        # Most often there are one or two: with two a turn the loop's end is easier to predict.
        high = lowest(rest) | (low if rest == ZERO else ZERO)
        k = first(low)
        zero = np.int64((~ones >> np.uint64(k)) & ONE)
        boards[at(crossing + zero * lines + k)] |= me
        k = first(high)
        zero = np.int64((~ones >> np.uint64(k)) & ONE)
        boards[at(crossing + zero * lines + k)] |= me
        new = rest & (rest - ONE)


@njit(forceinline=True)
def _mark(ones: Any) -> Any:
    """One bit that stands for a full line: lines of different marks are different."""
    return cell(np.int64((ones * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)))


@njit
def follow_signs(ones: Any, zeros: Any, equal: Any, opposite: Any) -> Any:
    """What the signs between neighbours say: bit k of a word is a sign between cells k and k+1."""
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
def _follow(
    ones: Any,
    zeros: Any,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    ternary: Any,
    shared: Any,
) -> Any:
    """`line.consistent`, from the table where there is one."""
    if len(shared) == 0:
        return consistent(ones, zeros, line, longest, most_ones, most_zeros)
    entry = shared[at(ternary[ones] + 2 * ternary[zeros])]
    return np.uint64(entry & np.uint32(0xFFFF)), np.uint64(entry >> np.uint32(16))


@njit(forceinline=True)
def _agree(ones: Any, zeros: Any, other_ones: Any, other_zeros: Any) -> bool:
    return not (ones & other_zeros) | (zeros & other_ones)


@njit
def _repeats(boards: Any, mine: int, ones: Any, others: Any) -> bool:
    """Whether a full line is the same as one of some other full ones."""
    while others:
        if boards[at(mine + first(others))] == ones:
            return True
        others &= others - ONE
    return False


@njit
def _keep_apart(
    boards: Any,
    mine: int,
    lines: int,
    line: Any,
    ones: Any,
    zeros: Any,
    others: Any,
    balanced: bool,
) -> Any:
    """The nearly full lines that a full line tells apart: it agrees with what they hold.

    A line with one open cell, or one with two that takes one symbol of each, must end otherwise.
    """
    apart = ZERO
    while others:
        other = lowest(others)
        k = first(other)
        others ^= other
        other_ones, other_zeros = boards[at(mine + k)], boards[at(mine + lines + k)]
        if _agree(ones, zeros, other_ones, other_zeros):
            rest = size(line & ~(other_ones | other_zeros))
            if rest == ONE or (balanced and rest == TWO):
                apart |= other
    return apart


@njit
def _double(boards: Any, mine: int, lines: int, ones: Any, zeros: Any, others: Any) -> int:
    """The number of a full line among some that agrees with a nearly full one; -1 for none."""
    while others:
        k = first(others)
        if _agree(ones, zeros, boards[at(mine + k)], boards[at(mine + lines + k)]):
            return k
        others &= others - ONE
    return -1


@njit(forceinline=True)
def _sweep(
    boards: Any, base: int, shape: Any, ternary: Any, shared: Any, signs: Any, across: int
) -> bool:
    """Look at all changed lines of one direction, rows (0) or columns (1); False: contradiction."""
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
    full, nearly = boards[at(flags + FULL)], boards[at(flags + NEARLY)]
    marks, expected = boards[at(flags + MARKS)], boards[at(flags + EXPECTED)]
    changed, touched = boards[at(flags + CHANGED)], ZERO
    boards[at(flags + CHANGED)] = ZERO
    while changed:
        me = lowest(changed)
        number = first(changed)
        changed ^= me
        before_ones, before_zeros = boards[at(mine + number)], boards[at(mine + lines + number)]
        ones, zeros = before_ones, before_zeros
        if ones & zeros:
            return False
        while signed:
            known = ones | zeros
            equal, opposite = signs[0, side + number], signs[1, side + number]
            ones, zeros = follow_signs(ones, zeros, equal, opposite)
            if ones & zeros:
                return False
            ones, zeros = _follow(ones, zeros, line, longest, most_o, most_z, ternary, shared)
            if ones & zeros or ones | zeros == known:
                break
        if not signed:
            ones, zeros = _follow(ones, zeros, line, longest, most_o, most_z, ternary, shared)
        if ones & zeros:
            return False
        new = (ones | zeros) & ~(before_ones | before_zeros)
        if new:
            touched |= new
            boards[at(mine + number)], boards[at(mine + lines + number)] = ones, zeros
            _fill(boards, crossing, lines, me, new, ones)
        rest = line & ~(ones | zeros)
        if rest == ZERO:
            full |= me
            nearly &= ~me
            if distinct:
                mark = _mark(ones)
                if marks & mark and _repeats(boards, mine, ones, full ^ me):
                    return False
                marks |= mark
                if not expected & mark:
                    continue
                apart = _keep_apart(boards, mine, lines, line, ones, zeros, nearly, balanced)
                changed |= apart
                while apart:
                    other = lowest(apart)
                    k = first(other)
                    apart ^= other
                    rest = line & ~(boards[at(mine + k)] | boards[at(mine + lines + k)])
                    touched |= rest
                    boards[at(mine + k)] |= rest & zeros
                    boards[at(mine + lines + k)] |= rest & ones
                    _fill(boards, crossing, lines, other, rest, zeros)
        elif size(rest) <= TWO:
            nearly |= me
            if distinct and (balanced or size(rest) == ONE):
                low = lowest(rest)
                # What it may become has one of these marks.
                mark = _mark(ones | low) | _mark(ones | (rest ^ low))
                expected |= mark
                if marks & mark:
                    k = _double(boards, mine, lines, ones, zeros, full)
                    if k >= 0:
                        opposite = boards[at(mine + lines + k)]
                        touched |= rest
                        changed |= me
                        boards[at(mine + number)] |= rest & opposite
                        boards[at(mine + lines + number)] |= rest & ~opposite
                        _fill(boards, crossing, lines, me, rest, opposite)
    boards[at(flags + FULL)], boards[at(flags + NEARLY)] = full, nearly
    boards[at(flags + MARKS)], boards[at(flags + EXPECTED)] = marks, expected
    boards[at(base + 2 * lines + CHANGED + 1 - across)] |= touched
    return True


@njit
def propagate(boards: Any, base: int, shape: Any, tables: Any, signs: Any) -> bool:
    """Look at changed lines until there are none; False if the board has no solution."""
    changed = base + 2 * (shape.height + shape.width) + CHANGED
    ternary = tables.ternary
    while boards[at(changed)] | boards[at(changed + 1)]:
        if boards[at(changed)] and not _sweep(boards, base, shape, ternary, tables.rows, signs, 0):
            return False
        if boards[at(changed + 1)] and not _sweep(
            boards, base, shape, ternary, tables.columns, signs, 1
        ):
            return False
    return True
