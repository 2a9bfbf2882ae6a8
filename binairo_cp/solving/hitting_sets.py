"""As few true variables as clauses allow: a smallest set that hits each of some others.

The solver assumes that all counted variables are false. Each core, a set of these of which not all
can be, raises the bound by one and is counted as a whole from then on, at first with one true
(OLL: Andres, Kaufmann, Matheis and Schaub, "Unsatisfiability-based optimization in clasp", 2012;
as PySAT's RC2 does it, but in slices, so that a time limit holds).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pysat.card import ITotalizer

from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.encodings.cnf import Clause

# Of those measured it proves most, and its calls end soonest when their conflicts are spent.
_SOLVER = "cadical153"
_TRIMS = 3


class Solver(Protocol):
    """What is asked of a solver here; a `Session` is one."""

    def new_variable(self) -> int: ...

    def add(self, clause: Clause) -> None: ...

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None: ...

    def core(self) -> list[int]: ...


class Fewest:
    """Models with as few true ones among counted variables as there can be.

    Clauses may be added to the solver, and variables counted, between any two questions.

    Attributes:
        at_least: how many counted variables are true in every model, as far as is known.
    """

    def __init__(self, solver: Solver, meter: Meter) -> None:
        self.at_least = 0
        self._solver = solver
        self._meter = meter
        # What is assumed: that a counted variable is false, or a sum no more than so many.
        self._assumed: dict[int, tuple[_Sum, int] | None] = {}

    def count(self, variable: int) -> None:
        """From now on this variable, new here, counts if it is true."""
        self._assumed[-variable] = None

    def model(self) -> list[int] | None:
        """A model with the fewest; None if there is no model at all.

        Raises:
            BudgetExceeded: the time ran out; `at_least` stays known.
        """
        while (model := self._solver.solve(list(self._assumed), self._meter)) is None:
            core = self._solver.core()
            if not core:
                return None
            self._relax(self._trimmed(core))
        return model

    def _trimmed(self, core: list[int]) -> list[int]:
        """The core, shorter if the solver happens on it."""
        for _ in range(_TRIMS):
            self._solver.solve(core, self._meter)
            shorter = self._solver.core()
            if len(shorter) == len(core):
                break
            core = shorter
        return core

    def _relax(self, core: list[int]) -> None:
        """Allow one of a core to be true; more, if that is not enough."""
        self.at_least += 1
        for literal in core:
            if sum_before := self._assumed.pop(literal):
                self._allow(*sum_before)
        if len(core) == 1:
            return
        one_more = _Sum(self._solver, [-literal for literal in core])
        allowed = 1
        # A core by itself may need more than one of it: that is cheap to ask, and saves cores.
        while allowed < len(core):
            if self._solver.solve([one_more.at_most(allowed)], self._meter) is not None:
                break
            self.at_least += 1
            allowed += 1
        self._allow(one_more, allowed - 1)

    def _allow(self, counted: _Sum, allowed: int) -> None:
        """Assume that one more than so far is true of a sum, if it has so many."""
        if allowed + 1 < len(counted):
            self._assumed[counted.at_most(allowed + 1)] = counted, allowed + 1


class _Sum:
    """Literals that say how many of some variables are true at most, made as they are needed."""

    def __init__(self, solver: Solver, literals: list[int]) -> None:
        self._solver = solver
        self._literals = literals
        self._totalizer: ITotalizer | None = None

    def __len__(self) -> int:
        return len(self._literals)

    def at_most(self, number: int) -> int:
        """The literal that says it; the number is at least 1 and below the length."""
        made = self._totalizer
        if made and number < len(made.rhs):
            return -int(made.rhs[number])
        # The library numbers new variables on from the highest one in use.
        top = self._solver.new_variable()
        if made is None:
            self._totalizer = made = ITotalizer(self._literals, ubound=number, top_id=top)
        else:
            made.increase(ubound=min(2 * number, len(self) - 1), top_id=top)
        for _ in range(top, made.top_id):
            self._solver.new_variable()
        for clause in made.cnf.clauses[len(made.cnf.clauses) - made.nof_new :]:
            self._solver.add(clause)
        return -int(made.rhs[number])


class HittingSets:
    """A smallest set of numbers that hits each of some sets, which may become more."""

    def __init__(self, meter: Meter) -> None:
        self._solver = _Plain()
        self._fewest = Fewest(self._solver, meter)
        self._variables: dict[int, int] = {}

    @property
    def at_least(self) -> int:
        """How many numbers every hitting set has, as far as is known."""
        return self._fewest.at_least

    def hit(self, numbers: Iterable[int]) -> None:
        """One more set to hit."""
        self._solver.add([self._variable(number) for number in numbers])

    def smallest(self) -> list[int] | None:
        """A smallest hitting set; None if there is none, since an empty set is to be hit.

        Raises:
            BudgetExceeded: the time ran out; `at_least` stays known.
        """
        model = self._fewest.model()
        if model is None:
            return None
        true = {each for each in model if each > 0}
        return [number for number, variable in self._variables.items() if variable in true]

    def forbid(self, numbers: Iterable[int]) -> None:
        """From now on a hitting set has not all of these."""
        self._solver.add([-self._variable(number) for number in numbers])

    def _variable(self, number: int) -> int:
        if number not in self._variables:
            self._variables[number] = self._solver.new_variable()
            self._fewest.count(self._variables[number])
        return self._variables[number]


class _Plain(Incremental):
    """A solver that hands out its variables."""

    def __init__(self) -> None:
        super().__init__(_SOLVER)
        self._top = 0

    def new_variable(self) -> int:
        self._top += 1
        return self._top
