"""The line format: one puzzle a line, row by row, a name after a blank.

::

    .1..0...1..0.... easy-1
    2x6:01....1..0.1 a rectangle

Without ``HxW:`` the board is a square. It holds boards and ids; rules are told apart from it, and a
puzzle with signs can't be written in it. Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import re
from math import isqrt
from typing import cast

from binairo_cp.board import Board
from binairo_cp.errors import BoardError, FormatError
from binairo_cp.formats import cells
from binairo_cp.formats.entry import Entry, one_line, rules_for
from binairo_cp.formats.sources import TextLine
from binairo_cp.rules import Puzzle, Rules

COMMENT = "#"

_SIZE = re.compile(r"([0-9]{1,3})x([0-9]{1,3}):", re.IGNORECASE)


def read(line: TextLine, source: str, asked: Rules | None) -> Entry:
    """The puzzle of a line, with the rules asked for.

    Args:
        line: what is read; not blank and no comment.
        source: the file's name.
        asked: the rules; None for the usual ones.
    """
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    first, *rest = line.text.split(maxsplit=1)
    name = rest[0].rstrip() if rest else ""
    size = _SIZE.match(first)
    height, width = size.groups() if size else (None, None)
    marks = first[size.end() :] if size else first
    begin = line.text.index(first)
    start = begin + len(first) - len(marks)
    try:
        if (wrong := cells.first_wrong(marks)) is not None:
            raise FormatError(f"{marks[wrong]!r} is no cell", column=start + wrong + 1)
        side = isqrt(len(marks))
        if height is None and side * side != len(marks):
            raise FormatError(f"{len(marks)} cells make no square", column=start + 1)
        board = Board(int(height or side), int(width or side), cells.normalised(marks))
    except FormatError as error:
        wrong_at = error.column
        why: BoardError | FormatError = error
    except BoardError as error:
        wrong_at = begin + 1
        why = error
    else:
        puzzle = Puzzle(board, rules_for((), asked))
        return Entry(puzzle, None, name or None, source, line.number)
    expected = f"{cells.EXPECTED}, of a square board or after its HEIGHTxWIDTH:"
    message = why.message if isinstance(why, FormatError) else str(why)
    fault = FormatError(
        message, source=source, line=line.number, column=wrong_at, expected=expected
    )
    return Entry(None, fault, name or None, source, line.number)


def write(entry: Entry) -> str:
    """A puzzle as a line; its rules are not in it.

    Raises:
        FormatError: the puzzle has signs, or an id that is no single line of text.
    """
    puzzle = cast("Puzzle", entry.puzzle)
    if puzzle.signs:
        raise FormatError("the line format can't hold signs", expected="text, json or ndjson")
    board = puzzle.board
    size = "" if board.height == board.width else f"{board.height}x{board.width}:"
    return f"{size}{board.cells}{'' if entry.id is None else f' {one_line(entry.id)}'}\n"
