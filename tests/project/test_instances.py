"""Check instances/ (files match the index and the README), and the package by models/."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given

from binairo_cp import Puzzle, Verdict, check, count, enumerate_solutions
from binairo_cp.formats import Entry, read_sources
from binairo_cp.formats.results import stated
from tests.support.oracles import clingo_solutions, minizinc_available, minizinc_solutions
from tests.support.programs import loaded
from tests.support.strategies import examples, instance_of, puzzles

Record = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[2] / "instances"
RECORDS: list[Record] = [
    json.loads(line) for line in (FOLDER / "index.ndjson").read_text().splitlines()
]
BY_ID: dict[str, Record] = {record["id"]: record for record in RECORDS}
FILES = sorted({record["file"] for record in RECORDS})
SOUND_SETS = ("classic", "odd", "rectangular", "signs", "unruly")
SOUND = [record for record in RECORDS if not record["file"].startswith("edge/")]
HARD = [record for record in SOUND if "-hard-" in record["id"]]
README = (FOLDER / "README.md").read_text()
QUICKLY_COUNTED = 1000

# The number of puzzles in quick tests, about; slow tests use all.
SAMPLE = 12


def names(records: list[Record], quick: list[Record]) -> list[Any]:
    """Parameters of a test: some dozen quick ones, evenly spaced, and slow ones, of which each run takes a tenth."""
    chosen = {record["id"] for record in quick[:: -(-len(quick) // SAMPLE) or 1]}
    marks = [pytest.mark.slow, pytest.mark.rotating]
    return [
        pytest.param(record, id=record["id"], marks=() if record["id"] in chosen else marks)
        for record in records
    ]


@cache
def entries(file: str) -> list[Entry]:
    return list(read_sources([str(FOLDER / file)]))


@cache
def puzzle(id: str) -> Puzzle:
    found = {entry.id: entry.puzzle for entry in entries(BY_ID[id]["file"])}
    read = found[id]
    assert read is not None
    return read


def verdict(record: Record) -> Verdict:
    return {0: Verdict.NONE, 1: Verdict.UNIQUE}.get(record["solutions"], Verdict.MULTIPLE)


def without(puzzle: Puzzle, cell: tuple[int, int]) -> Puzzle:
    return Puzzle(puzzle.board.with_cell(cell, "."), puzzle.rules, puzzle.signs)


# The index.


def test_the_index_lists_all_files() -> None:
    found = [path for path in FOLDER.rglob("*") if path.suffix in {".txt", ".line", ".ndjson"}]
    assert [path.relative_to(FOLDER).as_posix() for path in sorted(found)] == sorted(
        [*FILES, "index.ndjson"]
    )
    assert [record["file"] for record in RECORDS] == sorted(record["file"] for record in RECORDS)


@pytest.mark.parametrize("file", FILES)
def test_files_match_the_index(file: str) -> None:
    listed = []
    for entry in entries(file):
        assert entry.error is None
        board, rules = entry.puzzle.board, stated(entry.puzzle)
        said = rules if isinstance(rules, str) else asdict(rules)
        signs = [list(sign) for sign in entry.puzzle.signs]
        listed.append((entry.id, board.height, board.width, said, board.cells, signs))
    fields = ("id", "height", "width", "rules", "clues", "signs")
    indexed = [tuple(r[f] for f in fields) for r in RECORDS if r["file"] == file]
    assert listed == indexed


@pytest.mark.parametrize("file", FILES)
def test_verdicts_match_the_index(file: str) -> None:
    for record in (each for each in RECORDS if each["file"] == file):
        outcome = check(puzzle(record["id"]))
        solution = outcome.solution.cells if outcome.verdict is Verdict.UNIQUE else None  # type: ignore[union-attr]
        assert (outcome.verdict, solution) == (verdict(record), record["solution"]), record["id"]


def test_small_solution_counts_match_the_index() -> None:
    several = [record for record in RECORDS if record["solutions"] > 1]
    assert several
    for record in several:
        found = count(puzzle(record["id"]), limit=QUICKLY_COUNTED + 1)
        if record["solutions"] <= QUICKLY_COUNTED:
            assert (found.count, found.complete) == (record["solutions"], record["exact"])
        else:
            assert found.count == QUICKLY_COUNTED + 1, record["id"]


SMALL = [
    record
    for record in RECORDS
    if record["solutions"] <= QUICKLY_COUNTED and len(record["clues"]) <= 100
]


@pytest.mark.parametrize("record", names(SMALL, SMALL))
def test_clingo_agrees(record: Record) -> None:
    found = clingo_solutions(instance_of(puzzle(record["id"])), limit=record["solutions"] + 1)
    assert len(found) == record["solutions"]
    if record["solution"]:
        assert found == {record["solution"]}


# The sound sets.


@pytest.mark.parametrize("of", SOUND_SETS)
def test_puzzles_of_the_sound_sets_are_unique_and_open(of: str) -> None:
    records = [record for record in SOUND if record["file"].startswith(f"{of}/")]
    assert len(records) >= 36
    for record in records:
        assert (record["solutions"], record["exact"]) == (1, True)
        cells = len(record["clues"])
        assert cells / 2 < record["clues"].count(".") < cells


@pytest.mark.parametrize("record", names(HARD, HARD))
def test_hard_puzzles_are_irreducible(record: Record) -> None:
    hard = puzzle(record["id"])
    for cell, _ in hard.board.clues():
        assert check(without(hard, cell)).verdict is Verdict.MULTIPLE, cell


# The script that generates the files.


@cache
def load_make() -> ModuleType:
    return loaded(FOLDER / "make.py")


def test_the_script_generates_all_files() -> None:
    assert sorted(load_make().files()) == FILES


QUICKLY_MADE = [
    "classic/06x06-easy.txt", "edge/clash-at-once.txt", "edge/full-wrong-run.txt",
    "odd/07x07-medium.txt", "rectangular/04x06-hard.line", "signs/06x06-medium.txt",
    "unruly/06x06-easy.txt",
]  # fmt: skip
SLOWLY_MADE = ("12x12", "14x14", "16x16", "20x20", "10x14")
MADE = [
    pytest.param(
        file, marks=() if file in QUICKLY_MADE else [pytest.mark.slow, pytest.mark.rotating]
    )
    for file in FILES
    if not any(size in file for size in SLOWLY_MADE)
]


@pytest.mark.parametrize("file", MADE)
def test_the_script_reproduces_a_file(file: str) -> None:
    text = load_make().files()[file]()
    assert text.rstrip("\n") + "\n" == (FOLDER / file).read_text()


@examples(0.7)
@given(puzzles())
def test_clingo_finds_the_same_solutions(puzzle: Puzzle) -> None:
    found = {board.cells for board in enumerate_solutions(puzzle, limit=200)}
    if len(found) < 200:
        assert clingo_solutions(instance_of(puzzle)) == found


@pytest.mark.skipif(not minizinc_available(), reason="MiniZinc with Gecode is not installed")
@examples(0.25)
@given(puzzles())
def test_minizinc_finds_the_same_solutions(puzzle: Puzzle) -> None:
    found = {board.cells for board in enumerate_solutions(puzzle, limit=200)}
    if len(found) < 200:
        assert minizinc_solutions(instance_of(puzzle)) == found
