"""Whether rules and known cells imply the value of a cell, decided by a SAT solver.

Sets of known cells and rules are integers: the cells have the lowest bits.
"""

from __future__ import annotations

from itertools import compress
from operator import ne

from binairo_cp.deduction.bit_sets import each_bit
from binairo_cp.deduction.named_rules import RuleTable
from binairo_cp.puzzle.board import Board
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.encodings.cnf import Encoder, literals

_SOLVER = "minisat22"


class Implications:
    """What the rules of a puzzle and the cells of a solution imply.

    Args:
        rules: The rules.
        solution: The solution.
        meter: Limits the time; every method may raise `BudgetExceeded`.
    """

    def __init__(self, rules: RuleTable, solution: Board, meter: Meter) -> None:
        self._rules, self._meter = rules, meter
        self._cells = len(solution.cells)
        self._values = literals(solution.cells)
        self._encoder, self._solver = Encoder(self._cells), Incremental(_SOLVER)
        self._literals = dict(enumerate(self._values))
        self._bits = {literal: 1 << place for place, literal in enumerate(self._values)}
        self._powers = [1 << place for place in range(self._cells)]

    def refutation(self, place: int, elements: int) -> int | None:
        """The cells that differ from the solution on a board with another value in a cell.

        None if no board has all the elements and another value there: they imply its value.
        """
        assumed = [-self._values[place]]
        assumed += [self._literals.get(each) or self._add(each) for each in each_bit(elements)]
        # The solver replaces the phases by those of its search.
        self._solver.prefer(self._values)
        model = self._solver.solve(assumed, self._meter)
        if model is None:
            return None
        return sum(compress(self._powers, map(ne, model, self._values)))

    def used(self) -> int:
        """The elements that the solver used to find that there is no such board."""
        return sum(self._bits.get(each, 0) for each in self._solver.core())

    def _add(self, element: int) -> int:
        """Add a rule to the formula; the literal for: it holds."""
        selector = self._literals[element] = self._encoder.new_variable()
        self._bits[selector] = 1 << element
        for clause in self._encoder.clauses(self._rules.constraint(element - self._cells)):
            self._solver.add([-selector, *clause])
        return selector
