"""Symmetries of puzzles; keys of arrays of puzzles, against the canonical form of each."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import CLASSIC, TANGO, Board, Puzzle, Rules, Sign, count, violations
from binairo_cp.puzzle import twin_keys
from binairo_cp.puzzle.slices import PlainPuzzles, Slices
from binairo_cp.puzzle.symmetries import canonical, symmetries, symmetries_under
from binairo_cp.solving.backends.backtracking import Backtracking
from tests.support import strategies
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


@pytest.mark.parametrize(
    ("height", "width", "number"),
    [(6, 6, 16), (6, 8, 8), (1, 1, 2), (1, 2, 4), (2, 2, 16), (1, 5, 4)],
)
def test_the_number_of_symmetries_is_the_order_of_the_group(height: int, width: int, number: int):
    group = symmetries(height, width)
    assert (
        len(group) == len({(symmetry.order, symmetry.complemented) for symmetry in group}) == number
    )
    assert group[0].order == tuple(range(height * width))


def test_symmetries_are_the_rotations_and_reflections_of_a_board():
    board = Board(4, 4, "0.1.1.01..0.1..0")
    rotated = [board]
    for _ in range(3):
        rotated.append(rotated[-1].rotated())
    images = {
        each.cells
        for one in rotated
        for each in (one, one.mirrored(), one.complemented(), one.mirrored().complemented())
    }
    assert {symmetry.cells(board.cells) for symmetry in symmetries(4, 4)} == images
    assert board.transposed().cells in images


@pytest.mark.parametrize(
    ("side", "number"), [(2, 1), (4, 10), pytest.param(6, 321, marks=pytest.mark.slow)]
)
def test_published_numbers_of_boards_up_to_symmetry(side: int, number: int):
    boards = Backtracking().solutions(Puzzle(Board.empty(side, side)))
    assert len({canonical(Puzzle(board)).board for board in boards}) == number


@given(strategies.puzzles())
def test_all_images_have_the_same_canonical_form_and_number_of_solutions(puzzle: Puzzle):
    board = puzzle.board
    group = symmetries_under(puzzle.rules, board.height, board.width)
    images = {symmetry.puzzle(puzzle) for symmetry in group}
    assert canonical(puzzle) in images
    assert {canonical(image) for image in images} == {canonical(puzzle)}
    some = random.Random(board.cells).choice(sorted(images, key=str))
    one, other = (count(each, limit=50, time_limit=5) for each in (puzzle, some))
    if "time" not in (one.stopped_by, other.stopped_by):
        assert (one.count, one.stopped_by) == (other.count, other.stopped_by)


def test_an_image_has_the_same_violations():
    puzzle = Puzzle(Board.parse("0.. .1. ..."), TANGO, (Sign(0, 0, "R", "="), Sign(0, 1, "D", "x")))
    full = Board.parse("001 110 010")
    kinds = Counter(each.rule for each in violations(puzzle, full))
    for symmetry in symmetries(3, 3):
        broken = violations(symmetry.puzzle(puzzle), symmetry.board(full))
        assert Counter(each.rule for each in broken) == kinds


def test_symbols_are_not_swapped_if_one_must_be_more_frequent():
    odd = Puzzle(Board.parse("0.. ... ..."), Rules(odd="ones"))
    swapped = replace(odd, board=odd.board.complemented())
    assert canonical(odd) != canonical(swapped)
    either = replace(odd, rules=CLASSIC)
    assert canonical(either) == canonical(replace(swapped, rules=CLASSIC))
    even = Puzzle(Board.parse("0... .... .... ...."), Rules(odd="ones"))
    assert canonical(even) == canonical(replace(even, board=even.board.complemented()))
