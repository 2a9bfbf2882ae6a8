"""Analyses of clues as additions to a check: which are redundant, the fewest, repairs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Self

from binairo_cp.batch.additions import Addition, Progress
from binairo_cp.errors import BudgetExceeded
from binairo_cp.formats import Entry
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.reduction.helpful import HelpfulValues


@dataclass(frozen=True)
class ClueAnalysis(Addition):
    """An analysis of clues: its record says whether the question was answered.

    Attributes:
        progress: called with bounds as they close, if a single puzzle is analysed in this process.
    """

    progress: Progress | None = field(default=None, repr=False, compare=False, kw_only=True)
    shares_time: ClassVar[bool] = True
    shows_progress: ClassVar[bool] = True
    unanswered: ClassVar[dict[str, Any]] = {"answered": False}

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """See `Addition.fields`.

        Raises:
            PuzzleError: the solution to keep is not a solution.
            BoardError: it is of another size.
        """
        started = monotonic()
        try:
            result = self.analysis(puzzle, outcome, Budget(seconds))
        except BudgetExceeded as error:
            result = {"stopped_by": error.by}
        duration = outcome.seconds + monotonic() - started
        return result | {"seconds": round(duration, 6)}

    def analysis(self, puzzle: Puzzle, outcome: Outcome, budget: Budget) -> dict[str, Any]:
        """The fields of the analysis itself.

        Raises:
            BudgetExceeded: the budget was used up before anything was known.
        """
        raise NotImplementedError

    def for_run(self, *, is_single: bool) -> Self:
        """See `Addition.for_run`."""
        return self if is_single else replace(self, progress=None)

    def with_progress(self, progress: Progress) -> Self:
        """See `Addition.with_progress`."""
        return replace(self, progress=progress)


@dataclass(frozen=True)
class RedundantClues(ClueAnalysis):
    """Redundant clues; for puzzles with several solutions, values that would help most.

    Attributes:
        limit: the most irreducible sets of clues to look for.
    """

    limit: int = 1_000
    columns: ClassVar[tuple[str, ...]] = ("needs.irreducible", "needs.sets", "answered")

    def analysis(self, puzzle: Puzzle, outcome: Outcome, budget: Budget) -> dict[str, Any]:
        """See `ClueAnalysis.analysis`."""
        # Imported here and below, because the solvers of `reduction` take time to load.
        from binairo_cp.reduction.clues import analyse_clues
        from binairo_cp.reduction.helpful import helpful_values

        if outcome.verdict is Verdict.MULTIPLE:
            return _helpful(helpful_values(puzzle, budget=budget), outcome)
        if outcome.verdict is not Verdict.UNIQUE:
            return {"answered": outcome.verdict is not Verdict.UNKNOWN}
        analysis = analyse_clues(puzzle, outcome.solution, limit=self.limit, budget=budget)
        return {"needs": analysis.to_dict(), "answered": True}


def _helpful(helping: HelpfulValues, outcome: Outcome) -> dict[str, Any]:
    is_complete = helping.solutions is not None
    return helping.to_dict() | {
        "count": helping.solutions or outcome.count,
        "complete": is_complete,
        "stopped_by": helping.stopped_by or (None if is_complete else outcome.stopped_by),
        "answered": not helping.stopped_by,
    }


@dataclass(frozen=True)
class FewestClues(ClueAnalysis):
    """A smallest set of clues that keeps the solution unique.

    Attributes:
        all_cells: choose among all cells of the solution, not only the clues.
    """

    all_cells: bool = False
    columns: ClassVar[tuple[str, ...]] = ("fewest.puzzle", "fewest.at_least", "fewest.at_most")

    def analysis(self, puzzle: Puzzle, outcome: Outcome, budget: Budget) -> dict[str, Any]:
        """See `ClueAnalysis.analysis`."""
        from binairo_cp.reduction.fewest import fewest_clues

        if outcome.verdict is not Verdict.UNIQUE:
            return {"answered": outcome.verdict is not Verdict.UNKNOWN}
        result = fewest_clues(
            puzzle, outcome.solution, all_cells=self.all_cells, budget=budget, watch=self.progress
        )
        return {"fewest": result.to_dict(), "answered": result.proved}


@dataclass(frozen=True)
class RepairAddition(ClueAnalysis):
    """The fewest changes that make the puzzle unique.

    Attributes:
        solution: the cells, row by row, of the solution to keep when clues are added; None for any.
    """

    solution: str | None = None
    columns: ClassVar[tuple[str, ...]] = ("repair.puzzle", "repair.added", "repair.dropped")

    def analysis(self, puzzle: Puzzle, outcome: Outcome, budget: Budget) -> dict[str, Any]:
        """See `ClueAnalysis.analysis`."""
        from binairo_cp.reduction.repair import repair

        kept = None
        if self.solution is not None:
            kept = Board(puzzle.board.height, puzzle.board.width, self.solution)
        result = repair(puzzle, outcome, solution=kept, budget=budget, watch=self.progress)
        if result is None:
            return {"answered": True, "contradiction": []}
        is_answered = result.proved and result.verdict is not Verdict.UNKNOWN
        return {"repair": result.to_dict(), "answered": is_answered}
