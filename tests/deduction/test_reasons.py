"""The reason of every step, and every step of its chain, implies it by the rules alone."""

from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from binairo_cp import Puzzle, Rules
from binairo_cp.deduction import techniques
from binairo_cp.deduction.contradiction import follow, nested
from binairo_cp.deduction.driver import TECHNIQUES, Contradictory, rounds
from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.steps import Chain, Step
from binairo_cp.deduction.strip import Signs, Strip
from binairo_cp.deduction.techniques import LineTechnique, deductions
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import StepRecord
from binairo_cp.puzzle.board import OPEN, Board
from tests.support.sat_model import SatModel
from tests.support.strategies import examples, puzzles, rules, unique_puzzles

MINIMAL = ("pair", "sandwich", "sign", "count", "last one", "equal pair")


@examples(1)
@given(puzzles() | unique_puzzles())
def test_reasons_imply_steps(puzzle: Puzzle) -> None:
    check(puzzle)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["classic/06x06-hard", "signs/06x06-easy", "odd", "rectangular", "unruly"]
)
def test_reasons_imply_steps_of_harder_puzzles(name: str) -> None:
    folder = Path("instances", name)
    source = folder if folder.is_dir() else folder.with_suffix(".txt")
    for number, entry in enumerate(read_sources([str(source)])):
        if entry.puzzle and len(entry.puzzle.board.cells) <= 100 and number % 8 == 0:
            check(entry.puzzle)


def test_nested_chains_imply_steps() -> None:
    entry = next(iter(read_sources(["instances/classic/10x10-hard.txt"])))
    assert entry.puzzle
    assert check(entry.puzzle)["nested contradiction"]


DEEP = (
    "100110..1.01....1.0110010......010.10010....01010"
    ".101.0....1..10010..1.010..010.1....1....10101..0"
    "10...1001.01..0....0110.10..1...100101001.0110011"
    "01011000...10.1..10111.....0...01010.1....0110110"
)
"""A board where the first values that are refuted on the way are more than are needed."""


def test_no_trial_of_a_nested_contradiction_can_be_dropped() -> None:
    """Without any one, what the others leave breaks no rule."""
    position = Position(Puzzle(Board(14, 14, DEEP)), Board(14, 14, DEEP))
    (step,) = nested(position, lambda: None)
    trials = [each for each in step.chain.steps if each.chain]
    assert trials
    assert is_refuted(position, step.chain.tried, trials)
    for k in range(len(trials)):
        assert not is_refuted(position, step.chain.tried, trials[:k] + trials[k + 1 :])


def is_refuted(position: Position, tried: Values, trials: list[Step]) -> bool:
    """Whether a rule breaks, after the trials that succeed without the others."""
    after, rounds = follow(position, tried)
    for each in trials:
        if rounds is None and follow(after, each.chain.tried)[1] is not None:
            after, rounds = follow(after, each.values)
    return rounds is not None


@pytest.mark.slow
@examples(2, most=1_000)
@given(puzzles(sides=st.integers(1, 8)) | unique_puzzles(sides=(2, 8)))
def test_reasons_imply_steps_of_many_puzzles(puzzle: Puzzle) -> None:
    check(puzzle)


@pytest.mark.nightly
@pytest.mark.slow
def test_reasons_imply_steps_of_the_instances() -> None:
    used: Counter[str] = Counter()
    for number, entry in enumerate(read_sources(["instances"])):
        if entry.puzzle and len(entry.puzzle.board.cells) <= 100 and number % 3 == 0:
            used += check(entry.puzzle)
    assert {technique.name for technique in TECHNIQUES} - {"sign chain"} <= used.keys()


def check(puzzle: Puzzle) -> Counter[str]:
    """Check all steps of a puzzle; return how often each technique was used."""
    used: Counter[str] = Counter()
    known: Values = dict(puzzle.board.clues())
    with SatModel(puzzle) as model:
        try:
            for steps in rounds(puzzle):
                for step in steps:
                    used[step.technique] += 1
                    check_step(step, known, model)
                known |= {cell: value for step in steps for cell, value in step.values.items()}
        except Contradictory:
            pass
    return used


def check_step(step: Step, known: Values, model: SatModel) -> None:
    reason = {cell: known[cell] for cell in step.reason}
    assert not step.values.keys() & known.keys()
    assert model.imply(reason, step.values), step
    StepRecord.of({"round": 1} | step.to_dict())
    assert step.chain or step.technique not in ("contradiction", "nested contradiction")
    if step.chain:
        check_chain(step.chain, reason, model)


def check_chain(chain: Chain, reason: Values, model: SatModel) -> None:
    """Each step follows from earlier cells, something needs each of its cells, a rule breaks."""
    known = reason | chain.tried
    for step in chain.steps:
        check_step(step, known, model)
        known |= step.values
    needed = {*chain.broken.cells, *(cell for step in chain.steps for cell in step.reason)}
    assert needed | chain.others.keys() == known.keys() | chain.others.keys()
    assert not model.allows({cell: known[cell] for cell in chain.broken.cells})


@given(rules, st.text("01.", min_size=1, max_size=9), st.data())
def test_no_cell_of_a_minimal_reason_can_be_dropped(rules: Rules, values: str, data: st.DataObject):
    signs = tuple((k, data.draw(st.sampled_from("=x"))) for k in range(0, len(values) - 1, 3))
    # The cells of a broken rule imply everything.
    assume(any(Strip(values, signs, rules).completions()))
    for technique in techniques.LINE_TECHNIQUES:
        found = partial(found_with, technique, values, signs, rules)
        for deduction in deductions(technique.find, Strip(values, signs, rules)):
            mine = set(zip(deduction.places, deduction.values, strict=True))
            if technique.name in MINIMAL:
                assert mine <= found({*deduction.reason})
                for place in deduction.reason:
                    assert not mine <= found({*deduction.reason} - {place}), technique.name


def found_with(
    technique: LineTechnique, values: str, signs: Signs, rules: Rules, known: set[int]
) -> set[tuple[int, str]]:
    """The places and values that a technique finds if only some places are known."""
    shown = "".join(value if k in known else OPEN for k, value in enumerate(values))
    return {
        pair
        for deduction in deductions(technique.find, Strip(shown, signs, rules))
        for pair in zip(deduction.places, deduction.values, strict=True)
    }
