"""Compute the deductive closure of a puzzle: all that the techniques up to a level find.

The closure does not depend on the order of the techniques, since more known cells never lead to
fewer deductions. So this code examines changed lines until there are none, and then compares full
lines or tries values, as the level allows. `grading` follows the path of a person instead.

With signs, the closure may lack some cells from level hard on, as it has no sign chains. The same
holds for a longest run other than 2. It never has too many cells.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, njit, types, uint8, uint64

from binairo_cp.deduction.compiled_techniques import DISTINCT_LINES, last_one
from binairo_cp.deduction.distinct_lines import distinct_from_full
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.puzzle.bits.line import completing, consistent
from binairo_cp.puzzle.bits.shape import SHAPE, Shape, line_rules
from binairo_cp.puzzle.bits.words import ONE, TWO, ZERO, cell, copy_into, first, line_of, size
from binairo_cp.solving.backends.bitboard.propagation import propagate_signs
from binairo_cp.workers.compiling import compiled, notice

_EASY, _MEDIUM, _HARD, _EXPERT = (LEVELS.index(name) for name in LEVELS[1:5])

LONGEST_RUN = 2
"""The longest run for which the closure is exact, if there are no signs."""

NO_SIGNS = np.zeros((1, 2, 0), np.uint64)

_BROKEN, _STUCK, _REACHED = 0, 1, 2


@cache
def closure() -> Any:
    """The compiled `_close_all`."""
    signature = types.void(
        uint8[:, ::1], uint64[:, :, ::1], SHAPE, int64, int64[:, ::1], uint8[::1]
    )
    with notice("the techniques", seconds=4):
        return compiled(
            _close_all, signature, ("deduction", "puzzle/bits", "solving/backends/bitboard")
        )


def reaches(
    clues: npt.NDArray[np.uint8],
    signs: npt.NDArray[np.uint64],
    shape: Shape,
    level: Level,
    targets: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.bool_]:
    """For which puzzles of a shape the techniques up to a level determine the target cells.

    Args:
        clues: n x cells, row by row: 0, 1, or 2 for an open cell.
        signs: n x 2 x (h + w) words, in the bitboard's layout; 1 x 2 x 0 without signs.
        shape: Their `Shape`.
        level: The highest level of techniques to use; not beyond logic.
        targets: n x k places of cells, padded with negative numbers. A row without places stands
            for all cells, and so does None for all puzzles.

    Returns:
        n flags.
    """
    if targets is None:
        targets = np.full((len(clues), 1), -1)
    reached = np.zeros(len(clues), np.uint8)
    closure()(clues, signs, shape, LEVELS.index(level), targets, reached)
    return reached.astype(bool)


@njit
def _close_all(clues: Any, signs: Any, shape: Any, level: int, targets: Any, reached: Any) -> None:
    height, width = shape.height, shape.width
    lines = height + width
    known = np.zeros((3, 2, lines), np.uint64)
    stack = np.zeros((130, 2), np.uint64)
    goal = np.zeros(height, np.uint64)
    signed = signs.shape[2] > 0
    for puzzle in range(len(clues)):
        known[0] = ZERO
        for place in range(height * width):
            if clues[puzzle, place] < 2:
                _fill(known[0], height, place // width, place % width, clues[puzzle, place])
        goal[:] = ZERO
        for place in targets[puzzle]:
            if place >= 0:
                goal[place // width] |= cell(place % width)
        if not goal.any():
            goal[:] = line_of(width)
        mine = signs[puzzle if signed else 0]
        reached[puzzle] = _close(known, shape, mine, signed, level, goal, stack) == _REACHED


@njit
def _fill(board: Any, height: int, row: int, column: int, value: int) -> None:
    board[1 - value, row] |= cell(column)
    board[1 - value, height + column] |= cell(row)


@njit
def _is_reached(board: Any, goal: Any) -> bool:
    for row in range(len(goal)):
        if goal[row] & ~(board[0, row] | board[1, row]):
            return False
    return True


@njit
def _close(
    known: Any, shape: Any, signs: Any, signed: bool, level: int, goal: Any, stack: Any
) -> int:
    """Fill the board ``known[0]`` until the goal is known or nothing follows."""
    height = shape.height
    board, trial = known[0], known[1]
    # The lines of the target cells usually suffice.
    dirty = np.zeros(2, np.uint64)
    for row in range(height):
        if goal[row]:
            dirty[0] |= cell(row)
            dirty[1] |= goal[row]
    ended = _follow(board, dirty, shape, signs, signed, min(level, _HARD), goal)
    if ended != _STUCK:
        return ended
    dirty[0], dirty[1] = line_of(height), line_of(shape.width)
    while True:
        ended = _follow(board, dirty, shape, signs, signed, min(level, _HARD), goal)
        if ended != _STUCK:
            return ended
        if level >= _HARD and shape.distinct_rows and _compare(board, dirty, shape, stack):
            continue
        if level < _EXPERT or not _try(board, trial, dirty, shape, signs, signed, goal):
            return _STUCK


@njit
def _follow(
    board: Any, dirty: Any, shape: Any, signs: Any, signed: bool, level: int, goal: Any
) -> int:
    """Examine dirty lines until there are none."""
    while dirty[0] | dirty[1]:
        across = 0 if dirty[0] else 1
        number = first(dirty[across])
        dirty[across] &= ~cell(number)
        rules = line_rules(shape, across)
        crossing = shape.height - rules.begin
        k = rules.begin + number
        before_ones, before_zeros = board[0, k], board[1, k]
        ones, zeros = _followed(before_ones, before_zeros, k, rules, signs, signed, level)
        if ones & zeros or _is_broken(board, k, ones, zeros, rules):
            return _BROKEN
        new = (ones | zeros) & ~(before_ones | before_zeros)
        if not new:
            continue
        board[0, k], board[1, k] = ones, zeros
        dirty[1 - across] |= new
        while new:
            place = first(new)
            new &= new - ONE
            value = np.int64((ones >> np.uint64(place)) & ONE)
            board[1 - value, crossing + place] |= cell(number)
        if _is_reached(board, goal):
            return _REACHED
    return _REACHED if _is_reached(board, goal) else _STUCK


@njit
def _followed(
    ones: Any, zeros: Any, k: int, rules: Any, signs: Any, signed: bool, level: int
) -> Any:
    """The ones and zeros of a line after all deductions in the line alone."""
    while True:
        before = ones | zeros
        if signed:
            equal, opposite = signs[0, k], signs[1, k]
            ones, zeros = propagate_signs(ones, zeros, equal, opposite)
            if level >= _MEDIUM and rules.longest_run == LONGEST_RUN:
                ones, zeros = _equal_pairs(ones, zeros, equal, rules)
        if ones & zeros:
            return ones, zeros
        if level >= _HARD:
            ones, zeros = consistent(
                ones, zeros, rules.cells, rules.longest_run, rules.max_ones, rules.max_zeros
            )
        else:
            ones, zeros = _simple(ones, zeros, rules, level)
        if ones & zeros or ones | zeros == before:
            return ones, zeros


@njit
def _simple(ones: Any, zeros: Any, rules: Any, level: int) -> Any:
    """Apply pair, sandwich, count and last one, each once."""
    line, longest = rules.cells, rules.longest_run
    more_zeros = completing(ones, longest) & line
    more_ones = completing(zeros, longest) & line
    if rules.balanced and level >= _EASY:
        open_cells = line & ~(ones | zeros)
        if size(ones) == rules.max_ones:
            more_zeros |= open_cells
        if size(zeros) == rules.max_zeros:
            more_ones |= open_cells
        if level >= _MEDIUM and size(ones) + ONE == rules.max_ones:
            more_zeros |= last_one(open_cells, zeros, longest)
        if level >= _MEDIUM and size(zeros) + ONE == rules.max_zeros:
            more_ones |= last_one(open_cells, ones, longest)
    return ones | more_ones, zeros | more_zeros


@njit
def _equal_pairs(ones: Any, zeros: Any, equal: Any, rules: Any) -> Any:
    """Apply the technique for pairs of equal open cells."""
    open_cells = rules.cells & ~(ones | zeros)
    pairs = equal & open_cells & (open_cells >> ONE)
    not_one = pairs & ((ones << ONE) | (ones >> TWO))
    not_zero = pairs & ((zeros << ONE) | (zeros >> TWO))
    if rules.balanced and size(ones) + ONE == rules.max_ones:
        not_one = pairs
    if rules.balanced and size(zeros) + ONE == rules.max_zeros:
        not_zero = pairs
    return ones | not_zero | (not_zero << ONE), zeros | not_one | (not_one << ONE)


@njit
def _is_broken(board: Any, k: int, ones: Any, zeros: Any, rules: Any) -> bool:
    """Whether a line has too many of a symbol, or equals another one."""
    if size(ones) > rules.max_ones or size(zeros) > rules.max_zeros:
        return True
    if not rules.distinct or ones | zeros != rules.cells:
        return False
    for other in range(rules.begin, rules.end):
        if other != k and board[0, other] == ones and board[1, other] == zeros:
            return True
    return False


@njit
def _compare(board: Any, dirty: Any, shape: Any, stack: Any) -> bool:
    """Fill the cells where lines must differ from full lines; return whether there were any."""
    height = shape.height
    any_new = False
    for across in range(2):
        rules = line_rules(shape, across)
        for k in range(rules.begin, rules.end):
            if board[0, k] | board[1, k] == rules.cells:
                continue
            ones, zeros = distinct_from_full(DISTINCT_LINES, k, rules, board[0], board[1], stack)
            new = (ones | zeros) & rules.cells & ~(board[0, k] | board[1, k])
            if new:
                any_new = True
                dirty[across] |= cell(k - rules.begin)
            while new:
                place = first(new)
                new &= new - ONE
                value = np.int64((ones >> np.uint64(place)) & ONE)
                row, column = (k, place) if across == 0 else (place, k - height)
                _fill(board, height, row, column, value)
                dirty[1 - across] |= cell(place)
    return any_new


@njit
def _try(
    board: Any, trial: Any, dirty: Any, shape: Any, signs: Any, signed: bool, goal: Any
) -> bool:
    """Fill the first cell of which a value leads to a contradiction; goal cells come first."""
    height, width = shape.height, shape.width
    # A goal that is never reached, so that the trial goes on to the end.
    unreachable = goal & ZERO
    unreachable[0] = ~ZERO
    tried = np.zeros(2, np.uint64)
    for others in range(2):
        for row in range(height):
            mask = ~goal[row] if others else goal[row]
            cells = line_of(width) & ~(board[0, row] | board[1, row]) & mask
            while cells:
                column = first(cells)
                cells &= cells - ONE
                for value in range(2):
                    for known in range(2):
                        copy_into(trial[known], board[known])
                    _fill(trial, height, row, column, value)
                    tried[0], tried[1] = cell(row), cell(column)
                    if _follow(trial, tried, shape, signs, signed, _MEDIUM, unreachable) == _BROKEN:
                        _fill(board, height, row, column, 1 - value)
                        dirty[0] |= cell(row)
                        dirty[1] |= cell(column)
                        return True
    return False
