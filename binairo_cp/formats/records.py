"""Records of puzzles in JSON (`schema.PuzzleRecord`): one on each line (NDJSON), or a document.

A document is a record, a list of records, or an object with such a list in ``puzzles``. Boards in
other shapes are read as web services and other programs write them: a board is a list of rows, each
a list of cells or a text; or a text with all cells. It stands alone, or in an object under one of
`entry.PUZZLE_KEYS`, perhaps with its solution, size, name, rules and signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from binairo_cp.errors import BinairoError, FormatError, LimitError, SourceError, UnsureError
from binairo_cp.formats import cells, codes, free_text
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import (
    AUTOMATIC,
    LEVEL_KEYS,
    NAME_KEYS,
    PUZZLE_KEYS,
    SOLUTION_KEYS,
    Choices,
    Entry,
    level_of,
    with_solution,
)
from binairo_cp.formats.results import ErrorRecord
from binairo_cp.formats.schema import PictureRecord, PuzzleRecord, entry, syntax_error
from binairo_cp.formats.sources import Source, TextLine, text_source
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Puzzle, Rules, Sign

_KEPT = ("signs", "rules", "distinct_lines")
_OTHER_KEYS = ("rows", "cols", "columns", "size", "verdict", "error")
_OUTER_KEYS = ("ground_truth", "metadata", "extra_info", "puzzle_data")
KEYS = {*PuzzleRecord.model_fields, *PUZZLE_KEYS, *SOLUTION_KEYS, *LEVEL_KEYS, *NAME_KEYS}
KEYS |= {*_OTHER_KEYS}
"""All keys that matter to a reader of puzzles, or to an audit."""
_EXPECTED = "a list of rows, a text with all cells, or a record with height, width and clues"

_JSON = re.compile(rb'\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|null|true|false|$))')
"""The beginning of a text that is meant to be JSON."""

_OF_SOURCES = {kind.kind: kind for kind in (SourceError, UnsureError)}


class _InvalidResult(BaseModel):
    """The result record of an invalid puzzle."""

    id: str | None = None
    verdict: Literal["invalid"]
    error: ErrorRecord
    picture: PictureRecord | None = None


def invalid_result(text: str, otherwise: Entry) -> Entry:
    """The entry of a result record of an invalid puzzle, with its error; else `otherwise`."""
    try:
        result = _InvalidResult.model_validate_json(text)
    except ValidationError:
        return otherwise
    recorded, source = result.error, otherwise.source
    error: BinairoError
    if recorded.kind == LimitError.kind:
        error = LimitError(recorded.message)
    elif recorded.kind in _OF_SOURCES:
        error = _OF_SOURCES[recorded.kind](source, recorded.message)
    else:
        error = FormatError(
            recorded.message, source=source, line=recorded.line, column=recorded.column
        )
    return replace(otherwise, error=error, id=result.id, picture=result.picture)


def read_line(
    line: TextLine, source: str, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Entry:
    """Parse a line of NDJSON. The result record of an invalid puzzle yields its error."""
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    validate = partial(PuzzleRecord.model_validate_json, line.text)
    found = entry(validate, default_rules, source, line=line.number)
    if found.puzzle:
        return found
    try:
        record = from_json(line.text)
    except ValueError:
        return found
    if is_free(record):
        return free_entry(record, default_rules, source, choices, line=line.number)
    return invalid_result(line.text, found)


RECORDS = LineFormat("ndjson", read_line, None, b"{")


def read_all(
    source: Source, default_rules: Rules | None, choices: Choices
) -> Iterator[Entry | None]:
    """The records of lines of which the user knows more than the format."""
    for line in source.lines():
        if line is None:
            yield None
        elif not RECORDS.passes_over(line):
            yield read_line(line, source.name, default_rules, choices)


def write(entry: Entry) -> str:
    """Write a puzzle as a record on one line."""
    return to_json(to_record(entry)) + "\n"


def to_record(entry: Entry) -> PuzzleRecord:
    """The record of an entry that has a puzzle."""
    record = PuzzleRecord.of(cast("Puzzle", entry.puzzle), entry.id)
    record.picture = entry.picture
    return record


def to_json(record: PuzzleRecord) -> str:
    """A record as one line of JSON without absent fields."""
    absent = {name for name in ("id", "distinct_lines", "picture") if getattr(record, name) is None}
    return record.model_dump_json(exclude=absent | (set() if record.signs else {"signs"}))


def read_document(
    source: Source, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Iterator[Entry | None]:
    """The puzzles of a document. It is read into memory as a whole.

    Raises:
        SourceError: the file can't be read, or is larger than `sources.MAX_DOCUMENT_BYTES`.
    """
    data = source.document()
    try:
        document = from_json(data)
    except ValueError as error:
        found = list(_without_brackets(data, source.name, default_rules, choices))
        if found and (all(one.puzzle for one in found) or not _JSON.match(data)):
            yield from found
            return
        fault = syntax_error(str(error), source.name, None)
        yield Entry(error=fault, source=source.name, line=fault.line)
        return
    if is_board(document):
        yield free_entry(document, default_rules, source.name, choices, line=1)
        return
    if isinstance(document, dict):
        document = document.get("puzzles", [document])
    if not isinstance(document, list):
        message = "the document contains no records"
        expected = "a record, a list of records, or an object with a list of them under 'puzzles'"
        format_error = FormatError(message, source=source.name, expected=expected)
        yield Entry(error=format_error, source=source.name)
        return
    for number, record in enumerate(document, 1):
        where = f"record {number}: "
        if is_free(record) or isinstance(record, str):
            yield free_entry(record, default_rules, source.name, choices, where=where)
        else:
            validate = partial(PuzzleRecord.model_validate, record)
            level = level_of(record) if isinstance(record, dict) else None
            yield replace(entry(validate, default_rules, source.name, where=where), level=level)


def _without_brackets(
    data: bytes, name: str, default_rules: Rules | None, choices: Choices
) -> Iterator[Entry]:
    """The puzzle of rows that lack the outer brackets, or that a program printed."""
    try:
        document = from_json(b"[" + data.strip().removesuffix(b",") + b"]")
    except ValueError:
        found = free_text.read(text_source(name, data), default_rules, choices)
        yield from (candidate for candidate in found if candidate)
        return
    if is_board(document):
        yield free_entry(document, default_rules, name, choices, line=1)


def write_document(entries: Iterable[Entry]) -> Iterator[str]:
    """Write a document: a list of records, one per line."""
    separator = "[\n"
    for given in entries:
        yield separator + to_json(to_record(given))
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


# Boards in other shapes


def is_free(value: object) -> bool:
    """Whether a value may be a puzzle, but is no record with height, width and clues as text."""
    if isinstance(value, list):
        return True
    if not isinstance(value, dict):
        return False
    keys = _lower(value)
    has_size = "height" in keys and "width" in keys
    is_record = (has_size and isinstance(keys.get("clues"), str)) or "verdict" in keys
    is_found = any(name in keys for name in PUZZLE_KEYS) or _inner(keys) is not None
    return not is_record and (is_found or _is_sparse(keys))


def _inner(fields: dict[str, Any]) -> dict[str, Any] | None:
    """The object with the puzzle inside another one, as collections for language models have it."""
    for name in _OUTER_KEYS:
        value = fields.get(name)
        keys = _lower(value) if isinstance(value, dict) else {}
        if any(isinstance(keys.get(key), list | str) for key in PUZZLE_KEYS):
            return keys
    return None


def _is_sparse(fields: dict[str, Any]) -> bool:
    """Whether a record lists its clues by row and column."""
    symbols = fields.get("symbols")
    is_list = isinstance(symbols, list) and len(symbols) > 0
    return is_list and _size(fields) is not None and all(map(_is_triple, symbols))  # type: ignore[arg-type]


def _is_triple(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and type(value[0]) is type(value[1]) is int


def _of_sparse(fields: dict[str, Any]) -> _Board:
    """The board of symbols and walls: ``[row, column, symbol]``, ``[cell, cell, relation]``.

    Raises:
        FormatError: a cell is not on the board, or a symbol or relation is another.
    """
    height, width = _size(fields) or Size(0, 0)
    marks = [[""] * width for _ in range(height)]
    signs: list[Sign] = []
    try:
        for row, column, mark in fields["symbols"]:
            if min(row, column) < 0 or marks[row][column]:
                raise ValueError([row, column])
            marks[row][column] = _mark(mark)
        for first, second, relation in fields.get("walls") or []:
            (row, column), other = sorted([tuple(first), tuple(second)])
            way = {(row, column + 1): "R", (row + 1, column): "D"}[other]
            signs.append(Sign(row, column, way, relation))  # type: ignore[arg-type]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        message = f"symbols or walls that are not on a board of {height}x{width}"
        raise FormatError(message, expected="[row, column, symbol], counted from 0") from error
    found = cells.boards(marks)
    if len(found) != 1:
        raise FormatError("symbols that are not clear", expected="S and M, or 0 and 1")
    return _Board(next(iter(found.values())), tuple(signs))


def is_board(value: object) -> bool:
    """Whether a list is one board, rather than several."""
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(row, list) for row in value):
        return not any(isinstance(cell, list | dict) for row in value for cell in row)
    if any(isinstance(row, dict | list) for row in value):
        return False
    if all(isinstance(row, str) and len(row) > 3 for row in value):
        lengths = {len(row) for row in value}
        is_line = grids.square(len(value[0])) is not None and len(value[0]) >= grids.LEAST
        return len(lengths) == 1 and (len(value) == len(value[0]) or not is_line)
    return True


def free_entry(
    value: object,
    default_rules: Rules | None,
    source: str,
    choices: Choices,
    *,
    line: int | None = None,
    where: str = "",
) -> Entry:
    """The puzzle of a board, or of an object with one, or its error; `where` begins its message."""
    fields = _lower(value) if isinstance(value, dict) else {"board": value}
    if inner := _inner(fields):
        fields = {key: fields[key] for key in NAME_KEYS if key in fields} | inner
    name = next((fields[key] for key in NAME_KEYS if type(fields.get(key)) in (str, int)), None)
    try:
        found, solutions = _found(fields, choices)
        height, width = len(found.rows), len(found.rows[0])
        record = {
            "id": name,
            "height": height,
            "width": width,
            "clues": "".join(found.rows),
            **{key: fields[key] for key in _KEPT if fields.get(key) is not None},
        }
        if found.signs:
            record["signs"] = [list(sign) for sign in found.signs]
        made = entry(
            lambda: PuzzleRecord.model_validate(record),
            default_rules,
            source,
            line=line,
            where=where,
        )
        for solution in solutions:
            if made.puzzle:
                made = with_solution(made, "".join(solution))
        return replace(made, level=level_of(fields))
    except FormatError as error:
        fault = FormatError(
            where + error.message, source=source, line=line, expected=error.expected or _EXPECTED
        )
    except (ValidationError, BinairoError) as error:
        fault = FormatError(f"{where}{error}", source=source, line=line, expected=_EXPECTED)
    return Entry(None, fault, None if name is None else str(name), source, line)


class _Board(NamedTuple):
    """Rows of ``0``, ``1`` and ``.``, and signs between their cells."""

    rows: list[str]
    signs: tuple[Sign, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether no cell is open."""
        return OPEN not in "".join(self.rows)


def _lower(value: dict[Any, Any]) -> dict[str, Any]:
    return {str(key).strip().lower(): field for key, field in value.items()}


def _found(fields: dict[str, Any], choices: Choices) -> tuple[_Board, list[list[str]]]:
    """The board with the clues, and the solutions beside it.

    Raises:
        FormatError: there is none, or it is not clear which it is.
    """
    size = choices.size or _size(fields)
    if not any(fields.get(name) is not None for name in PUZZLE_KEYS) and _is_sparse(fields):
        return _of_sparse(fields), []
    boards = {
        name: _board(fields[name], replace(choices, size=size))
        for name in PUZZLE_KEYS
        if fields.get(name) is not None
    }
    if not boards:
        raise FormatError("no board", expected=_EXPECTED)
    with_open = {name: board for name, board in boards.items() if not board.is_full}
    clues = with_open or boards
    if len({tuple(board.rows) for board in clues.values()}) > 1:
        names = " and ".join(map(repr, clues))
        raise FormatError(f"{names} are different boards", expected="one board with the clues")
    first = next(iter(clues.values()))
    given = [fields[key] for key in SOLUTION_KEYS if isinstance(fields.get(key), str | list)]
    solutions = [_solution(solution, first) for solution in given if solution]
    solutions += [board.rows for name, board in boards.items() if name not in clues]
    return first, solutions


def _solution(value: object, board: _Board) -> list[str]:
    shape = Size(len(board.rows), len(board.rows[0]))
    rows = value if isinstance(value, list) else [value]
    digits = "".join(
        str(c) for row in rows for c in (row if isinstance(row, list | str) else [row])
    )
    if digits and not digits.strip("01") and len(digits) != shape.cells:
        return [digits]  # of another puzzle; the caller says so
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], int):
        value = value[0] if isinstance(value[0], str) and len(value[0]) == shape.cells else value
    return _board(value, Choices(size=shape)).rows


def _size(fields: dict[str, Any]) -> Size | None:
    """The size that an object states."""
    height = next((fields[key] for key in ("height", "rows") if key in fields), None)
    width = next((fields[key] for key in ("width", "cols", "columns") if key in fields), None)
    if type(height) is int and type(width) is int:
        return Size(height, width)
    size = fields.get("size", fields.get("grid_size"))
    if type(size) is int:
        return Size(size, size)
    if isinstance(size, list) and len(size) == 2 and all(type(side) is int for side in size):
        return Size(*size)
    return grids.stated_size(f"{size}:")[0] if isinstance(size, str) else None


def _board(value: object, choices: Choices) -> _Board:
    """The board that a value can only mean.

    Raises:
        FormatError: it is no board, or may be several.
    """
    size = choices.size
    if isinstance(value, str):
        return _of_text(value, choices)
    if not isinstance(value, list) or not value:
        raise FormatError(f"{str(value)[:40]!r} is not a board", expected=_EXPECTED)
    if all(isinstance(row, str) and len(row) > 1 and not cells.word(row) for row in value):
        return _of_text("\n".join(value), choices)
    marks = [[_mark(cell) for cell in row] for row in _rows(value, size)]
    for number, row in enumerate(marks, 1):
        if not row or len(row) != len(marks[0]):
            raise FormatError(
                f"row {number} has length {len(row)}, row 1 has length {len(marks[0])}"
            )
    actual = Size(len(marks), len(marks[0]))
    if size is None and min(actual) < 2:
        raise FormatError(f"a board of {actual}", expected="rows of two or more cells, or a size")
    if size not in (None, actual):
        raise FormatError(f"the rows make a board of {actual}, not {size} as stated")
    found = cells.boards(marks, choices.symbols)
    if len(found) != 1:
        shown = " ".join(sorted({mark for row in marks for mark in row if mark}))
        raise FormatError(
            f"the cells {shown}: it is not clear which are 0, 1 and open",
            expected="0, 1 and null, or the symbols: --symbols 012",
        )
    return _Board(next(iter(found.values())))


def _rows(value: list[Any], size: Size | None) -> list[list[Any]]:
    """The rows of a list of rows, or of a list of all cells.

    Raises:
        FormatError: the size of the board is not clear.
    """
    if all(isinstance(row, list) for row in value):
        return value
    shape = size or grids.square(len(value))
    if shape is None or shape.cells != len(value) or (size is None and shape.cells < grids.LEAST):
        raise FormatError(f"a list of length {len(value)}", expected="a list of rows, or a size")
    return [value[k : k + shape.width] for k in range(0, len(value), shape.width)]


def _mark(value: object) -> str:
    """The mark of a cell."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "null" if value is None else str(value)
    mark = cells.word(cells.plain(text))
    if mark is None or not cells.is_mark(mark) or isinstance(value, list | dict):
        raise FormatError(f"{text[:40]!r} is not a cell", expected="0, 1, or null for an open cell")
    return mark


def _of_text(value: str, choices: Choices) -> _Board:
    size = choices.size or Size(0, 0)
    if size.cells == len(value) and min(size) > 0 and not (choices.symbols or value.strip("01.")):
        # The other readers find the same board, but take a hundred times as long.
        return _Board([value[k : k + size.width] for k in range(0, size.cells, size.width)])
    text = value.strip("\r\n")
    if choices.size is None and codes.GAME_ID.fullmatch(text.strip().partition(" ")[0]):
        found = [codes.read_game_id(TextLine(1, text.strip()), "", None)]
    elif choices.size is None and codes.begins_with_task(text.strip()):
        found = [codes.read_task(TextLine(1, text.strip()), "", None)]
    else:
        source = text_source("", value.encode(errors="replace"))
        found = [one for one in free_text.read(source, None, choices) if one]
    if len(found) != 1:
        raise FormatError(f"{value[:40]!r} is not a board", expected=_EXPECTED)
    if found[0].puzzle is None:
        raise found[0].error or FormatError("no board", expected=_EXPECTED)
    return _Board(found[0].puzzle.board.rows, found[0].puzzle.signs)
