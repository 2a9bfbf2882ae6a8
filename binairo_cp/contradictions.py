"""Of a puzzle without solution: which of its clues already contradict the rules.

A contradicting set is shrunk until no clue can be left out, and then replaced by a smallest one,
found as a smallest set that hits every way to mend the puzzle (implicit hitting sets, as in
Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS extraction with minimal hitting set
dualization", 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.backends import Budget, Meter
from binairo_cp.backends.pysat import PySat
from binairo_cp.board import Cell
from binairo_cp.clue_sets import ClueSets
from binairo_cp.errors import BudgetExceeded
from binairo_cp.hitting_sets import HittingSets
from binairo_cp.rules import Puzzle

MAX_HITTING_SETS = 300
"""How many ways to mend a puzzle are looked at before the search for a smallest set ends."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Clues that no solution has all of, under the rules and signs of their puzzle.

    Attributes:
        clues: the cells, row by row; none if the rules and signs contradict by themselves.
        smallest: no set of clues with fewer cells contradicts the rules.
    """

    clues: tuple[Cell, ...]
    smallest: bool


def find_contradiction(puzzle: Puzzle, budget: Budget) -> Contradiction | None:
    """The smallest set of contradicting clues that the budget allows to name.

    Returns:
        None if the budget ran out before any was found, or if the puzzle has a solution.
    """
    meter = Meter(budget)
    try:
        sets = ClueSets(puzzle, PySat().session(puzzle, meter), meter)
        if not sets.contradict(sets.clues):
            return None
    except BudgetExceeded:
        return None
    best, smallest = sets.core, False
    try:
        best = sets.shrink(best)
        best, smallest = _smallest(sets, best, meter)
    except BudgetExceeded:
        best = min(best, sets.core, key=len)
    return Contradiction(tuple(map(puzzle.board.cell, sorted(best))), smallest)


def _smallest(sets: ClueSets, best: list[int], meter: Meter) -> tuple[list[int], bool]:
    """A smallest contradicting set, and whether it is known to be one."""
    hitting_sets = HittingSets(meter)
    for _ in range(MAX_HITTING_SETS):
        hitting = hitting_sets.smallest() or []
        if len(hitting) >= len(best):
            return best, True
        if sets.contradict(hitting):
            return sets.core, True
        hitting_sets.hit(sets.broken())
    return best, False
