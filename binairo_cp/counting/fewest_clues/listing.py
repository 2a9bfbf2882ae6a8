"""List all boards of a size, row by row.

A board is a word: its cells, row by row, are the digits of a binary number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import size


@njit
def _repeats(lines: Any, number: int) -> bool:
    """Whether two of the first lines are equal."""
    for one in range(number):
        for other in range(one):
            if lines[one] == lines[other]:
                return True
    return False


@njit
def _add_row(shape: Any, line: int, depth: int, columns: Any) -> bool:
    """Append a row to the columns; return whether they can still be balanced."""
    balanced = True
    left = shape.height - 1 - depth
    for column in range(shape.width):
        cell = (line >> (shape.width - 1 - column)) & 1
        columns[depth + 1, column] = columns[depth, column] << 1 | cell
        ones = np.int64(size(np.uint64(columns[depth + 1, column])))
        balanced &= shape.column_min_ones - left <= ones <= shape.column_max_ones
    return balanced


@njit
def list_boards(shape: Any, lines: Any, boards: Any) -> int:
    """List all boards in ascending order, and return their number.

    Args:
        shape: a `Shape` without more than 64 cells.
        lines: the legal rows as binary numbers, in ascending order.
        boards: receives the boards; further boards are only counted.
    """
    height, width = shape.height, shape.width
    full = (1 << width) - 1
    rows, tried = np.zeros(height, np.int64), np.zeros(height, np.int64)
    columns = np.zeros((height + 1, width), np.int64)
    words = np.zeros(height + 1, np.uint64)
    number, depth = 0, 0
    while depth >= 0:
        if tried[depth] == len(lines):
            tried[depth] = 0
            depth -= 1
            continue
        line = lines[tried[depth]]
        tried[depth] += 1
        if depth >= 2 and ((line ^ rows[depth - 1]) | (line ^ rows[depth - 2])) != full:
            continue
        rows[depth] = line
        if not _add_row(shape, line, depth, columns):
            continue
        if shape.distinct_rows and _repeats(rows, depth + 1):
            continue
        words[depth + 1] = words[depth] << np.uint64(width) | np.uint64(line)
        if depth < height - 1:
            depth += 1
        elif not (shape.distinct_columns and _repeats(columns[height], width)):
            if number < len(boards):
                boards[number] = words[height]
            number += 1
    return number
