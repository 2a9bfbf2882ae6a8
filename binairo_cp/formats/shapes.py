"""Boards as web services and other programs write them in JSON and in tables.

A board is a list of rows, each a list of cells or a text; or a text with all cells. It stands
alone, or in an object under one of `entry.PUZZLE_KEYS`, perhaps with its solution, size, name,
rules and signs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from binairo_cp.errors import FormatError
from binairo_cp.formats import cells, codes
from binairo_cp.formats.entry import (
    HEIGHT_KEYS,
    NAME_KEYS,
    PUZZLE_KEYS,
    SOLUTION_KEYS,
    WIDTH_KEYS,
    Choices,
    Entry,
    level_of,
    with_solution,
)
from binairo_cp.formats.reading import read_one
from binairo_cp.formats.schema import PuzzleRecord, entry
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Rules, Sign

_KEPT = ("signs", "rules", "distinct_lines")
_MAY_BE_SIGNS = re.compile(
    "^eq|^ne$|^[hv]$|link|constraint|relation|equal|diff|opposite|sign|wall|edge|cross"
    "|horizontal|vertical"
)
_OUTER_KEYS = ("ground_truth", "metadata", "extra_info", "puzzle_data", "data")
_PLACE = ("row", "col", "value")
_EXPECTED = "a list of rows, a text with all cells, or a record with height, width and clues"

Fields = dict[str, Any]
_Board = tuple[list[str], tuple[Sign, ...]]
"""Rows of ``0``, ``1`` and ``.``, and signs between their cells."""


def is_free(value: object) -> bool:
    """Whether a value may be a puzzle, but is no record with height, width and clues as text."""
    if not isinstance(value, dict):
        return isinstance(value, list)
    fields = _lower(value)
    has_size = "height" in fields and "width" in fields
    is_record = (has_size and isinstance(fields.get("clues"), str)) or "verdict" in fields
    has_board = any(name in fields for name in PUZZLE_KEYS)
    return not is_record and (has_board or _inner(fields) is not None or _is_sparse(fields))


def is_board(value: object) -> bool:
    """Whether a list is one board, rather than several."""
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(row, list) for row in value):
        return not any(isinstance(cell, list | dict) for row in value for cell in row)
    if any(isinstance(row, dict | list) for row in value):
        return False
    if all(isinstance(row, str) and len(row) > 3 for row in value):
        width = len(value[0])
        is_line = grids.square(width) is not None and width >= grids.LEAST
        return len({*map(len, value)}) == 1 and (len(value) == width or not is_line)
    return True


def entry_of(
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
    solutions: list[str] = []

    def record() -> PuzzleRecord:
        (rows, signs), found = _found(fields, choices)
        solutions.extend(found)
        kept = {key: fields[key] for key in _KEPT if fields.get(key) is not None}
        if signs:
            kept["signs"] = [list(sign) for sign in signs]
        size = {"height": len(rows), "width": len(rows[0])}
        return PuzzleRecord.model_validate({"id": name, **size, "clues": "".join(rows), **kept})

    made = entry(record, default_rules, source, line=line, where=where, expected=_EXPECTED)
    for solution in solutions:
        made = with_solution(made, solution)
    return replace(made, id=None if name is None else str(name), level=level_of(fields))


def _lower(value: dict[Any, Any]) -> dict[str, Any]:
    fields = {str(key).strip().lower(): field for key, field in value.items()}
    if isinstance(fields.get("rows"), list) and not any(name in fields for name in PUZZLE_KEYS):
        fields["board"] = fields.pop("rows")
    return fields


def _inner(fields: Fields) -> Fields | None:
    """The object with the puzzle inside another one, as collections for language models have it."""
    for name in _OUTER_KEYS:
        value = fields.get(name)
        inner = _lower(value) if isinstance(value, dict) else {}
        if any(isinstance(inner.get(key), list | str) for key in PUZZLE_KEYS):
            return inner
    return None


def _is_sparse(fields: Fields) -> bool:
    """Whether a record lists its clues: ``[row, column, symbol]``."""
    clues = fields.get("symbols")
    is_list = isinstance(clues, list) and clues and _size(fields) is not None
    return bool(is_list) and all(
        isinstance(clue, list) and len(clue) == 3 and type(clue[0]) is type(clue[1]) is int
        for clue in clues  # type: ignore[union-attr]
    )


def _found(fields: Fields, choices: Choices) -> tuple[_Board, list[str]]:
    """The board with the clues, if it is clear, and the solutions beside it."""
    given = {name: fields[name] for name in PUZZLE_KEYS if fields.get(name) is not None}
    if not given and _is_sparse(fields):
        return _of_sparse(fields), []
    if not given:
        raise FormatError("no board", expected=_EXPECTED)
    for name, value in fields.items():
        if (
            name not in _KEPT
            and _MAY_BE_SIGNS.search(name)
            and isinstance(value, list | dict)
            and value
        ):
            signs = "signs: [[row, column, 'R' or 'D', '=' or 'x'], ...]"
            raise FormatError(
                f"{name!r} may hold signs, in a form that is not known", expected=signs
            )
    size = choices.size or _size(fields)
    boards = {name: _board(value, replace(choices, size=size)) for name, value in given.items()}
    clues = {name: board for name, board in boards.items() if OPEN in "".join(board[0])} or boards
    first, *others = clues.values()
    if any(other[0] != first[0] for other in others):
        names = " and ".join(map(repr, clues))
        raise FormatError(f"{names} are different boards", expected="one board with the clues")
    beside = [fields[key] for key in SOLUTION_KEYS if isinstance(fields.get(key), str | list)]
    solutions = [_solution(solution, first[0]) for solution in beside if solution]
    solutions += ["".join(board[0]) for name, board in boards.items() if name not in clues]
    return first, solutions


def _solution(value: Any, puzzle: list[str]) -> str:
    shape = Size(len(puzzle), len(puzzle[0]))
    rows = value if isinstance(value, list) else [value]
    digits = "".join(
        str(c) for row in rows for c in (row if isinstance(row, list | str) else [row])
    )
    if digits and not digits.strip("01") and len(digits) != shape.cells:
        return digits  # of another puzzle; the caller says so
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        value = value[0] if len(value[0]) == shape.cells else value
    return "".join(_board(value, Choices(size=shape))[0])


def _size(fields: Fields) -> Size | None:
    height, width = (
        next((fields[key] for key in keys if key in fields), None)
        for keys in (HEIGHT_KEYS, WIDTH_KEYS)
    )
    if type(height) is int and type(width) is int:
        return Size(height, width)
    size = fields.get("size", fields.get("grid_size"))
    if type(size) is int:
        return Size(size, size)
    if isinstance(size, list) and len(size) == 2 and all(type(side) is int for side in size):
        return Size(*size)
    return grids.stated_size(f"{size}:")[0] if isinstance(size, str) else None


def _of_sparse(fields: Fields) -> _Board:
    """The board of symbols and walls: ``[row, column, symbol]``, ``[cell, cell, relation]``."""
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
    return next(iter(found.values())), tuple(signs)


def _is_place(value: object) -> bool:
    """Whether a value is a clue with its row and column."""
    return isinstance(value, dict) and all(type(value.get(key)) is int for key in _PLACE)


def _board(value: Any, choices: Choices) -> _Board:
    """The board that a value can only mean."""
    size = choices.size
    is_list = isinstance(value, list) and len(value) > 0
    if is_list and size and all(map(_is_place, value)):
        return codes.board_with([[cell[key] for key in _PLACE] for cell in value], size), ()
    if is_list and all(
        isinstance(row, str) and len(row) > 1 and not cells.word(row) for row in value
    ):
        value = "\n".join(value)
    if isinstance(value, str):
        return _of_text(value, choices)
    if not is_list:
        raise FormatError(f"{str(value)[:40]!r} is not a board", expected=_EXPECTED)
    marks = [[_mark(cell) for cell in row] for row in _rows(value, size)]
    for number, row in enumerate(marks, 1):
        if not row or len(row) != len(marks[0]):
            first = len(marks[0])
            raise FormatError(f"row {number} has length {len(row)}, row 1 has length {first}")
    actual = Size(len(marks), len(marks[0]))
    if size is None and min(actual) < 2:
        raise FormatError(f"a board of {actual}", expected="rows of two or more cells, or a size")
    if size not in (None, actual):
        raise FormatError(f"the rows make a board of {actual}, not {size} as stated")
    found = cells.boards(marks, choices.symbols)
    if len(found) != 1:
        shown = " ".join(sorted({mark for row in marks for mark in row if mark}))
        message = f"the cells {shown}: it is not clear which are 0, 1 and open"
        raise FormatError(message, expected="0, 1 and null, or the symbols: --symbols 012")
    return next(iter(found.values())), ()


def _rows(value: list[Any], size: Size | None) -> list[list[Any]]:
    """The rows of a list of rows, or of a list of all cells if its size is clear."""
    if all(isinstance(row, list) for row in value):
        return value
    shape = size or grids.square(len(value))
    if shape is None or shape.cells != len(value) or (size is None and shape.cells < grids.LEAST):
        raise FormatError(f"a list of length {len(value)}", expected="a list of rows, or a size")
    return [value[k : k + shape.width] for k in range(0, len(value), shape.width)]


def _mark(value: object) -> str:
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
        return [value[k : k + size.width] for k in range(0, size.cells, size.width)], ()
    found = read_one(value, 1, "", choices, None)
    if found.puzzle is None:
        if isinstance(found.error, FormatError):
            raise found.error
        raise FormatError(f"{value[:40]!r} is not a board", expected=_EXPECTED)
    return found.puzzle.board.rows, found.puzzle.signs
