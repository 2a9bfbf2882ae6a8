"""Search for the boards that a symmetry fixes."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import Index

_EMPTY = -1


@cython.final
@cython.cclass
class FixedBoards:
    """The rules of the boards, and the board that is being filled.

    Args:
        height: of the boards.
        width: of the boards.
        rows_differ: whether rows must differ.
        columns_differ: whether columns must differ.
        row_ones: the fewest and the most ones in a row.
        column_ones: the fewest and the most ones in a column.
    """

    height: Index
    width: Index
    rows_differ: cython.bint
    columns_differ: cython.bint
    row_max: Index[::1]  # the most zeros and the most ones in a row
    column_max: Index[::1]  # those in a column
    board: Index[::1]  # the cells, row by row; -1 if empty
    row_counts: Index[:, ::1]  # for each row, its numbers of zeros and of ones
    column_counts: Index[:, ::1]  # those of each column
    tried: Index[::1]  # for each cycle of cells, how many values were tried

    def __init__(
        self,
        height: Index,
        width: Index,
        rows_differ: cython.bint,
        columns_differ: cython.bint,
        row_ones: tuple[int, int],
        column_ones: tuple[int, int],
    ) -> None:
        if not (1 <= height <= 1000 and 1 <= width <= 1000):
            raise ValueError(f"boards of {height}x{width}; expected sides of 1 to 1000")
        self.height, self.width = height, width
        self.rows_differ, self.columns_differ = rows_differ, columns_differ
        self.row_max, self.column_max = zeros("q", 2), zeros("q", 2)
        self.row_max[0], self.row_max[1] = width - row_ones[0], row_ones[1]
        self.column_max[0], self.column_max[1] = height - column_ones[0], column_ones[1]
        self.board, self.tried = zeros("q", height * width), zeros("q", height * width + 1)
        self.row_counts, self.column_counts = zeros("q", height, 2), zeros("q", width, 2)
        for cell in range(height * width):
            self.board[cell] = _EMPTY


@cython.inline
def _run_of(boards: FixedBoards, cell: Index, step: Index, place: Index, length: Index) -> Index:
    """The number of cells equal to a cell side by side with it in a line, itself included.

    Args:
        boards: the board.
        cell: the cell.
        step: the distance of the cells of the line.
        place: the place of the cell in the line.
        length: the length of the line.
    """
    value = boards.board[cell]
    run: Index = 1
    k: Index = 1
    while k <= 2 and place + k < length and boards.board[cell + k * step] == value:
        run += 1
        k += 1
    k = 1
    while k <= 2 and place - k >= 0 and boards.board[cell - k * step] == value:
        run += 1
        k += 1
    return run


@cython.cfunc
def _repeats(
    boards: FixedBoards, lines: Index, length: Index, line_step: Index, cell_step: Index
) -> cython.bint:
    """Whether two lines of a board are equal."""
    for one in range(lines):
        for other in range(one):
            k: Index = 0
            while k < length and (
                boards.board[one * line_step + k * cell_step]
                == boards.board[other * line_step + k * cell_step]
            ):
                k += 1
            if k == length:
                return True
    return False


@cython.cfunc
def _assign(
    boards: FixedBoards,
    cells: Index[::1],
    opposite: Index[::1],
    low: Index,
    high: Index,
    value: Index,
) -> cython.bint:
    """Assign a value to the cells of a cycle; return whether the rules still hold."""
    valid: cython.bint = True
    for k in range(low, high):
        symbol: Index = value ^ opposite[k]
        boards.board[cells[k]] = symbol
        row: Index = cells[k] // boards.width
        column: Index = cells[k] - row * boards.width
        boards.row_counts[row, symbol] += 1
        boards.column_counts[column, symbol] += 1
        valid &= boards.row_counts[row, symbol] <= boards.row_max[symbol]
        valid &= boards.column_counts[column, symbol] <= boards.column_max[symbol]
    for k in range(low, high):
        if not valid:
            return False
        row = cells[k] // boards.width
        column = cells[k] - row * boards.width
        valid = (
            _run_of(boards, cells[k], 1, column, boards.width) < 3
            and _run_of(boards, cells[k], boards.width, row, boards.height) < 3
        )
    return valid


@cython.cfunc
def _clear(boards: FixedBoards, cells: Index[::1], low: Index, high: Index) -> None:
    """Clear the cells of a cycle."""
    for k in range(low, high):
        cell = cells[k]
        row: Index = cell // boards.width
        boards.row_counts[row, boards.board[cell]] -= 1
        boards.column_counts[cell - row * boards.width, boards.board[cell]] -= 1
        boards.board[cell] = _EMPTY


def count_fixed(
    boards: FixedBoards, begin: Index[::1], cells: Index[::1], opposite: Index[::1]
) -> int:
    """Count the boards in which the cells of each cycle have the same or opposite values.

    A backtracking search over the cycles.

    Args:
        boards: the rules, with an empty board.
        begin: the index in `cells` where each cycle begins, and the number of cells.
        cells: the cells of the cycles.
        opposite: 1 if a cell is opposite to the first cell of its cycle, else 0.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    number: Index = boards.height * boards.width
    cycles: Index = begin.shape[0] - 1
    if cells.shape[0] != number or opposite.shape[0] != number:
        raise ValueError(f"expected {number} cells")
    if not 0 <= cycles <= number or begin[0] != 0 or begin[cycles] != number:
        raise ValueError(f"expected up to {number} cycles of all cells")
    for k in range(cycles):
        if begin[k] > begin[k + 1]:
            raise ValueError("a cycle must end where the next one begins")
    for k in range(number):
        if not 0 <= cells[k] < number or opposite[k] >> 1:
            raise ValueError(f"expected cells from 0 to {number - 1}, and 0 or 1")
    total: Index = 0
    with cython.nogil:
        total = _search_cycles(boards, begin, cells, opposite)
    return total


@cython.cfunc
def _search_cycles(
    boards: FixedBoards, begin: Index[::1], cells: Index[::1], opposite: Index[::1]
) -> Index:
    """`count_fixed` for arrays that fit each other."""
    height, width, cycles = boards.height, boards.width, begin.shape[0] - 1
    total: Index = 0
    depth: Index = 0
    while depth >= 0:
        if depth == cycles:
            if not (boards.rows_differ and _repeats(boards, height, width, width, 1)) and not (
                boards.columns_differ and _repeats(boards, width, height, 1, width)
            ):
                total += 1
            depth -= 1
            continue
        low: Index = begin[depth]
        high: Index = begin[depth + 1]
        if boards.tried[depth] > 0:
            _clear(boards, cells, low, high)
        if boards.tried[depth] == 2:
            boards.tried[depth] = 0
            depth -= 1
            continue
        value: Index = boards.tried[depth]
        boards.tried[depth] += 1
        if _assign(boards, cells, opposite, low, high, value):
            depth += 1
    return total
