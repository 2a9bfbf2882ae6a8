"""All steps are implied by the clues; grades are invariant under symmetries."""

import os
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import published
from binairo_cp import Board, Lines, check, enumerate_solutions
from binairo_cp.deduction import techniques
from binairo_cp.deduction.driver import TECHNIQUES, Contradictory, rounds
from binairo_cp.deduction.grading import LEVEL_OF, grade, grade_of, grade_plain
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.strip import Strip
from binairo_cp.deduction.techniques import LEVELS, deductions
from binairo_cp.errors import BudgetExceeded
from binairo_cp.formats import read_sources
from binairo_cp.kernels import lanes
from binairo_cp.kernels.deduction import GRADED
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle, Rules, Sign
from binairo_cp.solving.backends import Budget, Meter
from tests.support.command_line import KNOWN, call, invoke
from tests.support.strategies import examples, found_soon, puzzles, rules, unique_puzzles

LIMIT = 300
FIND = {
    technique.name: technique.find
    for technique in (*techniques.LINE_TECHNIQUES, techniques.PROJECTION)
}

HARD = "..10.....0.11...0....11..0...10....."
BEGUN = HARD.replace("..10.", "..100", 1)

# technique, line, signs, expected values by place
LINES: list[tuple[str, str, tuple[tuple[int, str], ...], dict[int, str]]] = [
    ("pair", "00....", (), {2: "1"}),
    ("pair", "..11..", (), {1: "0", 4: "0"}),
    ("pair", "0..1.1", (), {}),
    ("sandwich", "0.0...", (), {1: "1"}),
    ("sandwich", "00....", (), {}),
    ("sign", "0.....", ((0, "x"),), {1: "1"}),
    ("sign", ".1....", ((0, "="), (1, "=")), {0: "1", 2: "1"}),
    ("count", "0.00.1", (), {1: "1", 4: "1"}),
    ("count", "0.0..1", (), {}),
    ("last one", "0.1.0...", (), {}),
    ("last one", "0...0.", (), {5: "1"}),
    ("equal pair", "0...1.", ((1, "="),), {1: "1", 2: "1"}),
    ("equal pair", "0.0.0...", ((6, "="),), {6: "1", 7: "1"}),
    ("equal pair", "......", ((3, "="),), {}),
    ("one of each", "1..01.", (), {5: "0"}),
    ("one of each", "..1.1.", ((0, "x"),), {3: "0", 5: "0"}),
    ("one of each", "1..0..", (), {}),
    ("projection", "1.....0...", (), {}),
    ("projection", "0.0...", (), {1: "1"}),
]


@pytest.mark.parametrize(("name", "values", "signs", "expected"), LINES)
def test_deductions_of_a_technique(
    name: str, values: str, signs: tuple[tuple[int, str], ...], expected: dict[int, str]
) -> None:
    values_found: dict[int, str] = {}
    for deduction in deductions(FIND[name], Strip(values, signs, CLASSIC)):
        values_found |= dict(zip(deduction.places, deduction.values, strict=True))
        assert not set(deduction.places) & set(deduction.reason)
    assert values_found == expected


# technique, cells of the puzzle, rules, signs, an explanation of a step
RUN_OF_1, RUN_OF_3 = (Rules(longest_run=n, balanced=False, distinct_lines=False) for n in (1, 3))
SENTENCES: list[tuple[str, str, Rules, tuple[Sign, ...], str]] = [
    ("pair", "4x4:00..............", CLASSIC, (), "r1c1 and r1c2 are both 0. A third 0 would make three in a row, so r1c3 is 1."),
    ("pair", "1x4:.00.", CLASSIC, (), "r1c2 and r1c3 are both 0. A third 0 would make three in a row, so r1c1 and r1c4 are 1."),
    ("pair", "1x4:1...", RUN_OF_1, (), "r1c1 is 1. Two 1s can't be next to each other, so r1c2 is 0."),
    ("pair", "1x4:.000", RUN_OF_3, (), "r1c2, r1c3 and r1c4 are all 0. One more would make four in a row, so r1c1 is 1."),
    ("sandwich", "1x4:0.0.", UNRULY, (), "r1c1 and r1c3 are both 0, so r1c2 is 1."),
    ("sign", "1x4:0...", UNRULY, (Sign(0, 0, "R", "="),), "r1c1 is 0. The sign = makes r1c2 the same, so it is 0 too."),
    ("sign", "1x4:0...", UNRULY, (Sign(0, 0, "R", "x"),), "r1c1 is 0. The sign × makes r1c2 the opposite, so it is 1."),
    ("count", "1x6:0.0.10", UNRULY, (), "Row 1 already has all three of its 0s, so r1c2 and r1c4 are 1."),
    ("count", "1x4:0.0.", UNRULY, (), "Row 1 already has both of its 0s, so r1c2 and r1c4 are 1."),
    ("count", "1x2:.0", UNRULY, (), "Row 1 already has its only 0, so r1c1 is 1."),
    ("count", "1x3:0.0", UNRULY, (), "Row 1 already has two 0s and can't have more, so r1c2 is 1."),
    ("count", "1x1:.", Rules(odd="zeros"), (), "Row 1 can't have any 1s, so r1c1 is 0."),
    ("last one", "1x6:0...0.", UNRULY, (), "Row 1 has room for only one more 0. In r1c6, it would leave three 1s in a row from r1c2 to r1c4, so r1c6 is 1."),
    ("last one", "1x8:0....00.", UNRULY, (), "Row 1 has room for only one more 0. In each of r1c2, r1c5 and r1c8, it would leave three 1s in a row between r1c2 and r1c5, so they are 1."),
    ("equal pair", "1x6:0...1.", UNRULY, (Sign(0, 1, "R", "="),), "r1c2 and r1c3 are joined by =. Two more 0s would make three in a row with r1c1, so r1c2 and r1c3 are 1."),
    ("equal pair", "1x8:0.0.0...", UNRULY, (Sign(0, 6, "R", "="),), "r1c7 and r1c8 are joined by =, but row 1 has room for only one more 0, so r1c7 and r1c8 are 1."),
    ("equal pair", "1x4:....", RUN_OF_1, (Sign(0, 0, "R", "="),), "r1c1 and r1c2 are joined by =. Two 0s can't be next to each other, so r1c1 and r1c2 are 1."),
    ("one of each", "1x6:1..01.", UNRULY, (), "r1c2-r1c3 stands between 0 and 1, so it holds one 0 and one 1: two of the same would make three in a row. That gives row 1 all three of its 1s, so r1c6 is 0."),
    ("one of each", "1x7:1..011.", UNRULY, (), "r1c2-r1c3 stands between 0 and 1, so it holds one 0 and one 1: two of the same would make three in a row. That gives row 1 four 1s, and it can't have more, so r1c7 is 0."),
    ("one of each", "1x6:..1.1.", UNRULY, (Sign(0, 0, "R", "x"),), "The sign × gives r1c1-r1c2 one 0 and one 1. That gives row 1 all three of its 1s, so r1c4 and r1c6 are 0."),
    ("projection", "1x8:0..1.1..", UNRULY, (), "The open cells of row 1 can only be 01001, 01010, 10001 or 10010. In all of them, r1c5 is 0."),
    ("projection", "1x6:0.0.11", UNRULY, (), "The open cells of row 1 can only be 10."),
    ("projection", "1x12:0.0.........", UNRULY, (), "Row 1 can be completed in many ways, and in all of them r1c2 is 1."),
    ("two open", "0.1. 0110 .... ....", CLASSIC, (), "r1c2 and r1c4 can only be 10 or 01. With 10, row 1 would be the same as row 2, so they are 01."),
    ("distinct lines", "0... 0011 0101 ....", CLASSIC, (), "If r1c2 were 0, row 1 could only be 0011, the same as row 2. So r1c2 is 1."),
    ("distinct lines", "0... 0011 0101 ....", CLASSIC, (), "If r1c4 were 1, row 1 could only be 0011 or 0101, the same as row 2 or row 3. So r1c4 is 0."),
    ("sign chain", "1x4:0...", UNRULY, (Sign(0, 1, "R", "="),), "Signs link r1c2 and r1c3. Suppose r1c2 is 0. After one step, row 1 would have three 0s in a row, so r1c2 is 1. By the signs, r1c3 is 1."),
    ("contradiction", "1x4:00.1", UNRULY, (), "Suppose r1c3 is 0. Then row 1 would have three 0s in a row, so r1c3 is 1."),
    ("contradiction", "4x6:0....0 1....1 ...... ......", CLASSIC, (), "Suppose r1c2 is 0. After one step, row 1 would have three 1s in a row, so r1c2 is 1."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "puzzle", "rules", "signs", "sentence"), SENTENCES)
def test_explanation_of_a_technique(
    name: str, puzzle: str, rules: Rules, signs: tuple[Sign, ...], sentence: str
) -> None:
    (technique,) = (each for each in TECHNIQUES if each.name == name)
    position = Position(Puzzle(Board.parse(puzzle), rules, signs), Board.parse(puzzle))
    assert sentence in [step.sentence for step in technique.steps(position, lambda: None)]


@given(rules, st.text("01.", min_size=1, max_size=9), st.data())
def test_completions_of_a_line(rules: Rules, values: str, data: st.DataObject) -> None:
    strip = Strip(values, (), rules)
    lines = Lines(values, rules)
    expected = [lines[k] for k in range(lines.count)]
    assert sorted(strip.completions()) == sorted(expected)
    assert strip.possible == tuple(
        "".join(sorted({e[k] for e in expected})) for k in range(len(values))
    )
    places = data.draw(st.sets(st.integers(0, max(0, len(values) - 2)), max_size=3))
    signs = tuple(
        (k, data.draw(st.sampled_from("=x"))) for k in sorted(places) if k + 1 < len(values)
    )
    kept = [e for e in expected if all((e[k] == e[k + 1]) == (r == "=") for k, r in signs)]
    assert sorted(Strip(values, signs, rules).completions()) == sorted(kept)


@given(rules, st.text("01.", min_size=1, max_size=9), st.data())
def test_deductions_hold_in_all_completions_of_a_line(
    rules: Rules, values: str, data: st.DataObject
) -> None:
    signs = tuple((k, data.draw(st.sampled_from("=x"))) for k in range(0, len(values) - 1, 3))
    strip = Strip(values, signs, rules)
    completions = list(strip.completions())
    for find in FIND.values():
        for deduction in deductions(find, strip):
            for place, value in zip(deduction.places, deduction.values, strict=True):
                assert values[place] == OPEN
                assert all(each[place] == value for each in completions)


@examples(2.5)
@given(puzzles() | unique_puzzles())
def test_every_step_is_implied(puzzle: Puzzle) -> None:
    """All solutions agree with each step, and a path that fills the board ends in a solution."""
    solutions = found_soon(puzzle, LIMIT)
    if len(solutions) == LIMIT:
        return
    filled = dict(puzzle.board.clues())
    try:
        for steps in rounds(puzzle, techniques=TECHNIQUES[:-1]):
            for step in steps:
                assert step.level == LEVEL_OF[step.technique]
                assert step.sentence.endswith(".")
                assert "{" not in step.sentence
                for cell, value in step.values.items():
                    assert cell not in filled
                    assert all(solution[cell] == value for solution in solutions), step
                    filled[cell] = value
                assert all(cell in filled for cell in step.reason)
    except Contradictory:
        assert not solutions
    if len(filled) == len(puzzle.board.cells) and solutions:
        assert {Board.cell(puzzle.board, k): v for k, v in enumerate(solutions[0].cells)} == filled


def test_nested_contradictions_are_implied() -> None:
    puzzle = next(iter(read_sources(["instances/classic/10x10-hard.txt"]))).puzzle
    assert puzzle
    solution = check(puzzle).solution
    assert solution
    path = list(rounds(puzzle))
    assert {step.technique for steps in path for step in steps} >= {"nested contradiction"}
    for steps in path:
        for step in steps:
            assert all(solution[cell] == value for cell, value in step.values.items())
            lines = [line.lstrip(" .0123456789") for line in str(step).splitlines()]
            assert len(set(lines)) == len(lines) < 40
    assert grade_of(puzzle, path).level == "beyond logic"


SYMMETRIES = (Board.transposed, Board.mirrored, Board.rotated, Board.complemented)


@examples(0.5)
@given(
    unique_puzzles(rules.map(lambda each: replace(each, odd="either")), signs=False),
    st.sampled_from(SYMMETRIES),
)
def test_grades_are_invariant_under_symmetries(puzzle: Puzzle, symmetry: object) -> None:
    image = Puzzle(symmetry(puzzle.board), puzzle.rules)  # type: ignore[operator]
    assert grade(image) == grade(puzzle)


@pytest.mark.parametrize("tries", [False, True])
@examples(3.3)
@given(puzzle=puzzles(sides=st.integers(1, 8)) | unique_puzzles(sides=(2, 8)))
def test_compiled_grades_agree_with_the_driver(puzzle: Puzzle, tries: bool) -> None:
    """One by one, and side by side."""
    plain = Puzzle(puzzle.board, puzzle.rules)
    names = GRADED if tries else GRADED[:-1]
    techniques = tuple(each for each in TECHNIQUES if each.name in names)
    try:
        expected = grade_of(plain, rounds(plain, techniques=techniques))
    except Contradictory:
        expected = None
    if expected and expected.left and not tries:
        expected = None
    for worth in (1, 10):
        with patch.object(lanes, "WORTH", worth):
            grades = grade_plain([plain, plain], tries)
        assert grades == [expected] * 2
        assert [each and each.score for each in grades] == [expected and expected.score] * 2


def test_techniques_are_ordered_by_level() -> None:
    levels = [LEVELS.index(technique.level) for technique in TECHNIQUES]
    assert levels == sorted(levels)


def test_every_technique_has_an_example() -> None:
    examples = {name for name, *_ in SENTENCES}
    assert {each.name for each in TECHNIQUES} - examples <= {"nested contradiction"}


def test_all_techniques_without_signs_are_compiled() -> None:
    """Without this, grades are correct but slow."""
    compiled = [each.name for each in TECHNIQUES[:-1] if not each.needs_signs]
    assert compiled == list(GRADED)


def test_the_grade_of_a_full_board() -> None:
    full = grade(Puzzle(Board(6, 6, KNOWN)))
    assert (full.level, full.hardest, full.rounds, full.left) == ("beginner", None, 0, 0)


def test_grading_stops_at_the_time_limit() -> None:
    with pytest.raises(BudgetExceeded):
        grade(Puzzle(Board.empty(20, 20)), Meter(Budget(0)))


# --- At the command line ----------------------------------------------------------------------


def test_the_board_can_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "begun.txt").write_text(f"{Board(6, 6, BEGUN)}\n")
    done = invoke("hint", "--board", str(tmp_path / "begun.txt"), input=HARD, check=0)
    assert "r1c5 is wrong." in done.stdout


def test_grading_that_runs_out_of_time_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binairo_cp.features.steps.Meter", lambda _: Meter(Budget(0)))
    entry = next(iter(read_sources(["instances/classic/10x10-hard.txt"])))
    status, _, err = call("grade", input=entry.puzzle.board.cells)
    assert status == 2
    assert "unique, but the time allowed ran out" in err
    assert "unique: unique" not in err


# --- Published puzzles ------------------------------------------------------------------------

REAL = os.environ.get("BINAIRO_REAL_PUZZLES")


@pytest.mark.skipif(REAL is None, reason="BINAIRO_REAL_PUZZLES is not set")
def test_grades_follow_published_levels() -> None:
    means: dict[tuple[str, str], list[int]] = defaultdict(list)
    rng = random.Random(1)
    for name in ("binarypuzzle_com", "puzzle_binairo_com", "sgt_unruly"):
        records = list(published.read(Path(REAL or "", f"{name}.ndjson")))
        for record, puzzle in rng.sample(records, 120):
            if published.solutions(record) == 1:
                graded = grade(puzzle)
                means[name, str(record["level"])].append(LEVELS.index(graded.level))
                assert not graded.left
    mean = {key: sum(values) / len(values) for key, values in means.items()}
    for name, levels in (
        ("binarypuzzle_com", "1234"),
        ("puzzle_binairo_com", "12"),
        ("sgt_unruly", ("trivial", "easy", "normal")),
    ):
        found_means = [mean[name, level] for level in levels]
        assert found_means == sorted(set(found_means)), (name, found_means)


@pytest.mark.slow
def test_grades_of_puzzles_with_signs() -> None:
    puzzle = Puzzle(Board.empty(2, 2), UNRULY, (Sign(0, 0, "R", "x"), Sign(0, 0, "D", "x")))
    assert len(list(enumerate_solutions(puzzle))) == 2
    used = set()
    for entry in read_sources(["instances/signs"]):
        assert entry.puzzle
        used |= set(grade(entry.puzzle).placed)
    assert used >= {"sign", "equal pair"}
