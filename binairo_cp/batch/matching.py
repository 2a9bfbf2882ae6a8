"""Check that a record from an earlier run belongs to the puzzle at its position."""

from __future__ import annotations

from typing import Any

from binairo_cp.batch import records
from binairo_cp.formats import Entry
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.readings import readings


def differing(record: dict[str, Any], entry: Entry) -> list[str]:
    """The names of the fields that show that a record belongs to another puzzle.

    Compares the fields that identify a puzzle; for an invalid puzzle, also its error.

    Args:
        record: the fields of the record, as they are in JSON.
        entry: the puzzle.
    """
    expected = (
        _fields_of_puzzle(entry, entry.puzzle, record) if entry.puzzle else _fields_of_error(entry)
    )
    return [name for name, value in expected.items() if record.get(name) != value]


def _fields_of_puzzle(entry: Entry, puzzle: Puzzle, record: dict[str, Any]) -> dict[str, Any]:
    board = puzzle.board
    expected: dict[str, Any] = {
        "id": entry.id or "",
        "source": entry.source,
        "line": entry.line,
        "height": board.height,
        "width": board.width,
        "clues": board.cells,
        "signs": [list(sign) for sign in puzzle.signs] or None,
    }
    # The rules of a record with two readings are those of the better one.
    puzzles = readings(puzzle).values() if "readings" in record else [puzzle]
    rules = [each.to_dict()["rules"] for each in puzzles]
    expected["rules"] = record.get("rules") if record.get("rules") in rules else rules[0]
    return expected


def _fields_of_error(entry: Entry) -> dict[str, Any]:
    invalid = records.invalid(entry).model_dump(mode="json", exclude_none=True)
    absent = dict.fromkeys(("height", "width", "clues", "signs"))
    return absent | invalid
