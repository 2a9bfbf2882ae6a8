"""The line format: one puzzle per line, row by row, followed by a blank and a name.

::

    .1..0...1..0.... easy-1
    2x6:01....1..0.1 a rectangle

Without ``HxW:`` the board is a square. A name that consists of the same number of cells is then
refused, since it could be the next row. After a size, blanks between cells are ignored. The format
contains boards and ids, but no rules, and can't express signs. Lines that begin with ``#`` are
comments.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import cast

from binairo_cp.errors import BoardError, FormatError
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import Entry, one_line, rules_for
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.grids import first_wrong
from binairo_cp.puzzle.rules import Puzzle, Rules

COMMENT = "#"

_EXPECTED = f"{grids.EXPECTED}, of a square board or after its HEIGHTxWIDTH:"
_WORD = re.compile(r"\S+")


def read(line: TextLine, source: str, default_rules: Rules | None) -> Entry:
    """Parse a line.

    Args:
        line: the line, which is not blank and not a comment.
        source: the name of the file.
        default_rules: the rules; None for classic.
    """
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    size, start = grids.stated_size(line.text)
    end = _end_of_cells(line.text, start, size)
    name = line.text[end:].strip() or None
    begin = len(line.text) - len(line.text.lstrip())
    try:
        board = _board(line.text[start:end], size, name)
        return Entry(Puzzle(board, rules_for((), default_rules)), None, name, source, line.number)
    except FormatError as error:
        message, expected = error.message, error.expected
        column = begin + 1 if error.column is None else start + error.column
    except BoardError as error:
        message, expected, column = str(error), _EXPECTED, begin + 1
    fault = FormatError(message, source=source, line=line.number, column=column, expected=expected)
    return Entry(None, fault, name, source, line.number)


LINES = LineFormat("line", read, COMMENT, b"01.-_?")


def _end_of_cells(text: str, start: int, size: grids.Shape | None) -> int:
    """The end of the cells: at a blank, or after a size, when the board is complete."""
    end, left = start, size.cells if size else 0
    for word in _WORD.finditer(text, start):
        left -= len(word.group())
        if end > start and (left < 0 or first_wrong(word.group()) is not None):
            break
        end = word.end()
    return end


def _board(marks: str, size: grids.Shape | None, name: str | None) -> Board:
    cells = "".join(marks.split())
    if (wrong := first_wrong(cells)) is not None:
        column = marks.index(cells[wrong]) + 1
        raise FormatError(f"{cells[wrong]!r} is not a cell", column=column, expected=_EXPECTED)
    if size is None:
        size = _square(cells, (name or "").split())
    return Board(*size, grids.normalised(cells))


def _square(cells: str, words: list[str]) -> grids.Shape:
    """The size of a board that does not state it; `words` are the words after the cells."""
    size = grids.square(len(cells))
    if size is None:
        raise FormatError(f"{len(cells)} cells do not make a square", expected=_EXPECTED)
    more = sum(1 for _ in takewhile(lambda word: looks_like_more(cells, word), words))
    if more:
        other = grids.Shape(1 + more, len(cells))
        raise FormatError(
            f"{len(cells)} cells and as many again: a {size} board and a name, or a {other} board",
            expected=f"the size before the cells: {size}: or {other}:",
        )
    return size


def looks_like_more(cells: str, name: str) -> bool:
    """Whether the name after the cells could also be cells: the next row, or a solution."""
    if len(name) < len(cells):
        return False
    word = name.split(maxsplit=1)[0]
    return len(word) == len(cells) and first_wrong(word) is None


def write(entry: Entry) -> str:
    """Write a puzzle as a line, without its rules.

    Raises:
        FormatError: the puzzle has signs, or an id that can't be written on one line.
    """
    puzzle = cast("Puzzle", entry.puzzle)
    if puzzle.signs:
        raise FormatError("the line format can't hold signs", expected="text, json or ndjson")
    board = puzzle.board
    is_clear = board.height == board.width and not looks_like_more(board.cells, entry.id or "")
    size = "" if is_clear else f"{board.height}x{board.width}:"
    return f"{size}{board.cells}{'' if entry.id is None else f' {one_line(entry.id)}'}\n"
