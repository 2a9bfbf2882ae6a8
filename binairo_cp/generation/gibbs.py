"""Gibbs sampling: a random walk on the solved boards that converges to the uniform distribution.

A step chooses two rows, or two columns, and draws new contents for both that keep the sums of the
crossing lines and every rule: where the two lines differ, their two symbols stay or are exchanged.
All possible contents are equally likely; a table that counts them from the end of the lines to the
start allows one to be drawn directly. Where the sums of the crossing lines may vary, as they may
for lines of odd length, half of the steps redraw a single line instead.

Drawing uniformly among all boards that agree outside the chosen cells leaves the uniform
distribution unchanged. So the walk converges to it from any start if it can reach every board. The
tests check this for small sizes: it holds for all of them except 4x6 with distinct lines. For
larger sizes docs/generation.md compares drawn boards with known counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.generation import completions
from binairo_cp.generation.completions import ENDS, end_after
from binairo_cp.generation.randomness import below, unit
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, first, line_of, size


@njit
def _triples(lines: Any, number: int, all_cells: Any) -> Any:
    """The cells of a line that are in a triple across it, with the neighbouring lines."""
    triples = ZERO
    for begin in range(max(0, number - 2), min(number, len(lines) - 3) + 1):
        one, two, three = lines[begin], lines[begin + 1], lines[begin + 2]
        triples |= (one & two & three) | (all_cells & ~(one | two | three))
    return triples


@njit
def _allowed(lines: Any, i: int, j: int, all_cells: Any, differ: Any, swapped: Any) -> Any:
    """The cells of `differ` where line i can be as in `swapped`, and line j the opposite."""
    one, other = lines[i], lines[j]
    lines[i] = (one & ~differ) | swapped
    lines[j] = (other & ~differ) | (differ & ~swapped)
    allowed = differ & ~(_triples(lines, i, all_cells) | _triples(lines, j, all_cells))
    lines[i], lines[j] = one, other
    return allowed


@njit(forceinline=True)
def _ways_from(
    table: Any, place: int, number: int, end: int, other: int, one: int, two: int
) -> float:
    """The number of completions after the symbols `one` and `two`, from the table."""
    end, other = end_after(end, one), end_after(other, two)
    if end < 0 or other < 0:
        return 0.0
    return np.float64(table[place + 1, number + one, ENDS * end + other])


@njit
def _fill_table(
    table: Any, length: int, both: Any, ones: Any, zeros: Any, differ: Any, fewest: int, most: int
) -> None:
    """Fill the table: the number of completions by (place, ones of line i, end of i, end of j).

    `both` are the cells where both lines are 1. In the cells `differ` the lines differ: `ones` are
    those where i may be 1 and j 0, `zeros` those where i may be 0 and j 1. `fewest` and `most`
    bound the ones of line i.
    """
    for number in range(length + 1):
        within = 1.0 if fewest <= number <= most else 0.0
        for ends in range(ENDS * ENDS):
            table[length, number, ends] = within
    for place in range(length - 1, 0, -1):
        here = cell(place)
        # With fewer ones than this the minimum can't be reached.
        least = max(0, fewest - (length - place))
        for ends in range(ENDS * ENDS):
            table[place, most + 1, ends] = 0.0
            if least:
                table[place, least - 1, ends] = 0.0
        for number in range(least, min(place, most) + 1):
            for end in range(ENDS):
                for other in range(ENDS):
                    ways = 0.0
                    if not differ & here:
                        symbol = 1 if both & here else 0
                        ways = _ways_from(table, place, number, end, other, symbol, symbol)
                    else:
                        if ones & here:
                            ways += _ways_from(table, place, number, end, other, 1, 0)
                        if zeros & here:
                            ways += _ways_from(table, place, number, end, other, 0, 1)
                    table[place, number, ENDS * end + other] = ways


@njit
def _drawn(
    table: Any, length: int, both: Any, ones: Any, zeros: Any, differ: Any, state: Any
) -> Any:
    """Draw the cells where line i gets a 1 and line j a 0; all completions are equally likely."""
    drawn = ZERO
    number, end, other = 0, -2, -2
    for place in range(length):
        here = cell(place)
        one = two = 1 if both & here else 0
        if differ & here:
            ways_one = ways_zero = 0.0
            if ones & here:
                ways_one = _ways_from(table, place, number, end, other, 1, 0)
            if zeros & here:
                ways_zero = _ways_from(table, place, number, end, other, 0, 1)
            one = 1 if unit(state) * (ways_one + ways_zero) < ways_one else 0
            two = 1 - one
            if one:
                drawn |= here
        number += one
        end, other = end_after(end, one), end_after(other, two)
    return drawn


@njit
def _is_repeated(lines: Any, number: int) -> bool:
    """Whether another line equals this one."""
    for other in range(len(lines)):
        if other != number and lines[other] == lines[number]:
            return True
    return False


@njit
def _enter(lines: Any, crossing: Any, number: int, line: Any) -> None:
    """Replace a line, and update the lines that cross it."""
    changed = lines[number] ^ line
    lines[number] = line
    while changed:
        crossing[first(changed)] ^= cell(number)
        changed &= changed - ONE


@njit
def _is_distinct(lines: Any, crossing: Any, i: int, j: int, changed: Any) -> bool:
    """Whether lines i and j, and the lines that cross them at `changed`, differ from all others."""
    if _is_repeated(lines, i) or _is_repeated(lines, j):
        return False
    while changed:
        if _is_repeated(crossing, first(changed)):
            return False
        changed &= changed - ONE
    return True


@njit
def _redraw_two_lines(
    lines: Any, crossing: Any, fewest: int, most: int, distinct: Any, table: Any, state: Any
) -> None:
    """Draw new contents for two random lines."""
    length = len(crossing)
    i = below(state, len(lines))
    j = below(state, len(lines) - 1)
    j += j >= i
    all_cells = line_of(length)
    one, other = lines[i], lines[j]
    both, differ = one & other, one ^ other
    ones = _allowed(lines, i, j, all_cells, differ, differ)
    zeros = _allowed(lines, i, j, all_cells, differ, ZERO)
    total = np.int64(size(one) + size(other))
    low, high = max(fewest, total - most), min(most, total - fewest)
    _fill_table(table, length, both, ones, zeros, differ, low, high)
    drawn = _drawn(table, length, both, ones, zeros, differ, state)
    changed = differ & (drawn ^ one)
    _enter(lines, crossing, i, one ^ changed)
    _enter(lines, crossing, j, other ^ changed)
    if distinct and not _is_distinct(lines, crossing, i, j, changed):
        _enter(lines, crossing, i, one)
        _enter(lines, crossing, j, other)


@njit
def _redraw_one_line(
    lines: Any,
    crossing: Any,
    fewest: int,
    most: int,
    crossing_fewest: int,
    crossing_most: int,
    distinct: Any,
    table: Any,
    state: Any,
) -> None:
    """Draw new contents for a random line, within the bounds of the lines that cross it."""
    length = len(crossing)
    i = below(state, len(lines))
    all_cells = line_of(length)
    before = lines[i]
    lines[i] = all_cells
    can_one = all_cells & ~_triples(lines, i, all_cells)
    lines[i] = ZERO
    can_zero = all_cells & ~_triples(lines, i, all_cells)
    lines[i] = before
    for k in range(length):
        rest = np.int64(size(crossing[k] & ~cell(i)))
        if rest < crossing_fewest:
            can_zero &= ~cell(k)
        if rest >= crossing_most:
            can_one &= ~cell(k)
    ways = completions.count(length, can_zero, can_one, fewest, most, table, 0)
    number = below(state, ways)
    line = completions.line_of_number(length, number, can_zero, can_one, table, 0)
    _enter(lines, crossing, i, line)
    if distinct and not _is_distinct(lines, crossing, i, i, before ^ line):
        _enter(lines, crossing, i, before)


@njit
def _find_columns(shape: Any, rows: Any, columns: Any) -> None:
    """Compute the columns of a board from its rows."""
    for column in range(shape.width):
        columns[column] = ZERO
        for row in range(shape.height):
            columns[column] |= ((rows[row] >> np.uint64(column)) & ONE) << np.uint64(row)


@njit
def walk(shape: Any, steps: int, memory: Any) -> None:
    """Take Gibbs sampling steps from a board, in place.

    Args:
        shape: A `Shape`; its rows and columns are both distinct, or neither.
        steps: The number of steps.
        memory: A `Memory` with the rows of a board that keeps the rules, which are changed, and the
            state of the random numbers.
    """
    height, width, distinct = shape.height, shape.width, shape.distinct_rows
    state, single, pairs = memory.state, memory.single, memory.pairs
    _find_columns(shape, memory.rows, memory.columns)
    for _ in range(steps):
        if below(state, height + width) < height:
            lines, crossing = memory.rows, memory.columns
            fewest, most = shape.row_min_ones, shape.row_max_ones
            crossing_fewest, crossing_most = shape.column_min_ones, shape.column_max_ones
        else:
            lines, crossing = memory.columns, memory.rows
            fewest, most = shape.column_min_ones, shape.column_max_ones
            crossing_fewest, crossing_most = shape.row_min_ones, shape.row_max_ones
        if len(lines) == 1 or (crossing_fewest < crossing_most and below(state, 2)):
            _redraw_one_line(
                lines, crossing, fewest, most, crossing_fewest, crossing_most, distinct, single,
                state,
            )  # fmt: skip
        else:
            _redraw_two_lines(lines, crossing, fewest, most, distinct, pairs, state)
