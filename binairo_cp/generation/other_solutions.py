"""Look for a second solution by clause learning, where the compiled search takes too long.

One incremental solver serves all tests of a batch. Clues and signs are assumptions, so the clauses
learned in one test stay valid for the next.
"""

from __future__ import annotations

from dataclasses import replace

from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cnf import OWN_BALANCE, blocking_clause, literals

_SOLVER = "minisat22"


class OtherSolutions:
    """Decides whether puzzles of one shape have a solution besides the known one.

    Args:
        empty: The board without clues, with the rules.
        meter: Its time limit applies to all searches together.
    """

    def __init__(self, empty: Puzzle, meter: Meter) -> None:
        self._empty, self._meter = empty, meter
        self._selectors: dict[str, int] = {}
        self._solution, self._literals = "", list[int]()
        self._engine = Incremental(_SOLVER)
        # On large boards, this encoding finds other solutions near the known one much faster than
        # the encoding for single puzzles (docs/roads-not-taken.md).
        self._session = Session(empty, self._engine, meter, balance=OWN_BALANCE)

    def exist(self, puzzle: Puzzle, solution: str, place: int | None) -> bool:
        """Whether a puzzle has another solution.

        Args:
            puzzle: The puzzle.
            solution: The cells of its known solution.
            place: A cell where all other solutions are known to differ; None if none is known.

        Raises:
            BudgetExceeded: The time ran out.
        """
        known = self._known(solution)
        clues = [
            each for each, value in zip(known, puzzle.board.cells, strict=True) if value != OPEN
        ]
        if puzzle.signs:
            clues += self._session.assumptions(replace(self._empty, signs=puzzle.signs))
        different = -known[place] if place is not None else self._selector(solution, known)
        return self._session.find([different, *clues], self._meter) is not None

    def _known(self, solution: str) -> list[int]:
        """The literals of a solution, with which the solver begins."""
        if solution != self._solution:
            self._solution, self._literals = solution, literals(solution)
            # Usually, most cells are the same in both solutions.
            self._engine.prefer(self._literals)
        return self._literals

    def _selector(self, solution: str, known: list[int]) -> int:
        """A literal that implies: some cell differs from the known solution."""
        if solution not in self._selectors:
            selector = self._selectors[solution] = self._session.new_variable()
            self._session.add([-selector, *blocking_clause(known)])
        return self._selectors[solution]
