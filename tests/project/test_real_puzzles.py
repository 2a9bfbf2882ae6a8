"""Puzzles that other people made, against the numbers of solutions that are stated with them.

They are not part of the project: the environment variable names the folder where they are.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import binairo_cp as bn
from benchmarks import published
from binairo_cp.batch.tasks import Task
from binairo_cp.formats import Entry
from binairo_cp.workers import executors
from tests.support.result_files import records_of

FOLDER = os.environ.get("BINAIRO_REAL_PUZZLES", "")
FILES = sorted(Path(FOLDER).glob("*.ndjson")) if FOLDER else []

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILES, reason="BINAIRO_REAL_PUZZLES names no folder of puzzles"),
]


def entries(path: Path) -> Iterator[tuple[Entry, int, str | None]]:
    """Yield each puzzle under each reading, its stated count (up to 2), and its unique solution."""
    for record, puzzle in published.read(path):
        for distinct, field in ((True, "solutions_distinct"), (False, "solutions_plain")):
            rules = replace(puzzle.rules, distinct_lines=distinct)
            known = record.get("solution") if distinct == record["distinct_lines"] else None
            yield Entry(replace(puzzle, rules=rules), id=record["id"]), record[field], known


@pytest.mark.parametrize("backend", ["auto", "cpsat"])
@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.stem)
def test_every_verdict(path: Path, backend: str) -> None:
    given = list(entries(path))
    task, workers = Task("count", backend, limit=2), executors.WorkerSettings(executors.cores())
    records = records_of(([entry] for entry, _, _ in given), task, workers)
    assert len(records) == len(given)
    for record, (_, number, solution) in zip(records, given, strict=True):
        assert (record.id, record.error, record.count) == (record.id, None, number)
        if solution and number == 1:
            assert (record.id, record.solution) == (record.id, solution)


@pytest.mark.parametrize("path", FILES or [Path()], ids=lambda path: path.stem)
def test_an_audit_knows_both_verdicts(path: Path) -> None:
    words = ["none", "unique", "multiple"]
    audited = [each for each in bn.audit(path).records() if each["id"]]  # the last is of the set
    given = list(published.read(path))
    assert [each["id"] for each in audited] == [record["id"] for record, _ in given]
    for found, (known, puzzle) in zip(audited, given, strict=True):
        if puzzle.rules.odd != "either":
            continue  # the records do not say so
        verdicts = [words[known[each]] for each in ("solutions_distinct", "solutions_plain")]
        if not known["distinct_lines"]:
            verdicts.reverse()
        assert [found["verdict"], found["other_verdict"]] == verdicts
