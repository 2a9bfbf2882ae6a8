"""Constraints as clauses: the CNF of a puzzle.

The variable of cell (r, c) is ``r * width + c + 1``, true for 1; helper variables follow. Each
helper is defined in both directions, so that it is a function of the cells and the CNF has exactly
as many models as the puzzle has solutions, if the encoding of balance keeps to that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatchmethod
from itertools import combinations
from typing import Literal

from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import (
    Balanced,
    Blocked,
    Distinct,
    Given,
    NotAllSame,
    Places,
    Related,
    constraints,
)

Clause = list[int]

VERSION: Literal[1] = 1
"""Goes up when the clauses under `OWN_BALANCE` change: certificates are about these clauses."""


@dataclass(frozen=True, slots=True)
class BalanceEncoding:
    """A way to say how many of a line's cells are 1.

    `pysat`: its name among PySAT's encodings; None for one of our own.
    `count_preserving`: its helpers are functions of the cells.
    """

    pysat: str | None
    count_preserving: bool


OWN_BALANCE = "grid"
"""The encoding that is ours, and so stays the same whatever version of PySAT there is."""

BALANCE = {
    OWN_BALANCE: BalanceEncoding(None, True),
    "seqcounter": BalanceEncoding("seqcounter", True),
    "mtotalizer": BalanceEncoding("mtotalizer", True),
    "kmtotalizer": BalanceEncoding("kmtotalizer", True),
    "totalizer": BalanceEncoding("totalizer", False),
    "sortnetwrk": BalanceEncoding("sortnetwrk", False),
    "cardnetwrk": BalanceEncoding("cardnetwrk", False),
}
"""The encodings of balance by name. Measured: docs/encodings.md."""

DEFAULT_BALANCE = OWN_BALANCE

_TRUE = 1 << 62
_FALSE = -_TRUE


class Encoder:
    """Translates constraints into clauses, and hands out the helper variables.

    Args:
        cells: how many cells the board has; their variables are 1 to `cells`.
        balance: a name of `BALANCE`.

    Attributes:
        top: the highest variable in use.
    """

    def __init__(self, cells: int, balance: str = DEFAULT_BALANCE) -> None:
        self.top = cells
        self._balance = BALANCE[balance].pysat

    def new_variable(self) -> int:
        """A variable that nothing uses yet."""
        self.top += 1
        return self.top

    @singledispatchmethod
    def clauses(self, constraint: object) -> Iterable[Clause]:
        """The clauses of a constraint; a kind that has none here fails loudly."""
        raise TypeError(f"no clauses for {type(constraint).__name__}")

    @clauses.register
    def _(self, constraint: Given) -> Iterable[Clause]:
        return [[literal(constraint.place, constraint.value)]]

    @clauses.register
    def _(self, constraint: NotAllSame) -> Iterable[Clause]:
        variables = [place + 1 for place in constraint.places]
        return [variables, [-variable for variable in variables]]

    @clauses.register
    def _(self, constraint: Balanced) -> Iterable[Clause]:
        variables = [place + 1 for place in constraint.places]
        if len(constraint.surplus) == 2:
            # A line of odd length whose symbols differ by one is a balanced line of even length
            # whose last cell is off the board: the helper is the symbol that it has one less of.
            variables.append(self.new_variable())
            ones = len(variables) // 2
        else:
            ones = (len(variables) + constraint.surplus[0]) // 2
        if self._balance is None:
            return exactly(variables, ones, self.new_variable)
        return self._exactly_by_pysat(variables, ones, self._balance)

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

    def _exactly_by_pysat(self, variables: list[int], ones: int, name: str) -> list[Clause]:
        # Imported here, since our own encoding serves without it.
        from pysat.card import CardEnc, EncType

        encoded = CardEnc.equals(
            lits=variables, bound=ones, top_id=self.top, encoding=getattr(EncType, name)
        )
        self.top = max(self.top, encoded.nv)
        return list(encoded.clauses)

    def different(self, one: Places, two: Places) -> Iterator[Clause]:
        """The clauses by which two lines differ in at least one place."""
        helpers = [self.new_variable() for _ in one]
        for helper, first, second in zip(helpers, one, two, strict=True):
            yield from exclusive_or(helper, first + 1, second + 1)
        yield helpers


def encode(puzzle: Puzzle, balance: str = DEFAULT_BALANCE) -> tuple[int, list[Clause]]:
    """The CNF of a puzzle: its number of variables, and its clauses."""
    encoder = Encoder(len(puzzle.board.cells), balance)
    clauses = [clause for each in constraints(puzzle) for clause in encoder.clauses(each)]
    return encoder.top, clauses


def exactly(variables: list[int], ones: int, new_variable: Callable[[], int]) -> Iterator[Clause]:
    """The clauses by which so many of the variables are true.

    A path over a grid: each 1 is a step to the right, each 0 a step down. The helper of column j
    and depth z says that the j-th 1 comes before zero number z + 1: that there are at least j ones
    among the first j + z variables. So it depends on variable j + z alone and on two neighbours,
    one of which implies the other; there are ones times zeros helpers.
    """
    zeros = len(variables) - ones
    left = [_TRUE] * (zeros + 1)
    for column in range(1, ones + 1):
        helpers = [new_variable() for _ in range(zeros)]
        # As there are no more zeros than that, the lowest of each column is true.
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
    """A clause without constants, unless it is true anyway."""
    return [] if _TRUE in clause else [[each for each in clause if each != _FALSE]]


def literals(values: str) -> list[int]:
    """The literals that say what a full board is, from its cells."""
    return [literal(place, int(value)) for place, value in enumerate(values)]


def literal(place: int, value: int) -> int:
    """The literal that says that a cell has a value."""
    return place + 1 if value else -(place + 1)


def exclusive_or(helper: int, first: int, second: int) -> list[Clause]:
    """The clauses by which the helper is true where the two others differ, and only there."""
    return [
        [-helper, first, second],
        [-helper, -first, -second],
        [helper, -first, second],
        [helper, first, -second],
    ]


def blocking_clause(literals: Iterable[int]) -> Clause:
    """The clause that forbids one solution, given by the literals of its cells."""
    return [-each for each in literals]
