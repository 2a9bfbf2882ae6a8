"""What follows from a part of a puzzle's clues: a contradiction, or the one solution.

The clues are assumptions of a clause-learning solver, which answers with those that it used. With
a known solution forbidden, the clues that contradict are those that leave no other one: which
clues say something false and which suffice for a unique solution are one question.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cnf import blocking_clause, literals

SOLVER = "minisat22"


def new_session(puzzle: Puzzle, meter: Meter) -> Session:
    """A session that no other puzzle has been put to, so that its answers are always the same.

    Raises:
        BudgetExceeded: the time was over before all clauses were made.
    """
    return Session(puzzle, Incremental(SOLVER), meter)


class ClueSets:
    """The questions about a puzzle's clues, put to one session.

    A clue is named by its place in the cells of the board.

    Args:
        puzzle: whose clues are asked about.
        session: where they are put.
        meter: what all questions together may cost.
        fixed: the places of clues that hold whatever is asked.

    Attributes:
        clues: the places of all clues that are asked about.
        core: after a set of clues was found to contradict: those of them that did.

    Raises:
        BudgetExceeded: by each method: the budget ran out.
    """

    def __init__(
        self, puzzle: Puzzle, session: Session, meter: Meter, fixed: Iterable[int] = ()
    ) -> None:
        self._meter = meter
        self._session = session
        board = self._board = puzzle.board
        places = [place for place, value in enumerate(board.cells) if value != OPEN]
        assumed = self._session.assumptions(puzzle)
        self._literals = dict(zip(places, assumed, strict=False))
        self._always = assumed[len(places) :]
        self._always += [self._literals.pop(place) for place in fixed]
        self._selector = 0
        self.clues = list(self._literals)
        self.core = self.clues
        self._model: set[int] = set()

    def forbid(self, solution: Board) -> None:
        """From now on this solution does not count."""
        if not self._selector:
            self._selector = self._session.new_variable()
            self._always.append(self._selector)
        self._session.add([-self._selector, *blocking_clause(literals(solution.cells))])

    def close(self) -> None:
        """Ask no more, so that the session can take other questions."""
        if self._selector:
            self._session.add([-self._selector])

    def contradict(self, clues: Iterable[int]) -> bool:
        """Whether no solution that counts has all these clues."""
        by_literal = {self._literals[place]: place for place in clues}
        model = self._session.find([*self._always, *by_literal], self._meter)
        if model is not None:
            self._model = set(model)
            return False
        used = set(self._session.core())
        self.core = [place for literal, place in by_literal.items() if literal in used]
        return True

    def solution(self) -> Board:
        """After a set did not contradict: the solution that was found."""
        cells = (
            "1" if place + 1 in self._model else "0" for place in range(len(self._board.cells))
        )
        return replace(self._board, cells="".join(cells))

    def broken(self) -> list[int]:
        """After a set did not contradict: the clues that the solution found does not have."""
        return [place for place in self.clues if self._literals[place] not in self._model]

    def shrink(self, clues: list[int], needed: Iterable[int] = ()) -> list[int]:
        """Leave out clues while the rest, with those that are known to be needed, contradicts."""
        needed = list(needed)
        rest = clues
        while rest:
            place, *rest = rest
            if self.contradict([*needed, *rest]):
                used = set(self.core)
                rest = [each for each in rest if each in used]
            else:
                needed.append(place)
            self.core = [*needed, *rest]
        return needed

    def fewest_broken(self, broken: list[int]) -> list[int]:
        """A part of the clues that some solution breaks, so small that none breaks less of it."""
        kept = set(self.clues) - set(broken)
        for place in broken:
            if place not in kept and not self.contradict([*kept, place]):
                kept = set(self.clues) - set(self.broken())
        return [place for place in broken if place not in kept]
