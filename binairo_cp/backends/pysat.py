"""Clause learning through PySAT: one incremental solver for all puzzles of a shape and its rules.

The rules are clauses that stay; what makes a puzzle, its clues and signs, is assumed, so that what
the solver learns from one puzzle holds for the next. Solutions found are blocked behind a selector
that is assumed while the puzzle lasts and denied for good afterwards.

Distinct lines are added when a board is found that breaks them, two lines at a time, and kept:
few of the many pairs are ever needed (docs/encodings.md has the measurement).

Two traps of PySAT are met here. A call holds the interpreter's lock and, with CaDiCaL, can't be
interrupted: so every call is a slice of a bounded number of conflicts, and the clock is looked at
in between. CaDiCaL and Kissat forget their bound after a call, the MiniSat family adds it to what
was spent: setting it before each call is right for both.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Protocol

from pysat.solvers import Solver

from binairo_cp.backends.contract import UNLIMITED, Budget, Meter
from binairo_cp.board import OPEN, Board
from binairo_cp.constraints import (
    Distinct,
    Places,
    column_places,
    givens,
    related,
    row_places,
    shape_constraints,
)
from binairo_cp.encodings.cnf import (
    Clause,
    Encoder,
    blocking_clause,
    exclusive_or,
    literal,
)
from binairo_cp.errors import BackendNameError, BudgetExceeded
from binairo_cp.rules import Puzzle

SOLVERS = (
    "cadical103",
    "cadical153",
    "cadical195",
    "cadical300",
    "gluecard3",
    "gluecard4",
    "glucose3",
    "glucose4",
    "glucose42",
    "kissat404",
    "maplechrono",
    "maplecm",
    "mergesat3",
    "minicard",
    "minisat22",
)
"""Those of PySAT's solvers whose work can be bounded. Lingeling's can't, and MapleSAT crashes on a
formula without clauses."""

ONLY_FRESH = frozenset({"kissat404"})
"""Solvers that take no assumptions: Kissat ignores them, and its process dies at a second call."""

SMALL_SOLVER, LARGE_SOLVER = "minisat22", "cadical153"
SMALL_BALANCE, LARGE_BALANCE = "seqcounter", "mtotalizer"
LARGE_SIDE, HUGE_SIDE = 41, 121
"""From the first side on the second solver is the default, and the second encoding of balance is
used (measured: docs/encodings.md). From the second on it is the first solver again: there CaDiCaL
simplifies for many seconds within one call, which no bound on conflicts ends."""

_FIRST_SLICE = 100
_SLICE_SECONDS = 0.25
_SESSIONS = 8
_HELPERS_BEFORE_RENEWAL = 4_000


@dataclass(frozen=True, slots=True)
class PySat:
    """The backend; its unit of work is a conflict, counted in slices.

    Attributes:
        solver: one of `SOLVERS`; None takes one by the size of the board.
        fresh: make a new solver for each question instead of keeping one for all.
    """

    solver: str | None = None
    fresh: bool = False

    @property
    def name(self) -> str:
        return ":".join(["pysat", *filter(None, [self.solver]), *["fresh"] * self.fresh])

    @classmethod
    def named(cls, options: list[str]) -> PySat:
        """From the parts of a name: ``pysat``, ``pysat:glucose4`` or ``pysat:glucose4:fresh``.

        Raises:
            BackendNameError: another solver or another option.
        """
        solver, *rest = options or [""]
        if solver and solver not in SOLVERS:
            raise BackendNameError(
                f"pysat has no solver {solver!r} here; expected one of {', '.join(SOLVERS)}"
            )
        if rest not in ([], ["fresh"]):
            raise BackendNameError(f"after pysat:{solver} comes nothing, or ':fresh'")
        return cls(solver or None, fresh=bool(rest) or solver in ONLY_FRESH)

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """As the contract says."""
        meter = Meter(budget)
        yield from self.session(puzzle, meter).solutions(puzzle, limit, meter)

    def session(self, puzzle: Puzzle, meter: Meter) -> Session:
        """The session that answers for this puzzle: a kept one if there is one.

        Raises:
            BudgetExceeded: the time was over before all clauses were made.
        """
        large = LARGE_SIDE <= _side(puzzle) < HUGE_SIDE
        solver = self.solver or (LARGE_SOLVER if large else SMALL_SOLVER)
        if self.fresh or solver in ONLY_FRESH:
            return Session(puzzle, _Fresh(solver), meter)
        key = (solver, puzzle.board.height, puzzle.board.width, puzzle.rules)
        if _side(puzzle) >= LARGE_SIDE:
            # One of these fills as much memory as all small ones together.
            _kept.forget_others(key)
        return _kept.session(key, lambda: Session(puzzle, _Incremental(solver), meter))


class Session:
    """Everything that is known of one shape and its rules, and the questions asked of it.

    Args:
        puzzle: any puzzle of the shape and rules.
        engine: what the clauses are put into.
        meter: stops the making of clauses when its time is over.
    """

    def __init__(self, puzzle: Puzzle, engine: _Engine, meter: Meter) -> None:
        self._engine = engine
        # A generator of solutions may be carried to another thread while this one goes on.
        self._lock = threading.RLock()
        self._cells = len(puzzle.board.cells)
        balance = LARGE_BALANCE if _side(puzzle) >= LARGE_SIDE else SMALL_BALANCE
        self._encoder = Encoder(self._cells, balance)
        self._signs: dict[tuple[int, int], int] = {}
        self._directions: list[tuple[Places, ...]] = []
        if puzzle.rules.distinct_lines:
            self._directions = [row_places(puzzle.board), column_places(puzzle.board)]
        for constraint in shape_constraints(puzzle):
            if not isinstance(constraint, Distinct):
                meter.check_clock()
                self._add(self._encoder.clauses(constraint))
        self._first_top = self._encoder.top

    @property
    def is_worn(self) -> bool:
        """So many helpers of puzzles gone by have piled up that a new session is faster."""
        return self._encoder.top - self._first_top > _HELPERS_BEFORE_RENEWAL

    def solutions(self, puzzle: Puzzle, limit: int | None, meter: Meter) -> Iterator[Board]:
        """The solutions of a puzzle, each once.

        Raises:
            BudgetExceeded: the budget ran out.
        """
        board = puzzle.board
        assumed = self.assumptions(puzzle)
        still_open = [place for place, value in enumerate(board.cells) if value == OPEN]
        selector = 0
        given = 0
        try:
            while limit is None or given < limit:
                found = self.find(assumed, meter)
                if found is None:
                    return
                given += 1
                cells = "".join("1" if each > 0 else "0" for each in found)
                yield Board(board.height, board.width, cells)
                with self._lock:
                    if not selector:
                        selector = self._encoder.new_variable()
                        assumed = [*assumed, selector]
                    self._engine.add([-selector, *blocking_clause(found[k] for k in still_open)])
        finally:
            if selector:
                with self._lock:
                    self._engine.add([-selector])

    def assumptions(self, puzzle: Puzzle) -> list[int]:
        """The literals that make a puzzle of this shape: its clues first, then its signs."""
        clues = [literal(each.place, each.value) for each in givens(puzzle.board)]
        signs = []
        for sign in puzzle.signs:
            relation = related(sign, puzzle.board.width)
            differ = self._differ(relation.first, relation.second)
            signs.append(-differ if relation.equal else differ)
        return clues + signs

    def find(self, assumed: list[int], meter: Meter) -> list[int] | None:
        """The literals of the cells of a solution under assumptions; None if there is none.

        Raises:
            BudgetExceeded: the budget ran out.
        """
        with self._lock:
            return self._find(assumed, meter)

    def _find(self, assumed: list[int], meter: Meter) -> list[int] | None:
        while (model := self._engine.solve(assumed, meter)) is not None:
            cells = model[: self._cells]
            # A cell that no clause mentions yet is free, and not in every solver's model.
            cells += [-variable for variable in range(len(cells) + 1, self._cells + 1)]
            repeated = list(self._repeated_lines(cells))
            if not repeated:
                return cells
            for one, two in repeated:
                self._add(self._encoder.different(one, two))
        return None

    def core(self) -> list[int]:
        """After `find` found none: assumptions that already contradict the rules."""
        return self._engine.core()

    def _differ(self, first: int, second: int) -> int:
        """The helper that is true where two cells differ."""
        with self._lock:
            if (first, second) not in self._signs:
                helper = self._encoder.new_variable()
                self._add(exclusive_or(helper, first + 1, second + 1))
                self._signs[first, second] = helper
            return self._signs[first, second]

    def _repeated_lines(self, cells: list[int]) -> Iterator[tuple[Places, Places]]:
        for lines in self._directions:
            first: dict[tuple[bool, ...], Places] = {}
            for line in lines:
                earlier = first.setdefault(tuple(cells[place] > 0 for place in line), line)
                if earlier is not line:
                    yield earlier, line

    def _add(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self._engine.add(clause)


def _side(puzzle: Puzzle) -> int:
    return max(puzzle.board.height, puzzle.board.width)


class _Engine(Protocol):
    """What a session needs of a solver."""

    def add(self, clause: Clause) -> None: ...

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None: ...

    def core(self) -> list[int]: ...


class _Incremental:
    """One solver that is asked again and again."""

    def __init__(self, name: str) -> None:
        self._solver = Solver(name)
        self.add: Callable[[Clause], None] = self._solver.add_clause
        self._core: list[int] = []

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        conflicts = _FIRST_SLICE
        while True:
            started = monotonic()
            answer = _slice(self._solver, assumed, conflicts, meter)
            if answer is not None:
                break
            # A conflict takes a microsecond or a millisecond; the clock is wanted now and then.
            if monotonic() - started < _SLICE_SECONDS:
                conflicts *= 2
        if answer:
            return _model(self._solver)
        self._core = self._solver.get_core() or []
        return None

    def core(self) -> list[int]:
        return self._core


class _Fresh:
    """A new solver for each call: the assumptions become unit clauses."""

    def __init__(self, name: str) -> None:
        self._new_solver = partial(Solver, name)
        self._clauses: list[Clause] = []
        self._core: list[int] = []

    def add(self, clause: Clause) -> None:
        self._clauses.append(clause)

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        conflicts = 20 * _FIRST_SLICE
        units = [[each] for each in assumed]
        while True:
            with self._new_solver(bootstrap_with=self._clauses + units) as solver:
                answer = _slice(solver, [], conflicts, meter)
                if answer is not None:
                    self._core = assumed
                    return _model(solver) if answer else None
            # Each try starts anew, so the tries must grow for the waste to stay bounded.
            conflicts *= 2

    def core(self) -> list[int]:
        return self._core


def _slice(solver: Any, assumed: list[int], conflicts: int, meter: Meter) -> bool | None:
    """A bounded piece of search: True and False are answers, None is none yet.

    The whole slice is charged if it was used up, nothing if it was not.
    """
    meter.check_clock()
    if (left := meter.work_left) is not None:
        if not left:
            raise BudgetExceeded("work")
        conflicts = min(conflicts, left)
    # A bound of 0 would mean no bound to some solvers; there is always one conflict to spend.
    solver.conf_budget(conflicts)
    answer: bool | None = solver.solve_limited(assumptions=assumed)
    if answer is None:
        meter.spend(conflicts)
    return answer


def _model(solver: Any) -> list[int]:
    model: list[int] = solver.get_model()
    return model


class _Kept(threading.local):
    """The sessions of a thread, the most recently used last: a solver is no thing to share."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[Hashable, Session] = OrderedDict()

    def session(self, key: Hashable, make: Callable[[], Session]) -> Session:
        session = self._sessions.pop(key, None)
        if session is None or session.is_worn:
            session = make()
        self._sessions[key] = session
        if len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def forget_others(self, key: Hashable) -> None:
        kept = self._sessions.get(key)
        self._sessions = OrderedDict({key: kept} if kept else {})


_kept = _Kept()
