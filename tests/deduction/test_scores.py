"""The score of a grade, and the scales of publishers."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

import binairo_cp as bn
from benchmarks import published
from binairo_cp import Puzzle
from binairo_cp.deduction import grading
from binairo_cp.deduction.driver import GRADED, rounds
from binairo_cp.deduction.grading import LEVEL_OF, grade_of, grade_plain
from binairo_cp.deduction.grading import published as published_level
from binairo_cp.errors import BinairoError
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import GradeRecord
from binairo_cp.kernels.deduction import sought


def puzzle_of(name: str, number: int = 0) -> Puzzle:
    entries = [each for each in read_sources([f"instances/classic/{name}.txt"]) if each.puzzle]
    puzzle = entries[number].puzzle
    assert puzzle
    return puzzle


@pytest.mark.parametrize("name", ["06x06-easy", "06x06-hard", "08x08-hard"])
def test_compiled_scores_are_those_of_the_paths(name: str) -> None:
    """The same score from compiled code, from the path for grades and from an explanation."""
    puzzle = puzzle_of(name)
    (compiled,) = grade_plain([puzzle])
    assert compiled
    assert compiled.score == grade_of(puzzle, rounds(puzzle, techniques=GRADED)).score
    assert compiled.score == bn.explain(puzzle).grade.score  # type: ignore[union-attr]
    (many,) = bn.grade_many([puzzle]).grade
    assert many
    assert many.score == compiled.score
    assert GradeRecord.of(compiled.to_dict()).score == compiled.score


def test_each_source_of_difficulty_raises_the_score() -> None:
    def total(
        cells: dict[str, int], found: dict[str, int], left: int = 0, lines: int = 20
    ) -> float:
        return float(grading.cost(cells, found, left, lines, LEVEL_OF))

    base = total({"pair": 10}, {"pair": sought(10, 1)})
    narrow = total({"pair": 10}, {"pair": 10 * sought(1, 1)})
    harder = total({"count": 10}, {"count": sought(10, 1)})
    larger = total({"pair": 10}, {"pair": sought(10, 1)}, lines=40)
    left = total({"pair": 10}, {"pair": sought(10, 1)}, left=1)
    assert base < min(narrow, harder, larger, left)
    assert sought(3, 2) == 2 * (1_000 + 500 + 333)


def test_scales() -> None:
    puzzle = puzzle_of("06x06-easy")
    grade = bn.grade(puzzle, scale="sgt")
    assert str(grade.published) == "sgt: normal"
    assert GradeRecord.of(grade.to_dict()).published
    assert bn.grade(puzzle).published is None
    assert str(bn.grade(puzzle, scale="puzzle-binairo").published) == "puzzle-binairo: hard"
    beyond = bn.grade(puzzle_of("06x06-hard"), scale="sgt").published
    assert beyond
    assert beyond.level == "beyond normal"
    with pytest.raises(BinairoError, match="scale"):
        bn.grade(puzzle, scale="conceptis")  # type: ignore[arg-type]


REAL = os.environ.get("BINAIRO_REAL_PUZZLES")


@pytest.mark.slow
@pytest.mark.skipif(REAL is None, reason="BINAIRO_REAL_PUZZLES is not set")
@pytest.mark.parametrize(
    ("name", "scale", "levels"),
    [
        ("sgt_unruly", "sgt", {each: each for each in ("trivial", "easy", "normal")}),
        ("puzzle_binairo_com", "puzzle-binairo", {"1": "easy", "2": "hard"}),
    ],
)
def test_scales_agree_with_the_publishers(name: str, scale: str, levels: dict[str, str]) -> None:
    records = list(published.read(Path(REAL or "", f"{name}.ndjson")))
    for record, puzzle in random.Random(2).sample(records, 60):
        if published.solutions(record) == 1:
            found = published_level(puzzle, scale, lambda: None)  # type: ignore[arg-type]
            assert found.level == levels[str(record["level"])]
