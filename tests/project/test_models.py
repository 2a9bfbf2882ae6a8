"""Compare the package with the independent models in models/."""

import pytest
from hypothesis import given

from binairo_cp import Puzzle, enumerate_solutions
from tests.support.oracles import clingo_solutions, minizinc_available, minizinc_solutions
from tests.support.strategies import examples, instance_of, puzzles


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
