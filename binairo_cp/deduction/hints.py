"""The next step of a puzzle, or all steps to its solution, or the first mistake on a board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from binairo_cp.deduction import driver, grading
from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.wording import Phrase, cardinal
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.html import Sentences, headed, numbered
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.solutions import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Mistake(Sentences):
    """A mistake on a partly filled board.

    Attributes:
        cells: The wrong cells, or those that break a rule; none if the mistake can't be located.
        sentence: The explanation for players.
    """

    cells: tuple[Cell, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``mistake`` in a result record."""
        return {"cells": list(map(list, self.cells)), "sentence": self.sentence}


@dataclass(frozen=True, slots=True)
class Hint(Sentences):
    """The next step, or the first mistake.

    Neither is set if all cells are filled, or if the puzzle has several solutions and logic leads
    no further.

    Attributes:
        step: The next step.
        mistake: The mistake that has to be corrected first.
        is_finished: All cells of the board are filled.
    """

    step: Step | None
    mistake: Mistake | None = None
    is_finished: bool = False

    def __str__(self) -> str:
        if self.is_finished and not self.mistake:
            return "All cells are filled."
        return str(self.mistake or self.step or "There is no further logical step.")

    def to_dict(self) -> dict[str, Any]:
        """The fields ``steps`` or ``mistake`` of a result record."""
        return _fields([[self.step]] if self.step else [], self.mistake)


@dataclass(frozen=True, slots=True)
class Explanation(Sentences):
    """All steps from a board to the solution, or the first mistake.

    Attributes:
        rounds: The steps by round: a round is all that one technique finds at once.
        mistake: The mistake on the board; then there are no steps.
        grade: The grade of a puzzle with one solution, if the steps start from its clues.
    """

    rounds: tuple[tuple[Step, ...], ...]
    mistake: Mistake | None = None
    grade: Grade | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in order."""
        return tuple(step for steps in self.rounds for step in steps)

    def __str__(self) -> str:
        if self.mistake:
            return str(self.mistake)
        lines = (f"{number}. {step}" for number, step in enumerate(self.steps, 1))
        return "\n".join(lines) or "There are no steps."

    def _repr_html_(self) -> str:
        """The sentences and the grade, for notebooks."""
        if not self.steps:
            return headed(str(self))
        return numbered(map(str, self.steps)) + (headed(str(self.grade)) if self.grade else "")

    def to_dict(self) -> dict[str, Any]:
        """The fields ``steps`` and ``grade``, or ``mistake``, of a result record."""
        fields = _fields(self.rounds, self.mistake)
        return fields | ({"grade": self.grade.to_dict()} if self.grade else {})


def _fields(rounds: Any, mistake: Mistake | None) -> dict[str, Any]:
    if mistake:
        return {"mistake": mistake.to_dict()}
    each = ((step, number) for number, steps in enumerate(rounds, 1) for step in steps)
    return {"steps": [{"round": number} | step.to_dict() for step, number in each]}


def hint(
    puzzle: Puzzle, outcome: Outcome, board: Board | None = None, meter: Meter | None = None
) -> Hint:
    """Find the next step.

    Args:
        puzzle: A puzzle with at least one solution.
        outcome: The result of `solutions.check` for it.
        board: A partly filled board; None to start from the clues.
        meter: Limits the time; None for no limit.

    Raises:
        BoardError: The board has another size.
        BudgetExceeded: The time ran out.
    """
    path = _path(puzzle, outcome, board, meter)
    if isinstance(path, Mistake):
        return Hint(None, path)
    try:
        step = next(path, [None])[0]
        return Hint(step, is_finished=step is None and (board or puzzle.board).is_full)
    except driver.Contradictory:
        return Hint(None, _NO_SOLUTION)


def explain(
    puzzle: Puzzle, outcome: Outcome, board: Board | None = None, meter: Meter | None = None
) -> Explanation:
    """Find all steps to the solution. See `hint` for the arguments and the errors."""
    path = _path(puzzle, outcome, board, meter)
    if isinstance(path, Mistake):
        return Explanation((), path)
    try:
        rounds = tuple(map(tuple, path))
    except driver.Contradictory:
        return Explanation((), _NO_SOLUTION)
    grade = None
    if board is None and outcome.verdict is Verdict.UNIQUE:
        grade = grading.grade_of(puzzle, rounds)
    return Explanation(rounds, grade=grade)


_NO_SOLUTION = Mistake((), Phrase(("no solution",), {}).sentence())
"""Only possible with several solutions, if the cells match none of them."""


def _path(
    puzzle: Puzzle, outcome: Outcome, board: Board | None, meter: Meter | None
) -> Iterator[list[Step]] | Mistake:
    """The rounds from a board, or the first mistake on it."""
    if board is not None:
        if mistake := _mistake(puzzle, board, outcome):
            return mistake
        both = zip(puzzle.board.cells, board.cells, strict=True)
        cells = "".join(clue if clue != OPEN else cell for clue, cell in both)
        board = replace(puzzle.board, cells=cells)
    check_clock = (meter or Meter(UNLIMITED)).check_clock
    return driver.rounds(puzzle, board or puzzle.board, check_clock=check_clock)


def _mistake(puzzle: Puzzle, board: Board, outcome: Outcome) -> Mistake | None:
    """The first violation of a rule on a board, or else one wrong cell."""
    for broken in violations(puzzle, board):
        if broken.rule == "clue":
            return Mistake(broken.cells, f"{broken.message}.")
        fault = next(Position(puzzle, board).faults())
        return Mistake(fault.cells, fault.mistake)
    if outcome.verdict is not Verdict.UNIQUE or outcome.solution is None:
        return None
    both = zip(board.cells, outcome.solution.cells, strict=True)
    wrong = [board.cell(k) for k, (cell, right) in enumerate(both) if cell not in (OPEN, right)]
    if not wrong:
        return None
    template = "wrong" if len(wrong) == 1 else "wrong.more"
    fields = {"cell": str(wrong[0]), "others": cardinal(len(wrong) - 1)}
    return Mistake((wrong[0],), Phrase((template,), fields).sentence())
