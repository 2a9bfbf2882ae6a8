"""Smallest hitting sets, by minimizing the number of true variables (core-guided MaxSAT).

The solver assumes that all counted variables are false. Each core, a set of these assumptions that
can't all hold, raises the lower bound by one. It is replaced by a cardinality constraint that at
first allows one true variable (OLL: Andres, Kaufmann, Matheis and Schaub, "Unsatisfiability-based
optimization in clasp", 2012). PySAT's RC2 does the same; this version runs in slices, so that time
limits hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pysat.card import ITotalizer

from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.backends.session import Engine

# It proved most of the measured cases, and overruns its conflict limits least.
_SOLVER = "cadical153"
_TRIMS = 3


class Solver(Engine, Protocol):
    """An engine that numbers new variables; `Session` is one."""

    def new_variable(self) -> int: ...


class Fewest:
    """Finds models with the fewest true variables among the counted variables.

    Between calls, clauses may be added to the solver and more variables may be counted.

    Attributes:
        at_least: a proved lower bound of the number of true counted variables.
    """

    def __init__(self, solver: Solver, meter: Meter) -> None:
        self.at_least = 0
        self._solver = solver
        self._meter = meter
        # Assumptions: a counted variable is false (None), or a sum is at most a number.
        self._assumed: dict[int, tuple[_Sum, int] | None] = {}

    def count(self, variable: int) -> None:
        """Count a variable from now on. It must be new."""
        self._assumed[-variable] = None

    def model(self) -> list[int] | None:
        """A model with the fewest true counted variables; None if there is no model.

        Raises:
            BudgetExceeded: the time ran out. `at_least` stays valid.
        """
        while (model := self._solver.solve(list(self._assumed), self._meter)) is None:
            core = self._solver.core()
            if not core:
                return None
            # A core may get shorter by solving again.
            for _ in range(_TRIMS):
                self._solver.solve(core, self._meter)
                core, before = self._solver.core(), core
                if len(core) == len(before):
                    break
            self._relax(core)
        return model

    def _relax(self, core: list[int]) -> None:
        """Allow one variable of a core to be true, or more if that is not enough."""
        self.at_least += 1
        for literal in core:
            if sum_before := self._assumed.pop(literal):
                self._allow(*sum_before)
        if len(core) == 1:
            return
        one_more = _Sum(self._solver, [-literal for literal in core])
        allowed = 1
        # A core may need more than one true variable. Testing this is cheap and saves cores.
        while allowed < len(core):
            if self._solver.solve([one_more.at_most(allowed)], self._meter) is not None:
                break
            self.at_least += 1
            allowed += 1
        self._allow(one_more, allowed - 1)

    def _allow(self, counted: _Sum, allowed: int) -> None:
        """Allow one more true variable of a sum, unless that is no restriction."""
        if allowed + 1 < len(counted):
            self._assumed[counted.at_most(allowed + 1)] = counted, allowed + 1


class _Sum:
    """An incremental totalizer: literals for upper bounds of a sum, created on demand."""

    def __init__(self, solver: Solver, literals: list[int]) -> None:
        self._solver = solver
        self._literals = literals
        self._totalizer: ITotalizer | None = None

    def __len__(self) -> int:
        return len(self._literals)

    def at_most(self, number: int) -> int:
        """The literal for "at most `number`"; the number is at least 1 and below the length."""
        totalizer = self._totalizer
        if totalizer and number < len(totalizer.rhs):
            return -int(totalizer.rhs[number])
        # PySAT numbers new variables from the highest variable in use.
        top = self._solver.new_variable()
        if totalizer is None:
            totalizer = ITotalizer(self._literals, ubound=number, top_id=top)
            self._totalizer = totalizer
        else:
            totalizer.increase(ubound=min(2 * number, len(self) - 1), top_id=top)
        for _ in range(top, totalizer.top_id):
            self._solver.new_variable()
        for clause in totalizer.cnf.clauses[len(totalizer.cnf.clauses) - totalizer.nof_new :]:
            self._solver.add(clause)
        return -int(totalizer.rhs[number])


class HittingSets:
    """Finds smallest sets of numbers that hit all given sets. Sets can be added at any time."""

    def __init__(self, meter: Meter) -> None:
        self._solver = _Solver()
        self._fewest = Fewest(self._solver, meter)
        self._variables: dict[int, int] = {}

    @property
    def at_least(self) -> int:
        """A proved lower bound of the size of hitting sets."""
        return self._fewest.at_least

    def hit(self, numbers: Iterable[int]) -> None:
        """Add a set to hit."""
        self._solver.add([self._variable(number) for number in numbers])

    def smallest(self) -> list[int] | None:
        """A smallest hitting set; None if there is none because one of the sets is empty.

        Raises:
            BudgetExceeded: the time ran out. `at_least` stays valid.
        """
        model = self._fewest.model()
        if model is None:
            return None
        true = {literal for literal in model if literal > 0}
        return [number for number, variable in self._variables.items() if variable in true]

    def forbid(self, numbers: Iterable[int]) -> None:
        """Exclude hitting sets that contain all of these numbers."""
        self._solver.add([-self._variable(number) for number in numbers])

    def _variable(self, number: int) -> int:
        if number not in self._variables:
            self._variables[number] = self._solver.new_variable()
            self._fewest.count(self._variables[number])
        return self._variables[number]


class _Solver(Incremental):
    """An incremental solver that also numbers new variables."""

    def __init__(self) -> None:
        super().__init__(_SOLVER)
        self._top = 0

    def new_variable(self) -> int:
        self._top += 1
        return self._top
