"""The puzzles that come with the page."""

from __future__ import annotations

import json
import re

import pytest

from binairo_cp import Board, Puzzle, grade_many
from binairo_cp.service.static_site import DAILY_SIZE, GRADES, SIZES
from docs.stock import COUNT, DAILY_COUNT, FOLDER

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
