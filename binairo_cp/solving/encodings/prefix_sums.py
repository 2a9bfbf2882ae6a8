"""Clauses about a line that use both the rule on runs and the rule on balance.

The auxiliary variable of k and j is true if there are at least j ones among the first k cells. If a
run has at most r cells, any r + 1 cells in a row hold 1 to r ones, so two clauses relate the
variables of k and k + r + 1, and most variables are constants. Unit propagation therefore counts
with both rules: it knows that seven open cells hold at least two zeros if runs have two cells.
"""

from __future__ import annotations

from functools import cache

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
    line = _Line(length, fewest, most, window)
    for k in range(length):
        for j in range(most + 1):
            line.add_step(k, j)
    return len(line.variables), line.clauses


class _Line:
    def __init__(self, length: int, fewest: int, most: int, window: int) -> None:
        self._length, self._fewest, self._most, self._window = length, fewest, most, window
        self.variables: dict[tuple[int, int], int] = {}
        self.clauses: list[Clause] = []

    def add_step(self, k: int, j: int) -> None:
        """Relate "at least j ones among the first k cells" to the same of more cells."""
        cell = k + 1
        here, next_same, next_more = (
            self._at_least(k, j),
            self._at_least(k + 1, j),
            self._at_least(k + 1, j + 1),
        )
        self._add([(False, here), (True, next_same)])
        self._add([(False, next_more), (True, here)])
        self._add([(False, here), (True, next_more)], [-cell])
        self._add([(True, here), (False, next_same)], [cell])
        self._add([(False, self._at_least(k, j + 1)), (True, here)])
        if k + self._window <= self._length:
            self._add([(False, here), (True, self._at_least(k + self._window, j + 1))])
            more = self._at_least(k + self._window, j + self._window)
            self._add([(False, more), (True, self._at_least(k, j + 1))])

    def _at_least(self, k: int, j: int) -> int | bool:
        """The variable, or its value if it is a constant."""
        left, window = self._length - k, self._window
        if j <= max(k // window, self._fewest - (left - left // window)):
            return True
        if j > min(k - k // window, self._most - left // window):
            return False
        return self.variables.setdefault((k, j), self._length + 1 + len(self.variables))

    def _add(self, signed: list[tuple[bool, int | bool]], cells: list[int] | None = None) -> None:
        """Add a clause of literals, each a sign and a variable or constant, and of cells."""
        clause = list(cells or [])
        for sign, variable in signed:
            if isinstance(variable, bool):
                if variable == sign:
                    return
            else:
                clause.append(variable if sign else -variable)
        self.clauses.append(clause)
