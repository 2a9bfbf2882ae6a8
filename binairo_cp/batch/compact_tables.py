"""Write compact results as rows of chosen columns, as `tables` writes the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from binairo_cp.batch.compact_columns import (
    choose,
    contains_any,
    ids_or_numbers,
    pairs_of_differences,
    same,
)
from binairo_cp.batch.compact_results import Group
from binairo_cp.batch.tables import Table, text_of
from binairo_cp.formats.schema import RESULT_VERSION
from binairo_cp.formats.slices import Numbers, Slices, decimals, joined

Piece = str | Slices
"""A part of each row: the same text for all puzzles, or one for each."""


def rows(group: Group, numbers: Numbers, table: Table) -> list[Slices]:
    """The rows, as columns to be joined.

    Args:
        group: the results.
        numbers: the numbers of the puzzles in their source.
        table: the table.
    """
    pieces = list(_pieces(group, numbers, table))
    if table.is_csv and len(table.columns) == 1:
        pieces = _quoted_if_empty(pieces)
    columns: list[Slices] = []
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        else:
            columns += [same(text, group), piece] if text else [piece]
            text = ""
    return [*columns, same(f"{text}\n", group)]


def _quoted_if_empty(pieces: list[Piece]) -> list[Piece]:
    """The pieces of a value that is alone in its row of CSV."""
    slices = [each for each in pieces if isinstance(each, Slices)]
    if not slices:
        return pieces if any(pieces) else ['""']
    value = joined(slices)
    return [value, choose(["", '""'], value.lengths == 0)]


def _pieces(group: Group, numbers: Numbers, table: Table) -> Iterator[Piece]:
    for place, name in enumerate(table.columns):
        if place:
            yield table.delimiter
        outer, _, inner = name.partition(".")
        if name == "id":
            yield from _ids(group, numbers, table)
        elif name == "differences":
            yield from _differences(group, table)
        elif name in _ARRAYS:
            yield _ARRAYS[name](group)
        elif name in _CONSTANTS:
            yield table.cell(text_of(_CONSTANTS[name](group)))
        elif values := _values(group, outer, inner):
            yield Slices.of([table.cell(text_of(each)).encode() for each in values])
        # Plain puzzles have no other fields.


def _kind(group: Group) -> Numbers:
    return np.minimum(group.found, 2)


def _second_solutions(group: Group) -> Slices:
    is_there = (_kind(group) == 2) & (len(group.solutions) > 1)
    return Slices.rows(group.solutions[-1]).only(is_there)


_CONSTANTS: dict[str, Callable[[Group], Any]] = {
    "schema_version": lambda _: RESULT_VERSION,
    "source": lambda group: group.source,
    "height": lambda group: group.puzzles.clues.shape[1],
    "width": lambda group: group.puzzles.clues.shape[2],
    "rules": lambda group: group.rules,
    "backend": lambda group: group.backend,
    "seconds": lambda group: group.seconds,
}

_ARRAYS: dict[str, Callable[[Group], Slices]] = {
    "line": lambda group: decimals(group.line + group.puzzles.lines),
    "clues": lambda group: Slices.rows(group.puzzles.clues),
    "verdict": lambda group: choose(group.verdicts, _kind(group)),
    "solution": lambda group: Slices.rows(group.solutions[0]).only(group.found > 0),
    "second_solution": _second_solutions,
    "count": lambda group: decimals(group.found),
    "complete": lambda group: choose(["false", "true"], group.is_complete),
    "stopped_by": lambda group: choose(["limit", ""], group.is_complete),
}
"""Columns with values that CSV never quotes."""


def _ids(group: Group, numbers: Numbers, table: Table) -> list[Slices]:
    ids = group.puzzles.ids
    if table.is_csv and contains_any(ids, ',"'):
        ids = Slices.of([table.cell(each.decode()).encode() for each in ids.tolist()])
    return ids_or_numbers(ids, numbers)


def _differences(group: Group, table: Table) -> list[Slices]:
    has_second = _kind(group) == 2
    if len(group.solutions) < 2 or not has_second.any():
        return []
    quote = '"' if table.is_csv else ""
    begin, end = choose(["", f"{quote}["], has_second), choose(["", f"]{quote}"], has_second)
    return [begin, pairs_of_differences(group, has_second), end]


def _values(group: Group, outer: str, inner: str) -> list[Any] | None:
    """The values of a field that is an object for each puzzle, or of a field within it."""
    if outer == "signs":
        return group.puzzles.signs
    if outer != "grade" or not group.grades:
        return None
    return [each.get(inner) if each and inner else each for each in group.grades]
