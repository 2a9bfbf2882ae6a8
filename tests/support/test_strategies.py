"""Check the strategies of the other tests, and that the profile sets the number of examples."""

import re
from pathlib import Path

from hypothesis import given, settings

from binairo_cp import Puzzle
from tests.support.oracles import clingo_solutions
from tests.support.strategies import examples, instance_of, unique_puzzles


@given(unique_puzzles())
def test_unique_puzzles_have_one_solution(puzzle: Puzzle) -> None:
    assert len(clingo_solutions(instance_of(puzzle), 2)) == 1


def test_examples_scales_the_profile() -> None:
    whole = settings.default.max_examples
    assert examples(2).max_examples == 2 * whole
    assert examples(2, most=whole + 1).max_examples == whole + 1
    assert examples(0.0001).max_examples == 1


def test_no_test_overrides_the_profile() -> None:
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        assert not re.search(r"\bmax_examples=", file.read_text()), file
