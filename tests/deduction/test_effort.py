"""The effort of a solving path, and the limits that a path exceeds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import mean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Puzzle
from binairo_cp.deduction import effort, grading
from binairo_cp.deduction.demands import Demand
from binairo_cp.deduction.driver import TECHNIQUES, rounds
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import GradeRecord
from binairo_cp.solving.backends import UNLIMITED, Meter
from tests.support.strategies import examples, unique_puzzles

HARD = [
    entry.puzzle for entry in read_sources(["instances/classic/08x08-hard.txt"]) if entry.puzzle
]


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_searches_are_those_of_all_orders(case: tuple[int, int]) -> None:
    right, places = case
    total = effort._Total()
    total.add_search(right, places)
    looks = [min(each) for each in combinations(range(1, places + 1), right)]
    assert total.mean == pytest.approx(mean(looks))
    assert total.variance == pytest.approx(pvariance(looks))


@examples(10)
@given(unique_puzzles())
def test_an_effort_is_at_least_a_look_for_each_cell(puzzle: Puzzle) -> None:
    found = bn.grade(puzzle, effort=True)
    if found.left:
        assert found.effort is None
    else:
        assert found.effort
        lower, middle, upper = found.effort.quartiles
        assert puzzle.board.cells.count(".") <= lower <= middle <= upper
    assert replace(found, effort=None, longest_chain=None) == bn.grade(puzzle)


def test_the_effort_of_a_path_that_one_can_count() -> None:
    full = "0011110001011010"
    puzzle = Puzzle(bn.Board(4, 4, f"{full[:-1]}."))
    # The step counts, at the second level: 8 lines are looked at in vain. Then one of 8 lines is
    # searched for, and one cell filled.
    expected = effort.Effort(8 + 9 / 2 + 1, pytest.approx((9 * 7 / (4 * 3)) ** 0.5))
    assert bn.grade(puzzle, effort=True).effort == expected
    assert bn.grade(Puzzle(bn.Board(4, 4, full)), effort=True).effort == effort.Effort(0, 0)


@pytest.mark.parametrize("puzzle", HARD[:2])
@pytest.mark.parametrize("most", [0, 4])
def test_a_grade_says_which_limits_it_exceeds(puzzle: Puzzle, most: int) -> None:
    path = rounds(puzzle, techniques=TECHNIQUES[:-1])
    chains = [step.chain.size for steps in path for step in steps if step.chain]
    found = bn.grade(puzzle, longest_chain=most, most_trials=most)
    assert found.longest_chain == max(chains, default=0)
    meter = Meter(UNLIMITED)
    for name, demand in {
        "longest-chain": Demand(longest_chain=most),
        "most-trials": Demand(most_trials=most),
    }.items():
        assert (name in found.over) != demand.is_met_by(puzzle, found, meter)
    explained = bn.explain(puzzle, longest_chain=most, most_trials=most).grade
    local = bn.explain(puzzle, longest_chain=most, most_trials=most).grade
    for other in (explained, local):
        assert other
        assert other.over == found.over
    assert GradeRecord.of(found.to_dict()).over == (list(found.over) or None)


def test_a_limit_on_trials_alone_needs_no_chains() -> None:
    found = grading.grade(HARD[0], limits=grading.Limits(most_trials=0))
    assert found.longest_chain is None
    assert found.over == (("most-trials",) if found.placed.get("contradiction") else ())
