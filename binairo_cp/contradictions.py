"""Of a puzzle without solution: which of its clues already contradict the rules.

The clues are assumptions of a clause-learning solver, which answers with those that it used. That
set is shrunk until no clue can be left out, and then replaced by a smallest one, found as a
smallest set that hits every way to mend the puzzle (implicit hitting sets, as in Ignatiev, Previti,
Liffiton and Marques-Silva, "Smallest MUS extraction with minimal hitting set dualization", 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

from pysat.examples.hitman import Hitman

from binairo_cp.backends import Budget, Meter
from binairo_cp.backends.pysat import PySat
from binairo_cp.backends.session import Session
from binairo_cp.board import Cell
from binairo_cp.errors import BudgetExceeded
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
        search = _Search(puzzle, meter)
        if not search.contradicts(search.clues):
            return None
    except BudgetExceeded:
        return None
    best, smallest = search.core, False
    try:
        best = search.shrink(best)
        best, smallest = search.smallest(best)
    except BudgetExceeded:
        best = min(best, search.core, key=len)
    return Contradiction(_cells(puzzle, best), smallest)


class _Search:
    """The questions put to one session; clues are literals of their cells."""

    def __init__(self, puzzle: Puzzle, meter: Meter) -> None:
        self._meter = meter
        self._session: Session = PySat().session(puzzle, meter)
        assumed = self._session.assumptions(puzzle)
        number = sum(1 for _ in puzzle.board.clues())
        self.clues, self._signs = assumed[:number], assumed[number:]
        self.core = self.clues
        self._model: set[int] = set()

    def contradicts(self, clues: list[int]) -> bool:
        """Whether clues contradict the rules; then `core` is those of them that did."""
        model = self._session.find(self._signs + clues, self._meter)
        if model is not None:
            self._model = set(model)
            return False
        used = set(self._session.core())
        self.core = [clue for clue in clues if clue in used]
        return True

    def shrink(self, core: list[int]) -> list[int]:
        """Leave clues out while the rest still contradicts."""
        needed: list[int] = []
        rest = core
        while rest:
            clue, *rest = rest
            if self.contradicts(needed + rest):
                rest = [each for each in self.core if each not in needed]
            else:
                needed.append(clue)
            self.core = needed + rest
        return needed

    def smallest(self, best: list[int]) -> tuple[list[int], bool]:
        """A smallest contradicting set, and whether it is known to be one."""
        with Hitman() as hitman:
            for _ in range(MAX_HITTING_SETS):
                hitting = hitman.get() or []
                if len(hitting) >= len(best):
                    return best, True
                if self.contradicts(hitting):
                    return self.core, True
                hitman.hit([clue for clue in self.clues if clue not in self._model])
        return best, False


def _cells(puzzle: Puzzle, clues: list[int]) -> tuple[Cell, ...]:
    return tuple(puzzle.board.cell(abs(clue) - 1) for clue in sorted(clues, key=abs))
