"""Keys of arrays of puzzles, against the canonical form of single ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.puzzle import twin_keys
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules, Sign
from binairo_cp.puzzle.slices import PlainPuzzles, Slices
from binairo_cp.puzzle.symmetries import canonical, symmetries_under
from tests.support.strategies import examples


def key(puzzle: Puzzle) -> tuple[bytes, bytes]:
    board = puzzle.board
    cells = np.frombuffer(board.cells.encode(), np.uint8).reshape(1, board.height, board.width)
    signs = [tuple(tuple(each) for each in puzzle.signs)] if puzzle.signs else None
    each = PlainPuzzles(puzzle.rules, cells, np.zeros(1, np.int64), Slices.of([b""]), signs)
    found = twin_keys.keys(each)
    return found.canonical.tobytes(), found.own.tobytes()


def turned(puzzle: Puzzle) -> Puzzle:
    board = puzzle.board
    cells = "".join("".join(column) for column in zip(*board.rows, strict=True))
    signs = [
        Sign(each.column, each.row, "D" if each.direction == "R" else "R", each.relation)
        for each in puzzle.signs
    ]
    return Puzzle(Board(board.width, board.height, cells), puzzle.rules, tuple(sorted(signs)))


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    height, width = draw(
        st.sampled_from([(4, 4), (3, 3), (2, 6), (6, 2), (3, 4), (66, 2), (65, 65)])
    )
    # A few clues, so that many boards are symmetric.
    cells = ["."] * (height * width)
    for place in draw(st.lists(st.integers(0, len(cells) - 1), max_size=4)):
        cells[place] = draw(st.sampled_from("01"))
    signs = set()
    if draw(st.booleans()):
        signs = {
            Sign(0, 0, "R", "="),
            Sign(height - 2, width - 1, "D", draw(st.sampled_from("=x"))),
        }
    odd = draw(st.sampled_from(["either", "ones"]))
    return Puzzle(Board(height, width, "".join(cells)), Rules(odd=odd), tuple(sorted(signs)))


@examples(0.5)
@given(puzzles(), puzzles(), st.data())
def test_keys_are_equal_exactly_for_twins(one: Puzzle, other: Puzzle, data: st.DataObject):
    board = one.board
    symmetry = data.draw(st.sampled_from(symmetries_under(one.rules, board.height, board.width)))
    for image in (symmetry.puzzle(one), turned(symmetry.puzzle(one))):
        assert key(image)[0] == key(one)[0]
        assert (key(image)[1] == key(one)[1]) == (image == one)
    other = replace(other, rules=one.rules)
    forms = [{canonical(each), canonical(turned(each))} for each in (one, other)]
    assert (key(one)[0] == key(other)[0]) == bool(forms[0] & forms[1])
    assert (key(one)[1] == key(other)[1]) == (one == other)


@pytest.mark.parametrize("cells", ["0...............", ".0.............."])
def test_a_board_and_its_swap_are_twins_but_not_equal(cells: str):
    one = Puzzle(Board(4, 4, cells), CLASSIC)
    swapped = Puzzle(Board(4, 4, cells.replace("0", "1")), CLASSIC)
    assert key(one)[0] == key(swapped)[0]
    assert key(one)[1] != key(swapped)[1]
