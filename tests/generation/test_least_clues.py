"""Repeats the proofs behind `generation.least_clues.PROVED`."""

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, check, enumerate_solutions
from binairo_cp.errors import LimitError
from binairo_cp.generation.boards import draw_boards
from binairo_cp.generation.recipes import KNOWN, PROVED, Recipe
from binairo_cp.puzzle.symmetries import canonical
from binairo_cp.reduction.fewest import fewest_clues

LISTED = [each for each in PROVED if each[0] * each[1] <= 36]
COVERED = list(range(8, 21, 2))
BOARDS = 1024


@pytest.mark.parametrize(
    ("height", "width", "rules"),
    [
        pytest.param(*each, marks=[pytest.mark.slow] if each[0] * each[1] > 24 else [])
        for each in LISTED
    ],
)
def test_no_board_has_a_smaller_set_of_clues(height: int, width: int, rules: Rules) -> None:
    every = enumerate_solutions(Puzzle(Board.empty(height, width), rules))
    classes = {canonical(Puzzle(board, rules)) for board in every}
    found = [fewest_clues(puzzle, puzzle.board) for puzzle in classes]
    assert all(each.proved for each in found)
    assert min(each.at_least for each in found) == PROVED[height, width, rules]


def triples_in_fewer_than_two(side: int) -> Iterator[Puzzle]:
    """Yield the puzzles of three clues that fewer than two of many solved boards satisfy."""
    boards = draw_boards(side, side, range(BOARDS), CLASSIC)
    cells = np.frombuffer("".join(board.cells for board in boards).encode(), np.uint8) & 1
    ones = np.packbits(cells.reshape(BOARDS, -1), axis=0).T.copy().view(np.uint64)
    boards_with = np.stack([~ones, ones])  # [value, place]: a bit set of boards
    for one, two in combinations(range(side * side - 1), 2):
        for values in product(range(2), repeat=2):
            both = boards_with[values[0], one] & boards_with[values[1], two]
            number = np.bitwise_count(boards_with[:, two + 1 :] & both).sum(axis=2)
            for value, place in np.argwhere(number < 2).tolist():
                clues = list("." * side * side)
                clues[one], clues[two], clues[two + 1 + place] = map(str, (*values, value))
                yield Puzzle(Board(side, side, "".join(clues)))


@pytest.mark.parametrize(
    "side", [pytest.param(side, marks=[pytest.mark.slow] if side > 8 else []) for side in COVERED]
)
def test_three_clues_never_make_a_puzzle_unique(side: int) -> None:
    """No puzzle of three clues has exactly one solution, with or without distinct lines.

    Most of them are satisfied by two of the drawn boards, which have distinct lines. These boards
    are solutions without distinct lines, too, so only the others need a solver.
    """
    assert min(PROVED[side, side, CLASSIC], PROVED[side, side, UNRULY]) == 4
    for puzzle in triples_in_fewer_than_two(side):
        verdicts = {
            check(Puzzle(puzzle.board, r), reasons="none").verdict for r in (CLASSIC, UNRULY)
        }
        assert verdicts <= {"none", "multiple"}, puzzle


@pytest.mark.parametrize(("height", "width", "rules"), PROVED)
def test_fewer_clues_than_the_proved_bound_are_rejected(
    height: int, width: int, rules: Rules
) -> None:
    least = PROVED[height, width, rules]
    message = f"expected {least} or more: it is proved that no {height}x{width} puzzle has fewer"
    with pytest.raises(LimitError, match=message):
        Recipe(height, width, rules, clues=least - 1)
    assert Recipe(height, width, rules, clues=least).clues == least


def test_bounds_are_not_above_records() -> None:
    for key, known in KNOWN.items():
        assert PROVED[key] <= known
