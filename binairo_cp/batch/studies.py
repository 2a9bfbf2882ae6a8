"""What is studied of a puzzle's clues, and the record of it: `reduction` for many puzzles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from binairo_cp.errors import BudgetExceeded
from binairo_cp.formats.schema import CluesRecord, FewestRecord, Finding, HelpRecord, RepairRecord
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.solutions import Outcome, Verdict
from binairo_cp.workers import resource_limits

if TYPE_CHECKING:
    from binairo_cp.reduction.smallest_sets import Watch

Kind = Literal["clues", "fewest", "repair"]

MOST_HELPS = 10
"""How many of the cells that help are told."""

_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@dataclass(frozen=True, slots=True)
class Study:
    """What is asked about clues.

    Attributes:
        kind: which clues may go, how few suffice, or how to mend the puzzle.
        all_cells: choose the fewest among all cells of the solution, not only the clues.
        limit: how many irreducible sets are looked for, at most.
        solution: the solution that is to stay when cells are added, row by row; None for any.
    """

    kind: Kind
    all_cells: bool = False
    limit: int = 1_000
    solution: str | None = None


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """While this lasts, the bounds of a puzzle that this process studies are told as they close."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def add(
    finding: Finding, puzzle: Puzzle, outcome: Outcome, study: Study, seconds: float | None
) -> None:
    """Add a study to what was found out about a puzzle.

    Args:
        finding: where it is added.
        puzzle: the puzzle.
        outcome: what `solutions.check` found out about it.
        study: what is asked.
        seconds: how long it may take; None for no bound.

    Raises:
        PuzzleError: the solution that is to stay is none.
        BoardError: it is of another size.
    """
    budget = Budget(seconds)
    finding.answered = False
    started = resource_limits.clock()
    try:
        {"clues": _clues, "fewest": _fewest, "repair": _repair}[study.kind](
            finding, puzzle, outcome, study, budget
        )
    except BudgetExceeded as error:
        finding.stopped_by = error.by
    finding.seconds = round(outcome.seconds + resource_limits.clock() - started, 6)


def _clues(
    finding: Finding, puzzle: Puzzle, outcome: Outcome, study: Study, budget: Budget
) -> None:
    # Imported here and below, since every task loads this module and few are about clues.
    from binairo_cp.reduction.clues import analyse_clues
    from binairo_cp.reduction.helpful import helpful_values

    if outcome.verdict is Verdict.UNIQUE:
        found = analyse_clues(puzzle, outcome.solution, limit=study.limit, budget=budget)
        finding.needs = CluesRecord(
            needed=_places(found.needed),
            spare=_places(found.spare),
            irreducible=found.irreducible.board.cells,
            sets=found.sets,
            all_found=found.all_found,
        )
    elif outcome.verdict is Verdict.MULTIPLE:
        helping = helpful_values(puzzle, budget=budget)
        finding.count = helping.solutions or outcome.count
        finding.complete = helping.solutions is not None
        finding.stopped_by = None if finding.complete else finding.stopped_by
        finding.helpful = [
            HelpRecord.model_validate(
                {
                    "cell": list(each.cell),
                    "value": each.value,
                    "leaves": each.leaves,
                    "follow": each.follow,
                }
            )
            for each in helping.values[:MOST_HELPS]
        ]
        if helping.stopped_by:
            finding.stopped_by = helping.stopped_by
            return
    finding.answered = outcome.verdict is not Verdict.UNKNOWN


def _fewest(
    finding: Finding, puzzle: Puzzle, outcome: Outcome, study: Study, budget: Budget
) -> None:
    from binairo_cp.reduction.fewest import fewest_clues

    if outcome.verdict is Verdict.UNIQUE:
        found = fewest_clues(
            puzzle, outcome.solution, all_cells=study.all_cells, budget=budget, watch=_watch.get()
        )
        finding.fewest = FewestRecord(
            puzzle=found.puzzle.board.cells,
            at_least=found.at_least,
            at_most=found.at_most,
            proved=found.proved,
            among="all cells" if study.all_cells else "clues",
        )
        finding.answered = found.proved
    else:
        finding.answered = outcome.verdict is not Verdict.UNKNOWN


def _repair(
    finding: Finding, puzzle: Puzzle, outcome: Outcome, study: Study, budget: Budget
) -> None:
    from binairo_cp.reduction.repair import repair

    kept = None
    if study.solution is not None:
        kept = Board(puzzle.board.height, puzzle.board.width, study.solution)
    found = repair(puzzle, outcome, solution=kept, budget=budget, watch=_watch.get())
    finding.answered = found is None or (found.proved and found.verdict is not Verdict.UNKNOWN)
    if found is None:
        finding.contradiction = []
        return
    whose: Literal["any", "given"] | None = None
    if found.added:
        whose = "any" if kept is None else "given"
    finding.repair = RepairRecord(
        puzzle=found.puzzle.board.cells,
        verdict=found.verdict,
        solution=found.solution.cells if found.solution else None,
        added=_places(found.added),
        dropped=_places(found.dropped),
        at_least=found.at_least,
        proved=found.proved,
        for_solution=whose,
        ways=[_places(way) for way in found.ways] or None,
        ways_unique=found.ways_unique if found.ways else None,
    )


def _places(cells: Iterable[Cell]) -> list[list[int]]:
    return [list(cell) for cell in cells]
