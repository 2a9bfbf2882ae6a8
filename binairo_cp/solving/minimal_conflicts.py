"""Find minimal conflicts: small sets of clues that contradict the rules.

The solver returns the clues that it used, and clues are removed until the set is irreducible (a
minimal unsatisfiable subset). A smallest conflict is a smallest hitting set of all correction sets
(implicit hitting sets, as in Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS
extraction with minimal hitting set dualization", 2015).

The results are reproducible: each search starts with a new solver, which has learned nothing from
other puzzles, and has a work limit. A time limit can only end the search early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.html import Brief, Sentences
from binairo_cp.puzzle.lines import why_impossible
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.assumption_cores import SOLVER, ClueSets
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.engines import Repeatable
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.hitting_sets import HittingSets

_MOST_CELLS_NAMED = 12

QUICK_WORK = 5_000_000
"""Limit of propagations for an irreducible conflict: about a second. A 14x14 needs 130,000."""

SMALLEST_WORK = 20_000_000
"""Limit of propagations for a smallest conflict. A 14x14 needs 750,000, a 20x20 4,000,000."""

MOST_ROUNDS = 300
"""Limit of smallest hitting sets to try. A 14x14 needs fewer than 50."""

_HITTING_CONFLICTS = 100_000


@dataclass(frozen=True, slots=True, repr=False)
class Contradiction(Brief, Sentences):
    """A conflict: clues that contradict the rules and signs of their puzzle.

    Attributes:
        clues: the cells, row by row; empty if the rules and signs contradict each other.
        irreducible: whether the rest does not contradict the rules if any one clue is removed.
        smallest: whether no smaller set of clues contradicts the rules.
        stopped_by: the limit that ended the search early; None if there was none.
        reason: why no board of this size exists, if counting shows it.
    """

    clues: tuple[Cell, ...]
    irreducible: bool
    smallest: bool
    stopped_by: Literal["time", "work"] | None = None
    reason: str | None = None

    def __str__(self) -> str:
        """The sentence that names the clues."""
        return conflict_in_words(self.clues, self.reason)

    def to_dict(self) -> dict[str, Any]:
        """The fields of the result record."""
        return {
            "contradiction": list(map(list, self.clues)),
            "contradiction_reason": self.reason,
            "contradiction_irreducible": self.irreducible,
            "contradiction_smallest": self.smallest,
            "contradiction_stopped_by": self.stopped_by,
        }


def find_conflict(
    puzzle: Puzzle, budget: Budget, *, smallest: bool = True
) -> Contradiction | Board:
    """Find clues that contradict the rules, as few as the budget allows.

    Args:
        puzzle: a puzzle without a solution.
        budget: the budget. Its unit of work is a propagation; the default limit is `QUICK_WORK` or
            `SMALLEST_WORK`.
        smallest: find a smallest conflict, not only an irreducible one.

    Returns:
        The conflict, or a solution if the puzzle has one after all.

    Raises:
        BudgetExceeded: the budget ran out before any conflict was found.
    """
    work = budget.work
    if work is None:
        work = SMALLEST_WORK if smallest else QUICK_WORK
    if reason := why_impossible(puzzle.board.height, puzzle.board.width, puzzle.rules):
        return Contradiction((), True, True, reason=reason)
    meter = Meter(Budget(budget.seconds, work))
    sets = ClueSets(puzzle, Session(puzzle, Repeatable(SOLVER), meter), meter)
    if not sets.contradict(sets.clues):
        return sets.solution()
    try:
        best = sets.shrink(sets.core)
    except BudgetExceeded as error:
        return Contradiction(_cells(puzzle, sets.core), False, False, error.by)
    if not smallest or len(best) <= 1:
        return Contradiction(_cells(puzzle, best), True, len(best) <= 1)
    try:
        return Contradiction(_cells(puzzle, _smallest(sets, best, meter)), True, True)
    except BudgetExceeded as error:
        return Contradiction(_cells(puzzle, best), True, False, error.by)


def _smallest(sets: ClueSets, best: list[int], meter: Meter) -> list[int]:
    """A smallest conflict: the given irreducible conflict `best`, or a smaller one."""
    hitting_sets = HittingSets(Meter(Budget(meter.seconds_left, _HITTING_CONFLICTS)))
    for _ in range(MOST_ROUNDS):
        hitting = hitting_sets.smallest() or []
        if len(hitting) >= len(best):
            return best
        corrections = list(_correction_sets(sets, hitting))
        if not corrections:
            return hitting
        for correction in corrections:
            hitting_sets.hit(correction)
    raise BudgetExceeded("work")


def _correction_sets(sets: ClueSets, kept: list[int]) -> Iterator[list[int]]:
    """Disjoint minimal correction sets without any of the kept clues.

    Minimal sets make the hitting sets grow fast. There are none if the kept clues contradict.
    """
    while not sets.contradict(kept):
        correction = sets.fewest_broken(sets.broken())
        yield correction
        kept = [*kept, *correction]


def _cells(puzzle: Puzzle, places: list[int]) -> tuple[Cell, ...]:
    return tuple(map(puzzle.board.cell, sorted(places)))


def conflict_in_words(cells: Sequence[Cell], reason: str | None) -> str:
    """The sentence that names clues without a solution, or a reason that needs no clues."""
    if reason:
        return f"the rules allow no board of this size: {reason}"
    if not cells:
        return "the rules and signs allow no solution, even without clues"
    more = len(cells) - _MOST_CELLS_NAMED
    named = " ".join(map(str, cells[:_MOST_CELLS_NAMED])) + (f" and {more} more" * (more > 0))
    return f"clues that already contradict the rules: {named}"
