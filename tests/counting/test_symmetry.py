"""Boards that a symmetry fixes, counted by halves, by matrices and cell by cell."""

from __future__ import annotations

from itertools import product

import pytest

from binairo_cp import Board, Puzzle, Rules
from binairo_cp.counting import orbits
from binairo_cp.counting.counting import count_boards
from binairo_cp.counting.sizes import Census, Distinct
from binairo_cp.errors import LimitError
from binairo_cp.puzzle.rules import Odd
from binairo_cp.puzzle.symmetries import Symmetry, symmetries
from binairo_cp.solving.solutions import enumerate_solutions

DISTINCT: list[Distinct] = ["lines", "rows", "columns", "nothing"]
ODD: list[Odd] = ["either", "ones"]
SIZES = [(h, w) for h, w in product(range(1, 7), repeat=2) if h * w <= 30]

# By "submissions.md" of another project on OEIS A253316, for 2x2 to 8x8: half turn, reflection in a
# diagonal; then with the symbol swap: reflection left to right, quarter turn, half turn.
PUBLISHED = {2: (2, 2, 2, 2, 0), 4: (8, 12, 24, 4, 0), 6: (156, 208, 204, 8, 0)}
PUBLISHED[8] = (2996, 8848, 9192, 80, 32)


def fixed(census: Census, *, cells: bool) -> list[int]:
    count = orbits.count_by_cells if cells else orbits.count_fixed
    return [count(census, each) for each in orbits.symmetries_of(census)[1:]]


def square(side: int, name: str) -> Symmetry:
    """A symmetry of a square by its name; an x at the end swaps the symbols."""
    last, cells = side - 1, list(product(range(side), repeat=2))
    sources = {
        "half": [(last - r, last - c) for r, c in cells],
        "diagonal": [(c, r) for r, c in cells],
        "mirror": [(r, last - c) for r, c in cells],
        "quarter": [(c, last - r) for r, c in cells],
    }[name.removesuffix("x")]
    order = tuple(r * side + c for r, c in sources)
    return next(
        each
        for each in symmetries(side, side)
        if (each.order, each.complemented) == (order, name.endswith("x"))
    )


@pytest.mark.parametrize("side", PUBLISHED)
def test_published_numbers(side: int) -> None:
    names = ["half", "diagonal", "mirrorx", "quarterx", "halfx"]
    census = Census(side, side)
    found = tuple(orbits.count_fixed(census, square(side, name)) for name in names)
    assert found == PUBLISHED[side]
    assert orbits.count_fixed(census, square(side, "mirror")) == 0
    assert orbits.count_fixed(census, square(side, "quarter")) == (8 if side == 8 else 0)


@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize("odd", ODD)
def test_two_methods_agree_on_small_boards(distinct: Distinct, odd: Odd) -> None:
    for height, width in SIZES:
        census = Census(height, width, distinct, odd)
        assert fixed(census, cells=False) == fixed(census, cells=True), census


@pytest.mark.slow
@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize("size", [(6, 6), (7, 7), (6, 8), (8, 8), (5, 10), (7, 6)])
def test_two_methods_agree(size: tuple[int, int], distinct: Distinct) -> None:
    census = Census(*size, distinct)
    assert fixed(census, cells=False) == fixed(census, cells=True)


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("name", ["half", "halfx", "diagonal", "mirrorx"])
def test_two_methods_agree_on_10x10(name: str) -> None:
    census, symmetry = Census(10, 10), square(10, name)
    found = orbits.count_fixed(census, symmetry)
    assert found == orbits.count_by_cells(census, symmetry)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("distinct", DISTINCT)
def test_symmetries_of_one_kind_fix_the_same_number(distinct: Distinct, odd: Odd) -> None:
    for size in ((5, 5), (4, 6)):
        census = Census(*size, distinct, odd)
        numbers: dict[tuple[bool, ...], int] = {}
        for each in orbits.symmetries_of(census)[1:]:
            number = orbits.count_by_cells(census, each)
            assert numbers.setdefault(orbits.kind_of(census, each), number) == number


def test_fixed_boards_are_those_of_the_list() -> None:
    rules = Rules()
    boards = {board.cells for board in enumerate_solutions(Puzzle(Board.empty(6, 6), rules))}
    for each in symmetries(6, 6)[1:]:
        expected = sum(each.cells(cells) == cells for cells in boards)
        assert orbits.count_fixed(Census(6, 6), each) == expected


@pytest.mark.parametrize("size", [(8, 8), (6, 10), (9, 4), (10, 10)])
def test_orbits_are_whole_numbers(size: tuple[int, int]) -> None:
    """Burnside's lemma: `count_orbits` raises an error if the sum has a remainder."""
    census = Census(*size, "columns" if size == (9, 4) else "lines")
    boards = 48_183_195_384 if size == (10, 10) else count_boards(census)
    found = orbits.count_orbits(census, boards)
    assert all(each.orbits * each.symmetries >= boards for each in found)
    assert all(each.orbits * each.symmetries < 1.2 * boards for each in found)


def test_squares_with_different_rules_for_rows_and_columns() -> None:
    """Rotations by 90 degrees do not map boards to boards, so eight symmetries are left."""
    found = orbits.count_orbits(Census(4, 4, "rows"), count_boards(Census(4, 4, "rows")))
    assert [each.symmetries for each in found] == [8, 4]


@pytest.mark.parametrize("size", [(8, 18), (2, 62), (16, 16)])
def test_sizes_out_of_reach(size: tuple[int, int]) -> None:
    with pytest.raises(LimitError, match="can't be counted up to symmetry"):
        orbits.check_reach(Census(*size))
    orbits.check_reach(Census(12, 12))
    orbits.check_reach(Census(10, 14))
