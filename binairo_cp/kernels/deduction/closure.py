"""Closures: all that the techniques up to a level find.

A closure does not depend on the order of the techniques, since more known cells never lead to fewer
deductions. So this code examines changed lines until there are none, and then compares full lines
or tries values, as the level allows. `grading` follows the path of a person instead.

With signs, the closure may lack some cells from level hard on, as it has no sign chains. The same
holds for a longest run other than 2. It never has too many cells.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.lines import (
    BoardLines,
    add_implied,
    check_puzzles,
    copy_values,
    empty_words,
    fill,
    forget_implied,
    is_implied,
    load,
    repeats,
)
from binairo_cp.kernels.deduction.results import DISTINCT_LINES
from binairo_cp.kernels.deduction.techniques import distinct_from_full, last_one
from binairo_cp.kernels.line import Direction, completing, consistent_in, propagate_signs
from binairo_cp.kernels.words import Index, Word, cell, first, size

EASY, MEDIUM, HARD, EXPERT = 1, 2, 3, 4
"""The places of these levels in `techniques.LEVELS`."""

_BROKEN, _STUCK, _REACHED = 0, 1, 2


@cython.final
@cython.cclass
class Closing(BoardLines):
    """A board that is filled as far as a level allows."""

    has_goal: cython.bint  # whether filling ends once the target cells are known
    goal: Word[::1]  # the target cells of each row
    signed: cython.bint  # whether the puzzles have signs
    # n x 2 x (h + w) words, the equal and the opposite signs along each line.
    signs: cython.const[Word][:, :, ::1]
    mine: Index  # the number of the puzzle in the signs

    def __init__(self, rows: Direction, columns: Direction, longest_run: Index) -> None:
        BoardLines.__init__(self, rows, columns, longest_run)
        self.goal = empty_words(self.height)


def close_all(
    board: Closing,
    trial: Closing,
    clues: cython.const[cython.uchar][:, ::1],
    signs: cython.const[Word][:, :, ::1],
    level: Index,
    targets: cython.const[cython.longlong][:, ::1],
    reached: cython.uchar[::1],
) -> None:
    """For which puzzles of a shape the techniques up to a level determine the target cells.

    Args:
        board: the rules and the memory.
        trial: memory with the same rules, for boards on which a value is tried.
        clues: n x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        signs: n x 2 x (h + w) words, as in `Closing`. Without signs, it can be 1 x 2 x 0.
        level: the number of the highest level to use.
        targets: n x k places of cells, padded with negative numbers. A row without places stands
            for all cells.
        reached: n flags; are filled.

    Raises:
        ValueError: the sizes differ, or a place is none of the board.
    """
    number: Index = clues.shape[0]
    _check(board, trial, clues, signs, targets, reached)
    board.signs, trial.signs = signs, signs
    board.signed = trial.signed = signs.shape[2] > 0
    board.has_goal, trial.has_goal = True, False
    puzzle: Index
    with cython.nogil:
        for puzzle in range(number):
            load(board, clues, puzzle)
            _set_goal(board, targets, puzzle)
            board.mine = trial.mine = puzzle if board.signed else 0
            reached[puzzle] = _close(board, trial, level) == _REACHED


def refutes(
    board: Closing,
    clues: cython.const[cython.uchar][:, ::1],
    signs: cython.const[Word][:, :, ::1],
    place: Index,
    value: Index,
) -> bool:
    """Whether filling a cell breaks a rule, there or in what follows by techniques up to medium.

    Only lines with new values are examined.

    Args:
        board: the rules and the memory.
        clues: 1 x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        signs: 1 x 2 x (h + w) words, as in `Closing`. Without signs, it can be 1 x 2 x 0.
        place: an open cell.
        value: the value to fill.

    Raises:
        ValueError: the sizes differ, or the place is no open cell of the board.
    """
    check_puzzles(board, clues)
    lines: Index = board.height + board.width
    if clues.shape[0] != 1 or signs.shape[0] != 1 or signs.shape[1] != 2:
        raise ValueError("expected one board and its signs")
    if signs.shape[2] not in (0, lines):
        raise ValueError(f"signs of another board: expected 1 x 2 x {lines} words")
    if not (0 <= place < clues.shape[1] and clues[0, place] == 0x2E):
        raise ValueError(f"place {place} is no open cell")
    board.signs, board.signed, board.mine = signs, signs.shape[2] > 0, 0
    board.has_goal = False
    row, column = place // board.width, place % board.width
    load(board, clues, 0)
    is_broken: cython.bint = breaks(board, row, column, value)
    return is_broken


def _check(
    board: Closing,
    trial: Closing,
    clues: cython.const[cython.uchar][:, ::1],
    signs: cython.const[Word][:, :, ::1],
    targets: cython.const[cython.longlong][:, ::1],
    reached: cython.uchar[::1],
) -> None:
    check_puzzles(board, clues)
    check_puzzles(trial, clues)
    number: Index = clues.shape[0]
    lines: Index = board.height + board.width
    if trial.height != board.height or trial is board:
        raise ValueError("expected a trial of its own, of the same size")
    if signs.shape[2] and (signs.shape[0], signs.shape[1], signs.shape[2]) != (number, 2, lines):
        raise ValueError(f"signs of other boards: expected {number} x 2 x {lines} words")
    if targets.shape[0] != number or reached.shape[0] != number:
        raise ValueError(f"expected targets and flags for {number} puzzles")
    for puzzle in range(number):
        for k in range(targets.shape[1]):
            if targets[puzzle, k] >= board.height * board.width:
                raise ValueError(f"target {targets[puzzle, k]} is outside of the board")


@cython.nogil_noexcept
def _set_goal(
    board: Closing, targets: cython.const[cython.longlong][:, ::1], puzzle: Index
) -> None:
    any_target: cython.bint = False
    for row in range(board.height):
        board.goal[row] = 0
    for k in range(targets.shape[1]):
        place: Index = targets[puzzle, k]
        if place >= 0:
            board.goal[place // board.width] |= cell(place % board.width)
            any_target = True
    if not any_target:
        for row in range(board.height):
            board.goal[row] = board.rows.cells


@cython.inline_nogil_noexcept
def _is_reached(board: Closing) -> cython.bint:
    if not board.has_goal:
        return False
    for row in range(board.height):
        if board.goal[row] & ~(board.ones[row] | board.zeros[row]):
            return False
    return True


@cython.nogil_noexcept
def _close(board: Closing, trial: Closing, level: Index) -> Index:
    """Fill the board until the goal is known or nothing follows."""
    # The lines of the target cells usually suffice.
    board.changed_rows, board.changed_columns = 0, 0
    for row in range(board.height):
        if board.goal[row]:
            board.changed_rows |= cell(row)
            board.changed_columns |= board.goal[row]
    narrow: cython.bint = True
    while True:
        ended = _follow(board, min(level, HARD))
        if ended != _STUCK:
            return ended
        if narrow:
            # All rows, and all columns.
            board.changed_rows, board.changed_columns = board.columns.cells, board.rows.cells
            narrow = False
            continue
        if level >= HARD:
            any_new: cython.bint = _compare(board, board.rows, 0)
            if _compare(board, board.columns, 1) or any_new:
                continue
        if level < EXPERT or not _try(board, trial):
            return _STUCK


@cython.nogil_noexcept
def breaks(board: Closing, row: Index, column: Index, value: Index) -> cython.bint:
    """Whether a value breaks a rule, or what follows from it by techniques up to medium does.

    It is filled in, and what follows too. Only lines with new values are examined.
    """
    fill(board, row, column, value)
    board.changed_rows, board.changed_columns = cell(row), cell(column)
    return _follow(board, MEDIUM) == _BROKEN


@cython.nogil_noexcept
def _follow(board: Closing, level: Index) -> Index:
    """Examine changed lines until there are none."""
    while board.changed_rows | board.changed_columns:
        if board.changed_rows:
            number = first(board.changed_rows)
            board.changed_rows &= ~cell(number)
            ended = _follow_line(board, board.rows, 0, number, level)
        else:
            number = first(board.changed_columns)
            board.changed_columns &= ~cell(number)
            ended = _follow_line(board, board.columns, 1, number, level)
        if ended != _STUCK:
            return ended
    return _REACHED if _is_reached(board) else _STUCK


@cython.inline_nogil_noexcept
def _follow_line(
    board: Closing, direction: Direction, across: Index, number: Index, level: Index
) -> Index:
    k = direction.begin + number
    before = board.ones[k] | board.zeros[k]
    ones, zeros = _followed(board, direction, k, level)
    if (
        ones & zeros
        or size(ones) > direction.max_ones
        or size(zeros) > direction.max_zeros
        or (
            direction.distinct
            and ones | zeros == direction.cells
            and repeats(board, direction, k, ones)
        )
    ):
        return _BROKEN
    new = (ones | zeros) & ~before
    if not new:
        return _STUCK
    board.ones[k], board.zeros[k] = ones, zeros
    if across == 0:
        board.changed_columns |= new
    else:
        board.changed_rows |= new
    crossing = board.height - direction.begin
    while new:
        place = first(new)
        new &= new - 1
        if ones & cell(place):
            board.ones[crossing + place] |= cell(number)
        else:
            board.zeros[crossing + place] |= cell(number)
    return _REACHED if _is_reached(board) else _STUCK


@cython.inline_nogil_noexcept
def _followed(board: Closing, direction: Direction, k: Index, level: Index) -> tuple[Word, Word]:
    """The ones and zeros of a line after all deductions in the line alone."""
    ones, zeros = board.ones[k], board.zeros[k]
    while True:
        before = ones | zeros
        if board.signed:
            equal, unequal = board.signs[board.mine, 0, k], board.signs[board.mine, 1, k]
            ones, zeros = propagate_signs(ones, zeros, equal, unequal)
            if level >= MEDIUM and board.longest_run == 2:
                ones, zeros = _equal_pairs(ones, zeros, equal, direction)
        if ones & zeros:
            return ones, zeros
        if level >= HARD:
            ones, zeros = consistent_in(ones, zeros, direction, board.longest_run)
        else:
            ones, zeros = _simple(ones, zeros, direction, board.longest_run, level)
        if ones & zeros or ones | zeros == before:
            return ones, zeros


@cython.inline_nogil_noexcept
def _simple(
    ones: Word, zeros: Word, direction: Direction, longest: Index, level: Index
) -> tuple[Word, Word]:
    """Apply pair, sandwich, count and last one, each once."""
    line = direction.cells
    more_zeros: Word = completing(ones, longest) & line
    more_ones: Word = completing(zeros, longest) & line
    if level >= EASY:
        # Without balance, a line that lacks so few of a symbol has no open cells for these.
        open_cells = line & ~(ones | zeros)
        missing_ones: Index = direction.max_ones - size(ones)
        missing_zeros: Index = direction.max_zeros - size(zeros)
        if missing_ones == 0:
            more_zeros |= open_cells
        if missing_zeros == 0:
            more_ones |= open_cells
        if level >= MEDIUM and missing_ones == 1:
            more_zeros |= last_one(open_cells, zeros, longest)
        if level >= MEDIUM and missing_zeros == 1:
            more_ones |= last_one(open_cells, ones, longest)
    return ones | more_ones, zeros | more_zeros


@cython.nogil_noexcept
def _equal_pairs(ones: Word, zeros: Word, equal: Word, direction: Direction) -> tuple[Word, Word]:
    """Apply the technique for pairs of equal open cells."""
    open_cells = direction.cells & ~(ones | zeros)
    pairs: Word = equal & open_cells & (open_cells >> 1)
    not_one: Word = pairs & ((ones << 1) | (ones >> 2))
    not_zero: Word = pairs & ((zeros << 1) | (zeros >> 2))
    if size(ones) + 1 == direction.max_ones:
        not_one = pairs
    if size(zeros) + 1 == direction.max_zeros:
        not_zero = pairs
    return ones | not_zero | (not_zero << 1), zeros | not_one | (not_one << 1)


@cython.nogil_noexcept
def _compare(board: Closing, direction: Direction, across: Index) -> cython.bint:
    """Fill the cells where lines must differ from full lines; return whether there were any."""
    any_new: cython.bint = False
    if not direction.distinct:
        return any_new
    for number in range(direction.count):
        k = direction.begin + number
        open_cells = direction.cells & ~(board.ones[k] | board.zeros[k])
        if not open_cells:
            continue
        more_ones, more_zeros = distinct_from_full(board, DISTINCT_LINES, k, direction)
        new = (more_ones | more_zeros) & open_cells
        if not new:
            continue
        any_new = True
        if across == 0:
            board.changed_rows |= cell(number)
            board.changed_columns |= new
        else:
            board.changed_columns |= cell(number)
            board.changed_rows |= new
        while new:
            place = first(new)
            new &= new - 1
            value: Index = (more_ones >> place) & 1
            if across == 0:
                fill(board, number, place, value)
            else:
                fill(board, place, number, value)
    return any_new


@cython.nogil_noexcept
def _try(board: Closing, trial: Closing) -> cython.bint:
    """Fill the first cell of which a value leads to a contradiction; goal cells come first."""
    forget_implied(board)
    for others in range(2):
        for row in range(board.height):
            cells = board.rows.cells & ~(board.ones[row] | board.zeros[row])
            cells &= ~board.goal[row] if others else board.goal[row]
            while cells:
                column = first(cells)
                cells &= cells - 1
                for value in range(2):
                    if is_implied(board, row, column, value):
                        continue
                    copy_values(trial, board)
                    if breaks(trial, row, column, value):
                        fill(board, row, column, 1 - value)
                        board.changed_rows |= cell(row)
                        board.changed_columns |= cell(column)
                        return True
                    add_implied(board, trial)
    return False
