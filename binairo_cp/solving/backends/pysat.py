"""Clause learning with PySAT: one incremental solver for all puzzles of a small shape.

It wraps the package ``python-sat``, which the installation brings: `engines.SOLVERS` can be chosen.
It takes boards of any size and all rules. Only time limits it. A call of CaDiCaL, Glucose or
their kin can outlast the limit; CaDiCaL is also the second solver of large boards.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from binairo_cp.errors import BackendNameError, BudgetExceeded
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import OWN_SOLVER_SIDE, UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.engines import ONLY_FRESH, SOLVERS, Fresh, Incremental
from binairo_cp.solving.backends.pairs import Pairs, is_nearly_empty
from binairo_cp.solving.backends.session import Session, side_of
from binairo_cp.solving.encodings.cnf import literals
from binairo_cp.solving.encodings.prefix_sums import PrefixSums

SMALL_SOLVER, LARGE_SOLVER, PROVER = "minisat22", "minicard", "cadical153"
"""The default below `OWN_SOLVER_SIDE`, and the two that take turns from there on.

From `OWN_SOLVER_SIDE` on, each puzzle also gets a new session, with its clues as clauses: a solver
that is told for good what holds simplifies its formula, and a large one gains more by that than by
clauses learned from other puzzles. MiniCard counts the symbols of lines itself, so that the formula
is small, and decides most puzzles before the clauses for that would be written. It learns little
about sums, so what it does not decide soon goes to CaDiCaL with prefix sums, whose proofs usually
take as long as those of MiniSat, but far less on the hardest boards (docs/bitboard.md).
"""

_CONFLICTS_PER_OPEN_CELL = 8
"""After these, MiniCard gives way to CaDiCaL."""

_HUGE_SIDE = 101
"""From here on MiniCard does not give way: the clauses take over a second and 60 MB, and the more
the longer lines are, with the cube of their length."""

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
        if self.solver or self.fresh or side_of(puzzle) < OWN_SOLVER_SIDE:
            is_last = side_of(puzzle) >= OWN_SOLVER_SIDE
            yield from self.session(puzzle, meter).solutions(puzzle, limit, meter, is_last=is_last)
            return
        yielded: set[Board] = set()
        for session, part in _turns(puzzle, meter):
            try:
                for board in session.solutions(puzzle, limit, part, is_last=True):
                    if board not in yielded:
                        yielded.add(board)
                        yield board
                        if len(yielded) == limit:
                            return
            except BudgetExceeded as error:
                if error.by == "time" or part is meter:
                    raise
                meter.spend(part.work)
            else:
                return

    def session(self, puzzle: Puzzle, meter: Meter) -> Session:
        """The session of one solver for this puzzle; that of a small shape is reused.

        Raises:
            BudgetExceeded: the time ran out before all clauses were created.
        """
        solver = self.solver or SMALL_SOLVER
        if self.fresh or solver in ONLY_FRESH:
            return Session(puzzle, Fresh(solver), meter)
        if side_of(puzzle) >= OWN_SOLVER_SIDE:
            return Session(puzzle, Incremental(solver), meter)
        key = (solver, puzzle.board.height, puzzle.board.width, puzzle.rules)
        return _kept.session(key, lambda: Session(puzzle, Incremental(solver), meter))


def _turns(puzzle: Puzzle, meter: Meter) -> Iterator[tuple[Session, Meter]]:
    """The sessions for a large puzzle, each with what it may use."""
    session = Session(puzzle, Incremental(LARGE_SOLVER), meter)
    if is_nearly_empty(puzzle):
        # The solver is so free to choose that it would search long for any solution. It first tries
        # the values that variables had last: those of a solution by construction.
        try:
            near = Budget(meter.seconds_left)
            for board in Pairs().solutions(puzzle, limit=1, budget=near):
                session.solve(literals(board.cells), meter)
        except BudgetExceeded:
            meter.check_clock()
    if side_of(puzzle) < _HUGE_SIDE:
        work = _CONFLICTS_PER_OPEN_CELL * (puzzle.board.cells.count(OPEN) + 1)
        left = work if meter.work_left is None else min(work, meter.work_left)
        yield session, Meter(Budget(meter.seconds_left, left))
        encoder = PrefixSums(len(puzzle.board.cells), puzzle.rules.longest_run)
        session = Session(puzzle, Incremental(PROVER), meter, encoder)
    yield session, meter


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
