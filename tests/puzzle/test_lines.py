import random
import re
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Board, Lines, Puzzle, Rules, check, legal_lines
from binairo_cp.errors import BoardError
from tests.support.strategies import puzzles, rules

# OEIS A177790.
A177790 = [2, 6, 14, 34, 84, 208, 518, 1296, 3254, 8196, 20700, 52404]


def test_the_published_counts() -> None:
    assert [legal_lines(length).count for length in range(2, 25, 2)] == A177790


@given(st.text("01....", min_size=1, max_size=11), rules)
def test_lines_agree_with_filtering_all_strings(pattern: str, rules: Rules) -> None:
    expected = [
        line
        for line in map("".join, product("01", repeat=len(pattern)))
        if line.count("1") in rules.ones(len(pattern))
        and not any(symbol * (rules.longest_run + 1) in line for symbol in "01")
        and all(mark in (value, ".") for mark, value in zip(pattern, line, strict=True))
    ]
    lines = Lines(pattern, rules)
    assert lines.count == len(lines) == len(expected)
    assert list(lines) == expected
    assert [lines[number] for number in range(len(expected))] == expected
    assert [lines.index(line) for line in expected] == list(range(len(expected)))
    assert all(line in lines for line in expected)
    assert bool(lines) == bool(expected)


few_clues = st.integers(1, 255).flatmap(
    lambda length: st.dictionaries(
        st.integers(0, length - 1), st.sampled_from("01"), max_size=4
    ).map(lambda clues: "".join(clues.get(place, ".") for place in range(length)))
)


@given(st.text("01......", min_size=1) | few_clues, rules, st.data())
def test_number_and_line_are_inverse_up_to_255_cells(
    pattern: str, rules: Rules, data: st.DataObject
) -> None:
    lines = Lines(pattern, rules)
    if lines:
        number = data.draw(st.integers(0, lines.count - 1))
        assert lines.index(lines[number]) == number
        assert lines[number - lines.count] == lines[number]
        assert (number == 0) or lines[number - 1] < lines[number]


def test_counts_too_large_for_a_machine_word() -> None:
    lines = legal_lines(255)
    assert lines.count > sys.maxsize
    assert lines
    assert lines.index(lines[lines.count - 1]) == lines.count - 1
    # A line and its complement are both legal.
    assert legal_lines(255, Rules(odd="ones")).count * 2 == lines.count


def test_random_lines_are_uniform() -> None:
    """Chi-square with 13 degrees of freedom: a value above 34.5 has probability 0.001. The seed is fixed."""
    rng = random.Random(1)
    lines = legal_lines(6)
    draws = [lines.random(rng) for _ in range(14_000)]
    counts = [draws.count(line) for line in lines]
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 34.5


@pytest.mark.parametrize(
    "other", ["0101", "010110", "000111", "01011x", "1a0010", "1.0010", "", 5, None]
)
def test_strings_that_are_not_among_the_lines(other: object) -> None:
    lines = Lines("1.....")
    assert other not in lines
    with pytest.raises((ValueError, TypeError)):
        lines.index(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["", "0" * 256, "01x", "0١"])
def test_invalid_patterns(pattern: str) -> None:
    with pytest.raises(BoardError):
        Lines(pattern)


def test_drawing_without_legal_lines() -> None:
    with pytest.raises(IndexError, match="no legal line completes '000'"):
        Lines("000").random(random.Random(0))


CLUES = Board.parse("..1. ...0 ..10 .0..")
NONE = Board.parse("000. .... .... ....")


def test_tables_show_all_cells() -> None:
    html = CLUES._repr_html_()
    assert (html.count("<tr>"), html.count("<td"), html.count("<b>")) == (4, 16, 5)
    assert (html.count("<b>0</b>"), html.count("<b>1</b>")) == (3, 2)


def test_large_tables_stay_small() -> None:
    assert len(Board.empty(255, 255)._repr_html_()) < 700_000


def test_outcomes_shade_the_clues_of_their_solution() -> None:
    html = check(Puzzle(CLUES))._repr_html_()
    assert "unique" in html
    assert (html.count("<b>"), html.count("<td></td>")) == (5, 0)
    assert "<p>none</p>" in check("111. .... .... ....")._repr_html_()
    assert "4x4, classic" in Puzzle(CLUES)._repr_html_()


@pytest.mark.parametrize(("result", "marked"), [
    (lambda: bn.check("..1. .... ..10 .0.."), ["0", "1", "1", "0"]),
    (lambda: bn.hint(CLUES), ["1", "1"]),
    (lambda: bn.hint(CLUES, "..10 ...0 ..10 .0.."), ["0", "0", "0"]),
    (lambda: bn.clues("0.1. ...0 ..10 .0.."), ["0"]),
])  # fmt: skip
def test_notebooks_mark_the_cells_that_a_result_is_about(result: Any, marked: list[str]) -> None:
    cells = re.findall(r'<td class="(?:clue )?marked">(.*?)</td>', result()._repr_html_())
    assert [re.sub("<.*?>", "", cell) for cell in cells] == marked


def test_both_readings_are_named() -> None:
    html = check("10.. .... .... ....", rules="both")._repr_html_()
    assert "<p>classic: multiple, 2 or more solutions; unruly: multiple" in html


def test_signs_stand_between_their_cells() -> None:
    signs = (bn.Sign(0, 0, "R", "="), bn.Sign(0, 0, "D", "x"))
    puzzle = Puzzle(Board.parse("1... .... .... ...."), bn.TANGO, signs)
    cell = '<b>1</b><i class="D">&times;</i><i class="R">=</i></td>'
    assert cell in puzzle._repr_html_()
    assert cell in check(puzzle)._repr_html_()


def test_steps_are_sentences() -> None:
    hint, explanation = bn.hint(CLUES), bn.explain(CLUES)
    assert hint._repr_html_().startswith(explanation.steps[0]._repr_html_())
    html = explanation._repr_html_()
    assert html.count("<li>") == len(explanation.steps)
    assert html.endswith(f"</ol><p>{explanation.grade}</p>")
    wrong = bn.explain(CLUES, "..10 ...0 ..10 .0..")
    assert wrong._repr_html_() == f"<p>{wrong.mistake}</p>"


@pytest.mark.parametrize(("call", "words", "tables"), [
    (lambda: bn.Entry(Puzzle(CLUES), id="a<b"), "<p>a&lt;b</p>", 1),
    (lambda: bn.Entry(error=BoardError("wrong")), "<p>wrong</p>", 0),
    (lambda: bn.generate(4, seed=1)[0], "4x4-1-1", 1),
    (lambda: bn.fewest("0.1. ...0 ..10 .0.."), "5 clues", 1),
    (lambda: bn.repair("1..0 .... ..1. ...."), "add r2c1", 1),
    (lambda: bn.repair("1..0 .... ..1. ...."), '<td class="clue marked">', 1),
    (lambda: bn.clues("1..0 .... ..1. ...."), "The marked cells differ", 1),
    (lambda: bn.backbone("1..0 1... ..1. ...."), "", 1),
    (lambda: bn.decode(NONE, "s UNSATISFIABLE\n"), "<p>none</p>", 1),
    (lambda: bn.hint(CLUES), "so r1c4 and r4c4 are 1.</p>", 1),
    (lambda: bn.clues("0.1. ...0 ..10 .0.."), "can be removed: r1c1", 1),
    (lambda: bn.hint(CLUES).step, "so r1c4 and r4c4 are 1.</p>", 0),
    (lambda: bn.generate(4, grade="easy", seed=1)[0], ": easy (count)</p>", 1),
])  # fmt: skip
def test_results_are_shown_in_notebooks(call: Any, words: str, tables: int) -> None:
    html = call()._repr_html_()
    assert words in html
    assert html.count("<table") == tables


def test_steps_show_their_sentence() -> None:
    assert repr(bn.hint(CLUES).step).endswith("so r1c4 and r4c4 are 1.>")


@given(puzzles())
def test_boards_are_arrays(puzzle: Puzzle) -> None:
    array = puzzle.board.numpy()
    assert array.shape == (puzzle.board.height, puzzle.board.width)
    assert Board.from_numpy(array) == puzzle.board
    assert ["".join("01."[value] for value in row) for row in array.tolist()] == list(puzzle.board)
    assert (np.asarray(puzzle.board) == array).all()
    array[0, 0] = 0
