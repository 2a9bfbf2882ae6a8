"""List all boards of a small size in lexicographic order, each as one word.

Bit ``r * width + c`` of the word is cell (r, c). Each row is one of the legal lines that the two
rows above and the sums of the columns allow. The column sums are bit-sliced: word k holds bit k of
the sums of all columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.generation.rows import columns_differ, repeats
from binairo_cp.puzzle.bits.words import ALL, ONE, TWO, ZERO, line_of, size

_PLANES = 7
"""Bits of a column sum: a column has up to 64 ones."""


@njit
def _columns_with(sums: Any, number: int) -> Any:
    """The columns with exactly this number of ones."""
    equal = ALL
    for plane in range(_PLANES):
        bit = ALL if (number >> plane) & 1 else ZERO
        equal &= ~(sums[plane] ^ bit)
    return equal


@njit
def _add(sums: Any, line: Any, after: Any) -> None:
    """Compute the column sums after one more row."""
    carry = line
    for plane in range(_PLANES):
        after[plane] = sums[plane] ^ carry
        carry &= sums[plane]


@njit
def _is_legal(line: Any, all_cells: Any, shape: Any) -> bool:
    number = np.int64(size(line))
    rest = all_cells & ~line
    return (
        shape.row_min_ones <= number <= shape.row_max_ones
        and not line & (line >> ONE) & (line >> TWO)
        and not rest & (rest >> ONE) & (rest >> TWO)
    )


@njit
def boards(shape: Any, lines: Any, listed: Any, budget: int) -> int:
    """List the boards of a shape.

    Args:
        shape: A `Shape` of at most 64 cells.
        lines: The legal lines of its width as words, in lexicographic order.
        listed: Words for the boards; is filled.
        budget: Maximum number of lines to try.

    Returns:
        The number of boards; -1 if there are more than `listed` can hold, or if the budget ran
        out.
    """
    height, width = shape.height, shape.width
    all_cells = line_of(width)
    most_ones, most_zeros = shape.column_max_ones, height - shape.column_min_ones
    sums = np.zeros((height + 1, _PLANES), np.uint64)
    ones, zeros = np.zeros(height, np.uint64), np.zeros(height, np.uint64)
    rows, next_line = np.zeros(height, np.uint64), np.zeros(height + 1, np.int64)
    row, tried, found = 0, 0, 0
    while row >= 0:
        if row == height:
            row -= 1
            if not shape.distinct_columns or columns_differ(rows, height, width):
                if found == len(listed):
                    return -1
                board = ZERO
                for k in range(height):
                    board |= rows[k] << np.uint64(k * width)
                listed[found] = board
                found += 1
            continue
        if next_line[row] == 0:
            # The cells of this row that the columns above force to 1 or 0.
            ones[row] = _columns_with(sums[row], row - most_zeros) if row >= most_zeros else ZERO
            zeros[row] = _columns_with(sums[row], most_ones)
            if row >= 2:
                ones[row] |= ~(rows[row - 1] | rows[row - 2])
                zeros[row] |= rows[row - 1] & rows[row - 2]
            ones[row] &= all_cells
            tried += 1
        if (ones[row] | zeros[row]) & all_cells == all_cells:
            # All cells are forced, as in the last row of every board of even height.
            if (
                next_line[row]
                or ones[row] & zeros[row]
                or not _is_legal(ones[row], all_cells, shape)
            ):
                next_line[row] = 0
                row -= 1
                continue
            next_line[row] = 1
            rows[row] = ones[row]
        else:
            place = next_line[row]
            while place < len(lines) and (lines[place] & zeros[row] or ones[row] & ~lines[place]):
                place += 1
            tried += place - next_line[row]
            if tried > budget:
                return -1
            if place == len(lines):
                next_line[row] = 0
                row -= 1
                continue
            next_line[row] = place + 1
            rows[row] = lines[place]
        if shape.distinct_rows and repeats(rows, row):
            continue
        _add(sums[row], rows[row], sums[row + 1])
        row += 1
        next_line[row] = 0
    return found
