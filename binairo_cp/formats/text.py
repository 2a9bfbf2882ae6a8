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
from typing import cast

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.formats.entry import Entry, one_line
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE, Board, Cell
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
    name = ""
    if entry.id is not None:
        if "#" in entry.id:
            raise FormatError(f"the text format can't hold the id {entry.id!r}")
        name = f"id: {one_line(entry.id)}\n"
    return f"{name}{entry.puzzle}\n\n"


def signs_of(text: str) -> list[Sign]:
    """The signs in a text such as ``r1c1=r1c2 r2c3xr3c3``.

    Raises:
        ValueError: a word is not a sign.
    """
    found = [(word, _sign(word)) for word in _WORD.findall(text)]
    for word, sign in found:
        if sign is None:
            raise ValueError(f"{word!r} is not a sign; expected signs as in r1c1=r1c2")
    return [sign for _, sign in found if sign]


def rules_of(text: str) -> Rules:
    """The rules in a text such as ``unruly odd=ones``.

    Raises:
        FormatError: a word is not a rule.
    """
    block = _TextBlock("", None)
    block.take(TextLine(1, f"rules: {text}"))
    if isinstance(block.error, FormatError):
        raise FormatError(block.error.message, expected=block.error.expected)
    return block.rules or Rules()


class _TextBlock:
    """Parses the lines of one puzzle."""

    def __init__(self, source: str, default_rules: Rules | None) -> None:
        self._source = source
        self._default_rules = default_rules
        self._first: int | None = None
        self.error: BinairoError | None = None
        self._size: grids.Size | None = None
        self._rows: list[str] = []
        self._id: str | None = None
        self.rules: Rules | None = None
        self._signs: list[Sign] = []
        self._seen: set[str] = set()
        self._headers: dict[str, Callable[[TextLine, str, int], None]] = {
            "id": self._take_id,
            "rules": self._take_rules,
            "signs": self._take_signs,
        }

    def take(self, line: TextLine) -> None:
        """Parse a line that is not blank."""
        text = line.text.partition("#")[0].rstrip()
        if self.error or not (text or line.error):
            return
        self._first = self._first or line.number
        try:
            if line.error:
                raise line.error
            if header := _HEADER.match(text):
                self._take_header(line, header)
            else:
                self._take_row(line, text)
        except BinairoError as error:
            self.error = error

    def entries(self) -> Iterator[Entry]:
        """The puzzle, if there were any lines."""
        if self._first is None:
            return
        puzzle = None
        try:
            if self.error:
                raise self.error
            if not self._rows:
                raise self._wrong(self._first, None, "a header without a grid", grids.EXPECTED)
            signs = tuple(self._signs)
            rules = self.rules or rules_for(signs, self._default_rules)
            puzzle = Puzzle(self._board(), rules, signs)
        except FormatError as error:
            self.error = error
        except BinairoError as error:
            self.error = self._wrong(self._first, None, str(error), "")
        yield Entry(
            puzzle,
            self.error,
            self._id,
            self._source,
            self._first,
            states_rules=self.rules is not None,
        )

    def _board(self) -> Board:
        shape = grids.shape(self._rows, self._size)
        return Board(*shape, grids.normalised("".join(map(grids.without_blanks, self._rows))))

    def _take_row(self, line: TextLine, text: str) -> None:
        begin = 0
        if not self._rows and self._size is None:
            self._size, begin = grids.stated_size(text)
        row = grids.without_blanks(text[begin:])
        if not row:
            return
        if (wrong := grids.first_wrong(row)) is not None:
            column = text.index(row[wrong], begin) + 1
            raise self._wrong(line.number, column, f"{row[wrong]!r} is not a cell", grids.EXPECTED)
        if (tab := grids.empty_field(text)) is not None:
            raise self._wrong(line.number, tab + 1, f"a row {grids.EMPTY_FIELD}", grids.A_MARK)
        if self._rows:
            self._check_length(line, text, row)
        self._rows.append(text[begin:])

    def _check_length(self, line: TextLine, text: str, row: str) -> None:
        """Check the length of a row below the first."""
        width = len(grids.without_blanks(self._rows[0]))
        if max(width, len(self._rows) + 1) > MAX_SIDE:
            message = f"a board of more than {MAX_SIDE} cells a side"
            raise self._wrong(line.number, None, message, "a blank line between two puzzles")
        if len(row) != width:
            column = len(text) if len(row) < width else _column_of_cell(text, width)
            message = f"a row of length {len(row)} after rows of {width}"
            raise self._wrong(line.number, column, message, f"{width} cells")

    def _take_header(self, line: TextLine, header: re.Match[str]) -> None:
        key = header.group(1).lower()
        if key not in self._headers:
            message = f"{key!r} is not a header"
            expected = (
                f"a row of cells, or one of {', '.join(f'{name}:' for name in self._headers)}"
            )
            raise self._wrong(line.number, header.start(1) + 1, message, expected)
        if self._rows:
            message = f"the header {key!r} below the first row"
            raise self._wrong(line.number, header.start(1) + 1, message, "headers above the grid")
        if key in self._seen and key != "signs":
            message = f"a second header {key!r}"
            raise self._wrong(line.number, header.start(1) + 1, message, "one of each")
        self._seen.add(key)
        self._headers[key](line, header.group(2), header.start(2))

    def _take_id(self, line: TextLine, text: str, start: int) -> None:
        if not text:
            raise self._wrong(line.number, start + 1, "an empty id", "a name")
        self._id = text

    def _take_rules(self, line: TextLine, text: str, start: int) -> None:
        rules: dict[str, object] = {}
        stated: set[str] = set()
        for number, word in enumerate(_WORD.finditer(text)):
            try:
                name, is_field, value = word.group().lower().partition("=")
                if is_field:
                    if name in stated:
                        raise KeyError(name)
                    stated.add(name)
                    rules[name] = _FIELDS[name](value)
                elif number == 0:
                    preset = PRESETS[name]
                    rules = {field: getattr(preset, field) for field in _FIELDS}
                else:
                    raise KeyError(name)
            except (KeyError, ValueError) as error:
                expected = f"one of {', '.join(PRESETS)}, or fields like {Rules().stated}"
                message = f"{word.group()!r} is not a rule"
                column = start + word.start() + 1
                raise self._wrong(line.number, column, message, expected) from error
        self.rules = Rules(**rules)  # type: ignore[arg-type]  # each is of its field's type

    def _take_signs(self, line: TextLine, text: str, start: int) -> None:
        for word in _WORD.finditer(text):
            sign = _sign(word.group())
            if sign is None:
                message = f"{word.group()!r} is not a sign"
                expected = "a cell, '=' or 'x', and its right or lower neighbour: r1c1=r1c2"
                raise self._wrong(line.number, start + word.start() + 1, message, expected)
            self._signs.append(sign)

    def _wrong(self, line: int, column: int | None, message: str, expected: str) -> FormatError:
        return FormatError(
            message, source=self._source, line=line, column=column, expected=expected
        )


def _column_of_cell(text: str, number: int) -> int:
    places = [place for place, mark in enumerate(text) if not mark.isspace()]
    return places[number] + 1


def _sign(word: str) -> Sign | None:
    match = _SIGN.fullmatch(word)
    if not match:
        return None
    first = Cell(int(match[1]) - 1, int(match[2]) - 1)
    relation = match[3].lower()
    for direction in ("R", "D"):
        sign = Sign(*first, direction, relation)  # type: ignore[arg-type]  # as the pattern says
        if sign.cells[1] == (int(match[4]) - 1, int(match[5]) - 1):
            return sign
    return None


def _boolean(word: str) -> bool:
    return {"yes": True, "no": False}[word]


def _number(word: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", word):
        raise ValueError(word)
    return int(word)


def _odd(word: str) -> Odd:
    return Rules(odd=cast("Odd", word)).odd


_FIELDS: dict[str, Callable[[str], object]] = {
    "balanced": _boolean,
    "longest_run": _number,
    "distinct_lines": _boolean,
    "odd": _odd,
}
