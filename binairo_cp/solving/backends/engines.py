"""PySAT's solvers as engines of a session, and as makers of proofs.

Two traps of PySAT are met here. A call holds the interpreter's lock and, with CaDiCaL, can't be
interrupted: so every call is a slice of a bounded number of conflicts, and the clock is looked at
in between. CaDiCaL and Kissat forget their bound after a call, the MiniSat family adds it to what
was spent: setting it before each call is right for both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from pysat._utils import MainThread
from pysat.solvers import Solver

from binairo_cp.errors import BudgetExceeded
from binairo_cp.solving.backends.contract import Meter
from binairo_cp.solving.encodings.cnf import Clause

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

PROOF_SOLVERS = (
    "glucose4",
    "cadical103",
    "cadical153",
    "cadical195",
    "cadical300",
    "gluecard4",
    "glucose3",
    "glucose42",
    "maplechrono",
)
"""Those whose proofs hold, the default one first."""

ONLY_FRESH = frozenset({"kissat404"})
"""Solvers that take no assumptions: Kissat ignores them, and its process dies at a second call."""

# In the main thread PySAT puts a handler of its own in the place of Python's, which jumps out of
# the solver in the middle of its work and leaves it in ruins: freeing it crashes the process. No
# call of ours is long, so Python's handler serves.
MainThread.check = staticmethod(lambda: False)

_FIRST_SLICE = 100
_SLICE_SECONDS = 0.25
_LARGEST_STEADY_SLICE = 1_600


class Incremental:
    """One solver that is asked again and again."""

    def __init__(self, name: str) -> None:
        self._solver = Solver(name)
        self.add: Callable[[Clause], None] = self._solver.add_clause
        self._core: list[int] = []

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        if _search(self._solver, assumed, meter):
            return _model(self._solver)
        self._core = self._solver.get_core() or []
        return None

    def core(self) -> list[int]:
        return self._core


class Repeatable(Incremental):
    """A solver that gives the same answers to the same questions, however busy the machine is.

    Its unit of work is a propagation. Propagations take about the same time on boards of all sizes;
    conflicts take longer on large boards.
    """

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        answer: bool | None = None
        while answer is None:
            meter.check_clock()
            before = self._propagations()
            self._solver.conf_budget(_FIRST_SLICE)
            answer = self._solver.solve_limited(assumptions=assumed)
            meter.spend(self._propagations() - before)
        if answer:
            return _model(self._solver)
        self._core = self._solver.get_core() or []
        return None

    def _propagations(self) -> int:
        number: int = self._solver.accum_stats()["propagations"]
        return number


class Fresh:
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


def refute(name: str, clauses: list[Clause], meter: Meter) -> list[int] | bytes:
    """A model of clauses, or a proof that there is none, in the text of DRAT.

    Args:
        name: one of `PROOF_SOLVERS`.
        clauses: what is refuted.
        meter: what it may cost.

    Raises:
        BudgetExceeded: it ran out.
    """
    with Solver(name, bootstrap_with=clauses, with_proof=True) as solver:
        if _search(solver, [], meter):
            return _model(solver)
        # Some solvers write two spaces where a line is without literals.
        return "".join(f"{' '.join(line.split())}\n" for line in solver.get_proof()).encode()


def _search(solver: Any, assumed: list[int], meter: Meter) -> bool:
    """Whether there is a model, in slices that grow while they are quick.

    With a bound on work the clock does not decide how they grow, since the end of a slice is a
    restart: the same question must cost the same work on a busy machine.
    """
    conflicts = _FIRST_SLICE
    while True:
        started = monotonic()
        answer = _slice(solver, assumed, conflicts, meter)
        if answer is not None:
            return answer
        # A conflict takes a microsecond or a millisecond; the clock is wanted now and then.
        if meter.work_left is not None:
            conflicts = min(2 * conflicts, _LARGEST_STEADY_SLICE)
        elif monotonic() - started < _SLICE_SECONDS:
            conflicts *= 2


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
