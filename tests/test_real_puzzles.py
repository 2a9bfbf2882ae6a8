"""Puzzles that other people made, against the numbers of solutions that are stated with them.

They are not part of the project: the environment variable names the folder where they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from binairo_cp import Board, Puzzle, Rules, executors
from binairo_cp.formats import Entry
from binairo_cp.tasks import Task
from tests.records import records_of

FOLDER = os.environ.get("BINAIRO_REAL_PUZZLES", "")
FILES = sorted(Path(FOLDER).glob("*.ndjson")) if FOLDER else []

# The source gives every line of odd length one more 1 than 0.
MORE_ONES = {"thilerion"}

pytestmark = pytest.mark.skipif(not FILES, reason="BINAIRO_REAL_PUZZLES names no folder of puzzles")


def entries(path: Path) -> Iterator[tuple[Entry, int, str | None]]:
    """Each puzzle under each reading, the stated number (up to 2), and the solution if it is one."""
    for line in path.read_text().splitlines():
        record = json.loads(line)
        board = Board(record["height"], record["width"], record["clues"])
        signs = tuple(tuple(sign) for sign in record["signs"])
        odd = "ones" if record["source"] in MORE_ONES else "either"
        for distinct, field in ((True, "solutions_distinct"), (False, "solutions_plain")):
            rules = Rules(distinct_lines=distinct, odd=odd)  # type: ignore[arg-type]
            known = record.get("solution") if distinct == record["distinct_lines"] else None
            yield Entry(Puzzle(board, rules, signs), id=record["id"]), record[field], known  # type: ignore[arg-type]


def assert_all_agree(path: Path, task: Task) -> None:
    given = list(entries(path))
    records = records_of(
        ([entry] for entry, _, _ in given), task, executors.Crew(executors.cores())
    )
    assert len(records) == len(given)
    for record, (_, number, solution) in zip(records, given, strict=True):
        assert (record.id, record.error, record.count) == (record.id, None, number)
        if solution and number == 1:
            assert (record.id, record.solution) == (record.id, solution)


@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.stem)
def test_every_verdict(path: Path) -> None:
    assert_all_agree(path, Task("count", limit=2))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.stem)
def test_every_verdict_with_cpsat(path: Path) -> None:
    assert_all_agree(path, Task("count", "cpsat", limit=2))
