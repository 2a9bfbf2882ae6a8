"""Rows of chosen columns hold what the records hold; the progress and the summary of a run."""

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.batch import running, tables
from binairo_cp.batch.running import RunState
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Table, column_names
from binairo_cp.batch.tasks import Task, decide, failed, record
from binairo_cp.errors import FormatError
from binairo_cp.features.steps import GRADE
from binairo_cp.formats import Entry, Tally, schema
from binairo_cp.formats.results import ErrorRecord, GradeRecord, ResultRecord
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import PLUS, Puzzle, Sign
from binairo_cp.solving.solutions import Verb, Verdict
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call

HOSTILE = [
    "a\tb", "a,b", 'a "b"', "=1+1", "a\r\nb", "\u202eabc", "\x1b[31mred", " ", "é", "\\t", "",
]  # fmt: skip
CHECK = Task("check", "pysat")


def _decided(text: str, task: Task, id: str | None = "x") -> ResultRecord:
    return decide(Entry(Puzzle(Board.parse(text)), id=id, source="s"), task)


def _examples() -> list[ResultRecord]:
    """Records that together have most fields."""
    signs = Puzzle(Board.parse("..1.\n....\n....\n...."), PLUS, (Sign(0, 0, "R", "="),))
    broken = FormatError("a\nmessage, with\ta tab", line=3, column=4)
    return [
        *(_decided(text, CHECK) for text in (UNIQUE, MULTIPLE, NONE)),
        _decided(
            UNIQUE, Task("check", "pysat", analyses=(replace(GRADE, options={"scale": "sgt"}),))
        ),
        _decided(MULTIPLE, Task("solve", "pysat", limit=3)),
        _decided(MULTIPLE, Task("check", "pysat", both_readings=True)),
        _decided(UNIQUE, Task("count", "pysat", limit=1), id=None),
        decide(Entry(signs, id="signs", source="s"), CHECK),
        failed(Entry(None, broken, "bad", "s", 3), broken, Verdict.INVALID),
    ]


EXAMPLES = _examples()


def _expected(record: ResultRecord, name: str) -> Any:
    """The value in the JSON of the record, which is written without this code."""
    value = json.loads(record.to_json())
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _holds(cell: str, value: Any) -> bool:
    if value is None:
        return cell == ""
    if isinstance(value, str):
        return cell == tables.printable(value)
    return bool(json.loads(cell) == value)


def _cells(table: Table, text: str) -> list[list[str]]:
    if table.is_csv:
        return list(csv.reader(text.splitlines(keepends=True)))
    return [line.split("\t") for line in text.split("\n")[:-1]]


COLUMNS = st.lists(st.sampled_from(column_names()), min_size=1, max_size=12, unique=True)


@given(COLUMNS, st.booleans(), st.lists(st.sampled_from(EXAMPLES), max_size=4))
def test_cells_are_the_values_of_the_record(
    columns: list[str], is_csv: bool, records: list[ResultRecord]
) -> None:
    table = Table(tuple(columns), is_csv)
    rows = _cells(table, "".join(map(table.written, records)))
    assert len(rows) == len(records)
    for row, each in zip(rows, records, strict=True):
        assert len(row) == len(columns)
        for cell, name in zip(row, columns, strict=True):
            assert _holds(cell, _expected(each, name)), name


def test_the_examples_have_the_fields_that_plain_and_other_puzzles_have() -> None:
    """Otherwise the test above would compare nothing with nothing."""
    found = {name for each in EXAMPLES for name in column_names() if _expected(each, name)}
    assert found >= {
        *("id", "source", "line", "height", "clues", "signs", "rules", "verdict", "solution"),
        *("second_solution", "solutions", "differences", "count", "complete", "stopped_by"),
        *("contradiction", "grade.level", "grade.published.level", "readings.unruly.verdict"),
        *("error.message", "error.column", "backend", "seconds"),
    }


@given(
    st.text(max_size=30) | st.sampled_from(HOSTILE),
    st.text(max_size=30) | st.sampled_from(HOSTILE),
    st.booleans(),
)
def test_a_name_never_breaks_a_row(id: str, message: str, is_csv: bool) -> None:
    grade = GradeRecord(level="easy", placed={message: 1}, rounds=1, narrowest=0, left=0, score=1)
    result = record(
        Entry(None, id=id, source=message),
        {"verdict": Verdict.UNKNOWN, "grade": grade},
        ErrorRecord(kind="format", message=message),
    )
    table = Table(("verdict", "id", "source", "grade.placed", "error.message", "count"), is_csv)
    text = table.written(result)
    assert text.endswith("\n")
    assert text[:-1].isprintable() or text[:-1].replace("\t", "").isprintable()
    (row,) = _cells(table, text)
    verdict, name, source, placed, error, count = row
    assert (verdict, count) == ("unknown", "")
    assert (name, source, error) == tuple(map(tables.printable, (id, message, message)))
    assert json.loads(placed) == {message: 1}


@pytest.mark.usefixtures("without_workers")
@pytest.mark.parametrize("verb", ["check", "explain", "fewest"])
def test_the_usual_columns_of_each_command(verb: str) -> None:
    _, out, err = call(verb, "-", "-q", "--to", "csv", input=f"{UNIQUE} a\nx\n")
    header, first, second = csv.reader(out.splitlines())
    assert len(header) == len(first) == len(second) > 10, err
    good, bad = (dict(zip(header, each, strict=True)) for each in (first, second))
    assert (good["id"], good["verdict"], good["solution"]) == ("a", "unique", KNOWN)
    assert (bad["verdict"], bad["error.kind"], bad["solution"]) == ("invalid", "format", "")


def test_only_puzzles_that_are_decided_and_read_are_counted_as_done() -> None:
    state = RunState(Summary("check"), Tally(done=900, total=1000), read=90)
    assert state.done == 0
    state.summary.verdicts["unique"] = 30
    assert state.done == 300
    state = RunState(
        Summary("check", Counter(unique=50)), Tally(done=100, total=1000), 10, before=50
    )
    assert state.done == 100


def _record(seconds: float, kind: str | None = None) -> ResultRecord:
    error = ErrorRecord(kind=kind, message="") if kind else None
    verdict = Verdict.UNKNOWN if kind else Verdict.UNIQUE
    return ResultRecord(id=f"{seconds}", source="", verdict=verdict, seconds=seconds, error=error)


def test_merged_summaries_equal_the_summary_of_all_records() -> None:
    records = [
        _record(k * 7 % 10 + 0.0, "crash" if k == 3 else "hang" if k % 4 == 1 else None)
        for k in range(10)
    ]
    whole = Summary("check")
    parts = [Summary("check"), Summary("check")]
    for k, added in enumerate(records):
        whole.add(added)
        parts[k // 5].add(added)
    parts[0].merge(parts[1])
    assert parts[0] == whole
    assert whole.kinds == {"hang": 3, "crash": 1}


REPAIR = {
    "puzzle": "0110",
    "verdict": "unique",
    "added": [],
    "dropped": [],
    "at_least": 0,
    "proved": True,
}
PLACE = {"id": "a", "source": "f", "line": 3}
KEPT = [
    {"verdict": "unique", "solution": "0110"},
    {"verdict": "unique", "seconds": 2.0, "solution": "0110"},
    {"verdict": "none", "seconds": 1.0},
    {"verdict": "multiple", "seconds": 3.0, "readings": {"classic": {"verdict": "multiple"}}},
    {"verdict": "unknown", "error": {"kind": "crash", "message": "it died"}},
    {"verdict": "invalid", "error": {"kind": "format", "message": "no cell", "column": 2}},
    {"verdict": "unique", "answered": False},
    {"verdict": "none", "answered": True, "repair": REPAIR},
    {"verdict": "multiple", "repair": REPAIR},
    {"verdict": "multiple", "answered": True, "repair": REPAIR | {"verdict": "multiple"}},
    {"verdict": "solved", "count": 3, "complete": True},
    {"verdict": "solved", "count": 3, "complete": False},
]


@pytest.mark.parametrize("verb", ["check", "count"])
@pytest.mark.parametrize("kept", [*([each] for each in KEPT), KEPT])
def test_a_summary_of_stored_records_is_the_same(verb: Verb, kept: list[dict[str, object]]) -> None:
    whole, again = Summary(verb), Summary(verb)
    for fields in kept:
        whole.add(schema.adapter(ResultRecord).validate_python(PLACE | fields))
        again.add_fields(PLACE | fields)
    assert again == whole
    assert str(again) == str(whole)
    # Together they are counted the same, or not at all.
    records = (schema.adapter(ResultRecord).validate_python(PLACE | fields) for fields in kept)
    lines = b"".join(each.to_json().encode() + b"\n" for each in records)
    together = Summary(verb)
    assert together == (whole if together.add_lines(lines) else Summary(verb))


def test_lines_of_results_are_counted_together() -> None:
    record = (
        b'{"id":"\\",\\"verdict\\":\\"none\\",","verdict":"unique","solution":"0110","count":1}\n'
    )
    summary = Summary("check")
    assert summary.add_lines(2 * record)
    assert summary.verdicts == {"unique": 2}
    for not_simple in (record[:-1], record[:40] + b"\0" + record[40:], b"{}\n", b"\n"):
        assert not summary.add_lines(record + not_simple)
    assert summary.total == 2


def test_the_summary_names_an_option_that_made_a_run_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.line").write_text("..1....0..10.0..\n" * 100)
    monkeypatch.setattr(running, "_LONG_SECONDS", 0.0)
    for option in ("--backend pysat", "--cross-check auto,pysat", ""):
        _, _, errors = call("check", str(tmp_path / "a.line"), *option.split())
        named = f"binairo: {option.removesuffix(' auto,pysat')} takes most of this time\n"
        assert errors.startswith(named) == bool(option)
