"""Linear constraints over Booleans, as OPB for pseudo-Boolean solvers.

The variable of cell (r, c) is number ``r * width + c + 1``, as in `cnf`. Auxiliary variables
follow. They are functions of the cells, so there are as many models as solutions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatchmethod
from itertools import combinations
from typing import Literal, NamedTuple

from binairo_cp.solving.constraints import Balanced, Blocked, Clue, Distinct, NotAllSame, Related
from binairo_cp.solving.encodings import Export, heading, pieces, refuse_too_large
from binairo_cp.solving.encodings.cnf import Clause, blocking_clause, literals

_SIGNS = {1: "+1", -1: "-1"}


class Linear(NamedTuple):
    """A weighted sum of variables that is at least a bound (>=) or equal to it (=)."""

    terms: list[tuple[int, int]]
    relation: Literal[">=", "="]
    bound: int


class LinearEncoder:
    """Translates constraints to linear constraints. The cells have the variables 1 to `cells`.

    Attributes:
        top: the highest variable in use.
    """

    def __init__(self, cells: int) -> None:
        self.top = cells

    @singledispatchmethod
    def linear(self, constraint: object) -> Iterable[Linear]:
        """Translate a constraint; raise TypeError for an unsupported kind."""
        raise TypeError(f"no linear constraint for {type(constraint).__name__}")

    @linear.register
    def _(self, constraint: Clue) -> Iterable[Linear]:
        return [Linear([(1, constraint.place + 1)], "=", constraint.value)]

    @linear.register
    def _(self, constraint: NotAllSame) -> Iterable[Linear]:
        variables = [place + 1 for place in constraint.places]
        return [_clause(variables), _clause([-variable for variable in variables])]

    @linear.register
    def _(self, constraint: Balanced) -> Iterable[Linear]:
        length = len(constraint.places)
        fewest, most = ((length + constraint.surplus[k]) // 2 for k in (0, -1))
        ones = [(1, place + 1) for place in constraint.places]
        if fewest == most:
            return [Linear(ones, "=", most)]
        zeros = [(-1, place + 1) for place in constraint.places]
        return [Linear(ones, ">=", fewest), Linear(zeros, ">=", -most)]

    @linear.register
    def _(self, constraint: Related) -> Iterable[Linear]:
        first, second = constraint.first + 1, constraint.second + 1
        if constraint.equal:
            return [Linear([(1, first), (-1, second)], "=", 0)]
        return [Linear([(1, first), (1, second)], "=", 1)]

    @linear.register
    def _(self, constraint: Blocked) -> Iterable[Linear]:
        return [_clause(blocking_clause(literals(constraint.values)))]

    @linear.register
    def _(self, constraint: Distinct) -> Iterator[Linear]:
        for one, two in combinations(constraint.lines, 2):
            helpers = range(self.top + 1, self.top + 1 + len(one))
            self.top += len(one)
            for helper, first, second in zip(helpers, one, two, strict=True):
                yield from _exclusive_or(helper, first + 1, second + 1)
            yield _clause(list(helpers))


def _exclusive_or(helper: int, first: int, second: int) -> list[Linear]:
    """The clauses of `cnf.exclusive_or`, written out for speed."""
    return [
        Linear([(-1, helper), (1, first), (1, second)], ">=", 0),
        Linear([(-1, helper), (-1, first), (-1, second)], ">=", -2),
        Linear([(1, helper), (-1, first), (1, second)], ">=", 0),
        Linear([(1, helper), (1, first), (-1, second)], ">=", 0),
    ]


def _clause(clause: Clause) -> Linear:
    """A clause: the sum of its literals is at least 1, where a negated literal is 1 - variable."""
    terms = [(1, term) if term > 0 else (-1, -term) for term in clause]
    return Linear(terms, ">=", 1 - sum(term < 0 for term in clause))


def write_opb(export: Export) -> Iterator[str]:
    """Write OPB with as many models as the puzzle has solutions.

    Raises:
        ExportError: the file would be too large.
    """
    refuse_too_large(export.puzzle)
    comments = heading(export, "*")
    board = export.puzzle.board
    encoder = LinearEncoder(len(board.cells))
    number, texts = pieces(
        (
            _opb_line(linear)
            for constraint in export.constraints()
            for linear in encoder.linear(constraint)
        ),
        export.check_clock,
    )
    # Solvers expect the header in the first line.
    yield f"* #variable= {encoder.top} #constraint= {number}\n"
    yield from comments
    yield f"* cell (r, c), counted from 0, is variable r * {board.width} + c + 1\n"
    yield from texts


def _opb_line(linear: Linear) -> str:
    if len(linear.terms) == 3:  # Nearly all have three terms, and this is faster.
        (a, x), (b, y), (c, z) = linear.terms
        three = f"{_SIGNS[a]} x{x} {_SIGNS[b]} x{y} {_SIGNS[c]} x{z}"
        return f"{three} {linear.relation} {linear.bound} ;\n"
    terms = " ".join([f"{_SIGNS[factor]} x{variable}" for factor, variable in linear.terms])
    return f"{terms} {linear.relation} {linear.bound} ;\n"
