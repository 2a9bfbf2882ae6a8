"""Translate constraints to clauses: the CNF of a puzzle.

The variable of cell (r, c) is ``r * width + c + 1``, true for 1. Auxiliary variables follow. Each
is defined in both directions, so it is a function of the cells. Therefore the CNF has exactly as
many models as the puzzle has solutions, if the encoding of balance preserves the count too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import singledispatchmethod
from itertools import combinations
from typing import Literal

from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import (
    Balanced,
    Blocked,
    Clue,
    Distinct,
    NotAllSame,
    Places,
    Related,
    constraints,
)

Clause = list[int]

AtMost = Callable[[list[int], int], None]
"""Tells a solver that at most so many of some literals are true."""

VERSION: Literal[1] = 1
"""Increase this when the clauses with `OWN_BALANCE` change: certificates refer to these clauses."""


OWN_BALANCE = "grid"
"""Our own encoding of balance, the default. It does not depend on the version of PySAT."""

PRESERVING = (OWN_BALANCE, "seqcounter", "mtotalizer", "kmtotalizer")
"""The encodings whose auxiliary variables are functions of the cells."""

BALANCE = (*PRESERVING, "totalizer", "sortnetwrk", "cardnetwrk")
"""How clauses can fix the number of ones in a line: our own encoding, and those of PySAT by their
names there; docs/encodings.md compares them."""

_TRUE = 1 << 62
_FALSE = -_TRUE


class Encoder:
    """Translates constraints to clauses, with an encoding of balance in `BALANCE`.

    The cells have the variables 1 to `cells`.

    Attributes:
        top: the highest variable in use.
    """

    def __init__(self, cells: int, balance: str = OWN_BALANCE) -> None:
        self.top = cells
        self._balance = balance

    def new_variable(self) -> int:
        self.top += 1
        return self.top

    @singledispatchmethod
    def clauses(self, constraint: object) -> Iterable[Clause]:
        """The clauses of a constraint; raise TypeError for an unsupported kind."""
        raise TypeError(f"no clauses for {type(constraint).__name__}")

    @clauses.register
    def _(self, constraint: Clue) -> Iterable[Clause]:
        return [[literal(constraint.place, constraint.value)]]

    @clauses.register
    def _(self, constraint: NotAllSame) -> Iterable[Clause]:
        variables = [place + 1 for place in constraint.places]
        return [variables, [-variable for variable in variables]]

    @clauses.register
    def _(self, constraint: Balanced) -> Iterable[Clause]:
        variables = [place + 1 for place in constraint.places]
        if len(constraint.surplus) == 2:
            # A line of odd length with counts that differ by one is a balanced line of even length
            # whose last cell is off the board. The new variable is the value of that cell.
            variables.append(self.new_variable())
            ones = len(variables) // 2
        else:
            ones = (len(variables) + constraint.surplus[0]) // 2
        if self._balance == OWN_BALANCE:
            return exactly(variables, ones, self.new_variable)
        return self._exactly_by_pysat(variables, ones)

    @clauses.register
    def _(self, constraint: Related) -> Iterable[Clause]:
        first, second = constraint.first + 1, constraint.second + 1
        sign = -1 if constraint.equal else 1
        return [[first, sign * second], [-first, -sign * second]]

    @clauses.register
    def _(self, constraint: Distinct) -> Iterable[Clause]:
        for one, two in combinations(constraint.lines, 2):
            yield from self.different(one, two)

    @clauses.register
    def _(self, constraint: Blocked) -> Iterable[Clause]:
        return [blocking_clause(literals(constraint.values))]

    def _exactly_by_pysat(self, variables: list[int], ones: int) -> list[Clause]:
        # Imported here because our own encoding does not need it.
        from pysat.card import CardEnc, EncType

        encoding = getattr(EncType, self._balance)
        encoded = CardEnc.equals(lits=variables, bound=ones, top_id=self.top, encoding=encoding)
        self.top = max(self.top, encoded.nv)
        return list(encoded.clauses)

    def different(self, one: Places, two: Places) -> Iterator[Clause]:
        """The clauses for: two lines differ in at least one place."""
        helpers = [self.new_variable() for _ in one]
        for helper, first, second in zip(helpers, one, two, strict=True):
            yield from exclusive_or(helper, first + 1, second + 1)
        yield helpers


def encode(puzzle: Puzzle, balance: str = OWN_BALANCE) -> tuple[int, list[Clause]]:
    """The CNF of a puzzle: the number of variables, and the clauses."""
    encoder = Encoder(len(puzzle.board.cells), balance)
    clauses = [
        clause for constraint in constraints(puzzle) for clause in encoder.clauses(constraint)
    ]
    return encoder.top, clauses


def exactly(variables: list[int], ones: int, new_variable: Callable[[], int]) -> Iterator[Clause]:
    """The clauses for: exactly `ones` of the variables are true.

    A line is a path on a grid: each 1 is a step to the right, each 0 a step down. The auxiliary
    variable of column j and depth z is true if the j-th 1 comes before zero number z + 1, that is,
    if there are at least j ones among the first j + z variables. So it depends only on variable
    j + z and on two neighbours, one of which implies the other. There are ones * zeros auxiliary
    variables.
    """
    zeros = len(variables) - ones
    left = [_TRUE] * (zeros + 1)
    for column in range(1, ones + 1):
        helpers = [new_variable() for _ in range(zeros)]
        # There are no more zeros, so the lowest variable of each column is true.
        for depth, helper in enumerate([*helpers, _TRUE]):
            above = helpers[depth - 1] if depth else _FALSE
            variable = variables[column + depth - 1]
            yield from _simplified([-above, helper])
            yield from _simplified([-helper, left[depth]])
            yield from _simplified([-variable, -left[depth], helper])
            yield from _simplified([variable, above, -helper])
        left = [*helpers, _TRUE]
    for depth in range(zeros):
        yield from _simplified([-variables[ones + depth], -left[depth]])


def _simplified(clause: Clause) -> list[Clause]:
    """A clause without constants; no clause if it is always true."""
    return [] if _TRUE in clause else [[term for term in clause if term != _FALSE]]


def literals(values: str) -> list[int]:
    """The literals of the cells of a full board."""
    return [literal(place, int(value)) for place, value in enumerate(values)]


def literal(place: int, value: int) -> int:
    """The literal for: a cell has a value."""
    return place + 1 if value else -(place + 1)


def exclusive_or(helper: int, first: int, second: int) -> list[Clause]:
    """The clauses for: `helper` is true exactly if the other two variables differ."""
    return [
        [-helper, first, second],
        [-helper, -first, -second],
        [helper, -first, second],
        [helper, first, -second],
    ]


def blocking_clause(literals: Iterable[int]) -> Clause:
    """The clause that forbids a solution, given by the literals of its cells."""
    return [-one for one in literals]
