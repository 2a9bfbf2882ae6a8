"""Other people's puzzles: those of the folder that ``BINAIRO_REAL_PUZZLES`` names, or none."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from binairo_cp import Board, Puzzle, Rules, Sign

MORE_ONES = {"thilerion"}
"""The sources that give every line of odd length one more 1 than 0."""


def published() -> Iterator[tuple[str, dict[str, Any], Puzzle]]:
    """The name of the file, the record, and the puzzle as its source plays it."""
    folder = os.environ.get("BINAIRO_REAL_PUZZLES")
    for file in sorted(Path(folder).glob("*.ndjson")) if folder else ():
        for record, puzzle in read(file):
            yield file.stem, record, puzzle


def read(file: Path) -> Iterator[tuple[dict[str, Any], Puzzle]]:
    """The records of a file, and the puzzles."""
    for line in file.read_text().splitlines():
        record = json.loads(line)
        odd = "ones" if record["source"] in MORE_ONES else "either"
        rules = Rules(distinct_lines=record["distinct_lines"], odd=odd)  # type: ignore[arg-type]
        board = Board(record["height"], record["width"], record["clues"])
        yield record, Puzzle(board, rules, tuple(Sign(*sign) for sign in record["signs"]))


def solutions(record: dict[str, Any]) -> int:
    """How many solutions a record has, up to a limit, as its source plays it."""
    told: int = record["solutions_distinct" if record["distinct_lines"] else "solutions_plain"]
    return told
