"""Puzzles to order: what is asked for is made, by the grade of what was written as text."""

from collections import Counter
from collections.abc import Iterator
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import formats
from binairo_cp.deduction.demands import NAMES
from binairo_cp.deduction.grading import LEVEL_OF
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.solving.backends.backtracking import Backtracking
from tests.support.command_line import invoke
from tests.support.strategies import examples


def generated(*options: str) -> list[bn.Entry]:
    """The puzzles that a command writes; each has one solution, by the reference solver."""
    text = invoke("generate", *options, "-q", check=0).stdout
    made = list(formats.read_bytes(text.encode(), "generated"))
    for each in made:
        found = [*Backtracking().solutions(each.puzzle, limit=2)]
        assert len(found) == 1
        assert not bn.violations(each.puzzle, found[0])
    return made


def used(grade: bn.Grade) -> set[str]:
    return {*grade.placed, *(["nested contradiction"] if grade.left else [])}


@pytest.mark.parametrize(("options", "needs", "without", "level"), [
    ("6 --needs contradiction --without projection", "contradiction", "projection", None),
    ("8 --grade hard --without projection,two-open", "", "projection,two open", "hard"),
    ("8 --without pair --grade easy", "count", "pair", "easy"),
    ("8 --needs nested-contradiction", "nested contradiction", "", "beyond logic"),
    (
        "6 --rules tango --needs equal-pair --without contradiction,projection",
        *("equal pair", "contradiction,projection", "medium"),
    ),
])  # fmt: skip
def test_paths_have_the_techniques_that_are_asked_for(options, needs, without, level):
    for each in generated(*options.split(), "-n", "2", "--seed", "1"):
        grade = bn.grade(each)
        assert used(grade) >= {*needs.split(",")} - {""}
        assert not used(grade) & {*without.split(",")}
        assert level in (None, grade.level)


def test_numbers_of_cells_and_scores_are_kept():
    for each in generated(
        "8", "--needs", "contradiction:1..2,two-open:2", "-n", "4", "--seed", "2"
    ):
        assert 1 <= bn.grade(each).placed["contradiction"] <= 2
        assert bn.grade(each).placed["two open"] >= 2
    for least, most in ((60, 90), (400, 600), (3000, 4000)):
        for each in bn.generate(8, score=(least, most), count=2, seed=3):
            assert least <= bn.grade(each.puzzle).score <= most
            assert each.grade == bn.grade(each.puzzle)


def test_chains_and_trials_have_bounds():
    chains = {}
    for bound in ({"longest_chain": 4}, {"most_trials": 2}):
        for each in bn.generate(8, grade="expert", count=2, seed=1, **bound):
            assert bn.grade(each.puzzle).level == "expert"
            steps = [step for step in bn.explain(each.puzzle).steps if step.chain]
            assert max(step.chain.size for step in steps) <= bound.get("longest_chain", 99)
            assert len(steps) <= bound.get("most_trials", 99)
    for each in bn.generate(8, grade="expert", count=4, seed=2):
        chains[each.id] = max(s.chain.size for s in bn.explain(each.puzzle).steps if s.chain)
    middle = sorted(chains.values())[1]
    kept = bn.filter(bn.generate(8, grade="expert", count=4, seed=2), longest_chain=middle)
    assert {each.id for each in kept} == {name for name, size in chains.items() if size <= middle}


def test_a_run_of_several_grades_is_the_runs_of_each_and_can_go_on(tmp_path):
    together = bn.generate(6, grade={"medium": 3, "hard": 2}, seed=4, distinct=True)
    alone = [bn.generate(6, grade=g, count=n, seed=4) for g, n in (("medium", 3), ("hard", 2))]
    assert together == [*alone[0], *alone[1]]
    out = tmp_path / "all.ndjson"
    command = ["generate", "6", "--grade", "medium:3,hard:2", "--seed", "4", "--distinct"]
    invoke(*command, "--out", str(out), "--resume", check=0)
    text, partial = out.read_text(), tmp_path / "all.ndjson.partial"
    out.unlink()
    for lines in (2, 4):  # the run was stopped in the first, or in the second grade
        partial.write_text("".join(text.splitlines(keepends=True)[:lines]))
        done = invoke(*command, "--out", str(out), "--resume", check=0)
        assert f"resuming after puzzle {lines}" in done.stderr
        assert out.read_text() == text
        assert [each.id for each in bn.read(out)] == [each.id for each in together]
        out.unlink()


@pytest.mark.parametrize(("options", "message"), [
    ("--needs contradiction --grade beginner", "expected grade expert or a harder one"),
    ("--grade easy --without count", "each puzzle of grade easy needs one of count"),
    ("--grade beyond-logic --without nested-contradiction", "each such puzzle needs it"),
    (f"--without {','.join(NAMES)}", "each puzzle needs one of"),
    ("--needs pair --without pair", "expected one of them"),
    ("--needs equal-pair", "there are no signs"),
    ("--needs projection,contradiction", "easier techniques find all"),
    ("--needs two-open --rules unruly", "lines may repeat"),
    ("--needs pair:30,count:7", "a board of 6x6 has 36"),
    ("--score 1..2", "has less than 4"),
    ("--score 999..  --grade easy", "more than 144"),
    ("--score 9..1", "smaller number first"),
    ("--score much", "as in 400..600"),
    ("--grade easy:1,tough:2", "or numbers as in easy:20,hard:10"),
    ("--grade expert:1,easy:1 --needs contradiction", "and grade easy"),
    ("--grade easy:1,hard:1 --count 3", "can't be used with numbers in --grade"),
    ("--grade beyond-logic --longest-chain 9", "expected a grade up to expert"),
    ("--needs pairs", "expected names among pair"),
    ("--needs pair:x", "expected a number of cells"),
])  # fmt: skip
def test_what_is_impossible_is_refused_before_a_search(options, message):
    done = invoke("generate", "6", *options.split(), "--tries", "1000000", check=2)
    assert message in " ".join(done.stderr.replace("│", " ").split())


POOL = [*bn.generate(6, count=25, seed=1), *bn.generate(6, rules="tango", count=3, seed=2)]
GRADES = {each.id: bn.grade(each.puzzle) for each in POOL}


@examples(2)
@given(st.sampled_from([*NAMES]), st.sampled_from([*NAMES]), st.integers(0, 900), st.data())
def test_filter_keeps_what_its_grade_says(needed, excluded, least, data):
    levels = data.draw(st.sets(st.sampled_from([*LEVEL_OF.values()]), min_size=1))
    options = {"score": f"{least}..{least * 4}", "grade": ",".join(levels)}
    options = data.draw(
        st.fixed_dictionaries({}, optional={k: st.just(v) for k, v in options.items()})
    )
    kept = bn.filter(POOL, needs=needed, without=[excluded], **options)
    for each, grade in GRADES.items():
        fits = NAMES[needed] in used(grade) and NAMES[excluded] not in used(grade)
        fits &= "score" not in options or least <= grade.score <= least * 4
        fits &= "grade" not in options or grade.level in levels
        assert (each in [entry.id for entry in kept]) == fits


def test_filter_writes_the_puzzles_of_files_and_reports_the_others(tmp_path):
    lines = bn.convert([*POOL[:9], "1..0......1....."], to="line")
    file = tmp_path / "all.line"
    file.write_text(f"{lines}6x6:2\n")
    done = invoke("filter", str(file), "--grade", "medium,hard", "--to", "line", check=2)
    expected = [each for each in POOL[:9] if GRADES[each.id].level in ("medium", "hard")]
    assert done.stdout == bn.convert(expected, to="line")
    assert expected
    assert f"kept {len(expected)} of 11 puzzles" in done.stderr


ORDERS: list[dict[str, Any]] = [
    {"size": 6, "needs": {"last one": (1, 99), "count": (1, 99)}},
    {"size": 6, "needs": {"contradiction": (1, 99)}, "without": "projection"},
    {"size": 6, "rules": "tango", "needs": {"equal pair": (1, 99)}, "without": "contradiction"},
    {"size": 8, "without": "pair", "grade": "easy"},
    {"size": 8, "needs": {"two open": (2, 4), "count": (3, 9)}},
    {"size": 8, "needs": {"contradiction": (1, 2)}, "grade": "expert"},
    {"size": 8, "score": (400, 600)},
    {"size": 6, "score": (0, 90), "grade": "easy"},
    {"size": 6, "grade": {"easy": 50, "medium": 30, "hard": 20}},
    {"size": 8, "longest_chain": 5, "most_trials": 3, "grade": "expert"},
]


@pytest.mark.slow
@pytest.mark.rotating
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_a_hundred_of_each_order_are_as_asked(order: dict[str, Any]) -> None:
    """By the grade, with a whole explanation, and unique by another backend."""
    count = [] if isinstance(order.get("grade"), dict) else ["--count=100"]
    text = invoke("generate", *words(order), *count, "--seed=44", "-q", check=0).stdout
    made = [each.puzzle for each in formats.read_bytes(text.encode(), "generated")]
    levels = Counter(check_order(puzzle, order) for puzzle in made)
    assert levels.total() == 100
    expected = order.get("grade", levels)
    assert levels == ({expected: 100} if isinstance(expected, str) else expected)


def words(order: dict[str, Any]) -> Iterator[str]:
    """The arguments of the command for an order."""
    for name, value in order.items():
        word = str(value)
        if name == "needs":
            word = ",".join(f"{each.replace(' ', '-')}:{a}..{b}" for each, (a, b) in value.items())
        elif name == "score":
            word = "..".join(map(str, value))
        elif name == "grade" and isinstance(value, dict):
            word = ",".join(f"{level}:{number}" for level, number in value.items())
        yield word if name == "size" else f"--{name.replace('_', '-')}={word}"


def check_order(puzzle: bn.Puzzle, order: dict[str, Any]) -> str:
    """The level of a puzzle, which must be as ordered."""
    found = bn.check(puzzle, backend="pysat")
    assert found.verdict == "unique"
    explained = bn.explain(puzzle)
    assert sum(len(step.values) for step in explained.steps) == puzzle.board.cells.count(".")
    # As `binairo grade` reports, whose rounds are not the path.
    used = Counter(bn.grade(puzzle).placed)
    assert all(a <= used[name] <= b for name, (a, b) in order.get("needs", {}).items())
    assert not any(used[name] for name in order.get("without", "").split(","))
    least, most = order.get("score", (0, inf))
    assert least <= explained.grade.score <= most
    trials = [step for step in explained.steps if step.chain]
    if "longest_chain" in order:
        assert max(step.chain.size for step in trials) <= order["longest_chain"]
        assert used["contradiction"] <= order["most_trials"]
    return max((step.level for step in explained.steps), key=LEVELS.index)
