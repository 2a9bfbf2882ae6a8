"""Result files: merged and compared."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.batch.results import claims, files
from binairo_cp.formats.results import ResultRecord
from tests.support.any_records import any_records, written
from tests.support.command_line import binairo, call, invoke
from tests.support.result_files import write_all_verdicts
from tests.support.strategies import examples

GOOD = '{"id":"a","source":"s","height":1,"width":2,"clues":"01","verdict":"unique"}'


FOLDER = tempfile.TemporaryDirectory()
fewer = examples(0.4)


def new_folder() -> Path:
    """A new folder for one example, since all examples of a test share `tmp_path`."""
    return Path(tempfile.mkdtemp(dir=FOLDER.name))


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of all kinds of verdicts."""
    return write_all_verdicts(tmp_path_factory.mktemp("results") / "r.ndjson")


# merge


@pytest.mark.slow
@fewer
@given(st.data())
def test_merging_the_parts_of_a_file_gives_the_file(data: st.DataObject):
    folder = new_folder()
    records = data.draw(st.lists(any_records, max_size=8))
    whole = "".join(record.to_json() + "\n" for record in records)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(records)), max_size=3)))
    names = []
    for k, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(records)], strict=True)):
        text = "".join(record.to_json() + "\n" for record in records[start:end])
        names.append(str(folder / f"{k}"))
        way = data.draw(st.sampled_from(["plain", "packed", "table", "no last end"]))
        if way == "table":
            Path(names[-1]).write_bytes(written(records[start:end], ResultRecord))
        else:
            raw = (text.removesuffix("\n") if way == "no last end" else text).encode()
            Path(names[-1]).write_bytes(gzip.compress(raw) if way == "packed" else raw)
    out = folder / "whole"
    assert call("merge", *names, "--out", str(out), "-q")[0] == 0
    assert [json.loads(line) for line in out.read_bytes().split(b"\n")[:-1]] == [
        json.loads(line) for line in whole.encode().split(b"\n")[:-1]
    ]


BAD = [
    (GOOD[:30], r"r:2:30: invalid JSON: the text ends"),
    ("[1]", r"r:2: expected an object; expected a result record"),
    ('{"id":1,"source":"s","verdict":"unique"}', "r:2: id: expected text"),
    (GOOD.replace("unique", "odd"), "r:2: verdict: expected"),
    ('{"id":"a","verdict":"unique"}', "r:2: source: is missing"),
    (GOOD.replace("}", ',"schema_version":2}'), "r:2: schema_version: expected 1"),
    ("[" * 5000, "r:2:202: invalid JSON: recursion limit exceeded"),
    ("\udcff", "r:2:1: invalid JSON: expected value"),
    (GOOD.replace('"a"', '"\udcff"'), "r:2:8: invalid JSON: invalid unicode code point"),
    (GOOD.replace("}", ',"grade":{"level":"\x1b[31m"}}'), "r:2:9"),
    ("\0", "r:2:1: invalid JSON"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_invalid_records_are_reported_and_the_others_kept(line: str, message: str, tmp_path: Path):
    given, out = tmp_path / "r", tmp_path / "out"
    last = GOOD.replace('"a"', '"b"')
    given.write_bytes(f"{GOOD}\n{line}\n{last}".encode(errors="surrogateescape"))
    status, _, err = call("merge", str(given), "--out", str(out))
    assert status == 2
    assert lines(out) == [GOOD, last]
    assert message in err
    assert err.isprintable() or set(err) - {"\n"} <= set(filter(str.isprintable, err))
    assert call("diff", str(given), str(out))[0] == 2


def test_a_line_without_end_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MAX_RECORD_BYTES", 3 << 20)
    given = tmp_path / "r"
    given.write_bytes(GOOD.encode() + b"\n" + b"x" * (10 << 20) + b"\n" + GOOD.encode())
    status, out, err = call("merge", str(given))
    assert (status, out) == (2, f"{GOOD}\n{GOOD}\n")
    assert "r:2: a line of more than 3,145,728 bytes" in err


@pytest.mark.usefixtures("without_workers")
def test_a_broken_archive_is_reported(checked: Path, tmp_path: Path):
    given = tmp_path / "r.ndjson.gz"
    given.write_bytes(gzip.compress(checked.read_bytes() * 30)[:-500])
    status, out, err = call("merge", str(given))
    assert status == 2
    assert out.startswith(lines(checked)[0])
    assert "r.ndjson.gz: can't be read: the compressed data are damaged" in err


def test_many_errors_are_summed_up(tmp_path: Path):
    given = tmp_path / "r"
    given.write_text("x\n" * 1000)
    err = call("merge", str(given))[2]
    assert len(err.splitlines()) == 12
    assert "binairo: 1000 errors in total" in err


def test_the_output_is_not_an_input(tmp_path: Path):
    given = tmp_path / "r.ndjson.partial"
    given.write_text(GOOD + "\n")
    done = invoke("merge", str(given), "--out", str(tmp_path / "r.ndjson"), check=2)
    assert "r.ndjson.partial: is an input, but --out" in done.stderr
    assert given.read_text() == GOOD + "\n"
    kept = given.rename(tmp_path / "r.ndjson")
    assert call("merge", str(kept), str(kept), "--out", str(kept))[0] == 0
    assert lines(kept) == [GOOD] * 2


def test_a_closed_pipe_is_not_an_error(checked: Path):
    command = f"{' '.join(binairo)} merge {' '.join([str(checked)] * 50)} -q | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [lines(checked)[0], "141"]
    assert done.stderr == ""


def record(verdict: str, **more: Any) -> str:
    made = {
        "id": "a",
        "source": "s",
        "height": 1,
        "width": 2,
        "clues": "..",
        "rules": "classic",
        "verdict": verdict,
    }
    return json.dumps({name: value for name, value in (made | more).items() if value is not None})


CRASHED = {"rules": None, "error": {"kind": "crash", "message": "died"}}
DISTINCT = [
    (["unknown", "unique"], [1]),
    (["unique", "unknown"], [0]),
    (["unique", "unique"], [0]),
    (["solved", "unique", "unknown"], [1]),
    ([("unknown", CRASHED), "none"], [1]),
    (["none", ("unknown", CRASHED)], [0]),
    (["invalid", "unknown"], [1]),
    ([("multiple", {"count": 9}), ("multiple", {"count": 30}), ("multiple", {"count": 20})], [1]),
    ([("multiple", {"count": 30}), ("multiple", {"count": 12, "id": "b"})], [0, 1]),
    ([("multiple", {"count": 90}), ("multiple", {"count": 90, "complete": True})], [1]),
    (["unknown", ("unique", {"rules": "unruly"}), "none"], [2, 1]),
    (["unknown", ("unique", {"clues": "0."}), "unique"], [2, 1]),
]


@pytest.mark.parametrize(("given", "kept"), DISTINCT)
def test_the_most_informative_record_is_kept(given: list[Any], kept: list[int], tmp_path: Path):
    text = [record(each) if isinstance(each, str) else record(each[0], **each[1]) for each in given]
    path = tmp_path / "r"
    path.write_text("\n".join(text))
    status, out, err = call("merge", str(path), "--one-per-puzzle")
    assert (status, out.splitlines()) == (0, [text[k] for k in kept])
    left = len(text) - len(kept)
    assert (f"; {left} repeat" in err) == bool(left)


def test_contradicting_records_are_reported(tmp_path: Path):
    path = tmp_path / "r"
    text = [record("unique", solution="01"), record("none"), record("unique", solution="10")]
    path.write_text("\n".join(text))
    status, out, err = call("merge", str(path), "--one-per-puzzle")
    assert (status, out.splitlines()) == (2, text[:1])
    assert "r:2: a: none, but unique in" in err
    assert "r:3: a: the solution or the count differs from" in err


# Claims


def honest(number: int, limit: int, verb: str, stops: bool) -> dict[str, Any]:
    """The fields that a correct solver may report for a puzzle with `number` solutions."""
    found = min(number, limit)
    if stops:
        found = min(found, 1)
        return record_fields("multiple" if found > 1 else "unknown", found, False)
    complete = found < limit
    if verb == "solve":
        return record_fields("solved" if found else "none", found, complete)
    decided = limit > 1 or not found
    verdict = ("none", "unique", "multiple")[min(found, 2)] if decided else "unknown"
    return record_fields(verdict, found, complete)


def record_fields(verdict: str, found: int, complete: bool) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "count": found,
        "complete": complete,
        "solution": "01" if found else None,
    }


sayings = st.tuples(st.integers(1, 5), st.sampled_from(["solve", "check"]), st.booleans())


@given(st.integers(0, 6), sayings, sayings)
def test_correct_records_never_contradict_each_other(number: int, one: Any, two: Any):
    first, second = (
        ResultRecord(id="a", source="s", **honest(number, *each)) for each in (one, two)
    )
    assert not claims.contradict(first, second)


@given(st.integers(0, 6), st.integers(0, 6), st.sampled_from([True, False]))
def test_different_exact_counts_contradict_each_other(number: int, other: int, swap: bool):
    first, second = (
        ResultRecord(id="a", source="s", **honest(n, 9, "check", False)) for n in (number, other)
    )
    assert claims.contradict(first, second) is claims.contradict(second, first) is (number != other)


# diff

PAIRS = [
    (("unique", {}), ("unique", {}), None, []),
    (("unique", {}), ("none", {}), "contradiction", ["verdict"]),
    (("unique", {}), ("multiple", {}), "contradiction", ["verdict"]),
    (("solved", {}), ("none", {}), "contradiction", ["verdict"]),
    (("unknown", {"solution": "01"}), ("none", {}), "contradiction", ["verdict"]),
    (("unknown", {"count": 2}), ("unique", {}), "contradiction", ["verdict"]),
    (("unique", {"solution": "01"}), ("unique", {"solution": "10"}), "contradiction", ["solution"]),
    (("multiple", {"solution": "01"}), ("multiple", {"solution": "10"}), None, []),
    (("unknown", {}), ("none", {}), "known", ["verdict"]),
    (("solved", {"solution": "10"}), ("unique", {"solution": "10"}), "known", ["verdict"]),
    (("unique", CRASHED | {"rules": None}), ("unique", {}), None, []),
    (("invalid", {}), ("unique", {}), "changed", ["verdict"]),
    (("invalid", {}), ("unknown", {}), "changed", ["verdict"]),
    (("multiple", {"count": 4, "complete": True}), ("multiple", {"count": 5, "complete": True}), "contradiction", ["count"]),
    (("multiple", {"count": 4, "complete": True}), ("multiple", {"count": 5, "complete": False}), "contradiction", ["count"]),
    (("multiple", {"count": 4, "complete": True}), ("multiple", {"count": 2, "complete": False}), "known", ["count"]),
    (("multiple", {"count": 4, "complete": False}), ("multiple", {"count": 2, "complete": False}), None, []),
    (("unique", {"rules": "unruly"}), ("none", {}), "changed", ["rules", "verdict"]),
    *(
        (("unique", {"grade": {"level": level, "placed": {}, "rounds": 1, "narrowest": 1, "left": 0}}),
         ("unique", {"grade": {"level": "easy", "placed": {}, "rounds": 2, "narrowest": 1, "left": 0}}),
         kind, differs)
        for level, kind, differs in [("easy", None, []), ("hard", "changed", ["level"])]
    ),
    (
        ("unique", {"readings": {"classic": {"verdict": "unique"}, "unruly": {"verdict": "unknown"}}}),
        ("unique", {"readings": {"classic": {"verdict": "unique"}, "unruly": {"verdict": "none"}}}),
        "known", ["readings"],
    ),
    (
        ("unique", {"readings": {"classic": {"verdict": "unique"}, "unruly": {"verdict": "unique"}}}),
        ("unique", {"readings": {"classic": {"verdict": "unique"}, "unruly": {"verdict": "none"}}}),
        "contradiction", ["readings"],
    ),
]  # fmt: skip
STATUS = {None: 0, "contradiction": 2, "known": 3, "changed": 1, "only": 1}


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(("one", "two", "kind", "differs"), PAIRS)
def test_how_two_records_differ(
    one: Any, two: Any, kind: str | None, differs: list[str], swap: bool, tmp_path: Path
):
    both = [record(verdict, **more) for verdict, more in ((two, one) if swap else (one, two))]
    for name, text in zip("ab", both, strict=True):
        (tmp_path / name).write_text(text)
    status, out, _ = call("diff", str(tmp_path / "a"), str(tmp_path / "b"), "--to", "ndjson")
    assert status == STATUS[kind]
    found = [json.loads(line) for line in out.splitlines()]
    assert [(each["kind"], each["differs"]) for each in found] == (
        [] if kind is None else [(kind, differs)]
    )
    text = call("diff", str(tmp_path / "a"), str(tmp_path / "b"), "-q")[1]
    assert text.count("\n") == len(found)
    assert all(kind in text for kind in [kind] * bool(kind))


def decided(kinds: list[tuple[str, str]], start: int = 0) -> list[str]:
    return [
        record(verdict, id=id, clues=format(k, "010b"))
        for k, (id, verdict) in enumerate(kinds, start)
    ]


@fewer
@given(st.data())
def test_changes_are_found_in_any_order(data: st.DataObject):
    verdicts = st.sampled_from(["unique", "none", "multiple"])
    ids = st.sampled_from(["a", "b", "1"])
    first = decided(data.draw(st.lists(st.tuples(ids, verdicts), max_size=12)))
    expected, second = [], []
    for each in first:
        what = data.draw(
            st.sampled_from(["same", "same", "renamed", "lost", "unknown", "twice", "crashed"])
        )
        fields = json.loads(each)
        if what == "lost":
            expected.append(("only", fields["clues"]))
            continue
        if what in ("unknown", "crashed"):
            fields["verdict"] = "unknown"
            expected.append(("known", fields["clues"]))
        if what == "crashed":
            del fields["rules"]
        if what == "renamed":
            fields["id"] += "x"
        second += [json.dumps(fields)] * (1 + (what == "twice"))
        expected += [("only", fields["clues"])] * (what == "twice")
    folder = new_folder()
    for name, records in (("one", first), ("two", data.draw(st.permutations(second)))):
        (folder / name).write_text("".join(f"{each}\n" for each in records))
    _, out, err = call("diff", str(folder / "one"), str(folder / "two"), "--to", "ndjson")
    found = [json.loads(line) for line in out.splitlines()]
    assert sorted((each["kind"], each["clues"]) for each in found) == sorted(expected)
    if not expected:
        assert f"{len(first)} the same" in err


def test_repeated_puzzles_are_paired_by_id_first(tmp_path: Path):
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_text("\n".join([record("unique", id="x"), record("unknown", id="y")]))
    two.write_text("\n".join([record("unknown", id="y"), record("unique", id="x")]))
    assert call("diff", str(one), str(two))[:2] == (0, "")


def test_named_fields_are_compared_and_contradictions_always(tmp_path: Path):
    one, two = tmp_path / "1", tmp_path / "2"
    grade = {"level": "easy", "placed": {}, "rounds": 1, "narrowest": 1, "left": 0}
    one.write_text(record("unique", backend="auto", grade=grade))
    two.write_text(
        record("unique", backend="cpsat", grade=grade | {"hardest": "pair", "level": "hard"})
    )
    ask = ("diff", str(one), str(two), "-q", "--field")
    assert call(*ask, "clues") == (0, "", "")
    assert call(*ask, "backend")[:2] == (
        1,
        f'{one}:1: {two}:1: a: changed: backend "auto", "cpsat"\n',
    )
    assert call(*ask, "grade.hardest")[:2] == (
        1,
        f'{one}:1: {two}:1: a: changed: grade.hardest -, "pair"\n',
    )
    two.write_text(record("none", backend="auto"))
    assert call(*ask, "backend")[:2] == (
        2,
        f"{one}:1: {two}:1: a: contradiction: verdict unique, none\n",
    )


def test_differences_can_be_written_as_a_table(tmp_path: Path):
    one, two, out = tmp_path / "1", tmp_path / "2", tmp_path / "d.parquet"
    one.write_text(record("unique"))
    two.write_text(record("none", signs=[[0, 0, "R", "x"]]) + "\n" + record("none"))
    assert call("diff", str(one), str(two), "--to", "ndjson", "--out", str(out))[0] == 2
    query = f"SELECT kind, first.verdict, second.verdict, signs[1].relation FROM '{out}'"
    assert duckdb.sql(query).fetchall() == [
        ("contradiction", "unique", "none", None),
        ("only", None, "none", "x"),
    ]


def test_only_one_side_can_be_standard_input(tmp_path: Path):
    status, _, errors = call("diff", "-", "-")
    assert status == 2
    assert "only one of the two" in errors
    (tmp_path / "a").write_text(GOOD)
    assert call("diff", "-", str(tmp_path / "a"), input=GOOD)[:2] == (0, "")


# A new program's ru_maxrss begins with that of the one that started it; this figure does not.
_WATCHED = """
import sys
from pathlib import Path
from binairo_cp.batch.results.diff import compare_files
status = compare_files(*sys.argv[1:], (), "text", None, True)
[peak] = [each for each in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in each]
print(status, peak.split()[1])
"""


@pytest.mark.slow
def test_files_in_opposite_orders_need_little_memory(tmp_path: Path):
    text = [
        record("unique", id=f"p{k}", clues=format(k, "0100b"), solution=format(k, "0100b"))
        for k in range(100_000)
    ]
    for name, order in (("1", text), ("2", text[::-1])):
        (tmp_path / name).write_text("\n".join(order))
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(tmp_path / "1"), str(tmp_path / "2")],
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    status, peak = map(int, done.stdout.split())
    assert status == 0
    assert peak < 115_000, "kilobytes"
