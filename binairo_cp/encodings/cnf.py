"""Constraints as clauses: the CNF of a puzzle.

The variable of cell (r, c) is ``r * width + c + 1``, true for 1; helper variables follow. Each
helper is defined in both directions, so that it is a function of the cells and the CNF has exactly
as many models as the puzzle has solutions, if the encoding of balance keeps to that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatchmethod
from itertools import combinations

from pysat._utils import MainThread
from pysat.card import CardEnc, EncType

from binairo_cp.constraints import (
    Balanced,
    Distinct,
    Given,
    NotAllSame,
    Places,
    Related,
    constraints,
)
from binairo_cp.rules import Puzzle

Clause = list[int]

# In the main thread PySAT puts a handler of its own in the place of Python's, which jumps out of
# the solver in the middle of its work and leaves it in ruins: freeing it crashes the process. No
# call of ours is long, so Python's handler serves.
MainThread.check = staticmethod(lambda: False)


@dataclass(frozen=True, slots=True)
class BalanceEncoding:
    """A way of PySAT's to say how many of a line's cells are 1.

    `count_preserving`: its helpers are functions of the cells.
    """

    pysat: int
    count_preserving: bool


BALANCE = {
    "seqcounter": BalanceEncoding(EncType.seqcounter, True),
    "mtotalizer": BalanceEncoding(EncType.mtotalizer, True),
    "kmtotalizer": BalanceEncoding(EncType.kmtotalizer, True),
    "totalizer": BalanceEncoding(EncType.totalizer, False),
    "sortnetwrk": BalanceEncoding(EncType.sortnetwrk, False),
    "cardnetwrk": BalanceEncoding(EncType.cardnetwrk, False),
}
"""The encodings of balance by name. Measured: docs/encodings.md."""

DEFAULT_BALANCE = "seqcounter"


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
        encoded = CardEnc.equals(
            lits=variables, bound=ones, top_id=self.top, encoding=self._balance
        )
        self.top = max(self.top, encoded.nv)
        return list(encoded.clauses)

    @clauses.register
    def _(self, constraint: Related) -> Iterable[Clause]:
        first, second = constraint.first + 1, constraint.second + 1
        sign = -1 if constraint.equal else 1
        return [[first, sign * second], [-first, -sign * second]]

    @clauses.register
    def _(self, constraint: Distinct) -> Iterable[Clause]:
        for one, two in combinations(constraint.lines, 2):
            yield from self.different(one, two)

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
