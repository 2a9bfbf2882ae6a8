"""Grades and logical steps as additions to a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from binairo_cp.batch.additions import Addition
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.errors import OptionError
from binairo_cp.formats import Entry
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.hints import Order
    from binairo_cp.deduction.scales import ScaleName


@dataclass(frozen=True)
class GradeAddition(Addition):
    """The difficulty of each puzzle with exactly one solution.

    Attributes:
        scale: also find the level on the scale of this publisher.
    """

    scale: ScaleName | None = None
    columns: ClassVar[tuple[str, ...]] = ("grade.level", "grade.hardest", "grade.score")

    @property
    def in_bulk(self) -> bool:
        """See `Addition.in_bulk`."""
        return self.scale is None

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """See `Addition.fields`.

        Raises:
            BudgetExceeded: the time ran out.
        """
        if outcome.verdict is not Verdict.UNIQUE:
            return {}
        # Imported here, because most runs grade nothing.
        from binairo_cp.deduction import grading

        return {"grade": grading.grade(puzzle, Meter(Budget(seconds)), self.scale).to_dict()}


@dataclass(frozen=True)
class StepsAddition(Addition):
    """Logical steps towards the solution, or the first mistake on a board.

    Attributes:
        board: the cells of a partly filled board, row by row; None to start from the clues.
        only_next: only the next step, not all of them.
        order: which steps come first.
        style: how sentences are written.
    """

    board: str | None = None
    only_next: bool = False
    order: Order = "easiest"
    style: Style = USUAL
    works_if_undecided: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("grade.level", "steps", "mistake.sentence")

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
        from binairo_cp.deduction import hints

        board = None
        if self.board is not None:
            board = Board(puzzle.board.height, puzzle.board.width, self.board)
        find = hints.hint if self.only_next else hints.explain
        meter = Meter(Budget(seconds))
        fields = find(puzzle, outcome, board, meter, self.order, self.style).to_dict()
        return fields if self.style.language == "en" else {"language": self.style.language} | fields


def order_of(*, best: bool = False, teach: bool = False) -> Order:
    """The order of the steps.

    Raises:
        OptionError: both are requested.
    """
    if best and teach:
        raise OptionError("best", "is another order of the steps than teach; expected one of them")
    return "best" if best else "teach" if teach else "easiest"
