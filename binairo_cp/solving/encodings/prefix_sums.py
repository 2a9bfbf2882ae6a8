"""Clauses about a line that use both the rule on runs and the rule on balance.

The auxiliary variable of k and j is true if there are at least j ones among the first k cells. If a
run has at most r cells, any r + 1 cells in a row hold 1 to r ones, so two clauses relate the
variables of k and k + r + 1, and most variables are constants. Unit propagation therefore counts
with both rules: it knows that seven open cells hold at least two zeros if runs have two cells.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from binairo_cp.solving.constraints import Balanced
from binairo_cp.solving.encodings.cnf import Clause, Encoder


class PrefixSums(Encoder):
    """An encoder whose clauses for balanced lines include the rule on runs.

    Each auxiliary variable is a function of the cells.
    """

    def __init__(self, cells: int, longest_run: int) -> None:
        super().__init__(cells)
        self._window = longest_run + 1

    def clauses(self, constraint: object) -> list[Clause]:
        if not isinstance(constraint, Balanced):
            return list(super().clauses(constraint))
        length = len(constraint.places)
        sums = [(length + surplus) // 2 for surplus in constraint.surplus]
        number, clauses = _line(length, min(sums), max(sums), self._window)
        names = [0, *(place + 1 for place in constraint.places)]
        names += [self.new_variable() for _ in range(number)]
        # The last names are reached by negative numbers.
        names += [-name for name in names[:0:-1]]
        return [[names[literal] for literal in clause] for clause in clauses]


@cache
def _line(length: int, fewest: int, most: int, window: int) -> tuple[int, list[Clause]]:
    """The clauses of a line with `fewest` to `most` ones, and their number of auxiliary variables.

    The variables of the cells are 1 to `length`.
    """
    variables: dict[tuple[int, int], int] = {}
    clauses: list[Clause] = []

    def at_least(k: int, j: int) -> int | bool:
        """The variable of k and j, or its value if it is a constant."""
        left = length - k
        if j <= max(k // window, fewest - (left - left // window)):
            return True
        if j > min(k - k // window, most - left // window):
            return False
        return variables.setdefault((k, j), length + 1 + len(variables))

    def add(*signed: tuple[bool, int | bool], cells: tuple[int, ...] = ()) -> None:
        """Add a clause of literals, each a sign and a variable or constant, and of cells."""
        if not any(variable is sign for sign, variable in signed):
            names = [name if sign else -name for sign, name in signed if not isinstance(name, bool)]
            clauses.append([*cells, *names])

    for k, j in product(range(length), range(most + 1)):
        here, next_same, next_more = at_least(k, j), at_least(k + 1, j), at_least(k + 1, j + 1)
        add((False, here), (True, next_same))
        add((False, next_more), (True, here))
        add((False, here), (True, next_more), cells=(-k - 1,))
        add((True, here), (False, next_same), cells=(k + 1,))
        add((False, at_least(k, j + 1)), (True, here))
        if k + window <= length:
            add((False, here), (True, at_least(k + window, j + 1)))
            add((False, at_least(k + window, j + window)), (True, at_least(k, j + 1)))
    return len(variables), clauses
