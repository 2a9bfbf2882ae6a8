"""The constraints of a puzzle, in a few kinds that the encodings translate.

Cells are identified by their index, ``row * width + column``. This module shares no code with
`rules.violations`, so that an error in one of them is caught by the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Sign

Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Clue:
    """A cell has a given value."""

    place: int
    value: int


@dataclass(frozen=True, slots=True)
class NotAllSame:
    """Some of the cells are 0 and some are 1."""

    places: Places


@dataclass(frozen=True, slots=True)
class Balanced:
    """A line is balanced. `surplus` lists the allowed values of (number of 1) - (number of 0).

    It is ``(0,)`` for lines of even length; ``(1,)``, ``(-1,)`` or both for lines of odd length.
    """

    places: Places
    surplus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """No two of the lines are equal. All have the same length."""

    lines: tuple[Places, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """Two cells are equal, or opposite."""

    first: int
    second: int
    equal: bool


@dataclass(frozen=True, slots=True)
class Blocked:
    """The solution differs from this board (a blocking clause).

    `values` contains the symbol of each cell, row by row.
    """

    values: str


Constraint = Clue | NotAllSame | Balanced | Distinct | Related | Blocked

_SURPLUS = {"either": (-1, 1), "ones": (1,), "zeros": (-1,)}


def constraints(puzzle: Puzzle) -> Iterator[Constraint]:
    """All constraints of a puzzle: clues, signs and rules."""
    yield from clue_constraints(puzzle.board)
    for sign in puzzle.signs:
        yield sign_constraint(sign, puzzle.board.width)
    yield from shape_constraints(puzzle)


def shape_constraints(puzzle: Puzzle) -> Iterator[Constraint]:
    """The constraints that depend only on shape and rules: all except clues and signs."""
    rules = puzzle.rules
    rows, columns = row_places(puzzle.board), column_places(puzzle.board)
    window = rules.longest_run + 1
    for line in (*rows, *columns):
        for start in range(len(line) - window + 1):
            yield NotAllSame(line[start : start + window])
        if rules.balanced:
            yield Balanced(line, _SURPLUS[rules.odd] if len(line) % 2 else (0,))
    if rules.distinct_lines:
        yield Distinct(rows)
        yield Distinct(columns)


def clue_constraints(board: Board) -> Iterator[Clue]:
    """The clues of a board."""
    for place, value in enumerate(board.cells):
        if value in "01":
            yield Clue(place, int(value))


def sign_constraint(sign: Sign, width: int) -> Related:
    """The constraint of a sign on a board of this width."""
    first = sign.row * width + sign.column
    return Related(first, first + (1 if sign.direction == "R" else width), sign.relation == "=")


def equal_lines(lines: Iterable[Places], values: bytes) -> Iterator[tuple[Places, Places]]:
    """The pairs of lines that have the same values: the first of them, and each other one."""
    first: dict[bytes, Places] = {}
    for line in lines:
        earlier = first.setdefault(bytes(map(values.__getitem__, line)), line)
        if earlier is not line:
            yield earlier, line


def comparisons(puzzle: Puzzle) -> int:
    """The number of cells that distinct lines compare, for all pairs of lines."""
    height, width = puzzle.board.height, puzzle.board.width
    return height * width * (height + width - 2) // 2 if puzzle.rules.distinct_lines else 0


def row_places(board: Board) -> tuple[Places, ...]:
    """The cell indexes of each row."""
    return tuple(
        tuple(range(row * board.width, (row + 1) * board.width)) for row in range(board.height)
    )


def column_places(board: Board) -> tuple[Places, ...]:
    """The cell indexes of each column."""
    size = board.height * board.width
    return tuple(tuple(range(column, size, board.width)) for column in range(board.width))
