"""The fewest open cells to give a value so that one solution is left.

For a given solution that is a smallest set of its cells. If any solution will do, it is chosen
together with the cells: a solver looks for a solution and as few of its cells as contradict every
other solution that is known. Either these cells leave no other solution, or they show one that was
missing (counterexample-guided, as for quantified formulas). Each solution that turns up so is also
looked at by itself, which gives the upper bound, and is not looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, Board
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
    """Open cells that leave one solution if they have its values.

    Attributes:
        solution: the solution.
        cells: the places of the cells.
        at_least: fewer cells don't do, for this solution or, if any may be chosen, for any.
        stopped_by: what ended the search before it was proved.
    """

    solution: Board
    cells: tuple[int, ...]
    at_least: int
    stopped_by: Stop | None


def complete(
    puzzle: Puzzle, solution: Board, meter: Meter, watch: Watch | None = None
) -> Completion:
    """The fewest cells of a given solution.

    Args:
        puzzle: has other solutions too.
        solution: the one that is to stay.
        meter: what it may cost.
        watch: is told the bounds as they close.
    """
    try:
        return _complete(puzzle, solution, new_session(puzzle, meter), meter, watch)
    except BudgetExceeded as error:
        still_open = [place for place, value in enumerate(puzzle.board.cells) if value == OPEN]
        return Completion(solution, tuple(still_open), 0, error.by)


def _complete(
    puzzle: Puzzle,
    solution: Board,
    session: Session,
    meter: Meter,
    watch: Watch | None = None,
    enough: int | None = None,
) -> Completion:
    clues = [place for place, value in enumerate(puzzle.board.cells) if value != OPEN]
    sets = ClueSets(replace(puzzle, board=solution), session, meter, clues)
    sets.forbid(solution)
    bounds = smallest_set(sets, meter, watch, enough)
    sets.close()
    return Completion(solution, bounds.best, bounds.at_least, bounds.stopped_by)


def complete_any(
    puzzle: Puzzle, solution: Board, meter: Meter, watch: Watch | None = None
) -> Completion:
    """The fewest cells of whichever solution takes the fewest.

    Args:
        puzzle: has several solutions.
        solution: any of them, in case that the time is too short for another one.
        meter: what it may cost.
        watch: is told the bounds as they close.
    """
    search = _Search(puzzle, solution, meter, watch or (lambda *_: None))
    stopped_by: Stop | None = None
    try:
        search.run()
    except BudgetExceeded as error:
        stopped_by = error.by if search.at_least < len(search.best.cells) else None
    return replace(search.best, at_least=search.at_least, stopped_by=stopped_by)


class _Search:
    """Solutions and cells of them, against all other solutions."""

    def __init__(self, puzzle: Puzzle, solution: Board, meter: Meter, watch: Watch) -> None:
        self._puzzle = puzzle
        self._meter = meter
        self._watch = watch
        self.at_least = 1
        # Whatever happens, all cells of a solution leave only this one.
        every = [place for place, value in enumerate(puzzle.board.cells) if value == OPEN]
        self._open = every
        self._known: set[Board] = set()
        self.best = Completion(solution, tuple(every), 1, None)

    def run(self) -> None:
        """Let the bounds meet.

        Raises:
            BudgetExceeded: the time ran out; `best` and `at_least` are what is known by then.
        """
        self._begin()
        # What the solver of others found depends on what they asked it before.
        for first in self._asked.solutions(self._puzzle, 1, self._meter):
            self._look_at(first)
            self._exclude(first)
        while len(self.best.cells) > self.at_least:
            model = self._fewest.model()
            if model is None:
                # Every solution was looked at.
                self.at_least = len(self.best.cells)
                return
            self.at_least = max(self.at_least, self._fewest.at_least)
            self._watch(self.at_least, len(self.best.cells))
            if len(self.best.cells) > self.at_least:
                self._judge(model)

    def _begin(self) -> None:
        """The solver's question: which solution, and which of its cells."""
        self._asked = new_session(self._puzzle, self._meter)
        self._solver = new_session(self._puzzle, self._meter)
        self._fewest = Fewest(self._solver, self._meter)
        for each in self._solver.assumptions(self._puzzle):
            self._solver.add([each])
        # For each value of an open cell: it is added.
        self._added: dict[int, int] = {}
        for place in self._open:
            for value in (place + 1, -place - 1):
                added = self._solver.new_variable()
                self._added[value] = added
                self._solver.add([-added, value])
                self._fewest.count(added)

    def _judge(self, model: list[int]) -> None:
        """Look at a solution and its cells, and exclude what they show to be too few."""
        cells = "".join("01"[each > 0] for each in model[: len(self._puzzle.board.cells)])
        solution = replace(self._puzzle.board, cells=cells)
        true = set(model)
        chosen = [abs(value) - 1 for value, added in self._added.items() if added in true]
        others = self._others(solution, chosen)
        if not others:
            self.best = Completion(solution, tuple(chosen), self.at_least, None)
            return
        for other in others:
            self._contradict(other)
        self._look_at(solution)
        self._exclude(solution)

    def _others(self, solution: Board, chosen: Iterable[int]) -> list[Board]:
        """Some solutions that have the chosen cells too."""
        board = self._puzzle.board
        kept = set(chosen)
        values = zip(board.cells, solution.cells, strict=True)
        cells = [theirs if k in kept else mine for k, (mine, theirs) in enumerate(values)]
        asked = replace(self._puzzle, board=replace(board, cells="".join(cells)))
        found = self._asked.solutions(asked, _OTHERS, self._meter)
        return [other for other in found if other != solution]

    def _look_at(self, solution: Board) -> None:
        """See how few cells of a solution do."""
        enough = len(self.best.cells)
        found = _complete(self._puzzle, solution, self._asked, self._meter, None, enough)
        if len(found.cells) < enough:
            self.best = found
            self._watch(self.at_least, len(found.cells))
        if found.stopped_by:
            raise BudgetExceeded("work" if found.stopped_by == "work" else "time")

    def _exclude(self, solution: Board) -> None:
        """This solution is not to be chosen any more, and must be contradicted."""
        self._solver.add(blocking_clause(literals(solution.cells)))
        self._solver.add([self._added[-each] for each in self._open_literals(solution)])

    def _contradict(self, solution: Board) -> None:
        """The chosen cells contradict this solution, unless it is the chosen one."""
        if solution in self._known:
            return
        self._known.add(solution)
        mine = self._open_literals(solution)
        chosen = self._solver.new_variable()
        for each in mine:
            self._solver.add([-chosen, each])
        self._solver.add([chosen, *(self._added[-each] for each in mine)])

    def _open_literals(self, solution: Board) -> list[int]:
        every = literals(solution.cells)
        return [every[place] for place in self._open]
