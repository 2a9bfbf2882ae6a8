"""Boards as data of solvers: facts of ASP and answers of clingo, MiniZinc, and lists of cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from binairo_cp.errors import FormatError
from binairo_cp.puzzle.board import MAX_SIDE, OPEN
from binairo_cp.puzzle.grids import Size

_FACT = re.compile(r"([a-z]\w*)\(\s*([0-9]+(?:\s*,\s*[0-9]+)*)\s*\)\.?")
_ARRAY = re.compile(r"(\w+)\s*=\s*\[\|(.*?)\|?\s*\|\]", re.DOTALL)
_NUMBER = re.compile(r"(\w+)\s*=\s*([0-9]+)\s*;")
_TRIPLE = re.compile(r"\s*([0-9]+)[ ,\t]+([0-9]+)[ ,\t]+([01])\s*")
_RULE = re.compile(r"% rule (\w+) (\w+)")
_WORDS = re.compile(
    r"(?:Answer: [0-9]+|SATISFIABLE|OPTIMUM FOUND|#const [^.]*\.(?: \[override\])?)"
)
_HEIGHTS, _WIDTHS = ("height", "rows", "dim", "size", "n"), ("width", "cols", "columns")
_TO_CELL = {"<>": OPEN, "_": OPEN, "-1": OPEN, "null": OPEN, "0": "0", "1": "1"}


class Facts(NamedTuple):
    """The rows of a board, and the rules that comments of our own files state."""

    rows: list[str]
    rules: str


def read(lines: Iterable[str]) -> Facts | None:
    """The board that lines state; None if they are something else.

    Raises:
        FormatError: they are data of a solver, but not of a board alone.
    """
    text = "\n".join(line.strip() for line in lines)
    rules = " ".join(f"{name}={_WORD.get(value, value)}" for name, value in _RULE.findall(text))
    bare = re.sub(r"%.*", "", text).strip()
    rows = _of_array(bare) or _of_facts(bare) or _of_triples(bare)
    return Facts(rows, rules) if rows else None


_WORD = {"True": "yes", "False": "no"}


def _of_array(text: str) -> list[str] | None:
    arrays = _ARRAY.findall(text)
    if not arrays:
        return None
    if len(arrays) > 1 or re.search(r"sign_\w+ = \[[^]]", text):
        raise FormatError("data of MiniZinc with more than a board", expected="the board alone")
    rows = [[part.strip() for part in row.split(",")] for row in arrays[0][1].split("|")]
    if wrong := [text for row in rows for text in row if text not in _TO_CELL]:
        raise FormatError(f"{wrong[0]!r} in data of MiniZinc", expected="0, 1, and <> or -1")
    return ["".join(_TO_CELL[text] for text in row) for row in rows]


def _of_facts(text: str) -> list[str] | None:
    facts = _FACT.findall(text)
    if not facts or _WORDS.sub("", _FACT.sub("", text)).strip():
        return None
    values: dict[str, list[list[int]]] = {}
    for name, numbers in facts:
        values.setdefault(name, []).append([int(number) for number in numbers.split(",")])
    sides = {
        name: value[0][0] for name, value in values.items() if {len(row) for row in value} == {1}
    }
    cells = [value for name, value in values.items() if name not in sides]
    if len(cells) != 1 or {len(row) for row in cells[0]} != {3}:
        raise FormatError(
            "facts that are not the cells of a board", expected="name(row, column, 0 or 1)"
        )
    height = next((sides[name] for name in _HEIGHTS if name in sides), None)
    width = next((sides[name] for name in _WIDTHS if name in sides), height)
    return _placed(cells[0], None if height is None else Size(height, width or height))


def _of_triples(text: str) -> list[str] | None:
    """The rows of a size, perhaps a number of clues, and a row, column and value for each."""
    lines = text.split("\n")
    matches = [_TRIPLE.fullmatch(line) for line in lines]
    start = next((k for k, match in enumerate(matches) if match), len(lines))
    triples = [[int(group) for group in match.groups()] for match in matches if match]
    if not 1 <= start <= 2 or len(triples) != len(lines) - start or len(triples) < 3:
        return None
    numbers = [line.split() for line in lines[:start]]
    if not all(text.isdecimal() for row in numbers for text in row):
        return None
    if start == 2 and numbers[1] != [str(len(triples))]:
        return None
    sides = [int(number) for number in numbers[0]]
    if (sides[0], sides[-1]) == (len(triples), 3):
        return None  # as likely the rows of a board with three columns below its size
    if len({(row, column) for row, column, _ in triples}) < len(triples):
        return None  # no cell stands twice in a list
    return _placed(triples, Size(sides[0], sides[-1])) if len(sides) < 3 else None


def _placed(cells: list[list[int]], size: Size | None) -> list[str]:
    """The rows of a board with these cells, which count from 0 or from 1.

    Raises:
        FormatError: it is not clear which, or a cell is outside or has two values.
    """
    rows, columns, values = zip(*cells, strict=True)
    begin = 0 if 0 in rows or 0 in columns else 1
    size = size or Size(max(rows) + 1 - begin, max(columns) + 1 - begin)
    is_clear = begin == 0 or max(rows) == size.height or max(columns) == size.width
    if not is_clear or max(size) > MAX_SIDE or set(values) - {0, 1}:
        raise FormatError(
            "cells by row and column: it is not clear whether they count from 0 or from 1",
            expected="a board, one row per line",
        )
    board = [[OPEN] * size.width for _ in range(size.height)]
    for row, column, value in cells:
        if row - begin >= size.height or column - begin >= size.width:
            raise FormatError(f"the cell {row}, {column} is not on a board of {size}")
        if board[row - begin][column - begin] not in (OPEN, str(value)):
            raise FormatError(f"the cell {row}, {column} has two values")
        board[row - begin][column - begin] = str(value)
    return ["".join(row) for row in board]
