"""Large, nearly empty boards: solutions by construction, and completeness by other backends."""

from __future__ import annotations

import pytest

from binairo_cp import UNRULY, Board, Puzzle, Rules, check, solve
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.rules import is_solution
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.backends.pairs import Pairs, is_nearly_empty
from binairo_cp.solving.backends.pysat import PySat


def boards_found(puzzle: Puzzle, limit: int | None, budget: Budget) -> tuple[list[Board], bool]:
    """The boards found, and whether the search ended normally."""
    boards = []
    try:
        for board in Pairs().solutions(puzzle, limit=limit, budget=budget):
            boards.append(board)
    except BudgetExceeded:
        return boards, False
    return boards, True


@pytest.mark.parametrize(("height", "width"), [(42, 42), (66, 70), (100, 100), (42, 7)])
@pytest.mark.parametrize("rules", [Rules(), UNRULY])
def test_all_boards_are_solutions(height: int, width: int, rules: Rules) -> None:
    puzzle = Puzzle(Board.empty(height, width), rules)
    assert is_nearly_empty(puzzle)
    boards, enough = boards_found(puzzle, 3, Budget())
    # There are fewer than 42 legal lines of 7 cells.
    assert enough == (width != 7 or not rules.distinct_lines)
    assert len(set(boards)) == len(boards) == (3 if enough else 0)
    assert all(is_solution(puzzle, board) for board in boards)


def test_boards_agree_with_the_clues() -> None:
    empty = Board.empty(66, 66)
    kept = Puzzle(empty.with_cell((0, 0), "1").with_cell((65, 65), "0"))
    (board,), _ = boards_found(kept, 1, Budget())
    assert is_solution(kept, board)
    unkept = Puzzle(empty.with_cell((0, 0), "1").with_cell((1, 0), "1"))
    assert boards_found(unkept, 1, Budget()) == ([], False)
    assert boards_found(Puzzle(empty, Rules(longest_run=1)), 1, Budget()) == ([], False)
    assert not is_nearly_empty(Puzzle(Board.empty(67, 66)))
    assert not is_nearly_empty(Puzzle(Board(50, 50, "0" * 40 + "." * 2460)))


def test_it_never_claims_completeness() -> None:
    boards, enough = boards_found(Puzzle(Board.empty(2, 2), UNRULY), None, Budget())
    assert len(boards) == 2
    assert not enough
    assert boards_found(Puzzle(Board.empty(66, 66)), 1, Budget(work=0)) == ([], False)


def test_a_large_empty_board_is_solved_and_has_more_than_one_solution() -> None:
    puzzle = Puzzle(Board.empty(100, 100))
    outcome = solve(puzzle, time_limit=60)
    assert (outcome.verdict, outcome.backend) == ("solved", "pairs")
    assert check(puzzle, time_limit=60).verdict == "multiple"


def test_clause_learning_starts_from_such_a_solution() -> None:
    """Without this hint, it finds none within tens of thousands of conflicts."""
    puzzle = Puzzle(Board.empty(44, 44).with_cell((1, 2), "1"))
    [board] = PySat().solutions(puzzle, limit=1, budget=Budget(work=300))
    assert is_solution(puzzle, board)
