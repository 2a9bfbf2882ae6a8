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

from binairo_cp.generation.completions import count, end_after, line_of_number
from binairo_cp.generation.randomness import below
from binairo_cp.puzzle.bits.words import ALL, ONE, ZERO, cell

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
def _begin(shape: Any, memory: Any) -> None:
    """Prepare the memory for a search."""
    count(shape.height, ALL, ALL, shape.column_min_ones, shape.column_max_ones, memory.possible, 0)
    for column in range(shape.width):
        memory.sums[0, column], memory.ends[0, column] = 0, -2
    for row in range(shape.height):
        memory.step[row] = 1


@njit
def search(
    shape: Any, boards: Any, begin: int, end: int, randomly: bool, budget: int, memory: Any
) -> Any:
    """Find boards for some places of an array.

    Args:
        shape: A `Shape`.
        boards: k x height words for the rows of boards.
        begin: The first place to fill.
        end: The place after the last one.
        randomly: Whether to try the candidates of each row in random order, not by number.
        budget: Maximum number of rows to try; 0 for no limit.
        memory: A `Memory` with the state of the random numbers.

    Returns:
        The place after the last board found, and how the search ended: FOUND if all places are
        filled, NO_MORE if there are no other boards, or OUT_OF_BUDGET.
    """
    height, width = shape.height, shape.width
    fewest, most = shape.row_min_ones, shape.row_max_ones
    state, rows, can_zero, can_one = memory.state, memory.rows, memory.can_zero, memory.can_one
    number, step, total, left = memory.number, memory.step, memory.total, memory.left
    _begin(shape, memory)
    row, is_new, tried, found = 0, True, 0, begin
    while True:
        if row == height:
            if not shape.distinct_columns or columns_differ(rows, height, width):
                for k in range(height):
                    boards[found, k] = rows[k]
                found += 1
                if found == end:
                    return found, FOUND
            row, is_new = row - 1, False
        tried += 1
        if budget and tried > budget:
            return found, OUT_OF_BUDGET
        table = row * (width + 1)
        if is_new:
            _find_possible_symbols(
                row, width, memory.possible, memory.sums, memory.ends, can_zero, can_one
            )
            ways = count(width, can_zero[row], can_one[row], fewest, most, memory.tables, table)
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
        rows[row] = line_of_number(
            width, number[row], can_zero[row], can_one[row], memory.tables, table
        )
        is_new = not (shape.distinct_rows and repeats(rows, row))
        if is_new:
            _enter(row, width, rows[row], memory.sums, memory.ends)
            row += 1


@njit
def draw(shape: Any, boards: Any, place: int, budget: int, tries: int, memory: Any) -> bool:
    """Draw a board by repeated short random searches; return whether one succeeded.

    If the first rows can't be completed, a search takes very long to find out. A restart is cheap.
    """
    for _ in range(tries):
        _, ended = search(shape, boards, place, place + 1, True, budget, memory)
        if ended != OUT_OF_BUDGET:
            return ended == FOUND
    return False
