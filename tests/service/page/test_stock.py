"""The puzzles that come with the page: their grades, their variants, and the puzzle of the day, run by node."""

import json
import re
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from binairo_cp import Board, Puzzle, grade_many
from binairo_cp.service.static_site import DAILY_SIZE, GRADES, SIZES
from docs.stock import COUNT, DAILY_COUNT, FOLDER
from tests.service.page.test_logic import folder as folder  # a fixture
from tests.support import programs

FILES = {
    **{f"stock-{size}.json": (size, COUNT) for size in SIZES},
    "daily.json": (DAILY_SIZE, DAILY_COUNT),
}


def unpack(code: str) -> str:
    """The clues of a run-length code."""
    return re.sub("[a-z]", lambda letter: "." * (ord(letter[0]) - ord("a") + 1), code)


def read(name: str) -> dict[str, list[str]]:
    puzzles: dict[str, list[str]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return puzzles


@pytest.mark.parametrize("name", FILES)
def test_the_files_have_all_grades(name: str) -> None:
    size, count = FILES[name]
    puzzles = read(name)
    assert tuple(puzzles) == GRADES
    codes = [code for of_grade in puzzles.values() for code in of_grade]
    assert len(codes) == len(set(codes)) == count * len(GRADES)
    assert all(len(unpack(code)) == size * size for code in codes)


@pytest.mark.parametrize("name", FILES)
def test_each_puzzle_is_unique_and_has_its_grade(name: str) -> None:
    size, _ = FILES[name]
    for level, codes in read(name).items():
        outcomes = grade_many([Puzzle(Board(size, size, unpack(code))) for code in codes])
        assert {each and each.level for each in outcomes.grade} == {level}


SCRIPT = """
import { readFileSync } from "node:fs";
globalThis.fetch = async (url) => ({ ok: true, json: async () => JSON.parse(readFileSync(url)) });
const daily = await import("./daily.js");
const { choose } = await import("./stock.js");
const answers = [];
for (const [name, ...rest] of JSON.parse(readFileSync(0))) {
  if (name === "choose") answers.push(choose(...rest).clues);
  else answers.push(await daily[name](...rest));
}
console.log(JSON.stringify(answers));
"""


def run(folder: Path, requests: list[list[Any]], zone: str = "UTC") -> list[Any]:
    (folder / "daily-script.js").write_text(SCRIPT, encoding="utf-8")
    return programs.run_node(folder, "daily-script.js", requests, TZ=zone)


WEEK = ["beginner", "easy", "easy", "medium", "medium", "hard", "expert"]
DAYS = [date(2026, 1, 1) + timedelta(n) for n in range(3 * 365)]


def test_each_day_has_a_new_puzzle_of_its_grade_everywhere(folder: Path) -> None:
    requests = [["dailyPuzzle", day.isoformat()] for day in DAYS]
    puzzles = run(folder, requests, "America/Los_Angeles")
    assert puzzles == run(folder, requests, "Pacific/Auckland")
    assert [each["id"] for each in puzzles] == [f"Puzzle of {day}" for day in DAYS]
    assert len({each["clues"] for each in puzzles}) == len(DAYS)
    by_grade = sorted(
        (WEEK[day.weekday()], each["clues"])
        for day, each in zip(DAYS[:90] + DAYS[-90:], puzzles[:90] + puzzles[-90:], strict=True)
    )
    for grade, group in groupby(by_grade, lambda pair: pair[0]):
        outcomes = grade_many([Puzzle(Board(10, 10, clues)) for _, clues in group])
        assert {each and each.level for each in outcomes.grade} == {grade}


def test_the_puzzle_of_a_day_does_not_change(folder: Path) -> None:
    """Players compare their times, and the archive has them for good."""
    (puzzle,) = run(folder, [["dailyPuzzle", "2026-11-24"]])
    assert puzzle["clues"] == unpack(DAILY)


DAILY = "c0a01b11c1b00b00n11d10e0b0a0k1b00b11d0g0d0f"


def test_variants_are_other_puzzles_of_the_same_grade(folder: Path) -> None:
    codes = read("stock-6.json")["medium"]
    clues = run(folder, [["choose", codes, n] for n in range(16 * len(codes))])
    assert len(set(clues)) == len(clues)
    outcomes = grade_many([Puzzle(Board(6, 6, each)) for each in clues])
    assert {each and each.level for each in outcomes.grade} == {"medium"}


def test_streaks_are_of_days_solved_on_their_day(folder: Path) -> None:
    def days(*dates: str, late: tuple[str, ...] = ()) -> dict[str, Any]:
        return {each: {"seconds": 60, "isOnTime": each not in late} for each in dates}

    three = ("2026-10-31", "2026-11-01", "2026-11-02")
    cases = [
        (days(), "2026-11-24", (0, 0)),
        (days(*three), "2026-11-02", (3, 3)),
        (days(*three), "2026-11-03", (3, 3)),
        (days(*three), "2026-11-04", (0, 3)),
        (days(*three, "2026-11-04"), "2026-11-04", (1, 3)),
        (days(*three, late=("2026-11-01",)), "2026-11-02", (1, 1)),
    ]
    found = run(folder, [["streaks", solved, now] for solved, now, _ in cases])
    assert [(each["current"], each["longest"]) for each in found] == [each for _, _, each in cases]


def test_only_days_of_the_archive_are_days(folder: Path) -> None:
    words = ["2026-01-01", "2025-12-31", "2026-02-30", "9999-01-01", "2026-1-1", "x", ""]
    assert run(folder, [["isDay", each] for each in words]) == [True] + [False] * 6
