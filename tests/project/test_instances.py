"""Check instances/: every file can be read, and every puzzle matches the index and the README."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from binairo_cp import (
    CLASSIC,
    UNRULY,
    Board,
    Lines,
    Puzzle,
    Rules,
    Verdict,
    check,
    count,
    solve,
    violations,
)
from binairo_cp.formats import Entry, read_sources
from binairo_cp.formats.results import stated
from tests.support.oracles import clingo_solutions
from tests.support.programs import loaded
from tests.support.strategies import instance_of

Record = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[2] / "instances"
RECORDS: list[Record] = [
    json.loads(line) for line in (FOLDER / "index.ndjson").read_text().splitlines()
]
BY_ID: dict[str, Record] = {record["id"]: record for record in RECORDS}
FILES = sorted({record["file"] for record in RECORDS})
SOUND_SETS = ("classic", "odd", "rectangular", "signs", "unruly")
SOUND = [record for record in RECORDS if not record["file"].startswith("edge/")]
EASY, MEDIUM, HARD = (
    [record for record in SOUND if f"-{level}-" in record["id"]]
    for level in ("easy", "medium", "hard")
)
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


def up_to(cells: int, records: list[Record]) -> list[Record]:
    return [record for record in records if record["height"] * record["width"] <= cells]


@cache
def entries(file: str) -> list[Entry]:
    return list(read_sources([str(FOLDER / file)]))


@cache
def puzzle(id: str) -> Puzzle:
    found = {entry.id: entry.puzzle for entry in entries(BY_ID[id]["file"])}
    read = found[id]
    assert read is not None
    return read


def edge(file: str) -> dict[str, Puzzle]:
    """Return the puzzles of an edge file by the last part of their ids."""
    ids = [record["id"] for record in RECORDS if record["file"] == f"edge/{file}.txt"]
    assert ids
    return {id.removeprefix(f"edge-{file}-"): puzzle(id) for id in ids}


def verdict(record: Record) -> Verdict:
    return {0: Verdict.NONE, 1: Verdict.UNIQUE}.get(record["solutions"], Verdict.MULTIPLE)


def broken_rules(puzzle: Puzzle) -> set[str]:
    return {violation.rule for violation in violations(puzzle, puzzle.board)}


def without(puzzle: Puzzle, cell: tuple[int, int]) -> Puzzle:
    return Puzzle(puzzle.board.with_cell(cell, "."), puzzle.rules, puzzle.signs)


def under(rules: Rules, puzzle: Puzzle) -> Puzzle:
    return Puzzle(puzzle.board, rules, puzzle.signs)


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


MANY = [record for record in RECORDS if record["solutions"] > QUICKLY_COUNTED]


@pytest.mark.parametrize("record", names(MANY, []))
def test_large_solution_counts_match_the_index(record: Record) -> None:
    limit = record["solutions"] + record["exact"]
    found = count(puzzle(record["id"]), limit=limit)
    assert (found.count, found.complete) == (record["solutions"], record["exact"])


SMALL = up_to(100, [record for record in RECORDS if record["solutions"] <= QUICKLY_COUNTED])


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


def filled_by_lines(puzzle: Puzzle) -> Board:
    """Fill cells by single-line reasoning; independent of the code in instances/make.py."""
    relation = {sign.cells: sign.relation for sign in puzzle.signs}
    board, before = puzzle.board, None
    while board != before:
        before = board
        for line in before.lines():
            fits = [
                each
                for each in Lines(line.values, puzzle.rules)
                if all(
                    relation.get((line.cell(k), line.cell(k + 1)), mark) == mark
                    for k in range(len(each) - 1)
                    for mark in ["=" if each[k] == each[k + 1] else "x"]
                )
            ]
            for place, values in enumerate(zip(*fits, strict=True)):
                if len(set(values)) == 1:
                    board = board.with_cell(line.cell(place), values[0])
    return board


@pytest.mark.parametrize("record", names(SOUND, up_to(64, SOUND)))
def test_single_lines_solve_easy_ones_and_no_others(record: Record) -> None:
    filled = filled_by_lines(puzzle(record["id"]))
    assert filled.cells == record["solution"] if "-easy-" in record["id"] else not filled.is_full


def assert_irreducible(puzzle: Puzzle) -> None:
    for cell, _ in puzzle.board.clues():
        assert check(without(puzzle, cell)).verdict is Verdict.MULTIPLE, cell


@pytest.mark.parametrize("record", names(HARD, HARD))
def test_hard_puzzles_are_irreducible(record: Record) -> None:
    assert_irreducible(puzzle(record["id"]))


def test_trials_solve_all_medium_ones() -> None:
    for record in up_to(100, MEDIUM):
        solved = load_make().by_trials(puzzle(record["id"]))
        assert solved.board.cells == record["solution"], record["id"]


@pytest.mark.nightly
@pytest.mark.slow
def test_the_readme_counts_hard_puzzles_beyond_trials() -> None:
    by_trials = load_make().by_trials
    more = Counter(
        record["id"].partition("-")[0]
        for record in HARD
        if not by_trials(puzzle(record["id"])).board.is_full
    )
    assert more == {"classic": 12, "rectangular": 11, "signs": 1}
    assert f"{more.total()} of the {len(HARD)} hard ones" in README


def test_the_readme_counts_the_puzzles() -> None:
    assert f"{len(RECORDS)} puzzles in {len(FILES)} files" in README
    for name, number in Counter(r["file"].partition("/")[0] for r in RECORDS).items():
        assert f"| `{name}/` | {number} |" in README
    for file in FILES:
        if file.startswith("edge/"):
            name = Path(file).stem.removeprefix("full-wrong")
            assert f"`{name}`" in README or f"`full-wrong{name}`" in README


# The edge cases.


def test_full_boards() -> None:
    rows = "101100 011010 010101 100101 101010 010011"
    assert edge("full-right") == {"6x6": Puzzle(Board.parse(rows))}
    broken = {
        file: broken_rules(edge(f"full-wrong-{file}")["6x6"])
        for file in ("balance", "distinct-lines", "run", "sign")
    }
    assert broken == {
        "balance": {"balance"},
        "distinct-lines": {"distinct lines"},
        "run": {"no triple"},
        "sign": {"sign"},
    }
    assert all(edge(f"full-wrong-{file}")["6x6"].board.is_full for file in broken)


def test_immediate_clashes_break_one_rule_each() -> None:
    assert {name: broken_rules(each) for name, each in edge("clash-at-once").items()} == {
        "row-run": {"no triple"},
        "column-run": {"no triple"},
        "balance": {"balance"},
        "same-rows": {"distinct lines"},
        "same-columns": {"distinct lines"},
        "sign": {"sign"},
    }


@pytest.mark.parametrize("file", ["clash-by-lines", "clash-deep"])
def test_clashes_need_all_clues_and_break_no_rule(file: str) -> None:
    for name, clash in edge(file).items():
        assert not broken_rules(clash), name
        assert solve(clash).verdict is Verdict.NONE
        for cell, _ in clash.board.clues():
            assert solve(without(clash, cell)).verdict is Verdict.SOLVED, (name, cell)


def test_deep_clashes_need_search() -> None:
    make = load_make()
    for name, clash in edge("clash-deep").items():
        assert make.by_trials(clash), name
    for name, clash in edge("clash-by-lines").items():
        assert not make.by_lines(clash), name


@pytest.mark.parametrize("name", edge("clash-mistake"))
def test_a_mistake_is_one_clue(name: str) -> None:
    wrong = edge("clash-mistake")[name]
    mended = [
        Puzzle(wrong.board.with_cell(cell, "10"[int(value)])) for cell, value in wrong.board.clues()
    ]
    assert Verdict.UNIQUE in {count(each, limit=2).verdict for each in mended}


def test_distinct_lines_change_the_verdict() -> None:
    cases = edge("distinct-lines")
    for size in ("6x6", "10x10"):
        needed, harmful = cases[f"needed-{size}"], cases[f"harmful-{size}-unruly"]
        assert cases[f"needed-{size}-unruly"] == under(UNRULY, needed)
        assert cases[f"harmful-{size}"] == under(CLASSIC, harmful)
        verdicts = [
            check(under(rules, each)).verdict
            for each in (needed, harmful)
            for rules in (CLASSIC, UNRULY)
        ]
        assert verdicts == [Verdict.UNIQUE, Verdict.MULTIPLE, Verdict.NONE, Verdict.UNIQUE]


# The script that generates the files.


@cache
def load_make() -> ModuleType:
    return loaded(FOLDER / "make.py")


def assert_reproduced(file: str) -> None:
    text = load_make().files()[file]()
    assert text.rstrip("\n") + "\n" == (FOLDER / file).read_text()


def test_the_script_generates_all_files() -> None:
    assert sorted(load_make().files()) == FILES


QUICKLY_MADE = [
    "classic/06x06-easy.txt",
    "edge/clash-at-once.txt",
    "edge/full-wrong-run.txt",
    "odd/07x07-medium.txt",
    "rectangular/04x06-hard.line",
    "signs/06x06-medium.txt",
    "unruly/06x06-easy.txt",
]
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
    assert_reproduced(file)
