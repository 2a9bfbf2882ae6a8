"""Arrays of puzzles: the results equal those of single puzzles, and wrong boards are rejected."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Puzzle, count, violations
from binairo_cp.kernels import lanes
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
    """With propagation side by side and without it."""
    puzzle = Puzzle(puzzle.board, puzzle.rules)
    both = (puzzle.board, puzzle.board.complemented())
    args = (arrays(*both), puzzle.rules, limit, limit)
    with patch.object(lanes, "WORTH", 1):
        decided = many.decide(*args, nodes=ENOUGH)
    searched = many.decide(*args, nodes=ENOUGH)
    assert decided.is_decided.all()
    assert decided.is_complete.tolist() == searched.is_complete.tolist()
    for k, board in enumerate(both):
        one = Puzzle(board, puzzle.rules)
        assert decided.found[k] == count(one, limit=limit, backend="backtracking").count
        boards = [decided.solutions[n][k].tobytes().decode() for n in range(decided.found[k])]
        assert len(set(boards)) == decided.found[k]
        for n, cells in enumerate(boards):
            assert searched.solutions[n][k].tobytes().decode() == cells
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


def test_a_wrong_board_of_the_lanes_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that breaks the rules, and one that is legal but not that of the puzzle."""
    right = lanes.solve_all
    texts = (UNIQUE, UNIQUE, MULTIPLE, UNIQUE)
    boards = [Board(6, 6, cells) for cells in texts]

    def wrong(group: lanes.LaneSolver, solutions: bytearray, is_solved: bytearray) -> None:
        right(group, solutions, is_solved)
        assert list(is_solved) == [1, 1, 0, 1]
        solutions[0] ^= 1
        solutions[36:72] = Board(6, 6, solutions[36:72].decode()).complemented().cells.encode()

    monkeypatch.setattr(lanes, "WORTH", 1)
    monkeypatch.setattr(lanes, "solve_all", wrong)
    decided = many.decide(arrays(*boards), CLASSIC, 2, kept=2)
    assert decided.found.tolist() == [1, 1, 2, 1]
    assert decided.is_decided.tolist() == [False, False, True, True]


def test_long_searches_stay_undecided() -> None:
    decided = many.decide(arrays(Board.empty(10, 10)), CLASSIC, 1_000_000, nodes=50)
    assert (decided.is_decided.any(), decided.is_complete.any()) == (False, False)
    assert decided.solutions == ()
