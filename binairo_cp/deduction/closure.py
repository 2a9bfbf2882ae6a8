"""Compute the deductive closure of a puzzle: all that the techniques up to a level find.

The closure does not depend on the order of the techniques, since more known cells never lead to
fewer deductions. So this code examines changed lines until there are none, and then compares full
lines or tries values, as the level allows. `grading` follows the path of a person instead.

With signs, the closure may lack some cells from level hard on, as it has no sign chains. The same
holds for a longest run other than 2. It never has too many cells.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import int64, njit, types, uint8, uint64

from binairo_cp.deduction.compiled_techniques import DISTINCT_LINES, last_one
from binairo_cp.deduction.distinct_lines import STACK_LENGTH, distinct_from_full
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.puzzle.bits.line import completing, consistent
from binairo_cp.puzzle.bits.shape import SHAPE, line_rules
from binairo_cp.puzzle.bits.words import ALL, ONE, TWO, ZERO, cell, copy_into, first, line_of, size
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends.bitboard.propagation import propagate_signs
from binairo_cp.workers.compiling import compiled, notice

_EASY, _MEDIUM, _HARD, _EXPERT = (LEVELS.index(name) for name in LEVELS[1:5])

LONGEST_RUN = 2
"""The longest run for which the closure is exact, if there are no signs."""

NO_SIGNS = np.zeros((1, 2, 0), np.uint64)

_BROKEN, _STUCK, _REACHED = 0, 1, 2


_SOURCES = ("deduction", "puzzle/bits", "solving/backends/bitboard")


class Memory(NamedTuple):
    """The working memory; compiled code allocates none.

    Attributes:
        ones: the ones of each line, rows first.
        zeros: the zeros of each line.
        trial_ones: the ones of a board on which a value is tried.
        trial_zeros: the zeros of that board.
        dirty: the rows and the columns to examine.
        tried: the rows and the columns to examine on the other board.
        goal: the target cells of each row.
        unreachable: a goal that is never reached, so that a trial goes on to the end.
    """

    ones: Any
    zeros: Any
    trial_ones: Any
    trial_zeros: Any
    dirty: Any
    tried: Any
    goal: Any
    unreachable: Any

    @classmethod
    def of(cls, shape: Shape) -> Self:
        """The memory for boards of a shape."""
        lines = shape.height + shape.width
        lengths = (lines, lines, lines, lines, 2, 2, shape.height, shape.height)
        memory = cls(*(np.zeros(length, np.uint64) for length in lengths))
        memory.unreachable[0] = ALL
        return memory


@cache
def closure() -> Any:
    """The compiled `_close_all`."""
    memory = types.NamedUniTuple(uint64[::1], len(Memory._fields), Memory)
    signature = types.void(
        uint8[:, ::1], uint64[:, :, ::1], SHAPE, int64, int64[:, ::1], memory, uint64[:, ::1],
        uint8[::1],
    )  # fmt: skip
    with notice("the techniques", seconds=3):
        return compiled(_close_all, signature, _SOURCES, allocates=False)


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
    stack = np.zeros((STACK_LENGTH, 2), np.uint64)
    closure()(clues, signs, shape, LEVELS.index(level), targets, Memory.of(shape), stack, reached)
    return reached.astype(bool)


@njit
def _close_all(
    clues: Any,
    signs: Any,
    shape: Any,
    level: int,
    targets: Any,
    memory: Any,
    stack: Any,
    reached: Any,
) -> None:
    signed = signs.shape[2] > 0
    for puzzle in range(len(clues)):
        _load(clues, targets, puzzle, shape, memory)
        ended = _close(shape, signs, puzzle if signed else 0, level, memory, stack)
        reached[puzzle] = ended == _REACHED


@njit
def _load(clues: Any, targets: Any, puzzle: int, shape: Any, memory: Any) -> None:
    """Set the board and the goal of a puzzle."""
    height, width = shape.height, shape.width
    for k in range(height + width):
        memory.ones[k] = memory.zeros[k] = ZERO
    for place in range(height * width):
        value = np.int64(clues[puzzle, place])
        if value < 2:
            _fill(memory.ones, memory.zeros, height, place // width, place % width, value)
    for row in range(height):
        memory.goal[row] = ZERO
    has_goal = False
    for k in range(targets.shape[1]):
        place = targets[puzzle, k]
        if place >= 0:
            memory.goal[place // width] |= cell(place % width)
            has_goal = True
    if not has_goal:
        for row in range(height):
            memory.goal[row] = line_of(width)


@njit
def _fill(ones: Any, zeros: Any, height: int, row: int, column: int, value: int) -> None:
    words = ones if value else zeros
    words[row] |= cell(column)
    words[height + column] |= cell(row)


@njit
def _is_reached(ones: Any, zeros: Any, goal: Any) -> bool:
    for row in range(len(goal)):
        if goal[row] & ~(ones[row] | zeros[row]):
            return False
    return True


@njit
def _close(shape: Any, signs: Any, mine: int, level: int, memory: Any, stack: Any) -> int:
    """Fill the board until the goal is known or nothing follows; `mine` are its signs."""
    ones, zeros, dirty, goal = memory.ones, memory.zeros, memory.dirty, memory.goal
    # The lines of the target cells usually suffice.
    dirty[0] = dirty[1] = ZERO
    for row in range(shape.height):
        if goal[row]:
            dirty[0] |= cell(row)
            dirty[1] |= goal[row]
    in_lines, narrow = min(level, _HARD), True
    while True:
        ended = _follow(ones, zeros, dirty, shape, signs, mine, in_lines, goal)
        if ended != _STUCK:
            return ended
        if narrow:
            dirty[0], dirty[1] = line_of(shape.height), line_of(shape.width)
            narrow = False
            continue
        if level >= _HARD and shape.distinct_rows and _compare(ones, zeros, dirty, shape, stack):
            continue
        if level < _EXPERT or not _try(shape, signs, mine, memory):
            return _STUCK


@njit
def _follow(
    ones: Any,
    zeros: Any,
    dirty: Any,
    shape: Any,
    signs: Any,
    mine: int,
    level: int,
    goal: Any,
) -> int:
    """Examine dirty lines until there are none."""
    while dirty[0] | dirty[1]:
        across = 0 if dirty[0] else 1
        number = first(dirty[across])
        dirty[across] &= ~cell(number)
        rules = line_rules(shape, across)
        crossing = shape.height - rules.begin
        k = rules.begin + number
        before = ones[k] | zeros[k]
        more_ones, more_zeros = _followed(ones[k], zeros[k], k, rules, signs, mine, level)
        if more_ones & more_zeros or _is_broken(ones, zeros, k, more_ones, more_zeros, rules):
            return _BROKEN
        new = (more_ones | more_zeros) & ~before
        if not new:
            continue
        ones[k], zeros[k] = more_ones, more_zeros
        dirty[1 - across] |= new
        while new:
            place = first(new)
            new &= new - ONE
            words = ones if more_ones & cell(place) else zeros
            words[crossing + place] |= cell(number)
        if _is_reached(ones, zeros, goal):
            return _REACHED
    return _REACHED if _is_reached(ones, zeros, goal) else _STUCK


@njit
def _followed(ones: Any, zeros: Any, k: int, rules: Any, signs: Any, mine: int, level: int) -> Any:
    """The ones and zeros of a line after all deductions in the line alone."""
    while True:
        before = ones | zeros
        if signs.shape[2]:
            equal, opposite = signs[mine, 0, k], signs[mine, 1, k]
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
def _is_broken(ones: Any, zeros: Any, k: int, more_ones: Any, more_zeros: Any, rules: Any) -> bool:
    """Whether line k has too many of a symbol, or equals another one, once it has more cells."""
    if size(more_ones) > rules.max_ones or size(more_zeros) > rules.max_zeros:
        return True
    if not rules.distinct or more_ones | more_zeros != rules.cells:
        return False
    for other in range(rules.begin, rules.end):
        if other != k and ones[other] == more_ones and zeros[other] == more_zeros:
            return True
    return False


@njit
def _compare(ones: Any, zeros: Any, dirty: Any, shape: Any, stack: Any) -> bool:
    """Fill the cells where lines must differ from full lines; return whether there were any."""
    height = shape.height
    any_new = False
    for across in range(2):
        rules = line_rules(shape, across)
        for k in range(rules.begin, rules.end):
            if ones[k] | zeros[k] == rules.cells:
                continue
            more_ones, more_zeros = distinct_from_full(DISTINCT_LINES, k, rules, ones, zeros, stack)
            new = (more_ones | more_zeros) & rules.cells & ~(ones[k] | zeros[k])
            if new:
                any_new = True
                dirty[across] |= cell(k - rules.begin)
            while new:
                place = first(new)
                new &= new - ONE
                value = 1 if more_ones & cell(place) else 0
                row, column = (k, place) if across == 0 else (place, k - height)
                _fill(ones, zeros, height, row, column, value)
                dirty[1 - across] |= cell(place)
    return any_new


@njit
def _try(shape: Any, signs: Any, mine: int, memory: Any) -> bool:
    """Fill the first cell of which a value leads to a contradiction; goal cells come first."""
    height, width, tried, goal = shape.height, shape.width, memory.tried, memory.goal
    trial_ones, trial_zeros = memory.trial_ones, memory.trial_zeros
    for others in range(2):
        for row in range(height):
            mask = ~goal[row] if others else goal[row]
            cells = line_of(width) & ~(memory.ones[row] | memory.zeros[row]) & mask
            while cells:
                column = first(cells)
                cells &= cells - ONE
                for value in range(2):
                    copy_into(trial_ones, memory.ones)
                    copy_into(trial_zeros, memory.zeros)
                    _fill(trial_ones, trial_zeros, height, row, column, value)
                    tried[0], tried[1] = cell(row), cell(column)
                    ended = _follow(
                        trial_ones, trial_zeros, tried, shape, signs, mine, _MEDIUM,
                        memory.unreachable,
                    )  # fmt: skip
                    if ended == _BROKEN:
                        _fill(memory.ones, memory.zeros, height, row, column, 1 - value)
                        memory.dirty[0] |= cell(row)
                        memory.dirty[1] |= cell(column)
                        return True
    return False
