"""Smallest explanations: `hint` and `explain` with --best, and the hitting sets behind them."""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Puzzle
from binairo_cp.deduction import best_steps
from binairo_cp.deduction.contradiction import against
from binairo_cp.deduction.named_rules import NamedRule, RuleTable
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.small_hitting_sets import SetsToHit, bits, each_bit
from binairo_cp.deduction.steps import Support
from binairo_cp.deduction.strip import Strip
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import RuleRecord, record_of
from binairo_cp.puzzle.board import Board, filled
from binairo_cp.puzzle.rules import Rules, violations
from tests.deduction.test_reasons import check_step
from tests.support.sat_model import SatModel
from tests.support.strategies import examples, puzzles, unique_puzzles

SMALL = 4
"""All boards of this side are listed."""

BOARDS = (np.arange(1 << SMALL * SMALL)[:, None] >> np.arange(SMALL * SMALL)) & 1


@pytest.mark.parametrize("rules", ["classic", "unruly"])
def test_no_set_of_rules_and_cells_is_smaller(rules: Any) -> None:
    """By brute force over all boards and all sets of up to three elements."""
    puzzle = next(iter(bn.generate(SMALL, rules=rules, seed=1))).puzzle
    table = RuleTable(puzzle, bn.solve(puzzle).solution)
    rules_kept = [
        boards_of(table.named(number), puzzle) for number in each_bit(table.single | table.pairs)
    ]
    known = dict(puzzle.board.clues())
    for step in bn.explain(puzzle, best=True).steps:
        assert step.support
        facts = [having(cell, value) for cell, value in known.items()]
        (cell, value), *more = step.values.items()
        assert not more
        used = [having(each, known[each]) for each in step.support.cells or step.reason]
        used += [boards_of(rule, puzzle) for rule in step.support.constraints]
        assert len(used) == step.support.size
        assert implies(used, having(cell, value))
        for k in range(len(used)):
            assert not implies(used[:k] + used[k + 1 :], having(cell, value))
        if step.support.smallest:
            size = min(step.support.size - 1, 3)
            solution = bn.solve(puzzle).solution
            targets = [
                having(each, solution[each])
                for each in map(solution.cell, range(SMALL * SMALL))
                if each not in known
            ]
            for some in combinations([*facts, *rules_kept], size):
                both = intersection(some)
                assert not any(both & ~target == 0 for target in targets)
        known[cell] = value
    assert len(known) == SMALL * SMALL


def boards_of(named: NamedRule, puzzle: Puzzle) -> int:
    rule = record_of(RuleRecord, named).to_dict()
    lines = [line(name) for name in rule["lines"]]
    if rule["rule"] == "distinct lines":
        kept = (BOARDS[:, lines[0]] != BOARDS[:, lines[1]]).any(axis=1)
    elif rule["rule"] == "balance":
        kept = BOARDS[:, lines[0]].sum(axis=1) == SMALL // 2
    else:
        cells = [row * SMALL + column for row, column in rule["cells"]]
        assert rule["rule"] == "no triple"
        assert len(cells) == puzzle.rules.longest_run + 1
        kept = np.isin(BOARDS[:, cells].sum(axis=1), range(1, len(cells)))
    return as_bits(kept)


def line(name: str) -> list[int]:
    direction, number = name.split()
    places = np.arange(SMALL * SMALL).reshape(SMALL, SMALL)
    chosen = places[int(number) - 1] if direction == "row" else places[:, int(number) - 1]
    return [int(place) for place in chosen]


def having(cell: bn.Cell, value: str) -> int:
    return as_bits(BOARDS[:, cell.row * SMALL + cell.column] == int(value))


def as_bits(flags: Any) -> int:
    return int.from_bytes(np.packbits(flags).tobytes(), "big")


def intersection(sets: Any) -> int:
    every = as_bits(np.ones(len(BOARDS), bool))
    for each in sets:
        every &= each
    return every


def implies(sets: list[int], target: int) -> bool:
    return intersection(sets) & ~target == 0


@examples(0.3)
@given(puzzles(sides=st.integers(1, 6)) | unique_puzzles(sides=(2, 6)))
def test_steps_follow_from_their_reasons(puzzle: Puzzle) -> None:
    verdict = bn.check(puzzle).verdict
    if verdict == "none":
        return  # no order makes a difference then
    explanation = bn.explain(puzzle, best=True)
    known = dict(puzzle.board.clues())
    with SatModel(puzzle) as model:
        for step in explanation.steps:
            check_step(step, known, model)
            cells = step.support.cells or step.reason
            assert step.support.size == len(cells) + len(step.support.constraints)
            known |= step.values
    if verdict == "unique":
        assert len(known) == len(puzzle.board.cells)


def test_rules_about_lines_are_those_within_their_cells() -> None:
    table = RuleTable(HARD, bn.solve(HARD).solution)
    rows, columns = (table.about({f"{each} 2", f"{each} 5"}) for each in ("row", "column"))
    assert table.about({"row 2", "row 5", "column 2", "column 5"}) == rows | columns
    assert rows.bit_count() == 2 * 4 + 2 + 1


@given(st.lists(st.sets(st.integers(0, 9), max_size=5), max_size=9), st.integers(0, 6))
def test_small_hitting_sets(sets: list[set[int]], most: int) -> None:
    found = SetsToHit(map(bits, sets), lambda work: None).hitting_set(most)
    possible = any(
        all(each & {*chosen} for each in sets)
        for size in range(most + 1)
        for chosen in combinations(range(10), size)
    )
    assert (found is not None) == possible
    if found is not None:
        assert found.bit_count() <= most
        assert all(bits(each) & found for each in sets)


@examples(1)
@given(unique_puzzles(sides=(2, 6)), st.data())
def test_broken_rules_are_those_of_the_checker(puzzle: Puzzle, data: st.DataObject) -> None:
    solution = bn.solve(puzzle).solution
    places = data.draw(st.lists(st.integers(0, len(solution.cells) - 1), max_size=6))
    table = RuleTable(puzzle, solution)
    cells = found = 0
    for place in places:
        cells ^= 1 << place
        found = table.broken(cells, 1 << place, found)
    other = [
        "10"[int(value)] if cells >> place & 1 else value
        for place, value in enumerate(solution.cells)
    ]
    board = Board(solution.height, solution.width, "".join(other))
    empty = Puzzle(Board.empty(board.height, board.width), puzzle.rules, puzzle.signs)
    expected = {broken.rule for broken in violations(empty, board)}
    assert {table.named(rule).rule for rule in each_bit(found)} == expected
    assert table.broken(cells, cells) == found


def test_without_work_the_size_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_steps, "WORK", 0)
    steps = bn.explain(HARD, best=True).steps
    assert not any(step.support.smallest for step in steps)
    for step in steps:
        assert ("There may be a smaller explanation." in str(step)) == (step.support.size > 4)


@examples(0.1)
@given(unique_puzzles(sides=(4, 8)), st.sampled_from([0, 300]))
def test_explanations_that_are_not_proved_are_irreducible(puzzle: Puzzle, work: int) -> None:
    """They imply the step, and without any of their rules and cells they don't."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_steps, "WORK", work)
        steps = bn.explain(puzzle, best=True).steps
    known = dict(puzzle.board.clues())
    for step in steps:
        rules = [record_of(RuleRecord, rule).to_dict() for rule in step.support.constraints]
        facts = {cell: known[cell] for cell in step.support.cells or step.reason}
        if not step.support.smallest:
            assert follows(puzzle, rules, facts, step.values)
            for k in range(len(rules)):
                assert not follows(puzzle, rules[:k] + rules[k + 1 :], facts, step.values)
            for cell in facts:
                fewer = {each: facts[each] for each in facts if each != cell}
                assert not follows(puzzle, rules, fewer, step.values)
        if step.chain and step.support.cells:
            place = Position(puzzle, puzzle.board).with_values(known)
            assert (
                step.size <= against(place, step.chain.cell, step.chain.value, lambda: None, 2).size
            )
        known |= step.values
    assert work or not any(step.support and step.support.smallest for step in steps)


def test_what_is_on_the_board_is_not_derived_again() -> None:
    """A step without a trial is taken, or else the shorter chain; the smallest set is named."""
    board = Board(6, 6, "1010..0..0.11..10...0110.010.10101..")
    step = bn.hint(HARD, board, best=True).step
    assert (step.technique, step.support.smallest, step.support.size) == ("distinct lines", True, 8)
    assert len(step.support.cells) == 5
    assert not {*step.support.cells} >= {*step.reason}
    assert "With r1c2, r1c4, r2c4, r5c2 and r5c4, the rules below are enough." in str(step)


@examples(0.2)
@given(unique_puzzles(sides=(2, 6)))
def test_a_path_repeats_the_best_hint(puzzle: Puzzle) -> None:
    """What is kept from earlier steps makes no step larger, nor a proof wrong."""
    board = puzzle.board
    for step in bn.explain(puzzle, best=True).steps:
        alone = bn.hint(puzzle, board, best=True).step
        assert step.support.size <= alone.support.size
        assert step.support.smallest >= alone.support.smallest
        board = filled(board, step.values)


def follows(puzzle: Puzzle, rules: Any, facts: Any, values: Any) -> bool:
    with SatModel.of_some(puzzle, rules) as model:
        return model.imply(facts, values)


HARD = next(iter(read_sources(["instances/classic/06x06-hard.txt"]))).puzzle


def test_sentences_of_steps_that_no_technique_explains() -> None:
    """With known cells, and by the rules alone."""
    assert HARD
    table = RuleTable(HARD, bn.solve(HARD).solution)
    support = Support(tuple(map(table.named, (36, 37))), 2, True)
    cell = bn.Cell(0, 1)
    step = best_steps._by_rules((), cell, "1")
    assert replace(step, support=support).sentence == "The rules below leave only 1 for r1c2."
    step = best_steps._by_rules((bn.Cell(0, 0), bn.Cell(0, 2)), cell, "1")
    assert step.sentence == "r1c1 and r1c3 leave only 1 for r1c2, by the rules below."


def test_several_solutions() -> None:
    """Only cells that all solutions share are explained, and the board counts as known."""
    puzzle = "1... .... .... ...."
    assert not bn.explain(puzzle, best=True).steps
    explanation = bn.explain(puzzle, "11.. .... .... ....", best=True)
    assert {str(cell) for step in explanation.steps for cell in step.values} == {"r1c3", "r1c4"}
    wrong = bn.hint(puzzle, "1... 1... 0... 1...", best=True)
    assert wrong.mistake
    assert not wrong.step
    for answer in (bn.hint, bn.explain):
        found = answer("1..0......1.....", "1010....1.1.....", best=True)
        assert "can't be completed" in str(found.mistake)


@given(st.text(".01", min_size=1, max_size=9))
def test_numbers_of_completions(values: str) -> None:
    strip = Strip(values, (), Rules())
    completions = list(strip.completions())
    for place, symbol in product(range(len(values)), "01"):
        number = sum(completion[place] == symbol for completion in completions)
        assert strip.completions_with(place, symbol) == number
