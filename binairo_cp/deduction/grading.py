"""Grades: how hard a puzzle is for a person, by the techniques that its path needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction.driver import WAYS, rounds
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.backends import UNLIMITED, Meter

_GRADED, _BEYOND = WAYS[:-1], WAYS[-1]
"""What is needed beyond these is beyond logic, however it goes on."""

_MOST_CELLS_TRIED = 400
"""Compiled code tries no values on larger boards: it checks no clock, and it could take minutes."""

_MOST_CELLS_CLOSED = 900
"""The same for the level alone, which takes less time."""

LEVEL_OF: dict[str, Level] = {way.name: way.level for way in WAYS}
"""The level of each technique, the cheapest technique first."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How hard a puzzle is.

    Attributes:
        level: that of the hardest technique needed; beyond logic if some cells resist all but
            nested contradictions.
        hardest: that technique; None for a puzzle without open cells.
        placed: how many cells each technique filled, of those that were needed.
        rounds: how often a technique was looked for: after each round the cheapest comes first.
        narrowest: how many cells the poorest round filled, the last one apart.
        left: how many cells are then left.
    """

    level: Level
    hardest: str | None
    placed: dict[str, int]
    rounds: int
    narrowest: int
    left: int


def grade(puzzle: Puzzle, meter: Meter | None = None) -> Grade:
    """Grade a puzzle that has exactly one solution.

    Args:
        puzzle: the puzzle.
        meter: what it may cost; None for no bound.

    Raises:
        Contradictory: it has no solution.
        BudgetExceeded: the time ran out.
    """
    check_clock = (meter or Meter(UNLIMITED)).check_clock
    check_clock()
    if is_plain(puzzle):
        # Without numba the same techniques take longer.
        with suppress(ImportError):
            if found := grade_plain([puzzle])[0]:
                return found
    return grade_of(puzzle, rounds(puzzle, ways=_GRADED, check_clock=check_clock))


def grade_of(puzzle: Puzzle, path: Iterable[list[Step]]) -> Grade:
    """The grade of a puzzle from its path."""
    placed: dict[str, int] = {}
    number, narrowest, left = 0, len(puzzle.board.cells), puzzle.board.cells.count(OPEN)
    for steps in path:
        if steps[0].technique == _BEYOND.name:
            break
        cells = sum(len(step.values) for step in steps)
        placed[steps[0].technique] = placed.get(steps[0].technique, 0) + cells
        number, left = number + 1, left - cells
        if left:
            narrowest = min(narrowest, cells)
    return _grade(placed, number, narrowest, left)


def is_plain(puzzle: Puzzle) -> bool:
    """Whether compiled code can grade a puzzle: no signs, lines of up to 64 cells."""
    return not puzzle.signs and max(puzzle.board.height, puzzle.board.width) <= 64


def grade_plain(puzzles: Sequence[Puzzle], tries: bool = True) -> list[Grade | None]:
    """Grade many plain puzzles of one shape and rules.

    Args:
        puzzles: the puzzles.
        tries: whether values are tried on boards that are not too large for it.

    Returns:
        The grades. None for a puzzle that breaks a rule, and for one that needs values tried where
        none are.
    """
    height, width = puzzles[0].board.height, puzzles[0].board.width
    return grade_arrays(_clues(puzzles).reshape(-1, height, width), puzzles[0].rules, tries)


def grade_arrays(
    clues: npt.NDArray[np.uint8], rules: Rules, tries: bool = True
) -> list[Grade | None]:
    """The same for arrays: n x h x w cells, where 2 is an open one."""
    # Imported here, since it takes time to load.
    from binairo_cp.deduction import kernel
    from binairo_cp.puzzle.bits.shape import Shape

    number, height, width = clues.shape
    tries &= height * width <= _MOST_CELLS_TRIED
    results = np.zeros((number, kernel.RESULT_WORDS), np.int64)
    cells = np.ascontiguousarray(clues.reshape(number, -1))
    kernel.grader()(cells, Shape.of(height, width, rules), tries, results)
    return [_grade_of_result(result, tries) for result in results.tolist()]


def levels_plain(puzzles: Sequence[Puzzle]) -> list[Level | None]:
    """The levels of many plain puzzles of one shape and rules, each with exactly one solution.

    That takes far less time than grades where values have to be tried. None where it is not known,
    as of boards of more than 900 cells on which values must be tried.
    """
    # Imported here, since it takes time to load.
    from binairo_cp.deduction import closure
    from binairo_cp.puzzle.bits.shape import Shape

    levels = [found.level if found else None for found in grade_plain(puzzles, tries=False)]
    left = [k for k, level in enumerate(levels) if level is None]
    board, rules = puzzles[0].board, puzzles[0].rules
    small = len(board.cells) <= _MOST_CELLS_CLOSED
    if left and small and rules.longest_run == closure.LONGEST_RUN:
        reached = closure.reaches(
            _clues([puzzles[k] for k in left]),
            closure.NO_SIGNS,
            Shape.of(board.height, board.width, rules),
            LEVELS[-2],
        )
        for k, is_found in zip(left, reached.tolist(), strict=True):
            levels[k] = LEVELS[-2] if is_found else LEVELS[-1]
    return levels


def _clues(puzzles: Sequence[Puzzle]) -> npt.NDArray[np.uint8]:
    """Puzzles of one shape as the compiled techniques take them: 2 is an open cell."""
    text = "".join(each.board.cells for each in puzzles).encode()
    cells = np.frombuffer(text, np.uint8).reshape(len(puzzles), -1)
    return np.where(cells == ord(OPEN), np.uint8(2), cells & 1).astype(np.uint8)


def _grade_of_result(result: list[int], tries: bool) -> Grade | None:
    from binairo_cp.deduction import kernel

    left = result[kernel.OPEN_CELLS]
    if result[kernel.BROKEN] or (left and not tries):
        return None
    numbers = zip(kernel.GRADED, result[kernel.PLACED :], strict=True)
    placed = {name: number for name, number in numbers if number}
    return _grade(placed, result[kernel.ROUNDS], result[kernel.NARROWEST], left)


def _grade(placed: dict[str, int], number: int, narrowest: int, left: int) -> Grade:
    hardest = max(placed, key=list(LEVEL_OF).index, default=None)
    level = LEVEL_OF[hardest] if hardest else LEVELS[0]
    return Grade(
        level=LEVELS[-1] if left else level,
        hardest=hardest,
        placed={name: placed[name] for name in LEVEL_OF if name in placed},
        rounds=number,
        narrowest=narrowest if number > 1 else 0,
        left=left,
    )
