"""Verdicts on puzzles before and after a reduction, from the default backend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binairo_cp.errors import BudgetExceeded, PuzzleError, WrongAnswer
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Outcome, Verdict

LAST_CHECK_SECONDS = 0.5
"""Time to check a result if no time is left."""


def verdict(puzzle: Puzzle, meter: Meter) -> Outcome:
    """Check the number of solutions with `solutions.check`.

    Raises:
        BudgetExceeded: The verdict is unknown.
    """
    outcome = solutions.check(puzzle, time_limit=meter.seconds_left, reasons="none")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("work" if outcome.stopped_by == "work" else "time")
    return outcome


def only_solution(puzzle: Puzzle, meter: Meter) -> Board:
    """Return the solution of a unique puzzle.

    Raises:
        PuzzleError: The puzzle has no solution, or several.
        BudgetExceeded: The number of solutions is unknown.
    """
    outcome = verdict(puzzle, meter)
    if outcome.verdict is not Verdict.UNIQUE or outcome.solution is None:
        has = "no solution" if outcome.verdict is Verdict.NONE else "several solutions"
        raise PuzzleError(f"the puzzle has {has}; expected exactly one")
    return outcome.solution


def with_only(puzzle: Puzzle, cells: Iterable[int], solution: Board) -> Puzzle:
    """Return the puzzle whose only clues are these cells of a solution."""
    kept = set(cells)
    values = [value if place in kept else OPEN for place, value in enumerate(solution.cells)]
    return replace(puzzle, board=Board(solution.height, solution.width, "".join(values)))


def time_to_check(meter: Meter) -> float | None:
    """The time limit for the check of a result: the time left, but at least half a second."""
    left = meter.seconds_left
    return None if left is None else max(left, LAST_CHECK_SECONDS)


def confirmed(puzzle: Puzzle, solution: Board, meter: Meter) -> Puzzle:
    """Check once more that a puzzle has this solution and no other; return the puzzle.

    If the time is too short for this check, the puzzle is returned without it.

    Raises:
        WrongAnswer: The puzzle has another solution, or none.
    """
    outcome = solutions.check(puzzle, time_limit=time_to_check(meter), reasons="none")
    confirmed_solution = outcome.solution or solution
    if outcome.verdict not in (Verdict.UNIQUE, Verdict.UNKNOWN) or confirmed_solution != solution:
        raise WrongAnswer(
            f"{outcome.backend} disagrees that the puzzle is unique ({outcome.verdict}):\n{puzzle}"
        )
    return puzzle
