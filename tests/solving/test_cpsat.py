"""CP-SAT: the encodings of distinct lines for one or two solutions, and long searches."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from binairo_cp import UNRULY, Board, Puzzle, check
from binairo_cp.solving.backends import cpsat
from binairo_cp.solving.backends.cpsat import CpSat
from binairo_cp.solving.encodings.cpsat_model import AS_NEEDED, DISTINCT, Model
from tests.support.oracles import clingo_solutions
from tests.support.strategies import examples, instance_of, puzzles


@pytest.mark.slow
@examples(4)
@given(puzzles(sides=st.integers(1, 6)), st.sampled_from([AS_NEEDED, *DISTINCT]))
def test_one_or_two_solutions_agree_with_clingo(puzzle: Puzzle, distinct: str) -> None:
    expected = clingo_solutions(instance_of(puzzle), 200)
    found = {board.cells for board in CpSat(distinct).solutions(puzzle, limit=2)}
    assert len(found) == min(len(expected), 2)
    if len(expected) < 200:
        assert found <= expected


def test_all_pairs_of_lines_are_posted_if_needed() -> None:
    """The board has 90 solutions without distinct lines, and 72 with them; none is repeated."""
    puzzle = Puzzle(Board.empty(4, 4))
    model = Model(puzzle, AS_NEEDED)
    found = set()
    solver = cp_model.CpSolver()
    while solver.solve(model.model) != cp_model.INFEASIBLE:
        values = list(islice(solver.response_proto.solution, model.size))
        if model.post_equal_lines(values):
            continue
        assert tuple(values) not in found
        found.add(tuple(values))
        model.block(values)
    assert len(found) == 72


def test_lines_that_may_repeat_are_not_posted() -> None:
    model = Model(Puzzle(Board.empty(2, 2), UNRULY), AS_NEEDED)
    assert not model.post_equal_lines([0, 1, 0, 1])


@pytest.mark.parametrize(
    "clues", ["0101 1010 0011 1100", "0101 1010 0101 1010", "0... .... .... ...1"]
)
def test_a_model_does_not_change_the_next_one_of_its_shape(clues: str) -> None:
    puzzle = Puzzle(Board.parse(clues))
    before = check(puzzle, backend="cpsat")
    for other in ("1... .... .... ....", ".... .... .... ....", "00.. .... .... ...."):
        check(Puzzle(Board.parse(other)), backend="cpsat")
    after = check(puzzle, backend="cpsat")
    assert (before.verdict, before.count) == (after.verdict, after.count)


@pytest.mark.parametrize(
    "clues", ["0... .... .... ...1", "00.. 0... .... ....", "01.. .... 0..1 ...."]
)
def test_a_long_search_continues_in_a_thread(clues: str, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board.parse(clues))
    expected = check(puzzle, backend="cpsat").verdict
    runs = []
    solutions = cpsat._Run.solutions
    monkeypatch.setattr(cpsat, "_SHORT_SECONDS", 0.0)
    monkeypatch.setattr(cpsat._Run, "solutions", lambda self: runs.append(self) or solutions(self))
    assert check(puzzle, backend="cpsat").verdict == expected
    assert runs
