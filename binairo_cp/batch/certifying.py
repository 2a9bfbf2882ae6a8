"""Certificates as an addition to a check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from binairo_cp.batch.additions import Addition
from binairo_cp.certificates.storing import Store
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Outcome, Verdict


@dataclass(frozen=True)
class CertificateAddition(Addition):
    """A certificate of each puzzle that was decided, written to a store."""

    store: Store
    needs_whole_run: ClassVar[bool] = True
    searches: ClassVar[int] = 2
    """One makes the proof and one checks it."""
    columns: ClassVar[tuple[str, ...]] = ("certificate",)

    def fields(
        self, entry: Entry, puzzle: Puzzle, outcome: Outcome, seconds: float | None
    ) -> dict[str, Any]:
        """See `Addition.fields`."""
        if outcome.verdict is Verdict.UNKNOWN:
            return {}
        return {"certificate": self.store.add(puzzle, outcome, entry.id or "", seconds)}

    def for_run(self, *, is_single: bool) -> Self:
        """See `Addition.for_run`.

        Raises:
            SourceError: there are many puzzles, but only one file for certificates.
        """
        store = self.store
        if not is_single and store.out.lower().endswith(".zip"):
            raise SourceError(store.out, "is one certificate for many puzzles; expected a folder")
        single = is_single and store.may_be_single
        return replace(self, store=replace(store, single=single))
