"""Grids of separated cells: CSV, and the text of janko.at.

CSV has one row per line and one cell per field, empty for an open cell. ``# id: NAME`` may precede
the grid. Fields are separated by ``,``, ``;`` or tabs, as in cells copied from a spreadsheet. Blank
lines separate puzzles. A line with tabs is a row, even if it has no clue.

The text of janko.at has keywords on lines of their own::

    begin
    puzzle Binairo
    size 4
    problem
    1 - - -
    - - 0 -
    - - - -
    - 1 - -
    solution
    ...
    end

Only the problem is read. Its puzzles do not require distinct lines.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from itertools import chain

from binairo_cp.errors import BoardError, FormatError
from binairo_cp.formats.entry import AUTOMATIC, PUZZLE_KEYS, Entry, one_line, placed, without_signs
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.formats.text import blocks
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE, OPEN, Board
from binairo_cp.puzzle.rules import UNRULY, Puzzle, Rules, rules_for

_ID = re.compile(r"#\s*id\s*:\s*(.*)")
_PROBLEM, _SOLUTION, _END = "problem", "solution", "end"
_NAMES = ("id", "title", "nr")
_SIDES = ("size", "rows", "cols")


def is_header(line: str) -> bool:
    """Whether a line has the names of columns, one of which holds puzzles."""
    names = [part.strip(" \"'").lower() for part in re.split(r"[,;\t]", line)]
    is_named = all(re.fullmatch(r"[a-z_][\w. ]*|", name) for name in names)
    return len(names) > 1 and is_named and any(name in PUZZLE_KEYS for name in names)


def read_columns(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a table with named columns: a row is read like an object with these keys."""
    names: list[str] = []
    for line in _whole_rows(source):
        text = line.text.strip() if line else ""
        if line is None:
            yield None
        elif line.error:
            yield Entry(error=line.error, source=source.name, line=line.number)
        elif not text or (not names and (text.startswith("#") or text.lower().startswith("sep="))):
            continue
        elif not names:
            names = [field.strip().lower() for field in _fields(line)]
        else:
            yield _of_columns(names, line, source.name, default_rules)


def _whole_rows(source: Source) -> Iterator[TextLine | None]:
    """The lines of a source; those that a quoted field spans are one, up to the rows of a board."""
    held: list[TextLine] = []
    width = 0
    for line in source.lines():
        if line is None:
            yield None
            continue
        held.append(line)
        text = "\n".join(text_line.text for text_line in held)
        whole = TextLine(held[0].number, text, line.error)
        if text.count('"') % 2 and len(held) <= MAX_SIDE and not line.error:
            continue
        is_row = False
        with suppress(FormatError):
            if not width and is_header(text):
                width = len(_fields(whole))
            is_row = len(held) > 1 and not line.error and len(_fields(whole)) == width
        yield from [whole] if is_row else held
        held = []
    yield from held


def _of_columns(
    names: list[str], line: TextLine, source: str, default_rules: Rules | None
) -> Entry:
    number = line.number
    try:
        fields = _fields(line)
        if len(fields) != len(names):
            raise FormatError(f"{len(fields)} fields", expected=f"{len(names)}, as in line 1")
        rules = dict(zip(names, fields, strict=True)).get("rules")
        if "signs" not in names and rules in ("plus", "tango"):
            message = "rules for signs, but no column with the signs"
            raise FormatError(message, expected="a column 'signs'")
    except FormatError as error:
        return Entry(error=placed(error, source, number), source=source, line=number)
    record = {name: _value(name, field) for name, field in zip(names, fields, strict=True) if field}
    if "error.message" in record and not any(name in record for name in PUZZLE_KEYS):
        fault = FormatError(str(record["error.message"]), source=source, line=number)
        return Entry(error=fault, id=str(record.get("id", number)), source=source, line=number)
    # Imported here, because it loads pydantic.
    from binairo_cp.formats import shapes

    return shapes.entry_of(record, default_rules, source, AUTOMATIC, line=number)


def _value(name: str, field: str) -> object:
    if name in ("height", "width", "rows", "cols", "columns", "size") and field.isdecimal():
        return int(field)
    if field.startswith(("[", "{")):
        try:
            return json.loads(field)
        except (ValueError, RecursionError):
            return field
    return {"true": True, "false": False}.get(field.lower(), field)


def read_csv(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a CSV file."""
    for block in blocks(source, " "):
        if block is None:
            yield None
            continue
        name = None
        lines: list[TextLine] = []
        for line in block:
            if match := _ID.match(line.text.strip()):
                name = match[1] or None
            elif not line.text.lstrip().startswith("#") or line.error:
                lines.append(line)
        if lines:
            yield _entry(lines, _fields, name, source.name, rules_for((), default_rules))


class _Tables(HTMLParser):
    """Collects the texts of the cells of tables in HTML; heads of rows and columns are none."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.wrong = ""
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._in_cell and tag in ("table", "img", "svg", "input", "del", "s", "strike"):
            self.wrong = "tables, pictures or inputs in cells"
        if any(name in ("colspan", "rowspan") and value != "1" for name, value in attrs):
            self.wrong = "cells that span several"
        if tag == "table" or (tag in ("tr", "td") and not self.tables):
            self.tables.append([])
        if tag == "tr" or (tag == "td" and not self.tables[-1]):
            self.tables[-1].append([])
        if tag in ("tr", "td", "th"):
            self._in_cell = tag == "td"
        if tag == "td":
            self.tables[-1][-1].append("")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data.strip()

    def handle_endtag(self, tag: str) -> None:
        self._in_cell &= tag not in ("td", "tr", "table")


def read_html(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of the tables in a text in HTML.

    Raises:
        SourceError: the file can't be read, or is too large.
    """
    # Imported here, because it loads pydantic.
    from binairo_cp.formats import shapes

    parser = _Tables()
    text = source.document().decode(errors="replace")
    parser.feed(text)
    if text.count("<table") > text.count("</table"):
        parser.wrong = parser.wrong or "a table that does not end"
    tables = list(filter(None, ([row for row in table if row] for table in parser.tables)))
    if not any(cell for table in tables for row in table for cell in row):
        parser.wrong = parser.wrong or "no table with text in its cells"
    if parser.wrong:
        expected = "the cells as text: copy them, or save them as CSV"
        error = FormatError(f"this is HTML with {parser.wrong}", expected=expected)
        yield Entry(error=error, source=source.name, line=1)
        return
    for table in tables:
        yield shapes.entry_of(table, default_rules, source.name, AUTOMATIC)


def read_janko(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a text of janko.at; the default rules are unruly."""
    name: str | None = None
    rows: list[TextLine] = []
    in_problem = False
    sides: list[int] = []
    for line in chain(source.lines(), [TextLine(0, _END)]):
        if line is None:
            yield None
            continue
        word, _, rest = line.text.strip().partition(" ")
        if word.lower() == _PROBLEM:
            in_problem = True
        elif word.lower() in (_SOLUTION, _END, "begin") or (in_problem and not word and rows):
            if rows:
                rules = default_rules or UNRULY
                entry = _entry(rows, lambda row: row.text.split(), name, source.name, rules)
                yield _of_size(entry, sides)
                name, rows = None, []
            in_problem = False
        elif word.lower() in _NAMES and not in_problem:
            name = rest.strip() or None
        elif word.lower() in _SIDES and not in_problem:
            side = int(rest) if rest.strip().isdecimal() and len(rest) < 4 else 0
            sides = [side] if word.lower() == "size" else [*sides[-1:], side]
        elif in_problem and (word or line.error):
            rows.append(line)


def _of_size(entry: Entry, sides: list[int]) -> Entry:
    """The entry, or its error if the board has other sides than those that are stated."""
    board = entry.puzzle.board if entry.puzzle else None
    if board is None or not sides or {board.height, board.width} == {*sides}:
        return entry
    expected = "x".join(map(str, sides if len(sides) > 1 else sides * 2))
    error = FormatError(
        f"a board of {board.height}x{board.width}", expected=f"{expected}, as stated"
    )
    return replace(entry, puzzle=None, error=placed(error, entry.source, entry.line))


def _fields(line: TextLine) -> list[str]:
    """The fields of a line, if they can be told."""
    delimiter = max(",;\t", key=line.text.count)
    try:
        return next(csv.reader([line.text], delimiter=delimiter), [])
    except csv.Error as error:
        raise FormatError(str(error), expected="a cell in each field") from error


def _entry(
    lines: list[TextLine],
    fields_of: Callable[[TextLine], list[str]],
    name: str | None,
    source: str,
    rules: Rules,
) -> Entry:
    """The puzzle of lines with a cell in each field."""
    first = line = lines[0]
    rows: list[list[str]] = []
    try:
        for line in lines:
            if line.error:
                raise line.error
            rows.append([field.strip() for field in fields_of(line)])
            _check_fields(rows[-1], len(rows[0]))
        _check_tabs(lines, rows)
        texts = ["".join(grids.normalised(cell) or OPEN for cell in row) for row in rows]
        return Entry(Puzzle(Board.from_rows(texts), rules), None, name, source, first.number)
    except FormatError as error:
        fault = placed(error, source, error.line or line.number)
    except BoardError as error:
        fault = FormatError(str(error), source=source, line=first.number)
    return Entry(None, fault, name, source, first.number)


def _check_fields(fields: list[str], width: int) -> None:
    for number, field in enumerate(fields, 1):
        if len(field) > 1 or grids.first_wrong(field) is not None:
            expected = "0, 1, or nothing, '.', '-', '_' or '?' for an open cell"
            raise FormatError(f"{field[:20]!r}, field {number}, is not a cell", expected=expected)
    if len(fields) != width:
        message = f"a row of length {len(fields)}"
        raise FormatError(message, expected=f"{width}, as in the first")


def _check_tabs(lines: list[TextLine], rows: list[list[str]]) -> None:
    """Refuse rows in which a tab at an end may or may not stand for an open cell."""
    is_marked = any(field in {*grids.OPEN_MARKS} for row in rows for field in row)
    number = sum(row.count("") for row in rows)
    only_edge = number == len(rows) and any(not any(row[k] for row in rows) for k in (0, -1))
    if any("\t" in line.text for line in lines) and ((is_marked and number) or only_edge):
        place = next(line.number for line, row in zip(lines, rows, strict=True) if "" in row)
        message = "empty fields that may be open cells or extra tabs"
        expected = "'.' for each open cell, and tabs only between cells"
        raise FormatError(message, line=place, expected=expected)


def write_csv(entry: Entry) -> str:
    """Write a puzzle as CSV, without its rules.

    Raises:
        FormatError: it has signs, or an id that can't be written on one line.
    """
    board = without_signs(entry, "CSV").board
    name = "" if entry.id is None else f"# id: {one_line(entry.id)}\n"
    # A row of one open cell would be a blank line.
    rows = [",".join(row.replace(OPEN, " ") if len(row) > 1 else row) for row in board.rows]
    return name + "".join(f"{row.replace(' ', '')}\n" for row in rows) + "\n"


def write_janko(entry: Entry) -> str:
    """Write a puzzle as janko.at does, without its rules.

    Raises:
        FormatError: it has signs, or an id that can't be written on one line.
    """
    board = without_signs(entry, "the text of janko.at").board
    size = [f"size {board.height}"]
    if board.height != board.width:
        size = [f"rows {board.height}", f"cols {board.width}"]
    name = [] if entry.id is None else [f"title {one_line(entry.id)}"]
    rows = (" ".join(row.replace(OPEN, "-")) for row in board.rows)
    lines: Iterable[str] = ["begin", "puzzle Binairo", *name, *size, _PROBLEM, *rows, _END, ""]
    return "".join(f"{line}\n" for line in lines)
