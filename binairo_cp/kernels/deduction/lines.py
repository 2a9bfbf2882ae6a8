"""The lines of a board as words, and what breaks their rules."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.line import Direction
from binairo_cp.kernels.words import Index, Word, cell, first, size

STACK_LENGTH = 130
"""Enough for the completions of a line of 64 cells: each level of its tree leaves one word pair."""


@cython.cclass
class BoardLines:
    """The lines of a board, with the rows numbered before the columns.

    Args:
        rows: the rules of the rows, of up to 64 cells.
        columns: the rules of the columns.
        longest_run: 1 to 64.

    Raises:
        ValueError: the rules are not those of a board.
    """

    # The size of the board.
    height: Index
    width: Index
    longest_run: Index  # how many equal cells may stand side by side
    # The rules of the lines.
    rows: Direction
    columns: Direction
    ones: Word[::1]  # the ones of each line
    zeros: Word[::1]  # the zeros of each line
    # The lines to examine.
    changed_rows: Word
    changed_columns: Word
    stack: Word[::1]  # a buffer for `distinct_from_full`
    # The zeros of each row, and then the ones, that follow from a tried value that was not refuted.
    implied: Word[::1]

    def __init__(self, rows: Direction, columns: Direction, longest_run: Index) -> None:
        height: Index = columns.length
        width: Index = rows.length
        if not (1 <= height <= 64 and 1 <= width <= 64 and 1 <= longest_run <= 64):
            raise ValueError(
                f"{height}x{width} cells, runs of {longest_run}: expected numbers from 1 to 64"
            )
        if (rows.begin, rows.count, columns.begin, columns.count) != (0, height, height, width):
            raise ValueError("expected the rules of all rows, and of the columns after them")
        self.rows, self.columns, self.longest_run = rows, columns, longest_run
        self.height, self.width = height, width
        self.ones, self.zeros = empty_words(height + width), empty_words(height + width)
        self.stack = empty_words(2 * STACK_LENGTH)
        self.implied = empty_words(2 * height)


def empty_words(number: Index) -> memoryview:
    """New words."""
    return memoryview(bytearray(8 * number)).cast("Q")


def check_puzzles(board: BoardLines, clues: cython.const[cython.uchar][:, ::1]) -> None:
    """Check the size of an array of puzzles.

    Raises:
        ValueError: they are no boards of this size.
    """
    if clues.shape[1] != board.height * board.width:
        raise ValueError(
            f"clues of {clues.shape[1]} cells: expected {board.height} x {board.width}"
        )


@cython.nogil_noexcept
def load(board: BoardLines, clues: cython.const[cython.uchar][:, ::1], puzzle: Index) -> Index:
    """Set the words of all lines; return the number of open cells."""
    for k in range(board.height + board.width):
        board.ones[k] = 0
        board.zeros[k] = 0
    open_cells: Index = 0
    place: Index = 0
    for row in range(board.height):
        for column in range(board.width):
            byte = clues[puzzle, place]
            if byte == 0x2E:
                open_cells += 1
            else:
                fill(board, row, column, byte & 1)
            place += 1
    return open_cells


@cython.inline_nogil_noexcept
def fill(board: BoardLines, row: Index, column: Index, value: Index) -> None:
    """Fill a cell."""
    if value:
        board.ones[row] |= cell(column)
        board.ones[board.height + column] |= cell(row)
    else:
        board.zeros[row] |= cell(column)
        board.zeros[board.height + column] |= cell(row)


@cython.inline_nogil_noexcept
def copy_values(target: BoardLines, source: BoardLines) -> None:
    """Copy the values of all cells."""
    for k in range(source.height + source.width):
        target.ones[k] = source.ones[k]
        target.zeros[k] = source.zeros[k]


@cython.inline_nogil_noexcept
def forget_implied(board: BoardLines) -> None:
    """Forget which values follow from others."""
    for k in range(2 * board.height):
        board.implied[k] = 0


@cython.inline_nogil_noexcept
def add_implied(board: BoardLines, trial: BoardLines) -> None:
    """Note what follows from a value that was not refuted: all values of the trial.

    Each of them needs no trial, which would find no more than this one.
    """
    for row in range(board.height):
        board.implied[row] |= trial.zeros[row]
        board.implied[board.height + row] |= trial.ones[row]


@cython.inline_nogil_noexcept
def is_implied(board: BoardLines, row: Index, column: Index, value: Index) -> cython.bint:
    """Whether a value follows from one that was not refuted."""
    return (board.implied[value * board.height + row] >> column) & 1 != 0


@cython.inline_nogil_noexcept
def has_long_run(word: Word, longest: Index) -> cython.bint:
    """Whether a word has a run of bits longer than the longest run allowed."""
    if longest == 2:
        return (word & (word >> 1) & (word >> 2)) != 0
    for _ in range(longest):
        word &= word >> 1
    return word != 0


@cython.inline_nogil_noexcept
def repeats(board: BoardLines, direction: Direction, k: Index, ones: Word) -> cython.bint:
    """Whether line k, which is full with these ones, equals another line."""
    for other in range(direction.begin, direction.begin + direction.count):
        if (
            other != k
            and board.ones[other] == ones
            and board.zeros[other] == direction.cells & ~ones
        ):
            return True
    return False


@cython.inline_nogil_noexcept
def _has_broken(board: BoardLines, direction: Direction, lines: Word) -> cython.bint:
    """Whether one of some lines of a direction breaks a rule."""
    while lines:
        k = direction.begin + first(lines)
        lines &= lines - 1
        ones, zeros = board.ones[k], board.zeros[k]
        if size(ones) > direction.max_ones or size(zeros) > direction.max_zeros:
            return True
        if has_long_run(ones, board.longest_run) or has_long_run(zeros, board.longest_run):
            return True
        if (
            direction.distinct
            and ones | zeros == direction.cells
            and repeats(board, direction, k, ones)
        ):
            return True
    return False


@cython.nogil_noexcept
def is_broken(board: BoardLines) -> cython.bint:
    """Whether one of the changed lines breaks a rule."""
    return _has_broken(board, board.rows, board.changed_rows) or _has_broken(
        board, board.columns, board.changed_columns
    )
