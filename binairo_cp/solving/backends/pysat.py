"""Clause learning through PySAT: one incremental solver for all puzzles of a shape."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from binairo_cp.errors import BackendNameError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends.contract import UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.engines import ONLY_FRESH, SOLVERS, Fresh, Incremental
from binairo_cp.solving.backends.session import LARGE_SIDE, Session, side_of

SMALL_SOLVER, LARGE_SOLVER = "minisat22", "cadical153"
HUGE_SIDE = 81
"""From `LARGE_SIDE` on the second solver is the default (measured: docs/encodings.md), and from
this side on it is the first solver again: there CaDiCaL simplifies for seconds within one call,
which no bound on conflicts ends, so that a time limit would not hold."""

_SESSIONS = 8


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
        large = LARGE_SIDE <= side_of(puzzle) < HUGE_SIDE
        solver = self.solver or (LARGE_SOLVER if large else SMALL_SOLVER)
        if self.fresh or solver in ONLY_FRESH:
            return Session(puzzle, Fresh(solver), meter)
        key = (solver, puzzle.board.height, puzzle.board.width, puzzle.rules)
        if side_of(puzzle) >= LARGE_SIDE:
            # One of these fills as much memory as all small ones together.
            _kept.forget_others(key)
        return _kept.session(key, lambda: Session(puzzle, Incremental(solver), meter))


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
