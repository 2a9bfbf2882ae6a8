"""What readers get and give: choices of the user; a puzzle, or the error that takes its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from binairo_cp.errors import BinairoError, FormatError, WrongSolution
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import Puzzle, violations

if TYPE_CHECKING:
    from binairo_cp.formats.schema import PictureRecord

AUTO = "auto"

PUZZLE_KEYS = (
    *("puzzle", "task", "clues", "grid", "board", "field"),
    *("problem", "question", "givens", "quizzes", "cells", "initial", "state"),
)
"""The names of boards in objects and in columns of tables of other programs."""

SOLUTION_KEYS = ("solution", "solutions", "answer")
LEVEL_KEYS = ("level", "difficulty", "grade")
NAME_KEYS = ("id", "name", "title", "number")
HEIGHT_KEYS, WIDTH_KEYS = ("height", "rows"), ("width", "cols", "columns")
KEYS = {*PUZZLE_KEYS, *SOLUTION_KEYS, *LEVEL_KEYS, *NAME_KEYS, *HEIGHT_KEYS, *WIDTH_KEYS, "size"}
"""All keys of such objects that matter to a reader of puzzles, or to an audit."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user states about a text.

    Attributes:
        format: its format, or ``auto``.
        symbols: the symbols of 0, 1 and open cells, as in `cells.stated_symbols`.
    """

    format: str = AUTO
    size: Size | None = None
    symbols: str | None = None

    @property
    def is_stated(self) -> bool:
        """Whether a board of any size is plausible."""
        return self.format != AUTO or self.size is not None


AUTOMATIC = Choices()


@dataclass(frozen=True, slots=True, repr=False)
class Entry(Brief):
    """A result of a reader: either `puzzle` or `error` is set.

    Attributes:
        puzzle: the puzzle.
        error: the reason why there is no puzzle.
        id: the name of the puzzle in the source.
        source: the name of the file, ``-`` for standard input.
        line: the first line of the puzzle, counted from 1.
        picture: what was read from a picture, if it comes from one.
        level: the level that a JSON document or a table states, as it is written.
        states_rules: whether the source says which rules the puzzle has.
    """

    puzzle: Puzzle | None = None
    error: BinairoError | None = None
    id: str | None = None
    source: str = ""
    line: int | None = None
    picture: PictureRecord | None = None
    level: str | None = None
    states_rules: bool = False

    def _brief(self) -> str:
        return str(self.error) if self.puzzle is None else self.id or ""

    def _repr_html_(self) -> str:
        """The id, and the puzzle or the error, for notebooks."""
        return headed(self._brief()) + (self.puzzle._repr_html_() if self.puzzle else "")


def level_of(fields: Mapping[str, Any]) -> str | None:
    """The level in a record with keys in lower case, as it is written."""
    level = next((fields[key] for key in LEVEL_KEYS if fields.get(key) is not None), None)
    if isinstance(level, dict):
        level = level.get("level")
    is_level = isinstance(level, str | int | float) and not isinstance(level, bool)
    return str(level).strip() or None if is_level else None


def one_line(id: str) -> str:
    """Check that an id survives being written on a line of text and read again.

    Raises:
        FormatError: it is empty, begins or ends with a blank, or contains a line break or NUL.
    """
    if not id or id.strip() != id or any(mark in id for mark in "\n\r\0"):
        raise FormatError(f"a line can't hold the id {id!r}")
    return id


def stated_puzzle(entry: Entry) -> Puzzle | None:
    """The puzzle of an entry, also if the solution beside it is wrong."""
    puzzle = entry.error.puzzle if isinstance(entry.error, WrongSolution) else entry.puzzle
    return puzzle if isinstance(puzzle, Puzzle) else None


def without_signs(entry: Entry, what: str) -> Puzzle:
    """The puzzle of an entry, for a format that has no signs.

    Raises:
        FormatError: it has signs.
    """
    puzzle = cast("Puzzle", entry.puzzle)
    if puzzle.signs:
        raise FormatError(f"{what} can't hold signs", expected="text, json or ndjson")
    return puzzle


def placed(
    error: FormatError, source: str, line: int | None, column: int | None = None
) -> FormatError:
    """The same error with a place; its own column if there is no other."""
    column = column or error.column
    return FormatError(
        error.message, source=source, line=line, column=column, expected=error.expected
    )


def with_solution(entry: Entry, solution: str) -> Entry:
    """The entry, or an error if the solution that its text gives does not solve the puzzle."""
    puzzle = entry.puzzle
    if puzzle is None or not (problem := wrong_with(puzzle, solution)):
        return entry
    error = WrongSolution(problem, puzzle, entry.source, entry.line)
    return replace(entry, puzzle=None, error=error)


def wrong_with(puzzle: Puzzle, solution: str) -> str:
    """What is wrong with a solution, given row by row; empty if it solves the puzzle."""
    board = puzzle.board
    if len(solution) != len(board.cells) or set(solution) - {"0", "1"}:
        return f"it is not a full {board.height}x{board.width} board"
    pairs = enumerate(zip(board.cells, solution, strict=True))
    if wrong := [number for number, pair in pairs if pair[0] not in (OPEN, pair[1])]:
        row, column = divmod(wrong[0], board.width)
        value = solution[wrong[0]]
        return f"r{row + 1}c{column + 1} is {value}, the clue {board[row, column]}"
    broken = violations(puzzle, Board(board.height, board.width, solution))
    return str(broken[0]) if broken else ""
