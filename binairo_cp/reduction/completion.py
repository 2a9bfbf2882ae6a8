"""Find the fewest open cells to fill so that exactly one solution is left.

For a given solution this is a smallest set of its cells. Otherwise the solution is chosen together
with the cells: a solver looks for a solution and the fewest of its cells that contradict all other
known solutions. If these cells leave another solution, it is added to the known ones, and the
search repeats (counterexample-guided, as for quantified formulas). Each solution that the solver
chooses is also minimized by itself, which gives the upper bound, and then excluded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, clue_places, filled, open_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.smallest_sets import Watch, smallest_set
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import Meter, Stop
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cnf import blocking_clause, literals
from binairo_cp.solving.hitting_sets import Fewest

_OTHERS = 4


@dataclass(frozen=True, slots=True)
class Completion:
    """Open cells whose values in a solution exclude all other solutions.

    Attributes:
        at_least: A lower bound on the number of cells: for this solution if it was given, else for
            all solutions.
        stopped_by: The limit that ended the search before the bounds met; None if they met.
    """

    solution: Board
    cells: tuple[int, ...]
    at_least: int
    stopped_by: Stop | None


def complete(
    puzzle: Puzzle, solution: Board, meter: Meter, watch: Watch | None = None
) -> Completion:
    """Find the fewest cells to fill for a given solution. `watch` is called with the bounds when
    they change.
    """
    try:
        return _complete(puzzle, solution, new_session(puzzle, meter), meter, watch)
    except BudgetExceeded as error:
        still_open = open_places(puzzle.board.cells)
        return Completion(solution, tuple(still_open), 0, error.by)


def _complete(
    puzzle: Puzzle,
    solution: Board,
    session: Session,
    meter: Meter,
    watch: Watch | None = None,
    enough: int | None = None,
) -> Completion:
    clues = clue_places(puzzle.board.cells)
    sets = ClueSets(replace(puzzle, board=solution), session, meter, clues)
    sets.forbid(solution)
    bounds = smallest_set(sets, meter, watch, enough)
    sets.close()
    return Completion(solution, bounds.best, bounds.at_least, bounds.stopped_by)


def complete_any(
    puzzle: Puzzle, solution: Board, meter: Meter, watch: Watch | None = None
) -> Completion:
    """Find the fewest cells to fill over all solutions.

    Args:
        puzzle: A puzzle with several solutions.
        solution: Any of them, as a result if the time is too short for a better one.
        meter: Limits the time and the work.
        watch: Is called with the bounds when they change.
    """
    search = _CompletionSearch(puzzle, solution, meter, watch or (lambda *_: None))
    stopped_by: Stop | None = None
    try:
        search.close_bounds()
    except BudgetExceeded as error:
        stopped_by = error.by if search.at_least < len(search.best.cells) else None
    return replace(search.best, at_least=search.at_least, stopped_by=stopped_by)


class _CompletionSearch:
    """The search for a solution and the fewest of its cells that exclude all others."""

    def __init__(self, puzzle: Puzzle, solution: Board, meter: Meter, watch: Watch) -> None:
        self._puzzle = puzzle
        self._meter = meter
        self._watch = watch
        self.at_least = 1
        self._open = open_places(puzzle.board.cells)
        self._known: set[Board] = set()
        # All open cells of a solution exclude all others.
        self.best = Completion(solution, tuple(self._open), 1, None)

    def close_bounds(self) -> None:
        """Search until the bounds meet.

        Raises:
            BudgetExceeded: The budget ran out; `best` and `at_least` are the bounds so far.
        """
        self._set_up()
        # A fresh solver makes the first solution independent of earlier calls.
        for first in self._session.solutions(self._puzzle, 1, self._meter):
            self._minimize(first)
            self._exclude(first)
        while len(self.best.cells) > self.at_least:
            model = self._fewest.model()
            if model is None:
                # All solutions have been excluded.
                self.at_least = len(self.best.cells)
                return
            self.at_least = max(self.at_least, self._fewest.at_least)
            self._watch(self.at_least, len(self.best.cells))
            if len(self.best.cells) > self.at_least:
                self._check_choice(model)

    def _set_up(self) -> None:
        """Set up the solver that chooses a solution and some of its cells."""
        self._session = new_session(self._puzzle, self._meter)
        self._solver = new_session(self._puzzle, self._meter)
        self._fewest = Fewest(self._solver, self._meter)
        for literal in self._solver.assumptions(self._puzzle):
            self._solver.add([literal])
        # By literal of an open cell: the variable for "this value is added".
        self._added: dict[int, int] = {}
        for place in self._open:
            for value in (place + 1, -place - 1):
                added = self._solver.new_variable()
                self._added[value] = added
                self._solver.add([-added, value])
                self._fewest.count(added)

    def _check_choice(self, model: list[int]) -> None:
        """Check whether the chosen cells exclude all other solutions, and learn from it."""
        cells = "".join("01"[literal > 0] for literal in model[: len(self._puzzle.board.cells)])
        solution = replace(self._puzzle.board, cells=cells)
        true = set(model)
        chosen = [abs(value) - 1 for value, added in self._added.items() if added in true]
        others = self._others(solution, chosen)
        if not others:
            self.best = Completion(solution, tuple(chosen), self.at_least, None)
            return
        for other in others:
            self._contradict(other)
        self._minimize(solution)
        self._exclude(solution)

    def _others(self, solution: Board, chosen: Iterable[int]) -> list[Board]:
        """Find some other solutions with the same values in the chosen cells."""
        cells = map(solution.cell, chosen)
        board = filled(self._puzzle.board, {cell: solution[cell] for cell in cells})
        puzzle = replace(self._puzzle, board=board)
        agreeing = self._session.solutions(puzzle, _OTHERS, self._meter)
        return [other for other in agreeing if other != solution]

    def _minimize(self, solution: Board) -> None:
        """Find the fewest cells for one solution, and keep them if they are the best so far."""
        enough = len(self.best.cells)
        completion = _complete(self._puzzle, solution, self._session, self._meter, None, enough)
        if len(completion.cells) < enough:
            self.best = completion
            self._watch(self.at_least, len(completion.cells))
        if completion.stopped_by:
            raise BudgetExceeded("work" if completion.stopped_by == "work" else "time")

    def _exclude(self, solution: Board) -> None:
        """Forbid the solver to choose this solution, and require that it is contradicted."""
        self._solver.add(blocking_clause(literals(solution.cells)))
        self._solver.add([self._added[-literal] for literal in self._open_literals(solution)])

    def _contradict(self, solution: Board) -> None:
        """Require that the chosen cells contradict this solution, unless it is the chosen one."""
        if solution in self._known:
            return
        self._known.add(solution)
        mine = self._open_literals(solution)
        chosen = self._solver.new_variable()
        for literal in mine:
            self._solver.add([-chosen, literal])
        self._solver.add([chosen, *(self._added[-literal] for literal in mine)])

    def _open_literals(self, solution: Board) -> list[int]:
        every = literals(solution.cells)
        return [every[place] for place in self._open]
