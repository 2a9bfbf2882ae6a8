"""Fill boards row by row, with backtracking.

The candidates for a row are the legal lines that the columns above allow, by their last two symbols
and their sums. The candidates are never listed: each has a number, and the search visits the
numbers in an order that contains each exactly once. When a row has no candidates left, the search
backtracks to the row above.

In random order this draws a random board, but some boards are more likely than others. In order of
the numbers it lists all boards in lexicographic order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.generation.completions import (
    count,
    end_after,
    has_completion,
    line_of_number,
)
from binairo_cp.generation.randomness import below
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, copy_into

FOUND, NO_MORE, OUT_OF_BUDGET = 0, 1, 2
"""How a search ended."""


@njit
def _greatest_common_divisor(one: int, other: int) -> int:
    while other:
        one, other = other, one % other
    return one


@njit
def columns_differ(rows: Any, height: int, width: int) -> bool:
    """Whether no two columns are the same."""
    for one in range(width):
        for other in range(one):
            row = 0
            while row < height and not (
                ((rows[row] >> np.uint64(one)) ^ (rows[row] >> np.uint64(other))) & ONE
            ):
                row += 1
            if row == height:
                return False
    return True


@njit
def _find_possible_symbols(
    row: int, width: int, possible: Any, sums: Any, ends: Any, can_zero: Any, can_one: Any
) -> None:
    """Find which cells of a row can be 0, and which 1, after the columns above."""
    zeros, ones = ZERO, ZERO
    for column in range(width):
        so_far, end = sums[row, column], ends[row, column]
        after = end_after(end, 0)
        if after >= 0 and possible[row + 1, so_far, after]:
            zeros |= cell(column)
        after = end_after(end, 1)
        if after >= 0 and possible[row + 1, so_far + 1, after]:
            ones |= cell(column)
    can_zero[row], can_one[row] = zeros, ones


@njit
def _enter(row: int, width: int, line: Any, sums: Any, ends: Any) -> None:
    """Update the sums and ends of the columns after a row."""
    for column in range(width):
        symbol = np.int64((line >> np.uint64(column)) & ONE)
        sums[row + 1, column] = sums[row, column] + symbol
        ends[row + 1, column] = end_after(ends[row, column], symbol)


@njit
def repeats(rows: Any, row: int) -> bool:
    """Whether a row equals one above it."""
    for before in range(row):
        if rows[before] == rows[row]:
            return True
    return False


@njit
def search(shape: Any, boards: Any, randomly: bool, state: Any, budget: int) -> Any:
    """Find up to as many boards as fit in `boards`.

    Args:
        shape: A `Shape`.
        boards: k x height words; is filled with the rows of boards.
        randomly: Whether to try the candidates of each row in random order, not by number.
        state: The state of the random numbers; is changed.
        budget: Maximum number of rows to try; 0 for no limit.

    Returns:
        The number of boards found, and how the search ended: FOUND if `boards` is full, NO_MORE if
        there are no other boards, or OUT_OF_BUDGET.
    """
    height, width = shape.height, shape.width
    fewest, most = shape.row_min_ones, shape.row_max_ones
    possible = has_completion(height, shape.column_min_ones, shape.column_max_ones)
    tables = np.zeros((height, width + 1, width + 2, 4), np.int64)
    sums = np.zeros((height + 1, width), np.int64)
    ends = np.full((height + 1, width), -2, np.int64)
    can_zero, can_one = np.zeros(height, np.uint64), np.zeros(height, np.uint64)
    number, step = np.zeros(height, np.int64), np.ones(height, np.int64)
    total, left = np.zeros(height, np.int64), np.zeros(height, np.int64)
    rows = np.zeros(height, np.uint64)
    row, is_new, tried, found = 0, True, 0, 0
    while True:
        if row == height:
            if not shape.distinct_columns or columns_differ(rows, height, width):
                copy_into(boards[found], rows)
                found += 1
                if found == len(boards):
                    return found, FOUND
            row, is_new = row - 1, False
        tried += 1
        if budget and tried > budget:
            return found, OUT_OF_BUDGET
        if is_new:
            _find_possible_symbols(row, width, possible, sums, ends, can_zero, can_one)
            ways = count(width, can_zero[row], can_one[row], fewest, most, tables[row])
            total[row] = left[row] = ways
            number[row] = ways - 1
            if randomly and ways > 1:
                number[row] = below(state, ways)
                step[row] = 1 + below(state, ways - 1)
                while _greatest_common_divisor(step[row], ways) != 1:
                    step[row] = 1 + below(state, ways - 1)
        if left[row] == 0:
            if row == 0:
                return found, NO_MORE
            row, is_new = row - 1, False
            continue
        left[row] -= 1
        # The step is coprime to the number of candidates, so each candidate comes exactly once.
        number[row] = (number[row] + step[row]) % total[row]
        rows[row] = line_of_number(width, number[row], can_zero[row], can_one[row], tables[row])
        is_new = not (shape.distinct_rows and repeats(rows, row))
        if is_new:
            _enter(row, width, rows[row], sums, ends)
            row += 1


@njit
def draw(shape: Any, rows: Any, state: Any, budget: int, tries: int) -> bool:
    """Draw a board by repeated short random searches; return whether one succeeded.

    If the first rows can't be completed, a search takes very long to find out. A restart is cheap.
    """
    boards = rows.reshape(1, len(rows))
    for _ in range(tries):
        _, ended = search(shape, boards, True, state, budget)
        if ended != OUT_OF_BUDGET:
            return ended == FOUND
    return False
