"""What notebooks show, and boards as arrays."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import binairo_cp as bn
from binairo_cp import Board, Puzzle, check
from binairo_cp.errors import BoardError
from tests.support.strategies import puzzles

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


@pytest.mark.parametrize(
    ("result", "marked"),
    [
        (lambda: bn.check("..1. .... ..10 .0.."), ["0", "1", "1", "0"]),
        (lambda: bn.hint(CLUES), ["1", "1"]),
        (lambda: bn.hint(CLUES, "..10 ...0 ..10 .0.."), ["0", "0", "0"]),
        (lambda: bn.clues("0.1. ...0 ..10 .0.."), ["0"]),
    ],
)
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


@pytest.mark.parametrize(
    ("call", "words", "tables"),
    [
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
    ],
)  # fmt: skip
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
