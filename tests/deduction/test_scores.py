"""The score of a grade, the limits that a path exceeds, and the scales of publishers."""

import json
import os
import random
from pathlib import Path

import pandas as pd
import pytest

import binairo_cp as bn
from benchmarks import published
from binairo_cp import Puzzle, Rules, Sign
from binairo_cp.deduction import grading
from binairo_cp.deduction.demands import Demand
from binairo_cp.deduction.driver import GRADED, rounds
from binairo_cp.deduction.grading import grade_of, grade_plain
from binairo_cp.deduction.grading import published as published_level
from binairo_cp.errors import BinairoError
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import GradeRecord
from binairo_cp.solving.backends import UNLIMITED, Meter


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
    assert compiled.score == grade_of(puzzle, rounds(puzzle, techniques=GRADED)).score
    assert compiled.score == bn.explain(puzzle).grade.score  # type: ignore[union-attr]
    (many,) = bn.grade_many([puzzle]).grade
    assert many.score == compiled.score
    assert GradeRecord.of(compiled.to_dict()).score == compiled.score


def test_the_signs_of_later_puzzles_count() -> None:
    made = bn.generate(6, rules="tango", signs=2, irreducible=True, count=10, seed=1)
    puzzles = sorted((one.puzzle for one in made), key=lambda puzzle: len(puzzle.signs))
    assert not puzzles[0].signs
    assert puzzles[-1].signs
    assert grading.grade_each(puzzles) == [grading.grade(puzzle) for puzzle in puzzles]


def test_the_score_of_a_path_that_one_can_count() -> None:
    one = Puzzle(bn.Board(4, 4, "001111000101101."))
    assert bn.grade(one).score == 1 + 3
    assert bn.grade(Puzzle(bn.Board(4, 4, "0011110001011010"))).score == 0
    beyond = grading.cost(20, 10, {"last one": 2, "nested contradiction": 1}, 2 * 36)
    assert beyond == 20 + 3 * 10 + 2 * (2 * 15 + 320)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("most", [0, 2, 7])
def test_a_grade_says_which_limits_its_path_exceeds(number: int, most: int) -> None:
    """The path that `explain` shows, not the rounds, which have more trials."""
    puzzle = puzzle_of("06x06-hard", number)
    chains = [step.chain.size for step in bn.explain(puzzle).steps if step.chain]
    found = bn.grade(puzzle, longest_chain=most, most_trials=most)
    assert found.longest_chain == max(chains)
    assert found.placed["contradiction"] == len(chains)
    assert bn.grade(puzzle).placed["contradiction"] > len(chains)
    assert found == bn.explain(puzzle, longest_chain=most, most_trials=most).grade
    limits = {"longest-chain": max(chains), "most-trials": len(chains)}
    assert found.over == tuple(name for name, number in limits.items() if number > most)
    demands = Demand(longest_chain=most), Demand(most_trials=most)
    for demand, name in zip(demands, limits, strict=True):
        assert (name in found.over) != demand.is_met_by(puzzle, found, Meter(UNLIMITED))
    assert GradeRecord.of(found.to_dict()).over == (list(found.over) or None)


def test_nested_trials_exceed_all_limits() -> None:
    found = bn.grade(puzzle_of("08x08-hard", 2), longest_chain=99, most_trials=99)
    assert found.over == ("longest-chain", "most-trials")


def test_scales() -> None:
    puzzle = puzzle_of("06x06-easy")
    grade = bn.grade(puzzle, scale="sgt")
    assert str(grade.published) == "sgt: normal"
    assert GradeRecord.of(grade.to_dict()).published
    assert bn.grade(puzzle).published is None
    assert str(bn.grade(puzzle, scale="puzzle-binairo").published) == "puzzle-binairo: hard"
    beyond = bn.grade(puzzle_of("06x06-hard"), scale="sgt").published
    assert beyond.level == "beyond normal"
    with pytest.raises(BinairoError, match="scale"):
        bn.grade(puzzle, scale="conceptis")  # type: ignore[arg-type]


REAL = os.environ.get("BINAIRO_REAL_PUZZLES")


@pytest.mark.slow
@pytest.mark.skipif(REAL is None, reason="BINAIRO_REAL_PUZZLES is not set")
@pytest.mark.parametrize(("name", "scale", "levels"), [
    ("sgt_unruly", "sgt", {each: each for each in ("trivial", "easy", "normal")}),
    ("puzzle_binairo_com", "puzzle-binairo", {"1": "easy", "2": "hard"}),
])  # fmt: skip
def test_scales_agree_with_the_publishers(name: str, scale: str, levels: dict[str, str]) -> None:
    records = list(published.read(Path(REAL or "", f"{name}.ndjson")))
    for record, puzzle in random.Random(2).sample(records, 60):
        if published.solutions(record) == 1:
            found = published_level(puzzle, scale, lambda: None)  # type: ignore[arg-type]
            assert found.level == levels[str(record["level"])]


@pytest.mark.slow
@pytest.mark.skipif(REAL is None, reason="BINAIRO_REAL_PUZZLES is not set")
@pytest.mark.parametrize(("level", "least"), [("", 0.7), ("hard", 0.7)])
def test_scores_agree_with_times_of_people(level: str, least: float) -> None:
    """Spearman's rank correlation, as docs/deduction.md states it."""
    records = map(json.loads, Path(REAL or "", "../times/tango.ndjson").read_text().splitlines())
    found = []
    for record in records:
        rules = Rules(distinct_lines=False)
        board = bn.Board(record["height"], record["width"], record["clues"])
        grade = bn.grade(Puzzle(board, rules, tuple(Sign(*sign) for sign in record["signs"])))
        if level in ("", grade.level):
            found.append((grade.score, record["time_factor"]))
    scores, times = (pd.Series(column).rank() for column in zip(*found, strict=True))
    assert scores.corr(times) > least
