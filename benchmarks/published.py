"""Published puzzles, from the folder named by ``BINAIRO_REAL_PUZZLES``; none if it is not set."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from binairo_cp import Board, Puzzle, Rules, Sign

MORE_ONES = {"thilerion"}
"""The sources where every line of odd length has one more 1 than 0."""


def published() -> Iterator[tuple[str, dict[str, Any], Puzzle]]:
    """The name of the file, the record, and the puzzle under the rules of its source."""
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
    """The number of solutions of a record under the rules of its source, up to a limit."""
    number: int = record["solutions_distinct" if record["distinct_lines"] else "solutions_plain"]
    return number
