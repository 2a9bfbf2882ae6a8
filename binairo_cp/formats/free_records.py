"""Puzzles in JSON, or in the columns of a table, as web services and other programs write them.

A board is a list of rows, each a list of cells or a text; or a text with all cells. It stands
alone, or in an object under one of `entry.PUZZLE_KEYS`, perhaps with its solution, size, name,
rules and signs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import ValidationError

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.formats import cells, codes, free_text, schema
from binairo_cp.formats.entry import (
    LEVEL_KEYS,
    NAME_KEYS,
    PUZZLE_KEYS,
    SOLUTION_KEYS,
    Choices,
    Entry,
    level_of,
    with_solution,
)
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.formats.sources import TextLine, text_source
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Rules, Sign

_KEPT = ("signs", "rules", "distinct_lines")
_OTHER_KEYS = ("rows", "cols", "columns", "size", "verdict", "error")
_OUTER_KEYS = ("ground_truth", "metadata", "extra_info", "puzzle_data")
KEYS = {*PuzzleRecord.model_fields, *PUZZLE_KEYS, *SOLUTION_KEYS, *LEVEL_KEYS, *NAME_KEYS}
KEYS |= {*_OTHER_KEYS}
"""All keys that matter to a reader of puzzles, or to an audit."""
_EXPECTED = "a list of rows, a text with all cells, or a record with height, width and clues"


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


def entry(
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
        made = schema.entry(
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
