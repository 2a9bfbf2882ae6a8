"""Constraints as a CP-SAT model: a Boolean for each cell, sums for balance, clauses for triples.

Distinct lines has two encodings: ``codes`` reads each line as a binary number and lets all numbers
of a direction differ; ``differences`` has a Boolean for each place of each pair of lines. The
first makes small models, the second propagates better on large boards (docs/encodings.md) and is
used for lines longer than `MAX_CODE_BITS` in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatchmethod
from itertools import combinations

from ortools.sat.python import cp_model

from binairo_cp.errors import BackendSizeError
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import (
    Balanced,
    Distinct,
    Given,
    NotAllSame,
    Related,
    constraints,
)

DISTINCT = ("codes", "differences")

CODES_UP_TO = 14
"""The longest line for which ``codes`` is the faster choice (measured: docs/encodings.md)."""

MAX_DIFFERENCES = 2_000_000
"""How many difference Booleans a model may have: about 1 GB, and a board of 125x125."""

MAX_CODE_BITS = 20
"""The longest line that ``codes`` takes. CP-SAT lists the values that the code of a line with clues
can have when it imports the model. There are up to 2^(n/2) of them, and neither the time limit nor
a signal ends that: from 28 cells on it took minutes and gigabytes, with 20 it was never noticed."""


class Model:
    """The model of a puzzle.

    Args:
        puzzle: any puzzle.
        distinct: a name of `DISTINCT`; None takes one by the size of the board.
        check_clock: is called now and then, and may raise.

    Attributes:
        model: the CP-SAT model.
        cells: the variables of the cells, row by row.

    Raises:
        BackendSizeError: the model would be too large for memory.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        distinct: str | None = None,
        check_clock: Callable[[], None] = lambda: None,
    ) -> None:
        board = puzzle.board
        _refuse_too_large(puzzle)
        self.model = cp_model.CpModel()
        self.cells = [
            self.model.new_bool_var(str(board.cell(place))) for place in range(len(board.cells))
        ]
        self._distinct = distinct
        self._check_clock = check_clock
        for constraint in constraints(puzzle):
            check_clock()
            self._post(constraint)

    def block(self, values: list[int]) -> None:
        """Forbid one solution, given by the values of the cells."""
        pairs = zip(self.cells, values, strict=True)
        self.model.add_bool_or([cell.negated() if value else cell for cell, value in pairs])

    @singledispatchmethod
    def _post(self, constraint: object) -> None:
        raise TypeError(f"no CP-SAT constraint for {type(constraint).__name__}")

    @_post.register
    def _(self, constraint: Given) -> None:
        self.model.add(self.cells[constraint.place] == constraint.value)

    @_post.register
    def _(self, constraint: NotAllSame) -> None:
        cells = [self.cells[place] for place in constraint.places]
        self.model.add_bool_or(cells)
        self.model.add_bool_or([cell.negated() for cell in cells])

    @_post.register
    def _(self, constraint: Balanced) -> None:
        length = len(constraint.places)
        ones = cp_model.LinearExpr.sum([self.cells[place] for place in constraint.places])
        domain = cp_model.Domain.from_values([(length + more) // 2 for more in constraint.surplus])
        self.model.add_linear_expression_in_domain(ones, domain)

    @_post.register
    def _(self, constraint: Related) -> None:
        first, second = self.cells[constraint.first], self.cells[constraint.second]
        self.model.add(first == second if constraint.equal else first != second)

    @_post.register
    def _(self, constraint: Distinct) -> None:
        length = len(constraint.lines[0])
        choice = self._distinct or ("codes" if length <= CODES_UP_TO else "differences")
        if choice == "codes" and length <= MAX_CODE_BITS:
            self._post_codes(constraint)
        else:
            self._post_differences(constraint)

    def _post_codes(self, constraint: Distinct) -> None:
        codes = [
            cp_model.LinearExpr.weighted_sum(
                [self.cells[place] for place in line], [1 << power for power in range(len(line))]
            )
            for line in constraint.lines
        ]
        self.model.add_all_different(codes)

    def _post_differences(self, constraint: Distinct) -> None:
        for one, two in combinations(constraint.lines, 2):
            self._check_clock()
            differ = [self.model.new_bool_var("") for _ in one]
            for each, first, second in zip(differ, one, two, strict=True):
                # Defined both ways: a free helper would make the solver enumerate boards twice.
                same = [self.cells[first], self.cells[second]]
                self.model.add_bool_xor([*same, each.negated()])
            self.model.add_bool_or(differ)


def _refuse_too_large(puzzle: Puzzle) -> None:
    height, width = puzzle.board.height, puzzle.board.width
    differences = height * width * (height + width - 2) // 2
    if puzzle.rules.distinct_lines and differences > MAX_DIFFERENCES:
        raise BackendSizeError(
            f"cpsat would need {differences:,} variables for the distinct lines of a "
            f"{height}x{width} board, at most {MAX_DIFFERENCES:,} are allowed; use pysat"
        )
