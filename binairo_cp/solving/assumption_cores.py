"""Subsets of clues: find the clues that contradict the rules, or that determine the solution.

The clues are assumptions of a clause-learning solver. If they contradict, the solver returns a
core, the assumptions that it used. If a known solution is forbidden, the clues contradict exactly
if that solution is unique. So the same search finds contradictory clues and sufficient clues.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cnf import blocking_clause, literals

SOLVER = "minisat22"


def new_session(puzzle: Puzzle, meter: Meter) -> Session:
    """A session that no other puzzle has used, so that its results are reproducible.

    Raises:
        BudgetExceeded: the time ran out before all clauses were created.
    """
    return Session(puzzle, Incremental(SOLVER), meter)


class ClueSets:
    """Queries about sets of clues of a puzzle, in one session, with one budget.

    A clue is identified by the index of its cell. The `fixed` ones are part of every query.

    Attributes:
        clues: the indexes of all clues that are not fixed.
        core: the contradictory subset, after a query whose clues contradict.

    Raises:
        BudgetExceeded: the budget ran out; every method may raise it.
    """

    def __init__(
        self, puzzle: Puzzle, session: Session, meter: Meter, fixed: Iterable[int] = ()
    ) -> None:
        self._meter = meter
        self._session = session
        board = self._board = puzzle.board
        places = clue_places(board.cells)
        assumed = self._session.assumptions(puzzle)
        self._literals = dict(zip(places, assumed, strict=False))
        self._always = assumed[len(places) :]
        self._always += [self._literals.pop(place) for place in fixed]
        self._selector = 0
        self.clues = list(self._literals)
        self.core = self.clues
        self._model: set[int] = set()

    def forbid(self, solution: Board) -> None:
        """Exclude a solution from now on."""
        if not self._selector:
            self._selector = self._session.new_variable()
            self._always.append(self._selector)
        self._session.add([-self._selector, *blocking_clause(literals(solution.cells))])

    def close(self) -> None:
        """Allow the forbidden solutions again, so that the session can be used otherwise."""
        if self._selector:
            self._session.add([-self._selector])

    def contradict(self, clues: Iterable[int]) -> bool:
        """Whether no solution has all these clues, apart from forbidden solutions."""
        by_literal = {self._literals[place]: place for place in clues}
        model = self._session.find([*self._always, *by_literal], self._meter)
        if model is not None:
            self._model = set(model)
            return False
        used = set(self._session.core())
        self.core = [place for literal, place in by_literal.items() if literal in used]
        return True

    def solution(self) -> Board:
        """The solution found by the last query that did not contradict."""
        cells = (
            "1" if place + 1 in self._model else "0" for place in range(len(self._board.cells))
        )
        return replace(self._board, cells="".join(cells))

    def broken(self) -> list[int]:
        """The clues that this solution does not have."""
        return [place for place in self.clues if self._literals[place] not in self._model]

    def shrink(self, clues: list[int], needed: Iterable[int] = ()) -> list[int]:
        """Remove clues while the rest, together with `needed`, contradicts: an irreducible set."""
        needed = list(needed)
        rest = clues
        while rest:
            place, *rest = rest
            if self.contradict([*needed, *rest]):
                used = set(self.core)
                rest = [clue for clue in rest if clue in used]
            else:
                needed.append(place)
            self.core = [*needed, *rest]
        return needed

    def fewest_broken(self, broken: list[int]) -> list[int]:
        """A minimal correction set within `broken`: some solution has all other clues."""
        kept = set(self.clues) - set(broken)
        for place in broken:
            if place not in kept and not self.contradict([*kept, place]):
                kept = set(self.clues) - set(self.broken())
        return [place for place in broken if place not in kept]
