"""Puzzles without a solution, and lemmas: each step follows by the rules, all lead to the end."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Board, Puzzle, Rules
from binairo_cp.deduction import contradiction, driver, lemmas
from binairo_cp.deduction.lemmas import Lemmas, refute
from binairo_cp.deduction.position import BrokenRule, Position, Values
from binairo_cp.deduction.shortest_chain import FOLLOWED
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.styles import Style
from binairo_cp.puzzle.board import COMPLEMENT
from binairo_cp.puzzle.rules import Odd
from binairo_cp.solving.backends import UNLIMITED, Meter
from tests.deduction.test_reasons import check_step
from tests.support.command_line import call
from tests.support.sat_model import SatModel
from tests.support.strategies import examples, puzzles, rules, unique_puzzles

STUCK = "8x8:.1.1........0..1..0..0....0..0.0......0.1..0..0.0.0...........01"
"""No technique but nested contradictions leads to a broken rule."""


@st.composite
def random_clues(draw: st.DrawFn) -> Puzzle:
    """Clues at random, most of which have no solution."""
    height, width = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    size = height * width
    cells = draw(st.text("01" + "." * draw(st.integers(1, 8)), min_size=size, max_size=size))
    return Puzzle(Board(height, width, cells), draw(rules))


ANY_CLUES = random_clues() | puzzles()
NAMES = {technique.name for technique in FOLLOWED}
EASY = tuple(technique for technique in driver.TECHNIQUES if technique.name in NAMES)


@examples(2)
@given(ANY_CLUES)
def test_steps_lead_to_a_broken_rule(puzzle: Puzzle) -> None:
    assume(bn.solve(puzzle).verdict == "none")
    found = bn.explain(puzzle)
    check(puzzle, found.steps, found.broken)
    assert not found.is_stopped


@examples(2)
@given(ANY_CLUES)
def test_lemmas_lead_to_a_broken_rule(puzzle: Puzzle) -> None:
    """Without the techniques that are not used in chains."""
    assume(bn.solve(puzzle).verdict == "none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lemmas, "DIRECT", EASY)
        patch.setattr(contradiction, "shortest", lambda *_: None)
        steps, broken = refute(puzzle, Meter(UNLIMITED))
    check(puzzle, steps, broken)


@examples(1)
@given(unique_puzzles(sides=(2, 8)))
def test_lemmas_lead_to_the_solution(puzzle: Puzzle) -> None:
    solution = bn.solve(puzzle).solution
    assert solution
    position, search, steps = Position(puzzle, puzzle.board), Lemmas(puzzle, Meter(UNLIMITED)), []
    while not position.board.is_full:
        found = [*driver.next_round(position, EASY)] or [*search.next_steps(position, solution)]
        assert found
        steps += found
        for step in found:
            position = position.with_values(step.values)
    assert position.board == solution
    check(puzzle, steps)


def check(puzzle: Puzzle, steps: Iterable[Step], broken: BrokenRule | None = None) -> None:
    """Each step follows from what is known, something needs each of its cells, a rule breaks."""
    known: Values = dict(puzzle.board.clues())
    needed, stated, used = {*known}, dict[int, Values](), set[int]()
    with SatModel(puzzle) as model:
        for step in steps:
            check_step(step, known, model)
            inner = step.chain.tried | known if step.chain else known
            for each in step.chain.steps if step.chain else (step,):
                if each.lemma is not None:
                    used.add(each.lemma)
                    ((cell, value),) = each.values.items()
                    excluded = stated[each.lemma]
                    assert excluded[cell] == value.translate(COMPLEMENT)
                    assert all(inner[other] == excluded[other] for other in {*excluded} - {cell})
                inner = inner | each.values
            for fault in (step.chain.broken,) if step.chain else ():
                used |= check_fault(fault, inner, stated)
            if step.chain and step.lemma is not None:
                assert step.lemma == len(stated) + 1
                assert not model.allows(step.chain.tried | {c: known[c] for c in step.reason})
                stated[step.lemma] = step.chain.tried
            known |= step.values
            needed |= {*step.reason}
        if broken:
            used |= check_fault(broken, known, stated)
            assert needed | {*broken.cells} == known.keys()
            assert not model.allows({cell: known[cell] for cell in broken.cells})
    assert used == stated.keys()


def check_fault(fault: BrokenRule, known: Values, stated: dict[int, Values]) -> set[int]:
    if fault.lemma is None:
        return set()
    assert all(known[cell] == value for cell, value in stated[fault.lemma].items())
    return {fault.lemma}


def test_broken_clues_need_no_step() -> None:
    found = bn.explain("000. .... .... ....")
    assert not found.steps
    assert found.broken.kind == "run"


@pytest.mark.parametrize(("clues", "odd", "broken"), [
    ("....../" * 6 + "......", "ones", "All columns together need at least 24 1s, but the rows "
     "have room for only 21."),
    ("....../" * 4 + "......", "zeros", "All rows together need at least fifteen 1s, but the "
     "columns have room for only twelve."),
    ("11..1./1..1../.1.11./11..../...11.", "either", "All columns together need at least "
     "sixteen 1s, but the rows have room for only fifteen."),
])  # fmt: skip
def test_the_ones_of_the_whole_board_are_counted(clues: str, odd: Odd, broken: str) -> None:
    puzzle = Puzzle(Board.parse(clues.replace("/", "\n")), Rules(odd=odd, distinct_lines=False))
    found = bn.explain(puzzle)
    check(puzzle, found.steps, found.broken)
    assert found.broken.sentence == broken
    assert found.to_dict()["broken"]["rule"] == "balance"


def test_the_text_ends_with_the_broken_rule() -> None:
    code, text, _ = call("explain", "....11........00", "-q")
    assert code == 1
    expected = ["  Now row 2 and row 4 are the same.", "  So there is no solution."]
    assert text.splitlines()[-2:] == expected


def test_lemmas_help_where_techniques_stop() -> None:
    found = bn.explain(STUCK)
    puzzle = bn.check(STUCK).puzzle
    check(puzzle, found.steps, found.broken)
    lemma, *_ = (step for step in found.steps if step.lemma)
    assert lemma.sentence.startswith("Lemma 1: ")
    assert lemma.to_dict()["cells"] == []
    assert found.to_dict()["broken"]["lines"]


def test_the_work_limit_ends_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemmas, "WORK", 10)
    code, text, _ = call("explain", STUCK, "-q")
    assert code == 1
    assert text.splitlines()[-1] == "  The search for further steps reached its limit."
    found = bn.explain(STUCK)
    assert found.steps
    assert found.is_stopped
    assert not found.broken
    assert found.to_dict()["steps_stopped_by"] == "work"


def test_lemmas_in_all_languages() -> None:
    found = bn.explain(STUCK)
    assert found.broken
    for language, coordinates in product(("de", "es", "fr", "ja", "nl"), ("rc", "a1", "none")):
        style = Style(language, coordinates=coordinates)
        steps = tuple(step.in_style(style) for step in found.steps)
        broken = replace(found.broken, style=style)
        text = str(replace(found, steps=steps, broken=broken, style=style))
        assert "{" not in text
        assert "lemma" not in text.replace("lemme", "")
