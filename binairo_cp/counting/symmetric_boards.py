"""Search for the boards that a symmetry fixes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_EMPTY = -1


@njit
def _makes_triple(board: Any, height: int, width: int, cell: int) -> bool:
    """Whether a cell is part of three equal cells in a row."""
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
    """Whether two lines of a board are equal."""
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
def _assign(
    shape: Any,
    cells: Any,
    opposite: Any,
    value: int,
    board: Any,
    row_counts: Any,
    column_counts: Any,
) -> bool:
    """Assign a value to a cycle of cells; return whether the rules still hold."""
    height, width = shape.height, shape.width
    row_max = (shape.width - shape.row_min_ones, shape.row_max_ones)
    column_max = (shape.height - shape.column_min_ones, shape.column_max_ones)
    valid = True
    for k in range(len(cells)):
        symbol = value ^ opposite[k]
        board[cells[k]] = symbol
        row, column = cells[k] // width, cells[k] % width
        row_counts[row, symbol] += 1
        column_counts[column, symbol] += 1
        valid &= row_counts[row, symbol] <= row_max[symbol]
        valid &= column_counts[column, symbol] <= column_max[symbol]
    for cell in cells:
        valid = valid and not _makes_triple(board, height, width, cell)
    return valid


@njit
def _clear(cells: Any, width: int, board: Any, row_counts: Any, column_counts: Any) -> None:
    """Clear a cycle of cells."""
    for cell in cells:
        row_counts[cell // width, board[cell]] -= 1
        column_counts[cell % width, board[cell]] -= 1
        board[cell] = _EMPTY


@njit
def count_fixed(shape: Any, begin: Any, cells: Any, opposite: Any) -> int:
    """Count the boards in which the cells of each cycle have the same or opposite values.

    A backtracking search over the cycles.

    Args:
        shape: a `Shape`.
        begin: the index in `cells` where each cycle begins.
        cells: the cells of the cycles.
        opposite: whether a cell is opposite to the first cell of its cycle.
    """
    height, width = shape.height, shape.width
    cycles = len(begin) - 1
    board = np.full(height * width, _EMPTY, np.int64)
    row_counts, column_counts = np.zeros((height, 2), np.int64), np.zeros((width, 2), np.int64)
    values_tried = np.zeros(cycles + 1, np.int64)
    boards, depth = 0, 0
    while depth >= 0:
        if depth == cycles:
            boards += not (
                shape.distinct_rows and _repeats(board, height, width, width, 1)
            ) and not (shape.distinct_columns and _repeats(board, width, height, 1, width))
            depth -= 1
            continue
        cycle = cells[begin[depth] : begin[depth + 1]]
        if values_tried[depth] > 0:
            _clear(cycle, width, board, row_counts, column_counts)
        if values_tried[depth] == 2:
            values_tried[depth] = 0
            depth -= 1
            continue
        value = values_tried[depth]
        values_tried[depth] += 1
        if _assign(
            shape,
            cycle,
            opposite[begin[depth] : begin[depth + 1]],
            value,
            board,
            row_counts,
            column_counts,
        ):
            depth += 1
    return boards
