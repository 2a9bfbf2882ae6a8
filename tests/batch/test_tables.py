"""Rows of chosen columns hold what the records hold."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.batch import tables
from binairo_cp.batch.records import failed, record
from binairo_cp.batch.tables import Table, column_names, output_of, writer
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.errors import FormatError, OptionError
from binairo_cp.features.steps import GRADE
from binairo_cp.formats import Entry
from binairo_cp.formats.schema import ErrorRecord, Finding, GradeRecord, ResultRecord
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import PLUS, Puzzle, Sign
from binairo_cp.solving.solutions import Verdict
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call

HOSTILE = [
    "a\tb",
    "a,b",
    'a "b"',
    "=1+1",
    "a\r\nb",
    "\u202eabc",
    "\x1b[31mred",
    " ",
    "é",
    "\\t",
    "",
]
CHECK = Task("check", "pysat")


def _decided(text: str, task: Task, id: str | None = "x") -> ResultRecord:
    return decide(Entry(Puzzle(Board.parse(text)), id=id, source="s"), task)


def _examples() -> list[ResultRecord]:
    """Records that together have most fields."""
    signs = Puzzle(Board.parse("..1.\n....\n....\n...."), PLUS, (Sign(0, 0, "R", "="),))
    broken = FormatError("a\nmessage, with\ta tab", line=3, column=4)
    return [
        *(_decided(text, CHECK) for text in (UNIQUE, MULTIPLE, NONE)),
        _decided(UNIQUE, Task("check", "pysat", analyses=(GRADE.with_options(scale="sgt"),))),
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
    write = writer(table, "check")
    rows = _cells(table, "".join(map(write, records)))
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
    finding = Finding(
        verdict=Verdict.UNKNOWN, grade=GradeRecord(level="easy", placed={message: 1}, rounds=1, narrowest=0, left=0)
    )  # fmt: skip
    result = record(
        Entry(None, id=id, source=message), finding, ErrorRecord(kind="format", message=message)
    )
    table = Table(("verdict", "id", "source", "grade.placed", "error.message", "count"), is_csv)
    text = writer(table, "check")(result)
    assert text.endswith("\n")
    assert text[:-1].isprintable() or text[:-1].replace("\t", "").isprintable()
    (row,) = _cells(table, text)
    verdict, name, source, placed, error, count = row
    assert (verdict, count) == ("unknown", "")
    assert (name, source, error) == tuple(map(tables.printable, (id, message, message)))
    assert json.loads(placed) == {message: 1}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("", "the names of fields"),
        (" , ", "the names of fields"),
        ("id,", "the names of fields"),
        ("id,,verdict", "the names of fields"),
        ("id,verdict, id", "id is there twice"),
        ("verdikt", "there is no field 'verdikt'; expected some of schema_version, id, source"),
        ("ID", "there is no field 'ID'"),
        ("grade.levels", "expected one of grade.level, grade.hardest"),
        ("grade.published.x", "expected one of grade.published.scale, grade.published.level"),
        ("steps.sentence", "there is no field 'steps.sentence'; expected some of"),
        ("rules.odd", "there is no field"),
        ("__class__", "there is no field"),
        ("id\tverdict", r"there is no field 'id\tverdict'"),
        ("x" * 5000, "there is no field '" + "x" * 40 + "'"),
    ],
)
def test_wrong_columns(columns: str, message: str) -> None:
    for form in ("line", "csv"):
        with pytest.raises(OptionError) as error:
            output_of(form, columns, CHECK)  # type: ignore[arg-type]
        assert message in error.value.message
        assert error.value.option == "columns"
        assert len(error.value.message) < 1000


def test_all_known_names_in_the_order_of_a_record() -> None:
    outer = [name for name in column_names() if "." not in name]
    assert outer == list(ResultRecord.model_fields)
    assert {"grade.published.level", "readings.classic.grade.level", "error.line"} < {
        *column_names()
    }


def test_the_usual_columns_exist_and_name_what_a_task_adds() -> None:
    table = output_of("csv", None, Task("check", analyses=(GRADE,)))
    assert isinstance(table, Table)
    assert set(table.columns) < set(column_names())
    assert "grade.level" in table.columns


def test_lines_with_tabs() -> None:
    status, out, err = call(
        "check", "-", "-q", "--columns", "id, verdict,clues,second_solution", input=f"{UNIQUE} a b\n"
    )  # fmt: skip
    assert (status, out) == (0, f"a b\tunique\t{UNIQUE}\t\n"), err


@pytest.mark.parametrize(
    ("command", "columns", "expected"),
    [
        (["solve", "--limit", "2"], "count,complete", "2,false"),
        (["count"], "id,count", "1,4140"),
        (["grade"], "grade.level,verdict", ",multiple"),
        (["clues"], "answered,needs", "true,"),
        (["fewest"], "fewest,verdict", ",multiple"),
    ],
)
def test_csv_has_a_header(command: list[str], columns: str, expected: str) -> None:
    _, out, err = call(*command, "-q", "--to", "csv", "--columns", columns, "-", input=MULTIPLE)
    assert out == f"{columns}\n{expected}\n", err


@pytest.mark.parametrize("verb", ["check", "hint", "explain", "grade", "clues", "fewest", "repair"])
def test_the_usual_columns_of_each_command(verb: str) -> None:
    _, out, err = call(verb, "-", "-q", "--to", "csv", input=f"{UNIQUE} a\nx\n")
    header, first, second = csv.reader(out.splitlines())
    assert len(header) == len(first) == len(second) > 10, err
    good, bad = (dict(zip(header, each, strict=True)) for each in (first, second))
    assert (good["id"], good["verdict"], good["solution"]) == ("a", "unique", KNOWN)
    assert (bad["verdict"], bad["error.kind"], bad["solution"]) == ("invalid", "format", "")


def test_a_csv_file_without_puzzles_has_only_a_header(tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    assert call("check", "-", "-q", "--columns", "id", "-o", str(out), input="")[0] == 2
    assert out.read_text() == "id\n"


def test_conflicts_are_found_if_a_column_has_them() -> None:
    for columns, expected in (
        ("contradiction", "[[0,0],[0,1],[0,2]]\n"),
        ("verdict", "none\n"),
    ):
        _, out, _ = call("check", "-", "-q", "--columns", columns, input=NONE)
        assert out == expected
    arguments = ["--reasons", "quick", "--to", "line", "--columns", "contradiction_irreducible"]
    assert call("check", "-", "-q", *arguments, input=NONE)[1] == "true\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "text", "--columns", "id"], "text; expected --to line or --to csv"),
        (["--to", "ndjson", "--columns", "id"], "ndjson; expected --to line or --to csv"),
        (["--columns", "id", "-o", "r.ndjson"], "ndjson; expected --to line or --to csv"),
        (["--columns", "id", "-o", "r.tsv", "--resume"], "needs --to ndjson and --out FILE"),
        (["--to", "csv", "-o", "r.csv", "--resume"], "needs --to ndjson and --out FILE"),
        (["--columns", "id", "-o", "r.parquet"], "expected --to line or --to csv"),
        (["--to", "line", "-o", "r.csv"], "line contradicts --out"),
        (["-o", "r.tsv"], "can't write .tsv"),
        (["--columns", ""], "expected the names of fields"),
    ],
)
def test_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = call("check", "-", *arguments, input=UNIQUE)
    assert (status, out) == (2, "")
    assert "".join(message.split()) in "".join(err.replace("│", "").split())
    assert not list(tmp_path.iterdir())


def test_tsv_is_the_ending_of_lines_with_columns(tmp_path: Path) -> None:
    for name in ("r.tsv", "r.line", "r.txt", "r"):
        out = tmp_path / name
        assert call("check", "-", "-q", "--columns", "verdict,id", "-o", str(out), input=UNIQUE)[0] == 0  # fmt: skip
        assert out.read_text() == "unique\t1\n"
