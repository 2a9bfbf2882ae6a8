"""Clause learning with PySAT: one incremental solver for all puzzles of a small shape.

It wraps the package ``python-sat``, which the installation brings: `engines.SOLVERS` can be chosen.
It takes boards of any size and all rules. Only time limits it; if CaDiCaL is chosen, one call of it
can outlast the limit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from binairo_cp.errors import BackendNameError, BudgetExceeded
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import OWN_SOLVER_SIDE, UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.engines import ONLY_FRESH, SOLVERS, Fresh, Incremental
from binairo_cp.solving.backends.pairs import Pairs, is_nearly_empty
from binairo_cp.solving.backends.session import Session, side_of

SMALL_SOLVER, LARGE_SOLVER, HUGE_SOLVER = "minisat22", "gluecard4", "minicard"
"""The default below `OWN_SOLVER_SIDE`, from there on, and from `_HUGE_SIDE` on.

From `OWN_SOLVER_SIDE` on, each puzzle also gets a new session, with its clues as clauses: a solver
that is told for good what holds simplifies its formula, and a large one gains more by that than by
clauses learned from other puzzles. The solvers for large boards count the symbols of lines
themselves, so that the formula is small (measured in docs/bitboard.md).
"""

_HUGE_SIDE = 101
"""From here on, a call of Gluecard may outlast a time limit by seconds. MiniCard's do not, but it
left three of six irreducible 50x50 unknown that Gluecard decided in 1 to 5 s (docs/bitboard.md)."""

_SESSIONS = 8


@dataclass(frozen=True, slots=True)
class PySat:
    """The backend. Its unit of work is a conflict, counted in slices.

    Attributes:
        solver: one of `SOLVERS`; None selects one by the size of the board.
        fresh: create a new solver for each query instead of using one incrementally.
    """

    solver: str | None = None
    fresh: bool = False

    @property
    def name(self) -> str:
        return ":".join(["pysat", *filter(None, [self.solver]), *["fresh"] * self.fresh])

    @classmethod
    def named(cls, options: list[str]) -> PySat:
        """Create the backend from a name: ``pysat``, ``pysat:glucose4``, ``pysat:glucose4:fresh``.

        Raises:
            BackendNameError: there is no such solver or option.
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
        """Solve as the protocol says."""
        meter = Meter(budget)
        session = self.session(puzzle, meter)
        if self._needs_hints(puzzle):
            session.hint(_hint(puzzle, meter), meter)
        is_last = side_of(puzzle) >= OWN_SOLVER_SIDE
        yield from session.solutions(puzzle, limit, meter, is_last=is_last)

    def _needs_hints(self, puzzle: Puzzle) -> bool:
        """Whether the solver would search long for any solution, since it is so free to choose."""
        is_ours = self.solver is None and not self.fresh
        return is_ours and side_of(puzzle) >= OWN_SOLVER_SIDE and is_nearly_empty(puzzle)

    def session(self, puzzle: Puzzle, meter: Meter) -> Session:
        """The session for this puzzle; that of a small shape is reused if there is one.

        Raises:
            BudgetExceeded: the time ran out before all clauses were created.
        """
        is_large = side_of(puzzle) >= OWN_SOLVER_SIDE
        usual = HUGE_SOLVER if side_of(puzzle) >= _HUGE_SIDE else LARGE_SOLVER
        solver = self.solver or (usual if is_large else SMALL_SOLVER)
        if self.fresh or solver in ONLY_FRESH:
            return Session(puzzle, Fresh(solver), meter)
        if is_large:
            return Session(puzzle, Incremental(solver), meter)
        key = (solver, puzzle.board.height, puzzle.board.width, puzzle.rules)
        return _kept.session(key, lambda: Session(puzzle, Incremental(solver), meter))


def _hint(puzzle: Puzzle, meter: Meter) -> Board | None:
    """A solution by construction; None if none is found at once.

    Raises:
        BudgetExceeded: the time ran out.
    """
    try:
        return next(Pairs().solutions(puzzle, limit=1, budget=Budget(meter.seconds_left)))
    except BudgetExceeded:
        meter.check_clock()
        return None


class _Kept(threading.local):
    """The sessions of a thread, the most recently used last. Threads can't share a solver."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[Hashable, Session] = OrderedDict()

    def session(self, key: Hashable, make: Callable[[], Session]) -> Session:
        session = self._sessions.pop(key, None)
        if session is None or session.needs_rebuild:
            session = make()
        self._sessions[key] = session
        if len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        return session


_kept = _Kept()
