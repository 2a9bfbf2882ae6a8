"""The text format: a grid with one row per line. Blank lines separate puzzles.

::

    # a comment
    id: first-steps
    rules: unruly odd=ones
    signs: r1c1=r1c2 r2c3xr3c3
    0.1.
    ..-?
    . _ 1 0

Header lines are optional. `rules` is the name of a preset, fields of `Rules`, or a preset followed
by fields. `signs` lists pairs of neighbours, counted from 1. Rows are read as described in `grids`:
blanks within a row are ignored, a single line of cells is a square, and a single row is written
``1x4:01..``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.formats.entry import Entry, one_line, placed
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE, Board
from binairo_cp.puzzle.rules import PRESETS, Odd, Puzzle, Rules, Sign, rules_for

HEADER = re.compile(r"\s*(id|rules|signs)\s*:\s*", re.IGNORECASE)
_HEADER = re.compile(r"\s*([A-Za-z_]+)\s*:\s*(.*)")
_SIGN = re.compile(r"r([0-9]{1,3})c([0-9]{1,3})([=x])r([0-9]{1,3})c([0-9]{1,3})", re.IGNORECASE)
_WORD = re.compile(r"[^\s,]+")


def read(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a text; `default_rules` are the rules of puzzles without a rules header.

    A puzzle that can't be read yields an entry with the error. Reading continues after the next
    blank line.
    """
    for block in blocks(source):
        yield from [None] if block is None else entries(block, source.name, default_rules)


def blocks(source: Source, blanks: str | None = None) -> Iterator[list[TextLine] | None]:
    """The lines between blank lines, which have only `blanks`, by default any white space.

    Yields None while a pipe has no data.
    """
    block: list[TextLine] = []
    for line in source.lines():
        if line is None:
            yield None
        elif line.text.strip(blanks) or line.error:
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def entries(lines: Iterable[TextLine], source: str, default_rules: Rules | None) -> Iterator[Entry]:
    """The puzzle of some lines, none of which is blank; none if there are only comments."""
    block = _TextBlock(source, default_rules)
    for line in lines:
        block.take(line)
    return block.entries()


def write(entry: Entry) -> str:
    """Write a puzzle with its header, followed by a blank line.

    Raises:
        FormatError: its id can't be written on one line.
    """
    if "#" in (entry.id or ""):
        raise FormatError(f"the text format can't hold the id {entry.id!r}")
    name = "" if entry.id is None else f"id: {one_line(entry.id)}\n"
    return f"{name}{entry.puzzle}\n\n"


def signs_of(text: str) -> list[Sign]:
    """The signs in a text such as ``r1c1=r1c2 r2c3xr3c3``.

    Raises:
        FormatError: a word is not a sign.
    """
    return [_sign(word) for word in _WORD.finditer(text)]


def _sign(word: re.Match[str]) -> Sign:
    if match := _SIGN.fullmatch(word[0]):
        row, column, other_row, other_column = (int(match[k]) - 1 for k in (1, 2, 4, 5))
        for direction in ("R", "D"):
            sign = Sign(row, column, direction, match[3].lower())  # type: ignore[arg-type]
            if sign.cells[1] == (other_row, other_column):
                return sign
    expected = "a cell, '=' or 'x', and its right or lower neighbour: r1c1=r1c2"
    raise FormatError(f"{word[0]!r} is not a sign", column=word.start() + 1, expected=expected)


def rules_of(text: str) -> Rules:
    """The rules in a text such as ``unruly odd=ones``.

    Raises:
        FormatError: a word is not a rule.
    """
    stated: dict[str, object] = {}
    rules = Rules()
    for number, word in enumerate(_WORD.finditer(text)):
        name, is_field, value = word[0].lower().partition("=")
        try:
            if is_field and name not in stated:
                stated[name] = _FIELDS[name](value)
            elif number == 0 and not is_field:
                rules = PRESETS[name]
            else:
                raise KeyError(name)
        except (KeyError, ValueError) as error:
            expected = f"one of {', '.join(PRESETS)}, or fields like {Rules().stated}"
            message = f"{word[0]!r} is not a rule"
            raise FormatError(message, column=word.start() + 1, expected=expected) from error
    return replace(rules, **stated)  # type: ignore[arg-type]  # each is of its field's type


def _id_of(text: str) -> str:
    if not text:
        raise FormatError("an empty id", column=1, expected="a name")
    return text


_HEADERS: dict[str, Callable[[str], Any]] = {"id": _id_of, "rules": rules_of, "signs": signs_of}


class _TextBlock:
    """Parses the lines of one puzzle."""

    def __init__(self, source: str, default_rules: Rules | None) -> None:
        self._source = source
        self._default_rules = default_rules
        self._first: int | None = None
        self._error: BinairoError | None = None
        self._size: grids.Size | None = None
        self._rows: list[str] = []
        self._stated: dict[str, Any] = {}

    def take(self, line: TextLine) -> None:
        """Parse a line that is not blank."""
        text = line.text.partition("#")[0].rstrip()
        if self._error or not (text or line.error):
            return
        self._first = self._first or line.number
        self._error = line.error
        try:
            if header := _HEADER.match(text):
                self._take_header(header)
            else:
                self._take_row(text)
        except FormatError as error:
            self._error = self._error or placed(error, self._source, line.number)
        except BinairoError as error:
            self._error = self._error or error

    def entries(self) -> Iterator[Entry]:
        """The puzzle, if there were any lines."""
        if self._first is None:
            return
        puzzle, rules = None, self._stated.get("rules")
        try:
            if self._error:
                raise self._error
            if not self._rows:
                raise FormatError("a header without a grid", expected=grids.EXPECTED)
            signs = tuple(self._stated.get("signs", ()))
            shape = grids.shape(self._rows, self._size)
            cells = grids.normalised("".join(map(grids.without_blanks, self._rows)))
            asked = rules or rules_for(signs, self._default_rules)
            puzzle = Puzzle(Board(*shape, cells), asked, signs)
        except FormatError as error:
            self._error = self._error or placed(error, self._source, self._first)
        except BinairoError as error:
            self._error = FormatError(str(error), source=self._source, line=self._first)
        name, where = self._stated.get("id"), (self._source, self._first)
        yield Entry(puzzle, self._error, name, *where, states_rules=rules is not None)

    def _take_row(self, text: str) -> None:
        begin = 0
        if not self._rows and self._size is None:
            self._size, begin = grids.stated_size(text)
        row = grids.without_blanks(text[begin:])
        if not row:
            return
        if (wrong := grids.first_wrong(row)) is not None:
            column = text.index(row[wrong], begin) + 1
            message = f"{row[wrong]!r} is not a cell"
            raise FormatError(message, column=column, expected=grids.EXPECTED)
        if (tab := grids.empty_field(text)) is not None:
            message = f"a row {grids.EMPTY_FIELD}"
            raise FormatError(message, column=tab + 1, expected=grids.A_MARK)
        width = len(grids.without_blanks(self._rows[0])) if self._rows else len(row)
        if self._rows and max(width, len(self._rows) + 1) > MAX_SIDE:
            message = f"a board of more than {MAX_SIDE} cells a side"
            raise FormatError(message, expected="a blank line between two puzzles")
        if len(row) != width:
            places = [place for place, mark in enumerate(text, 1) if not mark.isspace()]
            column = len(text) if len(row) < width else places[width]
            message = f"a row of length {len(row)} after rows of {width}"
            raise FormatError(message, column=column, expected=f"{width} cells")
        self._rows.append(text[begin:])

    def _take_header(self, header: re.Match[str]) -> None:
        key = header[1].lower()
        message, expected = "", "headers above the grid"
        if key not in _HEADERS:
            message = f"{key!r} is not a header"
            names = ", ".join(f"{name}:" for name in _HEADERS)
            expected = f"a row of cells, or one of {names}"
        elif self._rows:
            message = f"the header {key!r} below the first row"
        elif key in self._stated and key != "signs":
            message, expected = f"a second header {key!r}", "one of each"
        if message:
            raise FormatError(message, column=header.start(1) + 1, expected=expected)
        try:
            value = _HEADERS[key](header[2])
        except FormatError as error:
            raise placed(error, "", None, header.start(2) + (error.column or 1)) from error
        self._stated[key] = [*self._stated.get(key, ()), *value] if key == "signs" else value


def _number(word: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", word):
        raise ValueError(word)
    return int(word)


_FIELDS: dict[str, Callable[[str], object]] = {
    "balanced": {"yes": True, "no": False}.__getitem__,
    "longest_run": _number,
    "distinct_lines": {"yes": True, "no": False}.__getitem__,
    "odd": lambda word: Rules(odd=cast("Odd", word)).odd,
}
