"""Which clues of a puzzle without a solution already contradict the rules.

The solver names the clues that it used, and these are reduced until none can be left out. The
smallest conflict is a smallest set that hits every way to mend the puzzle (implicit hitting sets,
as in Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS extraction with minimal hitting
set dualization", 2015).

The same puzzle always gets the same conflict: each search starts with a new solver, which has
learned nothing from other puzzles, and is bounded by work. The time limit only ever ends it early.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.assumption_cores import SOLVER, ClueSets
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.engines import Repeatable
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.hitting_sets import HittingSets

QUICK_WORK = 5_000_000
"""How many propagations an irreducible conflict may cost: about a second. A 14x14 needs 130,000."""

SMALLEST_WORK = 20_000_000
"""The same for a smallest conflict, where a 14x14 needs 750,000 and a 20x20 4,000,000."""

MOST_ROUNDS = 300
"""How many smallest hitting sets are tried, at most. A 14x14 needs fewer than 50."""

_HITTING_CONFLICTS = 100_000


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Clues that no solution has all of, under the rules and signs of their puzzle.

    Attributes:
        clues: the cells, row by row; none if the rules and signs contradict by themselves.
        irreducible: without any one of these clues, the others do not contradict the rules.
        smallest: no set of clues with fewer cells contradicts the rules.
        stopped_by: what ended the search before that was proved; None if nothing did.
    """

    clues: tuple[Cell, ...]
    irreducible: bool
    smallest: bool
    stopped_by: Literal["time", "work"] | None = None


def find_contradiction(
    puzzle: Puzzle, budget: Budget, *, smallest: bool = True
) -> Contradiction | Board:
    """Clues that contradict the rules, as few as the budget allows.

    Args:
        puzzle: a puzzle without a solution.
        budget: its unit of work is a propagation; without a bound on work, `QUICK_WORK` or
            `SMALLEST_WORK` holds.
        smallest: look for a smallest set; otherwise an irreducible one is enough.

    Returns:
        A solution if the puzzle has one after all.

    Raises:
        BudgetExceeded: the budget ran out before any set was found.
    """
    work = budget.work
    if work is None:
        work = SMALLEST_WORK if smallest else QUICK_WORK
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
    """A smallest contradicting set: the given irreducible one, or a smaller one.

    Raises:
        BudgetExceeded: the time or the work ran out.
    """
    hitting_sets = HittingSets(Meter(Budget(meter.seconds_left, _HITTING_CONFLICTS)))
    for _ in range(MOST_ROUNDS):
        hitting = hitting_sets.smallest() or []
        if len(hitting) >= len(best):
            return best
        ways = list(_ways_to_mend(sets, hitting))
        if not ways:
            return hitting
        for way in ways:
            hitting_sets.hit(way)
    raise BudgetExceeded("work")


def _ways_to_mend(sets: ClueSets, kept: list[int]) -> Iterator[list[int]]:
    """Disjoint sets of clues that can be dropped to get a solution, without any of those kept.

    Each is irreducible, which makes the hitting sets grow fast. There are none if the clues that
    are kept contradict.
    """
    while not sets.contradict(kept):
        way = sets.fewest_broken(sets.broken())
        yield way
        kept = [*kept, *way]


def _cells(puzzle: Puzzle, places: list[int]) -> tuple[Cell, ...]:
    return tuple(map(puzzle.board.cell, sorted(places)))
