"""The ending of --out determines the format; options must not contradict it."""

import csv
import gzip
import json
import zipfile
from pathlib import Path

import pytest

from binairo_cp.cli import endings
from binairo_cp.rendering.shapes import FORMS
from tests.support.command_line import call

# With few clues: `clues` finds up to 1,000 irreducible sets among many.
GIVEN = "..10.....0.11...0....11..0...10..... one\n"
RESULTS = ["check", "solve", "count", "grade", "explain", "hint", "clues", "fewest", "repair"]
MAKERS = [("convert", "-"), ("generate", "6", "--seed", "1"), ("board", "6", "--seed", "1")]


def _written(tmp_path: Path, name: str, *arguments: str) -> str:
    out = tmp_path / name
    status, _, errors = call(*arguments, "-q", "-o", str(out), input=GIVEN)
    assert status == 0, errors
    data = out.read_bytes()
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode()


@pytest.mark.parametrize("verb", RESULTS)
def test_results(verb: str, tmp_path: Path) -> None:
    for name in ("r.ndjson", "R.JSONL", "r.ndjson.gz"):
        assert json.loads(_written(tmp_path, name, verb, "-"))["id"] == "one"
    line = _written(tmp_path, "r.line", verb, "-")
    assert line.endswith(" one\n")
    text = _written(tmp_path, "r", verb, "-")
    assert _written(tmp_path, "r.txt", verb, "-") == text
    # Unknown endings are ignored.
    assert _written(tmp_path, "r.2025", verb, "-") == text
    assert _written(tmp_path, "r.txt", verb, "-", "--to", "line") == line


@pytest.mark.parametrize("command", MAKERS, ids=[each[0] for each in MAKERS])
def test_puzzles(command: tuple[str, ...], tmp_path: Path) -> None:
    document = json.loads(_written(tmp_path, "p.json", *command))
    assert document[0]["height"] == 6
    assert json.loads(_written(tmp_path, "p.ndjson", *command))["height"] == 6
    rows = list(csv.reader(_written(tmp_path, "p.csv.gz", *command).splitlines()))
    assert [len(row) for row in rows if len(row) > 1] == [6] * 6
    assert _written(tmp_path, "p.janko", *command).startswith("begin")
    assert ":" in _written(tmp_path, "p.txt", *command)


def test_models_and_certificates(tmp_path: Path) -> None:
    assert _written(tmp_path, "m.opb", "encode", "-").startswith("*")
    assert "p cnf" in _written(tmp_path, "m.cnf.gz", "encode", "-")
    assert "p cnf" in _written(tmp_path, "m.formula", "encode", "-")
    assert "p cnf" in _written(tmp_path, "m.txt", "encode", "-", "--to", "dimacs")
    out = tmp_path / "c.ZIP"
    assert call("certify", "-", "-q", "-o", str(out), input=GIVEN)[0] == 0
    assert zipfile.is_zipfile(out)


def test_a_folder_may_be_called_anything(tmp_path: Path) -> None:
    for command in ("encode", "certify"):
        (tmp_path / command).with_suffix(".json").mkdir()
        out = str(tmp_path / f"{command}.json")
        assert call(command, "-", "-q", "-o", out, input=GIVEN)[0] == 0
        names = {path.name for path in Path(out).iterdir()} - {"files.ndjson"}
        assert len(names) == 1
    assert call("encode", "-", "-q", "-o", f"{tmp_path}/new.json/", input=GIVEN)[0] == 0


def test_resume_takes_the_format_of_the_ending(tmp_path: Path) -> None:
    out = tmp_path / "r.ndjson"
    assert call("check", "-", "-q", "--resume", "-o", str(out), input=GIVEN)[0] == 0
    assert json.loads(out.read_text())["verdict"] == "unique"


def test_no_ending_stands_for_two_formats_of_a_command() -> None:
    for table in (endings.PUZZLES, endings.RESULTS, endings.models(), FORMS):
        known = [each for names in table.values() for each in names]
        assert len(known) == len(set(known))
