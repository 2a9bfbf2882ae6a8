"""Puzzles without a solution: each step follows by the rules alone, and all lead to the end."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Board, Puzzle
from binairo_cp.deduction.hints import Explanation
from binairo_cp.deduction.position import Values
from tests.deduction.test_reasons import check_step
from tests.support.command_line import call
from tests.support.sat_model import SatModel
from tests.support.strategies import examples, puzzles, rules


@st.composite
def random_clues(draw: st.DrawFn) -> Puzzle:
    """Clues at random, most of which have no solution."""
    height, width = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    size = height * width
    cells = draw(st.text("01" + "." * draw(st.integers(1, 8)), min_size=size, max_size=size))
    return Puzzle(Board(height, width, cells), draw(rules))


@examples(2)
@given(random_clues() | puzzles())
def test_steps_lead_to_a_broken_rule(puzzle: Puzzle) -> None:
    assume(bn.solve(puzzle).verdict == "none")
    check(puzzle, bn.explain(puzzle))


def check(puzzle: Puzzle, found: Explanation) -> None:
    """Each step follows from what is known, something needs each of its cells, a rule breaks."""
    known: Values = dict(puzzle.board.clues())
    needed = {*known}
    with SatModel(puzzle) as model:
        for step in found.steps:
            check_step(step, known, model)
            known |= step.values
            needed |= {*step.reason}
        if found.broken:
            assert needed | {*found.broken.cells} == known.keys()
            assert not model.allows({cell: known[cell] for cell in found.broken.cells})


def test_broken_clues_need_no_step() -> None:
    found = bn.explain("000. .... .... ....")
    assert not found.steps
    assert found.broken
    assert found.broken.kind == "run"


def test_the_text_ends_with_the_broken_rule() -> None:
    code, text, _ = call("explain", "....11........00", "-q")
    assert code == 1
    assert text.splitlines()[-2:] == [
        "  Now row 2 and row 4 are the same.",
        "  So there is no solution.",
    ]
