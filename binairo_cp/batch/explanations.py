"""Hints, explanations and grades as additions to a check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from binairo_cp.batch.additions import Addition
from binairo_cp.formats import Entry
from binairo_cp.formats.schema import GradeRecord, MistakeRecord, StepRecord
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.steps import Step


@dataclass(frozen=True)
class GradeAddition(Addition):
    """The difficulty of each puzzle with exactly one solution."""

    @property
    def in_bulk(self) -> bool:
        """See `Addition.in_bulk`."""
        return True

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """See `Addition.fields`.

        Raises:
            BudgetExceeded: the time ran out.
        """
        if outcome.verdict is not Verdict.UNIQUE:
            return {}
        # Imported here, because the numba code takes time to load.
        from binairo_cp.deduction import grading

        return {"grade": grade_record(grading.grade(puzzle, Meter(Budget(seconds))))}


@dataclass(frozen=True)
class StepsAddition(Addition):
    """Logical steps towards the solution, or the first mistake on a board.

    Attributes:
        board: the cells of a partly filled board, row by row; None to start from the clues.
        only_next: only the next step, not all of them.
    """

    board: str | None = None
    only_next: bool = False
    works_if_undecided: ClassVar[bool] = True

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """See `Addition.fields`.

        Raises:
            BoardError: the board is not one of this puzzle.
            BudgetExceeded: the time ran out.
        """
        if not outcome.solutions:
            return {}
        from binairo_cp.deduction import driver, grading

        board = puzzle.board
        if self.board is not None:
            begun = Board(board.height, board.width, self.board)
            if mistake := _mistake(puzzle, begun, outcome):
                return {"mistake": mistake}
            both = zip(board.cells, begun.cells, strict=True)
            cells = "".join(clue if clue != OPEN else cell for clue, cell in both)
            board = Board(board.height, board.width, cells)
        path = driver.rounds(puzzle, board, check_clock=Meter(Budget(seconds)).check_clock)
        try:
            rounds = [next(path, [])[:1]] if self.only_next else list(path)
        except driver.Contradictory:
            # Only possible with several solutions, if the cells match none of them.
            mistake = MistakeRecord(cells=[], sentence="The filled cells have no solution.")
            return {"mistake": mistake}
        steps = [_step_record(step, n) for n, steps in enumerate(rounds, 1) for step in steps]
        if self.only_next or self.board is not None or outcome.verdict is not Verdict.UNIQUE:
            return {"steps": steps}
        return {"steps": steps, "grade": grade_record(grading.grade_of(puzzle, rounds))}


def _mistake(puzzle: Puzzle, begun: Board, outcome: Outcome) -> MistakeRecord | None:
    """The first violation of a rule on a board, or else one wrong cell."""
    for broken in violations(puzzle, begun):
        return MistakeRecord(cells=list(map(list, broken.cells)), sentence=f"{broken.message}.")
    if outcome.verdict is not Verdict.UNIQUE or outcome.solution is None:
        return None
    both = zip(begun.cells, outcome.solution.cells, strict=True)
    wrong = [begun.cell(k) for k, (cell, right) in enumerate(both) if cell not in (OPEN, right)]
    if not wrong:
        return None
    others = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return MistakeRecord(cells=[list(wrong[0])], sentence=f"{wrong[0]} is wrong{others}.")


def _step_record(step: Step, round: int) -> StepRecord:
    return StepRecord(
        round=round,
        technique=step.technique,
        level=step.level,
        cells=[list(cell) for cell in step.values],
        values="".join(step.values.values()),
        line=step.line or None,
        reason=[list(cell) for cell in step.reason],
        sentence=step.sentence,
    )


def grade_record(grade: Grade) -> GradeRecord:
    """The record of a grade."""
    return GradeRecord(**asdict(grade))


def grade_fields(grade: Grade) -> dict[str, Any]:
    """The JSON fields of a grade without those that are None; much faster than the record."""
    return {name: value for name, value in asdict(grade).items() if value is not None}
