"""Parquet tables of records. DuckDB reads what pyarrow writes."""

import gzip
import io
import json
import os
import random
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.errors import SourceError
from binairo_cp.formats import parquet, read_sources, schema
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import PuzzleRecord, types_of
from tests.support.any_records import any_records, written
from tests.support.command_line import binairo, call, invoke
from tests.support.result_files import read_lines, write_all_verdicts
from tests.support.strategies import examples

GOOD = '{"id":"a","source":"s","height":1,"width":2,"clues":"01","verdict":"unique"}'


def rows(table: io.BytesIO) -> list[bytes]:
    return b"".join(parquet.lines(table, "x")).splitlines()


def to_table(results: Path, table: Path) -> None:
    with open_output(str(table), ResultRecord) as write:
        write(results.read_text())


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of all kinds of verdicts."""
    return write_all_verdicts(tmp_path_factory.mktemp("results") / "r.ndjson")


@examples(0.5)
@given(st.lists(any_records, max_size=4))
def test_a_table_round_trips_result_records(records: list[ResultRecord]):
    file = io.BytesIO(written(records, ResultRecord))
    back = [schema.adapter(ResultRecord).validate_json(line, strict=True) for line in rows(file)]
    assert back == [schema.adapter(ResultRecord).validate_json(r.to_json()) for r in records]


@given(st.lists(any_records, max_size=3))
def test_columns_do_not_depend_on_the_records(records: list[ResultRecord]):
    with pq.ParquetFile(io.BytesIO(written(records, ResultRecord))) as table:
        assert table.metadata.num_rows == len(records)
        assert table.schema_arrow.names == list(types_of(ResultRecord))
        assert table.schema_arrow == parquet.columns(ResultRecord)


@pytest.mark.usefixtures("without_workers")
def test_duckdb_reads_the_same(checked: Path, tmp_path: Path):
    table = tmp_path / "r.parquet"
    to_table(checked, table)
    records = [json.loads(line) for line in checked.read_text().splitlines()]
    query = f"SELECT id, verdict, count, error.line, len(contradiction), signs[1].relation FROM '{table}'"
    assert duckdb.sql(query).fetchall() == [
        (
            r["id"],
            r["verdict"],
            r.get("count"),
            r.get("error", {}).get("line"),
            len(r["contradiction"]) if "contradiction" in r else None,
            r["signs"][0][3] if r.get("signs") else None,
        )
        for r in records
    ]
    assert {"unique", "multiple", "none", "invalid"} <= {r["verdict"] for r in records}


COMMANDS = [
    *(("solve",), ("solve", "--limit", "3"), ("check", "--rules", "both"), ("count",)),
    *(("hint",), ("explain",), ("grade",), ("clues",), ("fewest",), ("repair",)),
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_writes_tables(command: tuple[str, ...], tmp_path: Path):
    puzzles = tmp_path / "p.txt"
    puzzles.write_text(
        "01..\n....\n..1.\n....\n\nsigns: r1c1xr1c2\n1..0\n....\n....\n.11.\n\n00\n\n"
    )
    records_read = []
    for name in ("r.ndjson", "r.parquet", "back.ndjson"):
        out = tmp_path / name
        if name.startswith("back"):
            out.write_bytes(read_lines(tmp_path / "r.parquet"))
        else:
            call(*command, str(puzzles), "--to", "ndjson", "--out", str(out), "-q", "-w", "1")
        if name.endswith("ndjson"):
            records_read.append([json.loads(line) for line in out.read_text().splitlines()])
    for record in [*records_read[0], *records_read[1]]:
        record.pop("seconds", None)
        for each in record.get("readings", {}).values():
            each.pop("seconds", None)
    assert records_read[0] == records_read[1]
    assert len(records_read[0]) == 3


@pytest.mark.parametrize(("command", "kind"), [
    (("convert", "instances/signs", "--to", "ndjson"), PuzzleRecord),
    (("generate", "4", "-n", "3", "--seed", "1", "--to", "ndjson"), ResultRecord),
    (("board", "4", "-n", "3", "--seed", "1", "--to", "ndjson"), PuzzleRecord),
])  # fmt: skip
def test_puzzles_round_trip_as_tables(
    command: tuple[str, ...], kind: type[PuzzleRecord | ResultRecord], tmp_path: Path
):
    table = tmp_path / "p.parquet"
    assert call(*command, "--out", str(table), "-q")[0] == 0
    plain = call(*command, "-q")[1]
    back = call("convert", str(table), "--to", "text", "-q")[1]
    assert back == call("convert", "-", "--to", "text", "-q", input=plain)[1]
    assert [c for c, *_ in duckdb.sql(f"DESCRIBE FROM '{table}'").fetchall()] == list(
        types_of(kind)
    )


def test_a_table_can_be_empty(tmp_path: Path):
    empty, table = tmp_path / "e.ndjson", tmp_path / "e.parquet"
    empty.write_text("")
    to_table(empty, table)
    assert duckdb.sql(f"SELECT verdict, readings FROM '{table}'").fetchall() == []
    assert read_lines(table) == b""


def test_missing_pyarrow_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.delitem(sys.modules, "binairo_cp.formats.parquet")
    out = tmp_path / "x.parquet"
    with (
        pytest.raises(SourceError, match="pip install 'pyarrow>="),
        open_output(str(out), ResultRecord),
    ):
        pass
    assert not out.exists()
    out.write_bytes(b"PAR1....")
    (entry,) = read_sources([str(out)])
    assert "pip install 'pyarrow>=" in str(entry.error)


def test_large_records_make_more_row_groups(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parquet, "_GROUP_BYTES", 1000)
    records = [
        ResultRecord(id=str(k), source="s", verdict="unique", note="x" * 300) for k in range(20)
    ]
    data = written(records, ResultRecord)
    with pq.ParquetFile(io.BytesIO(data)) as table:
        assert table.num_row_groups == 7
    ids = [json.loads(line)["id"] for line in rows(io.BytesIO(data))]
    assert ids == [str(k) for k in range(20)]


def test_results_before_an_interrupt_can_be_read(tmp_path: Path):
    out = tmp_path / "r.parquet"
    with pytest.raises(ZeroDivisionError), open_output(str(out), ResultRecord) as write:
        write(GOOD + "\n")
        raise ZeroDivisionError
    assert not out.exists()
    assert json.loads(read_lines(Path(f"{out}.partial"))) == json.loads(GOOD)


def test_a_value_too_large_for_its_column_is_reported(tmp_path: Path):
    given, out = tmp_path / "r.ndjson", tmp_path / "r.parquet"
    huge = GOOD.replace('"a"', '"huge"').replace("}", f',"count":{2**63}}}')
    given.write_text(f"{GOOD}\n{huge}\n")
    with pytest.raises(SourceError, match=r"record 2 \(huge\) has a value that does not fit"):
        to_table(given, out)
    assert not out.exists()
    given.write_text(huge.replace(str(2**63), str(2**63 - 1)) + "\n")
    to_table(given, out)
    assert duckdb.sql(f"SELECT count FROM '{out}'").fetchall() == [(2**63 - 1,)]


def test_a_full_disk_is_reported(checked: Path, tmp_path: Path):
    done = subprocess.run(
        [*binairo, "check", *[str(checked)] * 9, "--out", str(tmp_path / "full.parquet")],
        capture_output=True,
        text=True,
        # Or Python may leave half a file of bytecode, which breaks later imports.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000)),
    )
    assert done.returncode == 2
    assert "can't be written: File too large" in done.stderr
    assert not (tmp_path / "full.parquet").exists()


@pytest.fixture(scope="module")
def table(checked: Path) -> tuple[int, bytes]:
    """A Parquet file of these records, and their number."""
    kept = [
        schema.adapter(ResultRecord).validate_json(line)
        for line in checked.read_text().splitlines()
    ]
    return len(kept), written(kept, ResultRecord)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_table_is_reported(seed: int, table: tuple[int, bytes]):
    draw = random.Random(seed)
    length, whole = table
    data = bytearray(whole)
    for _ in range(draw.choice([1, 5, 50])):
        data[draw.randrange(4, len(data))] = draw.randrange(256)
    if seed % 3 == 0:
        del data[draw.randrange(4, len(data)) :]
    with suppress(SourceError):  # nothing else, and no crash
        assert len(rows(io.BytesIO(data))) <= length


def test_a_table_whose_index_contradicts_itself_does_not_end_the_process(table: tuple[int, bytes]):
    _, whole = table
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    draw = random.Random(1)
    for _ in range(300):
        data = bytearray(whole)
        data[draw.randrange(footer, len(data) - 8)] = draw.randrange(256)
        with suppress(SourceError):
            rows(io.BytesIO(data))


def test_too_large_row_groups_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parquet, "MAX_GROUP_BYTES", 1000)
    note = "".join(random.Random(1).choices("abcdef", k=2000))
    record = ResultRecord(id="a", source="s", verdict="unique", note=note)
    with pytest.raises(SourceError, match="a row group of more than 1,000 bytes"):
        rows(io.BytesIO(written([record], ResultRecord)))


@pytest.mark.parametrize("use_dictionary", [False, True])
def test_a_cell_of_many_characters_is_refused_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, use_dictionary: bool
) -> None:
    table = pa.table({"height": [4], "width": [4], "clues": ["." * 40_000_000]})
    file = io.BytesIO()
    pq.write_table(table, file, compression="zstd", use_dictionary=use_dictionary)
    file.seek(0)
    monkeypatch.delattr(pq.ParquetFile, "iter_batches")  # nothing is read
    with pytest.raises(SourceError, match=r"has a row group of 40,0\d\d,\d+ bytes in 1 row;"):
        rows(file)


def test_a_long_cell_among_many_short_ones_is_refused_before_it_is_copied() -> None:
    cells = [*["..1....0..10.0.."] * 3_000, "." * 5_000_000]
    file = io.BytesIO()
    pq.write_table(pa.table({"height": [4] * 3_001, "width": [4] * 3_001, "clues": cells}), file)
    file.seek(0)
    with pytest.raises(SourceError, match=r"column 'clues' has a text of 5,000,000 bytes"):
        rows(file)


def test_a_table_can_not_be_read_from_a_pipe(checked: Path, tmp_path: Path):
    table = tmp_path / "r.parquet"
    to_table(checked, table)
    done = subprocess.run([*binairo, "check", "-"], input=table.read_bytes(), capture_output=True)
    assert done.returncode == 2
    assert b"can't be read from a pipe; use a file" in done.stderr


def test_lines_made_from_columns_are_those_made_from_rows(monkeypatch: pytest.MonkeyPatch):
    texts = [["a b", "", None], ["~ [}", "1", "2"], ['"', "a", "b"], ["\\", "é", "\n"]]
    for each in texts:
        columns = {"id": each, "k": [-1, None, 2**40], "e": [[], [], []], "n": [None] * 3}
        file = io.BytesIO()
        table = pa.table(columns | {"n": pa.array([None] * 3, "string")})
        pq.write_table(table, file)
        with monkeypatch.context() as patch:
            patch.setattr(parquet, "_lines_of_columns", lambda _: None)
            slow = rows(file)
        assert rows(file) == slow


def test_puzzles_of_a_table_need_a_column(tmp_path: Path):
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"ID": ["a"], "Puzzle ": ["0..............."], "x": [[1]]}), file)
    assert call("check", str(file), "--to", "ndjson")[1].startswith('{"schema_version"')
    pq.write_table(pa.table({"id": ["a"], "board_text": ["0..............."]}), file)
    for command in ("check", "audit"):
        error = invoke(command, str(file), check=2).stderr
        assert "no column with puzzles, such as 'puzzle'; it has 'id', 'board_text'" in error
    packed = tmp_path / "t.parquet.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    error = invoke("audit", str(packed), check=2).stderr
    assert "is a Parquet table; it can only be read from a file that is not compressed" in error


@pytest.mark.parametrize("content", [b"", b"01.1\n", b"\xcc" * 3_000])
def test_a_file_named_parquet_is_a_table_or_an_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.parquet"
    file.write_bytes(content)
    (entry,) = read_sources([str(file)])
    assert isinstance(entry.error, SourceError)
    assert "can't be read as a Parquet table" in str(entry.error)
