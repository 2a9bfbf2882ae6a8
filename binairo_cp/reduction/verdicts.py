"""What the tasks of this package begin and end with: the verdict on a puzzle, by all backends."""

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
"""How long a result is checked once more, if no time is left."""


def verdict(puzzle: Puzzle, meter: Meter) -> Outcome:
    """What `solutions.check` says.

    Raises:
        BudgetExceeded: it is unknown.
    """
    outcome = solutions.check(puzzle, time_limit=meter.seconds_left, reasons="none")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("work" if outcome.stopped_by == "work" else "time")
    return outcome


def only_solution(puzzle: Puzzle, meter: Meter) -> Board:
    """The solution of a puzzle that has exactly one.

    Raises:
        PuzzleError: it has none, or several.
        BudgetExceeded: it is unknown.
    """
    outcome = verdict(puzzle, meter)
    if outcome.verdict is not Verdict.UNIQUE or outcome.solution is None:
        has = "no solution" if outcome.verdict is Verdict.NONE else "several solutions"
        raise PuzzleError(f"the puzzle has {has}; expected exactly one")
    return outcome.solution


def with_only(puzzle: Puzzle, cells: Iterable[int], solution: Board) -> Puzzle:
    """The puzzle with the cells at these places, as they are in a solution, and no others."""
    kept = set(cells)
    values = [value if place in kept else OPEN for place, value in enumerate(solution.cells)]
    return replace(puzzle, board=Board(solution.height, solution.width, "".join(values)))


def time_to_check(meter: Meter) -> float | None:
    """How many seconds a result may be checked: those that are left, or a few."""
    left = meter.seconds_left
    return None if left is None else max(left, LAST_CHECK_SECONDS)


def confirmed(puzzle: Puzzle, solution: Board, meter: Meter) -> Puzzle:
    """A puzzle of which a search says that this is its only solution, looked at once more.

    Where the time is too short for that, the search is believed: it asked a solver of its own.

    Raises:
        WrongAnswer: it is not.
    """
    outcome = solutions.check(puzzle, time_limit=time_to_check(meter), reasons="none")
    found = outcome.solution or solution
    if outcome.verdict not in (Verdict.UNIQUE, Verdict.UNKNOWN) or found != solution:
        raise WrongAnswer(f"{outcome.backend} finds that it is {outcome.verdict}:\n{puzzle}")
    return puzzle
