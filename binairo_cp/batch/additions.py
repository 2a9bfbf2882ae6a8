"""What a task can find out about a puzzle besides its verdict.

Each addition is a separate class, so that checking a puzzle imports nothing of certificates,
explanations or clue analyses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from binairo_cp.formats import Entry
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backbones import backbone
from binairo_cp.solving.backends import DEFAULT, Backend
from binairo_cp.solving.solutions import Outcome, Verdict

Progress = Callable[[int, int], object]
"""Called with a lower and an upper bound whenever one of them changes."""


class Addition:
    """One more thing to find out about each puzzle, after the search.

    Subclasses are frozen dataclasses that can be pickled: they travel to the workers, and their
    text is part of the journal of a run.
    """

    works_if_undecided: ClassVar[bool] = False
    """It can answer even if the search runs out of time, so the search gets half of the time."""

    shares_time: ClassVar[bool] = False
    """Its time limit is what the search left, in any case."""

    shows_progress: ClassVar[bool] = False
    """It reports progress, so that a single puzzle is not decided in another process."""

    needs_whole_run: ClassVar[bool] = False
    """It must know from the start whether the run has one puzzle or many."""

    searches: ClassVar[int] = 1
    """How many time limits it may use."""

    unanswered: ClassVar[dict[str, Any]] = {}
    """Fields of the record if it fails."""

    columns: ClassVar[tuple[str, ...]] = ()
    """Its fields in a table whose columns nobody chose."""

    @property
    def in_bulk(self) -> bool:
        """Whether `bulk` can do it for many puzzles at once; so far it can only grade them."""
        return False

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """Fields of the record, which replace those that the search filled in.

        Args:
            entry: where the puzzle comes from.
            puzzle: the puzzle, under the rules of the search.
            outcome: the result of the search.
            seconds: the time limit; None for no limit.

        Raises:
            BinairoError: it failed; the record keeps the result of the search.
        """
        raise NotImplementedError

    def for_run(self, *, is_single: bool) -> Self:
        """The same, for a run of a single puzzle or of many.

        Raises:
            BinairoError: it can't be done for many puzzles.
        """
        return self

    def with_progress(self, progress: Progress) -> Self:
        """The same, with a function to call as the bounds of a single puzzle close."""
        return self


@dataclass(frozen=True)
class BackboneAddition(Addition):
    """The cells that are the same in all solutions, for puzzles with several."""

    backend: str | Backend = DEFAULT
    columns: ClassVar[tuple[str, ...]] = ("backbone",)

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """See `Addition.fields`."""
        if outcome.verdict is not Verdict.MULTIPLE:
            return {}
        found = backbone(puzzle, backend=self.backend, time_limit=seconds)
        if found is None:
            return {}
        return {"backbone": found.board.cells, "backbone_complete": found.complete}
