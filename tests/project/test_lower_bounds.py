"""The search through all sets of clues finds exactly the puzzles with so few clues."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import lower_bounds
from benchmarks.lower_bounds import Search
from binairo_cp import Board, Puzzle, check
from binairo_cp.kernels import few_clues
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Rules
from binairo_cp.puzzle.symmetries import canonical


def puzzles(search: Search) -> set[Puzzle]:
    """The puzzles found, up to symmetry."""
    units = lower_bounds.run(search, None, float("inf"), verbose=False)
    assert len(units) == len(search.tasks)
    found = [each for unit in units if unit.puzzles != "-" for each in unit.puzzles.split(",")]
    boards = [Board(search.side, search.side, each) for each in found]
    return {canonical(Puzzle(board, search.rules)) for board in boards}


@pytest.mark.parametrize(
    ("side", "clues", "rules", "number"),
    # The numbers of `census --all-puzzles`. Puzzles with few boards are found by the solver alone.
    [
        (4, 3, CLASSIC, 0),
        (4, 4, CLASSIC, 78),
        (4, 3, UNRULY, 0),
        pytest.param(6, 4, CLASSIC, 0, marks=pytest.mark.slow),
        pytest.param(6, 5, CLASSIC, 36, marks=pytest.mark.slow),
        pytest.param(6, 5, UNRULY, 0, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("boards", [3, 500])
def test_the_number_of_puzzles(
    side: int, clues: int, rules: Rules, number: int, boards: int
) -> None:
    if side == 6 and boards == 3:
        boards = 100
    found = puzzles(Search(side, clues, rules, boards))
    assert len(found) == number
    assert all(check(each).verdict == "unique" for each in found)


def test_cells_are_ordered_by_orbits() -> None:
    search = Search(6, 4)
    assert sorted(search.cells) == list(range(36))
    assert [len(orbit) for orbit in search.orbits] == [8, 8, 8, 4, 4, 4]
    # Each set of clues is an image of one that is searched.
    total = sum(search.sets(second) for _, second in search.tasks)
    assert total * 16 >= 36 * 35 * 34 * 33 // 24 * 2**4


def test_values_follow_from_pairs() -> None:
    """Two equal cells with a gap between them, and two side by side."""
    search = Search(6, 4)
    place = {cell: k for k, cell in enumerate(search.cells)}
    clues = few_clues.Clues(search.neighbours().data)
    assert clues.assign(place[6], 0)
    assert clues.assign(place[8], 0)
    values, _ = clues.known()
    assert [values[place[cell]] for cell in range(6, 12)] == [0, 1, 0, -1, -1, -1]
    assert clues.assign(place[9], 0)
    values, wrong = clues.known()
    assert [values[place[cell]] for cell in range(6, 12)] == [0, 1, 0, 0, 1, -1]
    assert wrong[2 * place[10]]
    assert not wrong[2 * place[10] + 1]
    assert not clues.assign(place[10], 0)
    clues.undo(0)
    values, wrong = clues.known()
    assert values == [-1] * 36
    assert not any(wrong)


def test_a_stopped_search_continues(tmp_path: Path) -> None:
    search, path = Search(4, 4, boards=20), str(tmp_path / "units.gz")
    assert len(lower_bounds.run(search, path, 0, verbose=False)) == 0
    whole = lower_bounds.run(search, path, float("inf"), verbose=False)
    assert lower_bounds.run(search, path, 0, verbose=False) == whole
    assert lower_bounds.report(search, whole).startswith("all ")


@pytest.mark.nightly
@pytest.mark.slow
def test_no_8x8_puzzle_has_six_clues() -> None:
    """A second proof of the bound in docs/numbers.md, without a list of boards."""
    assert puzzles(Search(8, 6)) == set()
