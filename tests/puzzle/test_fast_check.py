"""The fast check of one board agrees with the specification."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Puzzle, Rules, is_solution
from binairo_cp.puzzle import fast_check
from tests.support.strategies import examples, found_soon, puzzles


@given(puzzles(), st.integers(0, 2**32), st.integers(0, 3))
@examples(2)
def test_solutions_and_nearly_solutions(puzzle: Puzzle, seed: int, changes: int) -> None:
    rng = random.Random(seed)
    for solution in found_soon(puzzle, 3) or [puzzle.board]:
        cells = list(solution.cells)
        for _ in range(changes):
            cells[rng.randrange(len(cells))] = rng.choice("01.")
        board = replace(solution, cells="".join(cells))
        assert fast_check.is_solution(puzzle, board) == is_solution(puzzle, board)
        # Not a solution of the clues any more, or of other rules.
        opposite = replace(board, cells=board.cells.translate({48: "1", 49: "0"}))
        assert fast_check.is_solution(puzzle, opposite) == is_solution(puzzle, opposite)


@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.booleans(),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["either", "ones", "zeros"]),
    st.data(),
)
@examples(3)
def test_boards_at_random(
    height: int, width: int, balanced: bool, run: int, distinct: bool, odd: str, data: st.DataObject
) -> None:
    rules = Rules(balanced, run, distinct, odd)  # type: ignore[arg-type]  # one of the words
    cells = st.text("01", min_size=height * width, max_size=height * width)
    board = Board(height, width, data.draw(cells))
    clues = "".join(data.draw(st.sampled_from([".", cell, cell])) for cell in board.cells)
    puzzle = Puzzle(Board(height, width, clues), rules)
    assert fast_check.is_solution(puzzle, board) == is_solution(puzzle, board)
