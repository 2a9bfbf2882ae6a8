"""Boards from values: nested lists, arrays of numpy, and tables of pandas or polars.

A cell is 0 or 1, as a number, a bool or text. An open cell is -1, None, a missing value (nan, NA,
masked) or an open mark. Arrays of bytes (uint8) may contain ASCII codes instead, as `Board.numpy`
returns them. Libraries are recognized by their methods, and never imported.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable, Mapping, Set
from numbers import Number
from typing import Any

from binairo_cp.errors import ArgumentError, BoardError
from binairo_cp.puzzle.grids import OPEN_MARKS, normalised

_EXPECTED = "expected 0, 1, or -1 for an open cell"
_EXPECTED_CODES = "expected 48, 49 or 46, the ASCII codes of '0', '1' and '.'"
_CODES = frozenset(f"01{OPEN_MARKS}".encode())
_NO_CELL = re.compile(r"[^01.]")
_MISSING = ("NAType", "NaTType", "MaskedConstant")
# Equal numbers have one hash, so these are also the bools, floats and numbers of numpy.
_CELLS: dict[Any, str] = {
    **dict.fromkeys([0, "0", "0.0"], "0"),
    **dict.fromkeys([1, "1", "1.0"], "1"),
    **dict.fromkeys([-1, None, "", " ", *OPEN_MARKS], "."),
    **dict.fromkeys(["-1", "-1.0", "nan", "NaN", "None", "<NA>"], "."),
}
# pandas numbers equal names of columns: 0, 0.1, 0.2.
_CELL_AS_NAME = re.compile(r"[01._?-](\.[0-9]+)?|Unnamed: [0-9]+")


def cell(value: Any) -> str | None:
    """The cell that a value stands for: ``0``, ``1`` or ``.``; None if it is no cell."""
    if type(value).__name__ in _MISSING or (isinstance(value, Number) and value != value):
        return "."
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    try:
        return _CELLS.get(value)
    except TypeError:
        # It has no hash, like a list.
        return None


def rows_of(values: Any) -> list[str]:
    """The rows of a board as strings of cells, from text, values, an array or a table.

    Strings may contain other characters; `Board` refuses them.

    Raises:
        BoardError: a value is no cell, or a table has its first row as the names of its columns.
        ArgumentError: this is not a board, or its shape is not h x w.
    """
    if is_table(values) or getattr(values, "ndim", 1) != 1:
        return rows_of_array(values)
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise ArgumentError.of("rows", "several, as in ['01', '10'] or [[0, 1], [1, -1]]", values)
    return [_row(row, number) for number, row in enumerate(values, 1)]


def rows_of_array(array: Any) -> list[str]:
    """The rows of a board as strings of cells, from an h x w array or a table.

    Raises:
        BoardError: as in `rows_of`.
        ArgumentError: as in `rows_of`.
    """
    if is_table(array):
        names = list(getattr(array, "columns", ()))
        if names and all(isinstance(n, str) and _CELL_AS_NAME.fullmatch(n) for n in names):
            raise BoardError(
                "the names of the columns look like cells; "
                "expected a table that was read without a header (in pandas header=None)"
            )
    if hasattr(array, "to_numpy"):
        array = array.to_numpy()
    if not hasattr(array, "tolist"):
        raise ArgumentError.of("array", "a board, height x width", array)
    if len(array.shape) != 2:
        what = f"an array with the shape {tuple(array.shape)}"
        raise ArgumentError(f"array: expected a board, height x width, not {what}")
    if has_codes(array):
        return coded_rows(array)
    return [_row(row, number) for number, row in enumerate(array.tolist(), 1)]


def coded_rows(array: Any) -> list[str]:
    """The rows of an h x w array of ASCII codes.

    Raises:
        BoardError: a code is no cell.
    """
    _, width = array.shape
    text = normalised(array.tobytes().decode("latin-1"))
    if wrong := _NO_CELL.search(text):
        row, column = divmod(wrong.start(), width)
        where = f"value {ord(wrong.group())} in row {row + 1}, column {column + 1}"
        raise BoardError(f"{where}; {_EXPECTED_CODES}", (row, column))
    return [text[start : start + width] for start in range(0, len(text), width)] if width else []


def has_codes(array: Any) -> bool:
    """Whether an array contains ASCII codes, not values: bytes, among them that of a cell."""
    if str(array.dtype) != "uint8":
        return False
    stated = array.filled(0) if hasattr(array, "filled") else array
    return not _CODES.isdisjoint(stated.tobytes())


def is_table(value: Any) -> bool:
    """Whether this is a data frame of pandas or polars, or a table of pyarrow."""
    return hasattr(value, "column_names") or (
        hasattr(value, "to_numpy") and hasattr(value, "columns")
    )


def is_board(values: Any) -> bool:
    """Whether a list contains the rows of one board, as lists of cells, and not several boards."""
    if not isinstance(values, list | tuple) or not values:
        return False
    row = values[0]
    is_row = isinstance(row, list | tuple) or getattr(row, "ndim", 0) == 1
    return is_row and len(row) > 0 and cell(row[0]) is not None


def _row(row: Any, number: int) -> str:
    if isinstance(row, str):
        return normalised(row)
    if isinstance(row, bytes | Mapping | Set) or not isinstance(row, Iterable):
        raise ArgumentError.of(f"row {number}", "cells, as in '0..1' or [0, -1, -1, 1]", row)
    return "".join(_cell_at(value, number, column) for column, value in enumerate(row, 1))


def _cell_at(value: Any, row: int, column: int) -> str:
    found = cell(value)
    if found is None:
        # Numbers of numpy are shown as numbers.
        shown = reprlib.repr(value.item() if getattr(value, "ndim", 1) == 0 else value)
        where = f"value {shown} in row {row}, column {column}"
        raise BoardError(f"{where}; {_EXPECTED}", (row - 1, column - 1))
    return found
