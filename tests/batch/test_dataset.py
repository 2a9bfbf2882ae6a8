"""Datasets: complete, without twins, the same after interruptions; recipes that can't be filled."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import binairo_cp as bn
from binairo_cp.batch.audit.collection import NOTES
from binairo_cp.batch.dataset.folder import DatasetFolder
from binairo_cp.batch.dataset.writing import DatasetRun
from binairo_cp.errors import GenerationError, SourceError
from binairo_cp.puzzle.symmetries import canonical
from docs.examples.reasoning import Tasks
from tests.support.command_line import binairo, invoke

RECIPE = """
name = "test"
seed = "s"
format = "ndjson"
splits = {train = 3, test = 1}
shard = 20
[[puzzles]]
size = 4
count = 60
[[puzzles]]
size = "6x4"
count = 20
[[puzzles]]
size = "4x6"
grade = "easy"
count = 20
[[puzzles]]
size = 6
rules = "tango"
count = 10
[[puzzles]]
size = 10
grade = "expert"
irreducible = true
count = 6
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset")
    (folder / "recipe.toml").write_text(RECIPE)
    bn.dataset(folder / "recipe.toml", folder / "made")
    return folder / "made"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in Parquet."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "recipe.toml").write_text(RECIPE.replace('format = "ndjson"\n', ""))
    bn.dataset(folder / "recipe.toml", folder / "made")
    return folder / "made"


def contents(folder: Path) -> dict[str, bytes]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def rows(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("data/*/*.ndjson"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def puzzle_of(row: dict[str, Any]) -> bn.Puzzle:
    board = bn.Board(row["height"], row["width"], row["puzzle"])
    signs = tuple(bn.Sign(*each) for each in row["signs"])
    return bn.Puzzle(board, getattr(bn, row["rules"].upper()), signs)


def test_each_row_is_right_and_none_is_a_twin(made: Path) -> None:
    found = rows(made)
    assert len(found) == 116
    images = set()
    for row in found:
        puzzle = puzzle_of(row)
        outcome = bn.check(puzzle)
        assert outcome.verdict == "unique"
        assert outcome.solution == bn.Board(row["height"], row["width"], row["solution"])
        grade = bn.grade(puzzle)
        assert (grade.level, grade.score) == (row["level"], row["score"])
        assert row["clue_count"] == sum(cell != "." for cell in row["puzzle"])
        path = [
            {
                "technique": step.technique,
                "cells": sorted(cell.row * row["width"] + cell.column for cell in step.values),
            }
            for step in bn.explain(puzzle).steps
        ]
        assert row["steps"] == path
        if row["height"] > row["width"]:
            turned = [row["puzzle"][k :: row["width"]] for k in range(row["width"])]
            puzzle = bn.Puzzle(bn.Board.from_rows(turned), puzzle.rules)
        images.add(str(canonical(puzzle)))
        if "expert" in row["id"]:
            assert row["level"] == "expert"
            assert not bn.clues(puzzle).spare
    assert len(images) == len({row["canonical_hash"] for row in found}) == 116


def test_the_files_can_be_read_and_audited(made: Path, tables: Path) -> None:
    import pyarrow.parquet as pq

    test, train = (pq.read_table(tables / "data" / each).to_pylist() for each in ("test", "train"))
    assert (len(test), len(train)) == (30, 86)
    same = ("id", "puzzle", "solution", "steps", "score")
    in_parquet, in_ndjson = (
        [[row[name] for name in same] for row in each] for each in (test + train, rows(made))
    )
    assert in_parquet == in_ndjson
    for line in (made / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert sha256((made / name).read_bytes()).hexdigest() == digest
    assert not bn.audit([made / "data"]).kinds.keys() - NOTES
    front = (tables / "README.md").read_text().split("---\n")[1]
    expected = [("train", "data/train/*.parquet"), ("test", "data/test/*.parquet")]
    assert re.findall(r"split: (\w+)\n    path: (\S+)", front) == expected


def test_a_run_that_was_cut_off_goes_on_with_the_same_bytes(made: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    shutil.copytree(made, begun)
    cut = "03-4x6-classic-easy-000"
    lines = (made / f"data/train/{cut}.ndjson").read_bytes().splitlines(keepends=True)
    for path in [*begun.rglob("0[345]-*"), begun / "SHA256SUMS", begun / "README.md"]:
        path.unlink()
    header = json.dumps({"shard": cut, "split": "train"}, separators=(",", ":")).encode()
    journal = header + b"\n" + b"".join(lines[:7]) + lines[7][:50]
    (begun / "dataset.journal").write_bytes(journal)
    for name in (f"data/train/{cut}.parquet.partial", "SHA256SUMS.partial"):
        (begun / name).write_bytes(b"half a file")
    with pytest.raises(SourceError, match="--resume"):
        bn.dataset(made / "recipe.toml", begun)
    bn.dataset(made / "recipe.toml", begun, resume=True, workers=2)
    after = contents(begun)
    assert after == contents(made)
    (tmp_path / "other.toml").write_text(RECIPE.replace("60", "61"))
    with pytest.raises(SourceError, match="differs"):
        bn.dataset(tmp_path / "other.toml", begun, resume=True)


def test_a_dataset_has_no_twins_of_an_excluded_one(tmp_path: Path) -> None:
    recipe, names = tmp_path / "recipe.toml", [f"{tmp_path}/{k}" for k in "123"]
    recipe.write_text('name = "x"\nformat = "ndjson"\n[[puzzles]]\nsize = 4\ncount = 20\n')
    bn.dataset(recipe, names[0])
    bn.dataset(recipe, names[1], exclude=f"{names[0]}/data")
    command = ("dataset", str(recipe), "-q", "--exclude", f"{names[0]}/data", "-o", names[2])
    invoke(*command)
    assert contents(Path(names[1])) == contents(Path(names[2]))
    hashes = [{row["canonical_hash"] for row in rows(Path(name))} for name in names[:2]]
    assert len(hashes[0] | hashes[1]) == 40
    shutil.copytree(names[2], tmp_path / "4")
    run = DatasetFolder(tmp_path / "4", None, recipe.read_bytes(), [f"{names[0]}/data"])  # type: ignore[arg-type]
    run.begin()
    with pytest.raises(SourceError, match="can't resume"):
        bn.dataset(recipe, tmp_path / "4", resume=True)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
def test_a_run_that_was_killed_goes_on_with_the_same_bytes(made: Path, tmp_path: Path) -> None:
    out, kills = tmp_path / "killed", 0
    command = [*binairo, "dataset", str(made / "recipe.toml"), "-o", str(out), "-w", "2", "-q"]
    while True:
        more = ["--resume"] if out.exists() else []
        process = subprocess.Popen([*command, *more], start_new_session=True)
        files = len(contents(out)) if out.exists() else 0
        while process.poll() is None and (len(contents(out)) if out.exists() else 0) < files + 2:
            time.sleep(0.01)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        if process.wait() == 0:
            if kills:
                break
            shutil.rmtree(out)  # it ended before it was killed: once more
    assert contents(out) == contents(made)


def test_sets_take_the_demands_of_generate(tmp_path: Path) -> None:
    sets = 'needs = ["two-open"]\nwithout = "projection"\nscore = [100, 900]\ncount = 6\n'
    text = f'name = "x"\nformat = "ndjson"\n[[puzzles]]\nsize = 8\n{sets}'
    (tmp_path / "recipe.toml").write_text(text)
    bn.dataset(tmp_path / "recipe.toml", tmp_path / "out")
    first = rows(tmp_path / "out")
    assert len(first) == 6
    for row in first:
        used = {each["technique"] for each in row["steps"]}
        assert "two open" in used
        assert "projection" not in used
        assert 100 <= row["score"] <= 900
    (tmp_path / "recipe.toml").write_text(f"paths = false\n{text}")
    bn.dataset(tmp_path / "recipe.toml", tmp_path / "brief")
    assert rows(tmp_path / "brief") == [row | {"steps": []} for row in first]
    assert (
        "needs two open; without projection; score 100..900"
        in (tmp_path / "out/README.md").read_text()
    )


@pytest.mark.parametrize(("table", "kind", "message"), [
    ('size = 4\ncount = 1\ngrade = "beginner"\nirreducible = true', GenerationError, "0 were"),
    ("size = 6\ncount = 9\nclues = 4", SourceError, r"puzzles\[1\]: 4 clues"),
    ("size = 6\ncount = 9\nlevel = 4", SourceError, "line 5: puzzles.1..level: there is no"),
    ("size = 6\ncount = 10000001", SourceError, "10,000,000 or less"),
    ('size = 6\ncount = 9\nneeds = "pear"', SourceError, r"line 5: puzzles\[1\].needs: 'pear'"),
    ('size = 6\ncount = 9\nscore = "9..2"', SourceError, r"puzzles\[1\].score: 9..2; expected"),
    ('size = 6\ncount = 9\ngrade = "easy"\nneeds = "count:3..2"', SourceError, "needs"),
    ('size = 4\ncount = 1\nscore = "9000.."', GenerationError, r"\(score 9000\.\.\) tried"),
])  # fmt: skip
def test_a_recipe_that_cannot_be_filled_is_refused_at_once(
    table: str, kind: type[Exception], message: str, tmp_path: Path
) -> None:
    (tmp_path / "recipe.toml").write_text(f'name = "x"\n[[puzzles]]\n{table}\n')
    with pytest.raises(kind, match=message):
        bn.dataset(tmp_path / "recipe.toml", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text('name = "x"\n[[puzzles]]\nsize = 6\ncount = 100\n')
    command = f"ulimit -f 20; exec {' '.join(binairo)} dataset recipe.toml -o out -w 1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "can't be written: File too large; continue with --resume" in done.stderr
    assert invoke("dataset", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "out"), "--resume")


def test_workers_are_told_before_their_pool_ends_if_a_shard_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk, when the pool of a cluster is closed."""
    events = []

    def rows_of(*_: object) -> Any:
        try:
            yield from real(*_)
        finally:
            events.append("rows")

    def full(*_: object) -> None:
        raise SourceError("shard", "can't be written: No space left on device")

    real = DatasetRun._new_rows
    monkeypatch.setattr(DatasetRun, "_new_rows", rows_of)
    monkeypatch.setattr(DatasetFolder, "write_shard", full)
    (tmp_path / "recipe.toml").write_text('name = "x"\n[[puzzles]]\nsize = 6\ncount = 9\n')
    with pytest.raises(
        SourceError, match="No space left on device; continue with --resume"
    ) as held:
        bn.dataset(tmp_path / "recipe.toml", tmp_path / "out")
    # The error still holds the frames, and with them all that nobody has closed.
    assert held.traceback
    assert events == ["rows"]


def test_the_loader_scores_answers(tables: Path) -> None:
    tasks = Tasks.of(tables)
    entry = tasks[30]
    row, answer = entry["metadata"], entry["answer"]
    to_fill = row["puzzle"].count(".")
    place = row["puzzle"].index(".")
    flipped = "10"[int(row["solution"][place])]
    wrong = row["solution"][:place] + flipped + row["solution"][place + 1 :]
    first = row["steps"][0]["cells"][0]
    line, column = divmod(first, row["width"])
    move = f"r{line + 1}c{column + 1}={row['solution'][first]}"
    scores = {
        answer: 1,
        row["solution"]: 1,
        wrong: (to_fill - 2) / to_fill,
        move: 1 / to_fill,
        "no idea": 0,
        "": 0,
    }
    for text, score in scores.items():
        assert tasks.score_answer(text, entry) == pytest.approx(score, abs=1e-4), text
    assert tasks.score_answer(f"```\n{answer}\n```", entry) == 1
    assert len(tasks) == 86
    assert row["puzzle"][: row["width"]] in entry["question"]


def test_tasks_have_the_signs(tables: Path) -> None:
    signs = [
        {"row": 0, "column": 1, "direction": "R", "relation": "="},
        {"row": 2, "column": 0, "direction": "D", "relation": "x"},
    ]
    tasks = Tasks([Tasks.of(tables).rows[0] | {"rules": "plus", "signs": signs}])
    lines = tasks[0]["question"].splitlines()
    assert "r1c2 equals r1c3." in lines
    assert "r3c1 differs from r4c1." in lines
