"""The rules of a puzzle as a few kinds of constraint, for the encodings to translate.

Cells are numbered by their place on the board, ``row * width + column``, from 0. Nothing here
is shared with `rules.violations`, so that a misreading in one is caught by the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Sign

Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A cell has a value."""

    place: int
    value: int


@dataclass(frozen=True, slots=True)
class NotAllSame:
    """Some of the cells are 0 and some are 1."""

    places: Places


@dataclass(frozen=True, slots=True)
class Balanced:
    """A line has as many 0 as 1; `surplus` is how many more 1 than 0 it may have.

    ``(0,)`` for a line of even length; ``(1,)``, ``(-1,)`` or both for one of odd length.
    """

    places: Places
    surplus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """No two of the lines, all of one length, are the same."""

    lines: tuple[Places, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """Two cells are equal, or opposite."""

    first: int
    second: int
    equal: bool


@dataclass(frozen=True, slots=True)
class Blocked:
    """The board is another one than this: what a blocking clause says.

    `values` has the symbol of each cell, row by row.
    """

    values: str


Constraint = Given | NotAllSame | Balanced | Distinct | Related | Blocked

_SURPLUS = {"either": (-1, 1), "ones": (1,), "zeros": (-1,)}


def constraints(puzzle: Puzzle) -> Iterator[Constraint]:
    """Everything that a solution of the puzzle must keep: the clues, the signs, the rules."""
    yield from givens(puzzle.board)
    for sign in puzzle.signs:
        yield related(sign, puzzle.board.width)
    yield from shape_constraints(puzzle)


def shape_constraints(puzzle: Puzzle) -> Iterator[Constraint]:
    """What all puzzles of the same shape and rules share: everything but clues and signs."""
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


def givens(board: Board) -> Iterator[Given]:
    """The clues of a board."""
    for place, value in enumerate(board.cells):
        if value in "01":
            yield Given(place, int(value))


def related(sign: Sign, width: int) -> Related:
    """A sign of a board of that width."""
    first = sign.row * width + sign.column
    return Related(first, first + (1 if sign.direction == "R" else width), sign.relation == "=")


def row_places(board: Board) -> tuple[Places, ...]:
    """The places of each row."""
    return tuple(
        tuple(range(row * board.width, (row + 1) * board.width)) for row in range(board.height)
    )


def column_places(board: Board) -> tuple[Places, ...]:
    """The places of each column."""
    size = board.height * board.width
    return tuple(tuple(range(column, size, board.width)) for column in range(board.width))
