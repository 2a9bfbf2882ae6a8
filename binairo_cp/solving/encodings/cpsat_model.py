"""Translate constraints to a CP-SAT model: a Boolean per cell, sums for balance, clauses for runs.

Clues are not constraints: they fix the domains of their cells. So all puzzles of a shape share one
model, which is copied. Distinct lines are posted in one of three ways (docs/encodings.md compares
them):

- ``as needed``: post the constraint for a pair of lines when they are equal in a solution. Few
  pairs matter.
- ``codes``: each line is a binary number, and all numbers of a direction are different.
- ``differences``: for each pair of lines, a Boolean per place is true if they differ there.

`_Shape` uses the API of CP-SAT. What is added for one puzzle edits the protocol buffer of the
model, since with the API it takes 0.33 ms instead of 0.11 for a 10x10, whose search takes 1.65 ms.
There a variable is its index, here the place of its cell, and `_negated` is a negative literal.
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
    clue_constraints,
    column_places,
    comparisons,
    equal_lines,
    row_places,
    shape_constraints,
    sign_constraint,
)

DISTINCT = ("codes", "differences")
"""The encodings of distinct lines that a user can choose."""

AS_NEEDED = "as needed"

CODES_UP_TO = 14
"""The maximum length for which ``codes`` is faster than ``differences`` (docs/encodings.md)."""

AS_NEEDED_FROM = 13
"""The minimum length for which ``as needed`` proves uniqueness faster than ``codes``."""

MAX_DIFFERENCES = 2_000_000
"""The maximum number of difference Booleans in a model: about 1 GB, for a board of 125x125."""

MAX_CODE_BITS = 20
"""The maximum length for ``codes``. When CP-SAT imports the model, it lists the possible values of
the code of a line with clues: up to 2^(n/2). Neither the time limit nor a signal stops this. From
28 cells on it took minutes and gigabytes; up to 20 cells it was not noticeable."""

_LARGEST_CACHED = 64
"""The maximum side of boards whose model without distinct lines is cached for the next puzzle of
the same shape. Models with distinct lines are cached up to `CODES_UP_TO`."""


class Model:
    """The model of a puzzle.

    Args:
        puzzle: the puzzle.
        distinct: a name in `DISTINCT`, or `AS_NEEDED`; None chooses by the size of the board.
        check_clock: called regularly; it may raise an exception to stop.

    Attributes:
        model: the CP-SAT model; the variables of the cells come first, row by row.

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
        for clue in clue_constraints(board):
            # The domain is [0, 1]: a clue 1 raises the lower end, a clue 0 lowers the upper one.
            variables[clue.place].domain[1 - clue.value] = clue.value
        self._open = [place for place, value in enumerate(board.cells) if value not in "01"]
        self._cells = board.cells
        self.size = len(board.cells)
        for sign in puzzle.signs:
            # x is an exclusive or; = is an exclusive or with the second cell negated.
            related = sign_constraint(sign, board.width)
            second = _negated(related.second) if related.equal else related.second
            self.model.proto.constraints.add().bool_xor.literals.extend((related.first, second))

    def block(self, values: list[int]) -> None:
        """Forbid a solution, given by the values of its cells."""
        self._add_clause(_negated(place) if values[place] else place for place in self._open)

    def post_equal_lines(self, values: list[int]) -> bool:
        """Post constraints for lines that are equal in a solution; return whether there are any.

        Only for models with distinct lines ``as needed``.
        """
        pairs = [pair for lines in self._lines for pair in equal_lines(lines, bytes(values))]
        for one, two in pairs:
            self._check_clock()
            # Places where both have the same clue are left out.
            self._add_clause(
                literal
                for first, second in zip(one, two, strict=True)
                for literal in self._difference(first, second)
            )
        return bool(pairs)

    def _difference(self, first: int, second: int) -> Iterable[int]:
        """The literal that is true if two cells differ; none if they can't."""
        if self._cells[first] in "01":
            first, second = second, first
        if self._cells[first] in "01":
            return ()
        if self._cells[second] in "01":
            return (_negated(first) if self._cells[second] == "1" else first,)
        proto = self.model.proto
        differ = len(proto.variables)
        proto.variables.add().domain.extend((0, 1))
        # Defined in both directions: a free variable would let the solver find a board twice.
        proto.constraints.add().bool_xor.literals.extend((first, second, _negated(differ)))
        return (differ,)

    def _add_clause(self, literals: Iterable[int]) -> None:
        self.model.proto.constraints.add().bool_or.literals.extend(literals)


def encoding_for_few(puzzle: Puzzle) -> str:
    """The fastest encoding of distinct lines for finding one or two solutions."""
    board = puzzle.board
    return AS_NEEDED if max(board.height, board.width) >= AS_NEEDED_FROM else "codes"


def _shape_model(
    height: int, width: int, rules: Rules, distinct: str | None, check_clock: Callable[[], None]
) -> cp_model.CpModel:
    """A model of the empty board; the caller may change it."""
    largest = _LARGEST_CACHED if distinct == AS_NEEDED else CODES_UP_TO
    if max(height, width) <= largest:
        model = _CpModel()
        model.proto.copy_from(_cached_model(height, width, rules, distinct).proto)
        return model
    return _Shape(height, width, rules, distinct, check_clock).model


@lru_cache(32)
def _cached_model(height: int, width: int, rules: Rules, distinct: str | None) -> cp_model.CpModel:
    return _Shape(height, width, rules, distinct, lambda: None).model


class _CpModel(cp_model.CpModel):
    """A model without deprecated method names; adding them takes as long as a small puzzle."""

    def _add_pre_pep8_methods(self) -> None:
        pass


class _Shape:
    """Builds the model of an empty board: everything except clues and signs."""

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
        if choice != "codes" or length > MAX_CODE_BITS:
            self._post_differences(constraint)
            return
        powers = [1 << power for power in range(length)]
        lines = ([self._cells[place] for place in line] for line in constraint.lines)
        self.model.add_all_different(
            [cp_model.LinearExpr.weighted_sum(cells, powers) for cells in lines]
        )

    def _post_differences(self, constraint: Distinct) -> None:
        for one, two in combinations(constraint.lines, 2):
            self._check_clock()
            differ = [self.model.new_bool_var("") for _ in one]
            for helper, first, second in zip(differ, one, two, strict=True):
                # Defined in both directions, or else the solver would find boards twice.
                same = [self._cells[first], self._cells[second]]
                self.model.add_bool_xor([*same, helper.negated()])
            self.model.add_bool_or(differ)


def _negated(variable: int) -> int:
    """The literal of a protocol buffer that is true if a variable is false."""
    return -variable - 1


def _refuse_too_large(puzzle: Puzzle) -> None:
    differences, board = comparisons(puzzle), puzzle.board
    if differences > MAX_DIFFERENCES:
        raise BackendSizeError(
            f"cpsat would need {differences:,} variables for the distinct lines of a board of "
            f"{board.height}x{board.width}, but at most {MAX_DIFFERENCES:,} are allowed; use pysat"
        )
