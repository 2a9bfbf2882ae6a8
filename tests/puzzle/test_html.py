"""What notebooks show, and boards as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from binairo_cp import Board, Puzzle, check
from binairo_cp.errors import ArgumentError, BoardError
from tests.support.strategies import puzzles

CLUES = Board.parse("..1. ...0 ..10 .0..")


def test_tables_show_all_cells() -> None:
    html = CLUES._repr_html_()
    assert (html.count("<tr>"), html.count("<td"), html.count("bold")) == (4, 16, 5)
    assert (html.count(">0</td>"), html.count(">1</td>")) == (3, 2)


def test_outcomes_shade_the_clues_of_their_solution() -> None:
    html = check(Puzzle(CLUES))._repr_html_()
    assert "unique" in html
    assert (html.count("bold"), html.count("></td>")) == (5, 0)
    assert "<p>none</p>" in check("111. .... .... ....")._repr_html_()
    assert "4x4, classic" in Puzzle(CLUES)._repr_html_()


@given(puzzles())
def test_boards_are_arrays(puzzle: Puzzle) -> None:
    array = puzzle.board.numpy()
    assert array.shape == (puzzle.board.height, puzzle.board.width)
    assert Board.from_numpy(array) == puzzle.board
    assert ["".join(map(chr, row)) for row in array.tolist()] == list(puzzle.board)
    array[0, 0] = ord("0")


@pytest.mark.parametrize("array", [np.zeros((2, 2)), np.zeros(4, np.uint8), [[48]], None])
def test_other_arrays_are_refused(array: object) -> None:
    with pytest.raises(ArgumentError, match="h x w bytes"):
        Board.from_numpy(array)  # type: ignore[arg-type]


def test_other_bytes_are_refused() -> None:
    with pytest.raises(BoardError, match="cell r1c1"):
        Board.from_numpy(np.zeros((2, 2), np.uint8))
