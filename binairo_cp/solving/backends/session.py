"""One incremental solver for all puzzles with the same shape and rules.

The rules are permanent clauses. The clues and signs of a puzzle are assumptions, so the clauses
learned from one puzzle remain valid for the next. Solutions are blocked by clauses with a selector,
which is assumed during the search for this puzzle and then permanently negated.

Constraints for distinct lines are added lazily: if a board has two equal lines, the constraint for
this pair is added and kept. Few of the many pairs are ever needed (measured in docs/encodings.md).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

from binairo_cp.puzzle.board import Board, open_places
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.constraints import (
    Balanced,
    Distinct,
    Places,
    clue_constraints,
    column_places,
    equal_lines,
    row_places,
    shape_constraints,
    sign_constraint,
)
from binairo_cp.solving.encodings.cnf import (
    AtMost,
    Clause,
    Encoder,
    blocking_clause,
    exclusive_or,
    literal,
)

_HELPERS_BEFORE_RENEWAL = 4_000

_MOST_CELLS_KEPT = 400
"""The clauses of larger boards are created anew for each session, to save memory."""


class Engine(Protocol):
    """The solver interface of a session."""

    def add(self, clause: Clause) -> None: ...

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None: ...

    def core(self) -> list[int]: ...


class CountingEngine(Engine, Protocol):
    """An engine that may count literals itself."""

    @property
    def at_most(self) -> AtMost | None:
        """None if the engine only takes clauses."""


class Session:
    """A solver with the clauses of one shape and its rules.

    Args:
        puzzle: any puzzle with this shape and these rules.
        engine: the solver.
        meter: its time limit applies to the creation of the clauses.
        encoder: the encoding of the rules; None selects one by the size of the board.

    Raises:
        BudgetExceeded: the budget ran out; every method with a meter may raise it.
    """

    def __init__(
        self, puzzle: Puzzle, engine: CountingEngine, meter: Meter, encoder: Encoder | None = None
    ) -> None:
        self._engine = engine
        # A generator of solutions may move to another thread while this thread uses the session.
        self._lock = threading.RLock()
        self._cells = len(puzzle.board.cells)
        self._signs: dict[tuple[int, int], int] = {}
        self._distinct: set[tuple[Places, Places]] = set()
        self._directions: list[tuple[Places, ...]] = []
        if puzzle.rules.distinct_lines:
            self._directions = [row_places(puzzle.board), column_places(puzzle.board)]
        if encoder or self._cells > _MOST_CELLS_KEPT:
            self._encoder = encoder or Encoder(self._cells)
            at_most = None if encoder else engine.at_most
            self._add(_line_clauses(puzzle, self._encoder, meter, at_most))
        else:
            self._encoder = Encoder(self._cells)
            self._encoder.top, clauses = _kept_clauses(
                puzzle.board.height, puzzle.board.width, puzzle.rules
            )
            self._add(clauses)
        self._first_top = self._encoder.top

    @property
    def needs_rebuild(self) -> bool:
        """Whether earlier puzzles left so many variables that a new session is faster."""
        return self._encoder.top - self._first_top > _HELPERS_BEFORE_RENEWAL

    def solutions(
        self, puzzle: Puzzle, limit: int | None, meter: Meter, *, is_last: bool = False
    ) -> Iterator[Board]:
        """The solutions of a puzzle, each once.

        Args:
            puzzle: a puzzle of the session's shape.
            limit: find at most so many; None for all.
            meter: bounds the search.
            is_last: no other puzzle follows, so its clues and signs become clauses.
        """
        board = puzzle.board
        assumed = self.assumptions(puzzle)
        if is_last:
            self._add([assumption] for assumption in assumed)
            assumed = []
        still_open = open_places(board.cells)
        selector = 0
        number = 0
        try:
            while limit is None or number < limit:
                solution = self.find(assumed, meter)
                if solution is None:
                    return
                number += 1
                cells = "".join("1" if value > 0 else "0" for value in solution)
                yield Board(board.height, board.width, cells)
                if not selector:
                    selector = self.new_variable()
                    assumed = [*assumed, selector]
                self.add([-selector, *blocking_clause(solution[k] for k in still_open)])
        finally:
            if selector:
                self.add([-selector])

    def new_variable(self) -> int:
        """A new variable, such as a selector."""
        with self._lock:
            return self._encoder.new_variable()

    def add(self, clause: Clause) -> None:
        """Add a permanent clause."""
        with self._lock:
            self._engine.add(clause)

    def assumptions(self, puzzle: Puzzle) -> list[int]:
        """The assumptions of a puzzle of this shape: its clues, then its signs."""
        clues = [
            literal(constraint.place, constraint.value)
            for constraint in clue_constraints(puzzle.board)
        ]
        return clues + self.sign_assumptions(puzzle)

    def sign_assumptions(self, puzzle: Puzzle) -> list[int]:
        signs = []
        for sign in puzzle.signs:
            relation = sign_constraint(sign, puzzle.board.width)
            differ = self._differ(relation.first, relation.second)
            signs.append(-differ if relation.equal else differ)
        return signs

    def find(self, assumed: list[int], meter: Meter) -> list[int] | None:
        """The literals of the cells of a solution under assumptions; None if there is none."""
        model = self.solve(assumed, meter)
        return None if model is None else model[: self._cells]

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        """Like `find`, but with the literals of all variables; those of the cells come first."""
        with self._lock:
            while (model := self._engine.solve(assumed, meter)) is not None:
                # Some solvers omit cells that occur in no clause. They are free.
                model += [-variable for variable in range(len(model) + 1, self._cells + 1)]
                values = bytes(value > 0 for value in model[: self._cells])
                pairs = (pair for lines in self._directions for pair in equal_lines(lines, values))
                # If a wrong solver violates a pair that was already added, `rules.violations`
                # detects it later.
                repeated = set(pairs) - self._distinct
                if not repeated:
                    return model
                self._distinct |= repeated
                for one, two in sorted(repeated):
                    self._add(self._encoder.different(one, two))
        return None

    def core(self) -> list[int]:
        """After a search without a model: assumptions that contradict the rules."""
        return self._engine.core()

    def _differ(self, first: int, second: int) -> int:
        """The auxiliary variable that is true if two cells differ."""
        with self._lock:
            if (first, second) not in self._signs:
                helper = self._encoder.new_variable()
                self._add(exclusive_or(helper, first + 1, second + 1))
                self._signs[first, second] = helper
            return self._signs[first, second]

    def _add(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self._engine.add(clause)


@lru_cache(maxsize=8)
def _kept_clauses(height: int, width: int, rules: Rules) -> tuple[int, list[Clause]]:
    """The highest variable and the clauses of the lines of a small board.

    Creating them takes longer than adding them to a solver.
    """
    encoder = Encoder(height * width)
    puzzle = Puzzle(Board.empty(height, width), rules)
    clauses = list(_line_clauses(puzzle, encoder, Meter(UNLIMITED)))
    return encoder.top, clauses


def _line_clauses(
    puzzle: Puzzle, encoder: Encoder, meter: Meter, at_most: AtMost | None = None
) -> Iterator[Clause]:
    """The clauses of all lines, without those for distinct lines.

    With `at_most`, the solver counts the ones and zeros of lines itself: on a board of 60x60, the
    clauses for that are 97 of 100, and take longer than the search.
    """
    for constraint in shape_constraints(puzzle):
        if isinstance(constraint, Distinct):
            continue
        meter.check_clock()
        if at_most and isinstance(constraint, Balanced):
            ones = [place + 1 for place in constraint.places]
            for variables, surplus in (
                (ones, max(constraint.surplus)),
                ([-one for one in ones], -min(constraint.surplus)),
            ):
                if (bound := (len(ones) + surplus) // 2) < len(ones):
                    at_most(variables, bound)
        else:
            yield from encoder.clauses(constraint)


def side_of(puzzle: Puzzle) -> int:
    """The longer side of the board, in cells."""
    return max(puzzle.board.height, puzzle.board.width)
