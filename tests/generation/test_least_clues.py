"""The proofs behind `generation.least.PROVED`, done again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, check, enumerate_solutions
from binairo_cp.errors import LimitError
from binairo_cp.generation.boards import draw_boards
from binairo_cp.generation.least_clues import KNOWN, PROVED
from binairo_cp.generation.puzzles import Recipe
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
def test_of_all_boards_none_needs_fewer_clues(height: int, width: int, rules: Rules) -> None:
    every = enumerate_solutions(Puzzle(Board.empty(height, width), rules))
    classes = {canonical(Puzzle(board, rules)) for board in every}
    found = [fewest_clues(puzzle, puzzle.board) for puzzle in classes]
    assert all(each.proved for each in found)
    assert min(each.at_least for each in found) == PROVED[height, width, rules]


def triples_in_fewer_than_two(side: int) -> Iterator[Puzzle]:
    """The puzzles of three clues that fewer than two of many solved boards agree with."""
    boards = draw_boards(side, side, range(BOARDS), CLASSIC)
    cells = np.frombuffer("".join(board.cells for board in boards).encode(), np.uint8) & 1
    ones = np.packbits(cells.reshape(BOARDS, -1), axis=0).T.copy().view(np.uint64)
    having = np.stack([~ones, ones])  # [value, place]: the boards with it, as bits
    for one, two in combinations(range(side * side - 1), 2):
        for values in product(range(2), repeat=2):
            both = having[values[0], one] & having[values[1], two]
            number = np.bitwise_count(having[:, two + 1 :] & both).sum(axis=2)
            for value, place in np.argwhere(number < 2).tolist():
                clues = list("." * side * side)
                clues[one], clues[two], clues[two + 1 + place] = map(str, (*values, value))
                yield Puzzle(Board(side, side, "".join(clues)))


@pytest.mark.parametrize(
    "side", [pytest.param(side, marks=[pytest.mark.slow] if side > 8 else []) for side in COVERED]
)
def test_no_three_clues_are_enough(side: int) -> None:
    """Each puzzle of three clues has no solution or several, under both readings.

    Most agree with two solved boards. A puzzle that does with distinct lines does so without.
    """
    assert PROVED[side, side, CLASSIC] == PROVED[side, side, UNRULY] == 4
    for puzzle in triples_in_fewer_than_two(side):
        verdicts = {
            check(Puzzle(puzzle.board, r), reasons="none").verdict for r in (CLASSIC, UNRULY)
        }
        assert verdicts <= {"none", "multiple"}, puzzle


@pytest.mark.parametrize(("height", "width", "rules"), PROVED)
def test_fewer_clues_than_are_proved_are_refused_at_once(
    height: int, width: int, rules: Rules
) -> None:
    least = PROVED[height, width, rules]
    told = f"expected {least} or more: it is proved that no {height}x{width} puzzle has fewer"
    with pytest.raises(LimitError, match=told):
        Recipe(height, width, rules, clues=least - 1)
    assert Recipe(height, width, rules, clues=least).clues == least


def test_bounds_and_records_agree() -> None:
    for key, known in KNOWN.items():
        assert PROVED[key] <= known
