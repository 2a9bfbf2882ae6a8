"""The search for boards that a symmetry leaves as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_NOTHING = -1


@njit
def _makes_triple(board: Any, height: int, width: int, cell: int) -> bool:
    """Whether three equal cells stand side by side, of which this is one."""
    value, row, column = board[cell], cell // width, cell % width
    for step, place, length in ((1, column, width), (width, row, height)):
        run = 1
        for sign in (-1, 1):
            for k in range(1, 3):
                if not 0 <= place + sign * k < length or board[cell + sign * k * step] != value:
                    break
                run += 1
        if run >= 3:
            return True
    return False


@njit
def _repeats(board: Any, lines: int, length: int, line_step: int, cell_step: int) -> bool:
    """Whether two lines of a board are the same."""
    for one in range(lines):
        for other in range(one):
            k = 0
            while k < length and (
                board[one * line_step + k * cell_step] == board[other * line_step + k * cell_step]
            ):
                k += 1
            if k == length:
                return True
    return False


@njit
def _put(
    shape: Any,
    cells: Any,
    opposite: Any,
    value: int,
    board: Any,
    row_counts: Any,
    column_counts: Any,
) -> bool:
    """Give a set of cells a value, as far as that goes; whether it went well to the end."""
    height, width = shape.height, shape.width
    row_most = (shape.width - shape.row_min_ones, shape.row_max_ones)
    column_most = (shape.height - shape.column_min_ones, shape.column_max_ones)
    well = True
    for k in range(len(cells)):
        symbol = value ^ opposite[k]
        board[cells[k]] = symbol
        row, column = cells[k] // width, cells[k] % width
        row_counts[row, symbol] += 1
        column_counts[column, symbol] += 1
        well &= row_counts[row, symbol] <= row_most[symbol]
        well &= column_counts[column, symbol] <= column_most[symbol]
    for cell in cells:
        well = well and not _makes_triple(board, height, width, cell)
    return well


@njit
def _take(cells: Any, width: int, board: Any, row_counts: Any, column_counts: Any) -> None:
    """Open a set of cells again."""
    for cell in cells:
        row_counts[cell // width, board[cell]] -= 1
        column_counts[cell % width, board[cell]] -= 1
        board[cell] = _NOTHING


@njit
def count_fixed(shape: Any, begin: Any, cells: Any, opposite: Any) -> int:
    """Count the boards in which sets of cells have one value, or opposite ones.

    Args:
        shape: a `Shape`.
        begin: where each set begins.
        cells: of the sets.
        opposite: whether a cell is opposite to the first of its set.
    """
    height, width = shape.height, shape.width
    sets = len(begin) - 1
    board = np.full(height * width, _NOTHING, np.int64)
    row_counts, column_counts = np.zeros((height, 2), np.int64), np.zeros((width, 2), np.int64)
    tried = np.zeros(sets + 1, np.int64)
    found, at = 0, 0
    while at >= 0:
        if at == sets:
            found += not (
                shape.distinct_rows and _repeats(board, height, width, width, 1)
            ) and not (shape.distinct_columns and _repeats(board, width, height, 1, width))
            at -= 1
            continue
        some = cells[begin[at] : begin[at + 1]]
        if tried[at] > 0:
            _take(some, width, board, row_counts, column_counts)
        if tried[at] == 2:
            tried[at] = 0
            at -= 1
            continue
        value = tried[at]
        tried[at] += 1
        if _put(
            shape,
            some,
            opposite[begin[at] : begin[at + 1]],
            value,
            board,
            row_counts,
            column_counts,
        ):
            at += 1
    return found
