"""The solvers of PySAT, as engines of a session and to produce proofs.

This module works around two problems of PySAT. First, a call holds the GIL and, with CaDiCaL, can't
be interrupted. So every call has a conflict limit, and the clock is checked between calls. Second,
CaDiCaL and Kissat reset the limit after a call, while the MiniSat family adds it to the conflicts
so far. Setting the limit before each call is correct for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic
from typing import Any

from pysat._utils import MainThread
from pysat.solvers import Solver

from binairo_cp.errors import BudgetExceeded
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.encodings.cnf import AtMost, Clause

SOLVERS = (
    *("cadical103", "cadical153", "cadical195", "cadical300", "gluecard3", "gluecard4"),
    *("glucose3", "glucose4", "glucose42", "kissat404"),
    *("maplechrono", "maplecm", "mergesat3", "minicard", "minisat22"),
)
"""The solvers of PySAT with a conflict limit. Lingeling has none, and MapleSAT crashes on formulas
without clauses."""

WITH_CARDINALITIES = frozenset({"gluecard3", "gluecard4", "minicard"})
"""The solvers that count the true literals of a line themselves, without clauses for that."""

PROOF_SOLVERS = (
    *("glucose4", "cadical103", "cadical153", "cadical195", "cadical300"),
    *("gluecard4", "glucose3", "glucose42", "maplechrono"),
)
"""The solvers with valid proofs, the default first."""

ONLY_FRESH = frozenset({"kissat404"})
"""Solvers without assumptions. Kissat ignores them, and crashes at a second call."""

# In the main thread PySAT replaces Python's signal handler by its own. That handler jumps out of
# the solver and leaves it in a corrupt state, in which it crashes or hangs. All calls here are
# short, so Python's handler is sufficient. (tests: test_ctrl_c_in_a_solver_of_pysat)
MainThread.check = staticmethod(lambda: False)

_FIRST_SLICE = 100
_SLICE_SECONDS = 0.25
_LARGEST_STEADY_SLICE = 1_600


class Incremental:
    """One incremental solver for all calls."""

    def __init__(self, name: str) -> None:
        self._solver = Solver(name)
        self.add: Callable[[Clause], None] = self._solver.add_clause
        self.at_most: AtMost | None = (
            self._solver.add_atmost if name in WITH_CARDINALITIES else None
        )
        self._core: list[int] = []

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        return self._result(_search(self._solver, assumed, meter))

    def _result(self, is_satisfied: bool) -> list[int] | None:
        """The model; None without one, when the core is kept."""
        if is_satisfied:
            return _model(self._solver)
        self._core = self._solver.get_core() or []
        return None

    def core(self) -> list[int]:
        return self._core

    def prefer(self, literals: list[int]) -> None:
        """Set the values to try first. Some solvers ignore them."""
        self._solver.set_phases(literals)


class Propagator:
    """Unit propagation, without a search."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self._solver = Solver("minisat22", clauses)
        self.add: Callable[[Clause], None] = self._solver.add_clause

    def propagate(self, assumed: list[int]) -> list[int] | None:
        """The literals that follow from some, with them; None if a clause is false.

        Literals that follow from the clauses alone are not among them.
        """
        is_consistent, literals = self._solver.propagate(assumed)
        return list(literals) if is_consistent else None


class Repeatable(Incremental):
    """A deterministic solver: its results do not depend on the load of the machine.

    Its unit of work is a propagation. Propagations take about the same time on boards of all sizes,
    while conflicts take longer on large boards.
    """

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        answer: bool | None = None
        while answer is None:
            meter.check_clock()
            before = self._propagations()
            self._solver.conf_budget(_FIRST_SLICE)
            answer = self._solver.solve_limited(assumptions=assumed)
            meter.spend(self._propagations() - before)
        return self._result(answer)

    def _propagations(self) -> int:
        number: int = self._solver.accum_stats()["propagations"]
        return number


class Restarting(Incremental):
    """One incremental solver for many calls, and then a new one with the same clauses."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._clauses: list[Clause] = []
        self._preferred: list[int] = []
        self.restart([])

    def restart(self, clauses: list[Clause]) -> None:
        """Begin with all added clauses, and some that hold until the next restart."""
        super().__init__(self._name)
        self.add_until_restart = self.add
        self.add = self._add_and_keep
        self._solver.append_formula(self._clauses)
        self._solver.append_formula(clauses)
        self._solver.set_phases(self._preferred)

    def _add_and_keep(self, clause: Clause) -> None:
        self._clauses.append(clause)
        self.add_until_restart(clause)

    def prefer(self, literals: list[int]) -> None:
        self._preferred = literals
        super().prefer(literals)


class Fresh:
    """A new solver for each call: the assumptions become unit clauses."""

    def __init__(self, name: str) -> None:
        self._new_solver = partial(Solver, name)
        self.at_most = None
        self._clauses: list[Clause] = []
        self._core: list[int] = []

    def add(self, clause: Clause) -> None:
        self._clauses.append(clause)

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        conflicts = 20 * _FIRST_SLICE
        units = [[assumption] for assumption in assumed]
        while True:
            with self._new_solver(bootstrap_with=self._clauses + units) as solver:
                answer = _slice(solver, [], conflicts, meter)
                if answer is not None:
                    self._core = assumed
                    return _model(solver) if answer else None
            # Each attempt starts from scratch. Doubling the limit bounds the wasted work.
            conflicts *= 2

    def core(self) -> list[int]:
        return self._core


def refute(name: str, clauses: list[Clause], meter: Meter) -> list[int] | bytes:
    """A model of clauses, or a proof that there is none, as text in DRAT format.

    Raises:
        BudgetExceeded: the budget ran out.
    """
    with Solver(name, bootstrap_with=clauses, with_proof=True) as solver:
        if _search(solver, [], meter):
            return _model(solver)
        # Some solvers write two spaces in lines without literals.
        return "".join(f"{' '.join(line.split())}\n" for line in solver.get_proof()).encode()


def _search(solver: Any, assumed: list[int], meter: Meter) -> bool:
    """Whether there is a model. The search runs in slices that grow while they are quick.

    With a work limit the growth does not depend on the clock. The end of a slice is a restart, and
    the same query must take the same work on a busy machine.
    """
    conflicts = _FIRST_SLICE
    while True:
        started = monotonic()
        answer = _slice(solver, assumed, conflicts, meter)
        if answer is not None:
            return answer
        # A conflict takes a microsecond to a millisecond; check the clock a few times a second.
        if meter.work_left is not None:
            conflicts = min(2 * conflicts, _LARGEST_STEADY_SLICE)
        elif monotonic() - started < _SLICE_SECONDS:
            conflicts *= 2


def _slice(solver: Any, assumed: list[int], conflicts: int, meter: Meter) -> bool | None:
    """Search with a conflict limit: True, False, or None if the limit was reached.

    A slice that reaches its limit is charged in full, other slices are free.
    """
    meter.check_clock()
    if (left := meter.work_left) is not None:
        if not left:
            raise BudgetExceeded("work")
        conflicts = min(conflicts, left)
    # Some solvers treat a limit of 0 as no limit. Here `conflicts` is at least 1.
    solver.conf_budget(conflicts)
    answer: bool | None = solver.solve_limited(assumptions=assumed)
    if answer is None:
        meter.spend(conflicts)
    return answer


def _model(solver: Any) -> list[int]:
    model: list[int] = solver.get_model()
    return model
