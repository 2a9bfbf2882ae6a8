"""What a person would see in a puzzle: the next step, the whole path, or how hard it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from binairo_cp.formats.schema import Finding, GradeRecord, MistakeRecord, StepRecord
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.backends import Budget, Meter

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.steps import Step

Kind = Literal["hint", "explain", "grade"]


@dataclass(frozen=True, slots=True)
class Logic:
    """What is asked of a person's logic.

    Attributes:
        kind: the next step, all steps, or only the grade.
        board: the cells of a board that somebody has begun to fill, row by row; None for the clues.
    """

    kind: Kind
    board: str | None = None


def add(finding: Finding, puzzle: Puzzle, logic: Logic, seconds: float | None) -> None:
    """Add steps and a grade to what was found out about a puzzle that has a solution.

    Raises:
        BoardError: the board is none for this puzzle.
        BudgetExceeded: the time ran out.
    """
    # Imported here, since every task loads this module and few are about logic.
    from binairo_cp.deduction import driver, grading

    meter = Meter(Budget(seconds))
    if logic.kind == "grade":
        if finding.verdict == "unique":
            finding.grade = grade_record(grading.grade(puzzle, meter))
        return
    board = puzzle.board
    if logic.board is not None:
        begun = Board(board.height, board.width, logic.board)
        finding.mistake = _mistake(puzzle, begun, finding)
        if finding.mistake:
            return
        both = zip(board.cells, begun.cells, strict=True)
        cells = "".join(mine if mine != OPEN else theirs for mine, theirs in both)
        board = Board(board.height, board.width, cells)
    path = driver.rounds(puzzle, board, check_clock=meter.check_clock)
    try:
        if logic.kind == "hint":
            finding.steps = [_step_record(step, 1) for step in next(path, [])[:1]]
            return
        rounds = list(path)
    except driver.Contradictory:
        # Only with several solutions, and cells that are none of them.
        finding.mistake = MistakeRecord(cells=[], sentence="What stands there has no solution.")
        return
    finding.steps = [
        _step_record(step, number) for number, steps in enumerate(rounds, 1) for step in steps
    ]
    if finding.verdict == "unique" and logic.board is None:
        finding.grade = grade_record(grading.grade_of(puzzle, rounds))


def _mistake(puzzle: Puzzle, begun: Board, finding: Finding) -> MistakeRecord | None:
    """Where a board is wrong: what is seen to be, or one cell."""
    for broken in violations(puzzle, begun):
        return MistakeRecord(cells=list(map(list, broken.cells)), sentence=f"{broken.message}.")
    if finding.verdict != "unique" or finding.solution is None:
        return None
    wrong = [
        begun.cell(place)
        for place, (mine, right) in enumerate(zip(begun.cells, finding.solution, strict=True))
        if mine not in (OPEN, right)
    ]
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
    """The same as JSON has it, and much quicker: fields that are absent are left out."""
    return {name: value for name, value in asdict(grade).items() if value is not None}
