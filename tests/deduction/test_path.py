"""The path: every sentence is true where it stands, steps are near each other, trials are few."""

import json
import os
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Puzzle, Rules
from binairo_cp.deduction.claims import holds
from binairo_cp.deduction.driver import TECHNIQUES, next_round, rounds
from binairo_cp.deduction.path import distance
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import step_of
from binairo_cp.deduction.techniques import LEVELS, PROJECTION, deductions
from binairo_cp.formats import read_sources
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Odd, Sign
from tests.support.sentences import Reading, read
from tests.support.strategies import examples, puzzles, unique_puzzles

TRIALS = ("contradiction", "nested contradiction")


def check(puzzle: Puzzle, explanation: bn.Explanation) -> Reading:
    """Read a path; the package's own test of its claims must find them true too."""
    position = Position(puzzle, puzzle.board)
    for step in explanation.steps:
        assert holds(step, position), step
        position = position.with_values(step.values)
    reading = read(puzzle, explanation)
    assert not reading.false
    return reading


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("text", [
    "6x6:........00.0.....0....0..1......0.00",
    "..0.....0.0..0....1....1....1......0.......1..0.0.0.......10....",
    ".1.1........0..1..0..0....0..0.0......0.1..0..0.0.0...........01",
])  # fmt: skip
def test_sentences_are_true_where_they_stand(text: str, best: bool) -> None:
    explanation = bn.explain(text, best=best)
    assert check(bn.check(text).puzzle, explanation).read >= len(explanation.steps) > 0


@examples(1)
@given(puzzles() | unique_puzzles())
def test_all_sentences_are_true(puzzle: Puzzle) -> None:
    """Also those that lead to a broken rule."""
    check(puzzle, bn.explain(puzzle))


@examples(0.2)
@given(unique_puzzles(sides=(2, 6)))
def test_sentences_of_smallest_explanations_are_true(puzzle: Puzzle) -> None:
    check(puzzle, bn.explain(puzzle, best=True))


@examples(0.2)
@given(st.integers(0, 1 << 30), st.sampled_from([6, 10, 14]))
def test_sentences_of_smallest_explanations_with_signs_are_true(seed: int, signs: int) -> None:
    """A sign chain is not the explanation of a cell that it does not try."""
    puzzle = bn.generate(6, signs=signs, seed=seed)[0].puzzle
    check(puzzle, bn.explain(puzzle, best=True))


def test_wrong_sentences_are_found() -> None:
    """A step of an earlier board is false on a later one, for both tests."""
    puzzle = Puzzle(Board(4, 4, "..1....0..10.0.."))
    explanation = bn.explain(puzzle)
    solved = Position(puzzle, bn.solve(puzzle).solution)
    assert not any(holds(step, solved) for step in explanation.steps)
    known = dict(bn.solve(puzzle).solution.clues())
    assert len(read(puzzle, explanation, known).false) == len(explanation.steps)


def given_puzzles(folder: str, step: int) -> Iterator[Puzzle]:
    for entry in islice(read_sources([folder]), 0, None, step):
        if entry.puzzle and len(entry.puzzle.board.cells) <= 196:
            yield entry.puzzle


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["classic", "signs", "odd", "rectangular", "unruly"])
def test_all_sentences_of_the_instances_are_true(folder: str) -> None:
    source = next(path for path in Path("instances").glob(f"{folder}*"))
    for puzzle in given_puzzles(str(source), 25):
        check(puzzle, bn.explain(puzzle))


REAL = os.environ.get("BINAIRO_REAL_PUZZLES")


def real_puzzles() -> Iterator[Puzzle]:
    for path in sorted(Path(REAL or "").glob("*.ndjson")):
        for line in path.read_text().splitlines():
            record: dict[str, Any] = json.loads(line)
            odd: Odd = "ones" if record["source"] == "thilerion" else "either"
            rules = Rules(odd=odd, distinct_lines=record["distinct_lines"])
            number = record["solutions_distinct" if rules.distinct_lines else "solutions_plain"]
            if number == 1:
                board = Board(record["height"], record["width"], record["clues"])
                yield Puzzle(board, rules, tuple(Sign(*sign) for sign in record["signs"]))


@pytest.mark.slow
@pytest.mark.timeout(3600)  # the reader takes a tenth of a second for each puzzle
@pytest.mark.skipif(REAL is None, reason="BINAIRO_REAL_PUZZLES is not set")
def test_all_sentences_about_real_puzzles_are_true() -> None:
    for puzzle in real_puzzles():
        check(puzzle, bn.explain(puzzle))


@examples(0.5)
@given(unique_puzzles(sides=(2, 6)))
def test_a_path_needs_no_harder_technique_than_the_grade(puzzle: Puzzle) -> None:
    """It fills the board from cells that are known then."""
    explanation = bn.explain(puzzle)
    known = dict(puzzle.board.clues())
    for step in explanation.steps:
        assert {*step.reason} <= known.keys()
        assert not step.values.keys() & known.keys()
        known |= step.values
    assert known == dict(bn.solve(puzzle).solution.clues())
    assert explanation.grade == bn.grade(puzzle)
    ranks = [LEVELS.index(step.level) for steps in rounds(puzzle) for step in steps]
    assert all(LEVELS.index(step.level) <= max(ranks) for step in explanation.steps)


def test_a_path_jumps_half_as_far_as_rounds() -> None:
    def mean_jump(steps: Any) -> float:
        return mean(distance(one.values, other.values) for one, other in pairwise(steps))

    puzzle = list(given_puzzles("instances/classic/10x10-easy.txt", 1))[2]
    of_rounds = [step for steps in rounds(puzzle) for step in steps]
    assert mean_jump(bn.explain(puzzle).steps) < 0.6 * mean_jump(of_rounds)


def test_no_trial_is_needless() -> None:
    """Without any of them, the board is not filled."""
    number = 0
    for puzzle in islice(given_puzzles("instances/classic/10x10-hard.txt", 1), 1, 5):
        steps = bn.explain(puzzle).steps
        trials = [step for step in steps if step.technique in TRIALS]
        usual = [s for each in rounds(puzzle) for s in each if s.technique in TRIALS]
        assert len(trials) <= len(usual)
        number += len(usual) - len(trials)
    assert number > 0


def test_a_trial_comes_only_where_nothing_else_fills_a_cell() -> None:
    """Also where the rounds of the grade do without the techniques that are left."""
    for puzzle in islice(given_puzzles("instances/classic/10x10-hard.txt", 1), 5):
        position = Position(puzzle, puzzle.board)
        for step in bn.explain(puzzle).steps:
            assert step.technique not in TRIALS or not next_round(position, TECHNIQUES[:-2])
            position = position.with_values(step.values)


def test_signs_are_named_where_they_are_needed() -> None:
    """The open cells of a line are what they are because of signs; others are not named."""
    signs = (Sign(0, 0, "R", "="), Sign(0, 2, "R", "x"), Sign(0, 4, "R", "="))
    puzzle = Puzzle(Board(1, 6, "......"), Rules(), signs)
    sentences = {
        "1.....": "Row 1 has the signs r1c3 × r1c4 and r1c5 = r1c6. The open cells of row 1 can"
    }
    for cells, start in sentences.items():
        line = Position(puzzle, Board(1, 6, cells)).lines[0]
        (found,) = deductions(PROJECTION.find, line.strip)
        assert step_of(PROJECTION, line, found).sentence.startswith(start)
