"""Parse boards: the separators of rows, and the size before the cells.

- Several lines: each line is a row. Blanks within a row are ignored.
- One line: a square, row by row, so 36 cells are 6x6. Blanks may separate all cells. Between groups
  of two or more cells they separate rows, also of rectangles: ``01. ..1`` is 2x3.
- ``HEIGHTxWIDTH:`` before the cells sets the size; then blanks are ignored. A board of a single
  row needs it: ``1x4:01..``.

Ambiguous text is refused: 16 cells in groups of two could be 8x2 or 4x4, and 35 cells on a line
are more likely a square with a missing cell than a single row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple

from binairo_cp.errors import BoardError

OPEN_MARKS = ".-_?"
EXPECTED = "cells of '0' and '1', and '.', '-', '_' or '?' for an open one"
EMPTY_FIELD = "has tabs without a cell between them"
A_MARK = "a mark for each open cell, or the csv format"
SAY_THE_SIZE = "one row per line, or the size before the cells, as in"

LEAST = 16
"""Text of so many cells, or more, is a puzzle if it makes a square. Shorter text could be many
things; the readers name them."""

_SIZE = re.compile(r"\s*([0-9]{1,3})x([0-9]{1,3}):", re.IGNORECASE)
_TO_CELLS = str.maketrans(OPEN_MARKS, "." * len(OPEN_MARKS))
_MARKS = frozenset("01" + OPEN_MARKS)
_NO_BLANKS = str.maketrans("", "", " \t")
_EMPTY_FIELD = re.compile(r"[^ \t] *\t *(\t)")


class Size(NamedTuple):
    """The size of a board. `str` prints it as ``HEIGHTxWIDTH``."""

    height: int
    width: int

    @property
    def cells(self) -> int:
        return self.height * self.width

    def __str__(self) -> str:
        return f"{self.height}x{self.width}"


def first_wrong(text: str) -> int | None:
    """The index of the first character that is not a cell; None if all are cells."""
    return next((place for place, mark in enumerate(text) if mark not in _MARKS), None)


def normalised(text: str) -> str:
    """Cells with ``.`` for all open cells."""
    return text.translate(_TO_CELLS)


def without_blanks(line: str) -> str:
    """A line without blanks and tabs."""
    return line.translate(_NO_BLANKS)


def empty_field(line: str) -> int | None:
    """The index of a second tab without a cell between, as in rows copied from a spreadsheet."""
    match = _EMPTY_FIELD.search(line.rstrip())
    return match and match.start(1)


def stated_size(text: str) -> tuple[Size | None, int]:
    """The size before the cells, if stated, and the index where the cells begin."""
    match = _SIZE.match(text)
    return (Size(int(match[1]), int(match[2])), match.end()) if match else (None, 0)


def square(cells: int) -> Size | None:
    """The square with this number of cells; None if there is none."""
    side = isqrt(cells)
    return Size(side, side) if side * side == cells else None


def parsed(text: str) -> tuple[Size, str]:
    """Parse a board: its size, and its cells with ``.`` for all open cells.

    Raises:
        BoardError: the text is not a board, or is ambiguous.
    """
    lines = [line.removesuffix("\r") for line in text.strip("\r\n\t ").split("\n")]
    size, begin = stated_size(lines[0])
    lines[0] = lines[0][begin:]
    if size and not without_blanks(lines[0]):
        del lines[0]
    rows = [without_blanks(line) for line in lines]
    if rows == [""]:
        raise BoardError(f"no cells; expected {EXPECTED}")
    for number, (line, row) in enumerate(zip(lines, rows, strict=True), 1):
        if not row:
            raise BoardError(f"row {number} is blank; expected the rows of one board")
        if (wrong := first_wrong(row)) is not None:
            raise BoardError(f"{row[wrong]!r} in row {number} is not a cell; expected {EXPECTED}")
        if empty_field(line) is not None:
            raise BoardError(f"row {number} {EMPTY_FIELD}; expected {A_MARK}")
    return shape(lines, size), normalised("".join(rows))


def shape(lines: Sequence[str], size: Size | None) -> Size:
    """Determine the size of a board.

    Args:
        lines: the lines with its cells, none of them blank.
        size: the stated size, if any.

    Raises:
        BoardError: the lines are not a board of the stated size, or are ambiguous.
    """
    if not lines:
        raise BoardError(f"no cells; expected {EXPECTED}")
    if len(lines) == 1:
        return size or _shape_of_words(lines[0].split())
    lengths = [len(without_blanks(line)) for line in lines]
    for number, length in enumerate(lengths, 1):
        if length != lengths[0]:
            raise BoardError(f"row {number} has length {length}, row 1 has length {lengths[0]}")
    actual = Size(len(lines), lengths[0])
    if size not in (None, actual):
        raise BoardError(f"the rows make a board of {actual}, not {size} as stated")
    return actual


def _shape_of_words(words: list[str]) -> Size:
    """Determine the size of a board on one line without a stated size."""
    lengths = {len(word) for word in words}
    cells = sum(map(len, words))
    if len(lengths) > 1:
        raise BoardError(
            f"{cells} cells in groups of {', '.join(map(str, sorted(lengths)))}; "
            "expected blanks between all cells, or between rows of one length"
        )
    flat = square(cells)
    if len(words) == 1 or lengths == {1}:
        if flat is None:
            raise BoardError(
                f"{cells} cells do not make a square; expected {SAY_THE_SIZE} 1x{cells}:"
            )
        return flat
    rows = Size(len(words), len(words[0]))
    if flat not in (None, rows):
        raise BoardError(
            f"{cells} cells in groups of {rows.width} could be {rows} or {flat}; "
            f"expected {SAY_THE_SIZE} {flat}:"
        )
    return rows
