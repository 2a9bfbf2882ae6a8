"""Arrays of puzzles: the results equal those of single puzzles, and wrong boards are rejected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Puzzle, count, violations
from binairo_cp.puzzle.rules import CLASSIC
from binairo_cp.solving import many
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE
from tests.support.strategies import examples, puzzles

ENOUGH = 10**9
"""Nodes of the search tree: for the rules without balance some small boards need many."""


def arrays(*boards: Board) -> many.Cells:
    text = "".join(board.cells for board in boards).encode()
    return np.frombuffer(text, np.uint8).reshape(-1, boards[0].height, boards[0].width)


@examples(0.5)
@given(puzzles(sides=st.integers(1, 7)), st.integers(1, 3))
def test_many_puzzles_get_the_same_results_as_one(puzzle: Puzzle, limit: int) -> None:
    puzzle = Puzzle(puzzle.board, puzzle.rules)
    other = puzzle.board.complemented()
    decided = many.decide(arrays(puzzle.board, other), puzzle.rules, limit, limit, nodes=ENOUGH)
    for k, board in enumerate((puzzle.board, other)):
        one = Puzzle(board, puzzle.rules)
        assert decided.is_decided[k]
        assert decided.found[k] == count(one, limit=limit, backend="backtracking").count
        boards = {decided.solutions[n][k].tobytes().decode() for n in range(decided.found[k])}
        assert len(boards) == decided.found[k]
        for cells in boards:
            assert not violations(one, Board(board.height, board.width, cells))


@pytest.mark.parametrize("number", [0, 1])
def test_a_wrong_board_is_not_accepted(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right, made = many._boards, []

    def wrong(words: np.ndarray, width: int) -> many.Cells:
        boards = right(words, width)
        made.append(width)
        if len(made) == number + 1:
            boards[:, 0, 0] ^= 1
        return boards

    monkeypatch.setattr(many, "_boards", wrong)
    boards = [Board(6, 6, cells) for cells in (KNOWN, UNIQUE, MULTIPLE, NONE)]
    decided = many.decide(arrays(*boards), CLASSIC, 2, kept=2)
    has_wrong = decided.found > number
    assert has_wrong.any()
    assert decided.is_decided.tolist() == (~has_wrong).tolist()


def test_long_searches_stay_undecided() -> None:
    decided = many.decide(arrays(Board.empty(10, 10)), CLASSIC, 1_000_000, nodes=50)
    assert (decided.is_decided.any(), decided.is_complete.any()) == (False, False)
    assert decided.solutions == ()
