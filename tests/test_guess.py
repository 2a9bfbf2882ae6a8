"""Large, nearly empty boards: a solution by construction, from which a clause learner starts."""

from __future__ import annotations

import pytest

from binairo_cp import UNRULY, Board, Puzzle, Rules, check, solve
from binairo_cp.backends.guess import guess, is_nearly_empty
from binairo_cp.rules import is_solution


@pytest.mark.parametrize(("height", "width"), [(42, 42), (66, 70), (100, 100), (42, 7)])
@pytest.mark.parametrize("rules", [Rules(), UNRULY])
def test_a_guess_is_a_solution(height: int, width: int, rules: Rules) -> None:
    puzzle = Puzzle(Board.empty(height, width), rules)
    assert is_nearly_empty(puzzle)
    board = guess(puzzle)
    # With 42 rows of 7 cells there are more rows than pairs of opposite legal lines.
    assert (board is None) == (width == 7 and rules.distinct_lines)
    assert board is None or is_solution(puzzle, board)


def test_a_guess_keeps_the_clues_or_is_none() -> None:
    empty = Board.empty(66, 66)
    kept = Puzzle(empty.replace((0, 0), "1").replace((65, 65), "0"))
    board = guess(kept)
    assert board
    assert is_solution(kept, board)
    assert guess(Puzzle(empty.replace((0, 0), "1").replace((1, 0), "1"))) is None
    assert guess(Puzzle(Board.empty(67, 66))) is None
    assert guess(Puzzle(empty, Rules(longest_run=1))) is None


def test_ordinary_puzzles_get_none() -> None:
    assert not is_nearly_empty(Puzzle(Board.empty(40, 40)))
    assert not is_nearly_empty(Puzzle(Board(50, 50, "0" * 40 + "." * 2460)))


def test_a_large_empty_board_is_solved_and_has_more_than_one_solution() -> None:
    puzzle = Puzzle(Board.empty(100, 100))
    assert solve(puzzle, time_limit=60).verdict == "solved"
    assert check(puzzle, time_limit=60).verdict == "multiple"
