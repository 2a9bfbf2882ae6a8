"""Check the strategies of the other tests, and that the profile sets the number of examples."""

import re
from pathlib import Path

from hypothesis import given

from binairo_cp import Puzzle
from tests.support.oracles import clingo_solutions
from tests.support.strategies import instance_of, unique_puzzles


@given(unique_puzzles())
def test_unique_puzzles_have_one_solution(puzzle: Puzzle) -> None:
    assert len(clingo_solutions(instance_of(puzzle), 2)) == 1


def test_no_test_overrides_the_profile() -> None:
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        assert not re.search(r"\bmax_examples=", file.read_text()), file
