"""Constraints as a CP-SAT model: a Boolean for each cell, sums for balance, clauses for triples.

Clues are not constraints: they fix the domains of their cells, so all puzzles of a shape share one
model, which is copied. Distinct lines are posted in one of three ways (docs/encodings.md compares
them):

- ``as needed``: a pair of lines is posted when a solution has the two equal. Few pairs ever matter.
- ``codes``: each line is a binary number, and all numbers of a direction differ.
- ``differences``: a Boolean for each place of each pair of lines says whether they differ there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, singledispatchmethod
from itertools import combinations

from ortools.sat.python import cp_model

from binairo_cp.errors import BackendSizeError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.constraints import (
    Balanced,
    Distinct,
    NotAllSame,
    Places,
    Related,
    column_places,
    givens,
    related,
    row_places,
    shape_constraints,
)

DISTINCT = ("codes", "differences")
"""The encodings of distinct lines that a user can choose."""

AS_NEEDED = "as needed"

CODES_UP_TO = 14
"""The longest line for which ``codes`` is faster than ``differences`` (docs/encodings.md)."""

AS_NEEDED_FROM = 13
"""From this length of a line on, ``as needed`` proves uniqueness faster than ``codes``."""

MAX_DIFFERENCES = 2_000_000
"""How many difference Booleans a model may have: about 1 GB, and a board of 125x125."""

MAX_CODE_BITS = 20
"""The longest line that ``codes`` takes. CP-SAT lists the values that the code of a line with clues
can have when it imports the model. There are up to 2^(n/2) of them, and neither the time limit nor
a signal ends that: from 28 cells on it took minutes and gigabytes, with 20 it was never noticed."""

_LARGEST_KEPT = 64
"""The longest side of boards whose model without distinct lines is kept for the next puzzle of the
same shape. With distinct lines it is kept up to `CODES_UP_TO`."""


class Model:
    """The model of a puzzle.

    Args:
        puzzle: any puzzle.
        distinct: a name of `DISTINCT`, or `AS_NEEDED`; None chooses an encoding by the size of the
            board.
        check_clock: is called now and then, and may raise.

    Attributes:
        model: the CP-SAT model; the variables of the cells come first, row by row.
        size: how many cells there are.

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
        self._check_clock = check_clock
        self._lines: tuple[tuple[Places, ...], ...] = ()
        if distinct != AS_NEEDED:
            _refuse_too_large(puzzle)
        elif puzzle.rules.distinct_lines:
            self._lines = row_places(board), column_places(board)
        self.model = _shape_model(board.height, board.width, puzzle.rules, distinct, check_clock)
        variables = self.model.proto.variables
        for clue in givens(board):
            variables[clue.place].domain[1 - clue.value] = clue.value
        self._open = [place for place, value in enumerate(board.cells) if value not in "01"]
        self._cells = board.cells
        self.size = len(board.cells)
        for sign in puzzle.signs:
            _post_related(self.model, related(sign, board.width))

    def block(self, values: list[int]) -> None:
        """Forbid one solution, given by the values of the cells."""
        self._add_clause(-place - 1 if values[place] else place for place in self._open)

    def post_equal_lines(self, values: list[int]) -> bool:
        """Post each pair of lines that must differ and are equal; whether there was one.

        Only for a model with distinct lines as needed.
        """
        pairs = [pair for lines in self._lines for pair in _equal_pairs(lines, values)]
        for one, two in pairs:
            self._check_clock()
            self._post_pair(one, two)
        return bool(pairs)

    def _post_pair(self, one: Places, two: Places) -> None:
        """Two lines differ. A place is left out if both lines have the same clue there."""
        self._add_clause(
            literal
            for first, second in zip(one, two, strict=True)
            for literal in self._difference(first, second)
        )

    def _difference(self, first: int, second: int) -> Iterable[int]:
        """The literal that is true if two cells differ; none if they can't."""
        if self._cells[first] in "01":
            first, second = second, first
        if self._cells[first] in "01":
            return ()
        if self._cells[second] in "01":
            return (-first - 1 if self._cells[second] == "1" else first,)
        proto = self.model.proto
        differ = len(proto.variables)
        proto.variables.add().domain.extend((0, 1))
        # Defined both ways: a free helper would let the solver find a board twice.
        proto.constraints.add().bool_xor.literals.extend((first, second, -differ - 1))
        return (differ,)

    def _add_clause(self, literals: Iterable[int]) -> None:
        self.model.proto.constraints.add().bool_or.literals.extend(literals)


def _equal_pairs(lines: tuple[Places, ...], values: list[int]) -> list[tuple[Places, Places]]:
    seen: dict[tuple[int, ...], Places] = {}
    pairs = []
    for line in lines:
        first = seen.setdefault(tuple(values[place] for place in line), line)
        if first is not line:
            pairs.append((first, line))
    return pairs


def encoding_for_few(puzzle: Puzzle) -> str:
    """The fastest encoding of distinct lines for one or two solutions."""
    board = puzzle.board
    return AS_NEEDED if max(board.height, board.width) >= AS_NEEDED_FROM else "codes"


def _shape_model(
    height: int, width: int, rules: Rules, distinct: str | None, check_clock: Callable[[], None]
) -> cp_model.CpModel:
    """A model of the empty board, to be changed by its caller."""
    largest = _LARGEST_KEPT if distinct == AS_NEEDED else CODES_UP_TO
    if max(height, width) <= largest:
        model = _CpModel()
        model.proto.copy_from(_kept_model(height, width, rules, distinct).proto)
        return model
    return _Shape(height, width, rules, distinct, check_clock).model


@lru_cache(32)
def _kept_model(height: int, width: int, rules: Rules, distinct: str | None) -> cp_model.CpModel:
    return _Shape(height, width, rules, distinct, lambda: None).model


class _CpModel(cp_model.CpModel):
    """A model without the names that methods had before, which take as long as a small puzzle."""

    def _add_pre_pep8_methods(self) -> None:
        pass


class _Shape:
    """The model of an empty board: everything but clues and signs."""

    def __init__(
        self,
        height: int,
        width: int,
        rules: Rules,
        distinct: str | None,
        check_clock: Callable[[], None],
    ) -> None:
        self.model = cp_model.CpModel()
        self._cells = [self.model.new_bool_var("") for _ in range(height * width)]
        self._distinct = distinct
        self._check_clock = check_clock
        for constraint in shape_constraints(Puzzle(Board.empty(height, width), rules)):
            check_clock()
            self._post(constraint)

    @singledispatchmethod
    def _post(self, constraint: object) -> None:
        raise TypeError(f"no CP-SAT constraint for {type(constraint).__name__}")

    @_post.register
    def _(self, constraint: NotAllSame) -> None:
        cells = [self._cells[place] for place in constraint.places]
        self.model.add_bool_or(cells)
        self.model.add_bool_or([cell.negated() for cell in cells])

    @_post.register
    def _(self, constraint: Balanced) -> None:
        length = len(constraint.places)
        ones = cp_model.LinearExpr.sum([self._cells[place] for place in constraint.places])
        domain = cp_model.Domain.from_values([(length + more) // 2 for more in constraint.surplus])
        self.model.add_linear_expression_in_domain(ones, domain)

    @_post.register
    def _(self, constraint: Distinct) -> None:
        if self._distinct == AS_NEEDED:
            return
        length = len(constraint.lines[0])
        choice = self._distinct or ("codes" if length <= CODES_UP_TO else "differences")
        if choice == "codes" and length <= MAX_CODE_BITS:
            self._post_codes(constraint)
        else:
            self._post_differences(constraint)

    def _post_codes(self, constraint: Distinct) -> None:
        codes = [
            cp_model.LinearExpr.weighted_sum(
                [self._cells[place] for place in line], [1 << power for power in range(len(line))]
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
                same = [self._cells[first], self._cells[second]]
                self.model.add_bool_xor([*same, each.negated()])
            self.model.add_bool_or(differ)


def _post_related(model: cp_model.CpModel, constraint: Related) -> None:
    """A sign: x is an exclusive or, = one with the second cell negated."""
    second = -constraint.second - 1 if constraint.equal else constraint.second
    model.proto.constraints.add().bool_xor.literals.extend((constraint.first, second))


def _refuse_too_large(puzzle: Puzzle) -> None:
    height, width = puzzle.board.height, puzzle.board.width
    differences = height * width * (height + width - 2) // 2
    if puzzle.rules.distinct_lines and differences > MAX_DIFFERENCES:
        raise BackendSizeError(
            f"cpsat would need {differences:,} variables for the distinct lines of a "
            f"{height}x{width} board, at most {MAX_DIFFERENCES:,} are allowed; use pysat"
        )
