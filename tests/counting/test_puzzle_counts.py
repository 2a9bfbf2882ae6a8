"""All puzzles of small sizes, compared with a table of all partial boards and a model counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.second_counts import compare, invariant, minimal_hitting_sets, models
from binairo_cp.counting import puzzle_counts
from binairo_cp.counting.census_runs import CensusOptions
from binairo_cp.counting.fewest_clues import classes_of_boards
from binairo_cp.counting.puzzle_counts import PuzzleCounts
from binairo_cp.counting.sizes import Census
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.symmetries import symmetries_under
from binairo_cp.solving.solutions import check, enumerate_solutions
from tests.support.command_line import call

SIX = Census(6, 6)
ROTATING = (pytest.mark.slow, pytest.mark.rotating)


def all_counts(census: Census) -> PuzzleCounts:
    return puzzle_counts.count_puzzles(census, CensusOptions(quiet=True))


def solutions_of_all_partial_boards(census: Census) -> np.ndarray:
    """The number of solutions of each partial board; an axis a cell: 0, 1 or open."""
    cells = census.height * census.width
    table = np.zeros((3,) * cells, np.int16)
    for board in enumerate_solutions(
        Puzzle(Board.empty(census.height, census.width), census.rules)
    ):
        table[tuple(map(int, board.cells))] = 1
    for axis in range(cells):
        parts = np.moveaxis(table, axis, 0)
        parts[2] = parts[0] + parts[1]
    return table


def is_irreducible(table: np.ndarray) -> np.ndarray:
    """Which partial boards have one solution, and more with any clue left out."""
    found = table == 1
    for axis in range(table.ndim):
        parts, counts = np.moveaxis(found, axis, 0), np.moveaxis(table, axis, 0)
        parts[:2] &= counts[2] > 1
    return found


def canonical(puzzles: np.ndarray, census: Census) -> np.ndarray:
    """The smallest image of each puzzle (rows of 0, 1 and 2 for an open cell), as a number."""
    powers = 3 ** np.arange(puzzles.shape[1])
    swapped = np.where(puzzles == 2, 2, 1 - puzzles)
    numbers = [
        (swapped if each.complemented else puzzles)[:, list(each.order)] @ powers
        for each in symmetries_under(census.rules, census.height, census.width)
    ]
    return np.min(numbers, axis=0)


def by_clues(chosen: np.ndarray, census: Census) -> Iterator[list[int]]:
    """The chosen partial boards by their number of clues: all, and up to symmetry."""
    cells = chosen.ndim
    puzzles = np.argwhere(chosen).astype(np.int64)
    clues = (puzzles < 2).sum(axis=1)
    yield np.bincount(clues, minlength=cells + 1).tolist()
    _, first = np.unique(canonical(puzzles, census), return_index=True)
    yield np.bincount(clues[first], minlength=cells + 1).tolist()


@pytest.mark.parametrize(
    "census",
    [
        Census(2, 2),
        Census(2, 4, "nothing"),
        Census(3, 3),
        Census(3, 4, "nothing", "ones"),
        Census(3, 4),
        pytest.param(Census(5, 3, "nothing"), marks=pytest.mark.slow),
        pytest.param(Census(4, 4, "nothing"), marks=ROTATING),
        pytest.param(Census(4, 4), marks=ROTATING),
    ],
    ids=str,
)
def test_every_partial_board_of_small_sizes(census: Census) -> None:
    table = solutions_of_all_partial_boards(census)
    expected = [*by_clues(table == 1, census), *by_clues(is_irreducible(table), census)]
    assert list(all_counts(census)) == expected


def needed(sets: list[list[int]], cells: int) -> Iterator[list[int]]:
    """Clauses: each clue is the only one in some set. Each new variable is defined by the cells."""
    own: list[list[int]] = [[] for _ in range(cells)]
    last = cells
    for each in sets:
        for cell in each:
            last += 1
            own[cell - 1].append(last)
            others = [k for k in each if k != cell]
            yield from ([-last, -other] for other in others)
            yield [-last, cell]
            yield [last, -cell, *others]
    for cell in range(cells):
        yield [-cell - 1, *own[cell]]


def counts_by_ganak(census: Census, board: int) -> list[int]:
    """The sums of `PuzzleCounts` for a class of boards, by a model counter.

    Irreducible puzzles take it too long on larger boards, so only the others are counted there.

    The difference sets are found with all boards of another backend, and are not minimized.
    """
    cells = f"{board:0{census.height * census.width}b}"
    every = enumerate_solutions(Puzzle(Board.empty(census.height, census.width), census.rules))
    sets = {
        frozenset(
            k + 1
            for k, pair in enumerate(zip(cells, other.cells, strict=True))
            if len(set(pair)) == 2
        )
        for other in every
    } - {frozenset()}
    minimal = [sorted(each) for each in sets if not any(other < each for other in sets)]
    group = symmetries_under(census.rules, census.height, census.width)
    fixing = [each for each in group if each.cells(cells) == cells]
    result = []
    formulas = [minimal]
    if len(cells) <= 16:
        formulas.append(minimal + list(needed(minimal, len(cells))))
    for formula in formulas:
        numbers = [models(formula + invariant(each)) for each in fixing]
        result += [numbers[0] * len(group) // len(fixing), sum(numbers) // len(fixing)]
    return result


@pytest.mark.parametrize(
    ("census", "step"),
    [
        (Census(4, 6), 12),
        (Census(5, 4, "nothing"), 160),
        (SIX, 1280),
        pytest.param(Census(4, 4), 1, marks=pytest.mark.slow),
        pytest.param(Census(4, 6), 4, marks=pytest.mark.slow),
        pytest.param(Census(5, 4, "nothing"), 40, marks=pytest.mark.slow),
        pytest.param(SIX, 20, marks=ROTATING),
    ],
    ids=str,
)
def test_classes_agree_with_a_model_counter(census: Census, step: int) -> None:
    """Some classes, from the last one, which have more symmetries."""
    pytest.importorskip("pyganak")
    boards = classes_of_boards(census).boards.tolist()[::-step]
    for board, found in zip(boards, puzzle_counts.counts_of_classes(census, boards), strict=True):
        expected = counts_by_ganak(census, board)
        assert list(map(sum, found))[: len(expected)] == expected


@pytest.mark.parametrize(
    ("census", "step"),
    [(Census(4, 4), 1), (Census(4, 6), 6), pytest.param(SIX, 40, marks=ROTATING)],
    ids=str,
)
def test_classes_agree_with_berges_algorithm(census: Census, step: int) -> None:
    """Also irreducible puzzles, by their number of clues."""
    pytest.importorskip("pyganak")
    results = list(compare(census, step))
    assert results
    assert all(agree for _, agree, _ in results)


def test_minimal_hitting_sets_of_all_small_families() -> None:
    """By trying all sets of five cells."""
    rng = np.random.default_rng(1)
    everything = np.arange(32, dtype=np.uint64)
    for _ in range(100):
        family = rng.integers(1, 32, rng.integers(1, 6)).astype(np.uint64)
        hits = {int(s) for s in everything if all(s & each for each in family)}
        minimal = {
            s for s in hits if not any(s & ~(1 << k) in hits for k in range(5) if s >> k & 1)
        }
        assert sorted(minimal_hitting_sets(family).tolist()) == sorted(minimal)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_smallest_puzzles_are_those_of_the_fewest_clues() -> None:
    """6x6 boards with 5 to 8 fewest clues: 21, 12, 235 and 53, by `census --fewest`."""
    boards = classes_of_boards(SIX).boards.tolist()
    counts = puzzle_counts.counts_of_classes(SIX, boards)
    for kind in (0, 2):
        fewest = Counter(next(k for k, n in enumerate(each[kind]) if n) for each in counts)
        assert fewest == {5: 21, 6: 12, 7: 235, 8: 53}
    total = puzzle_counts.sum_of_counts(SIX, counts)
    assert list(map(sum, total)) == [160142957292024, 10008966416430, 364518648, 22787582]
    assert (total.irreducible[15:], total.irreducible_orbits[15]) == ([8064, *[0] * 21], 504)


def test_the_command_prints_a_table() -> None:
    status, out, _ = call("census", "4", "--all-puzzles")
    lines = [line.split() for line in out.splitlines()]
    assert status == 0
    assert lines[1] == ["4", "1152", "78", "1152", "78"]
    assert lines[-1] == ["total", "2866536", "180518", "11088", "725"]


def test_the_largest_irreducible_puzzles() -> None:
    status, out, _ = call("census", "4", "--all-puzzles", "--puzzles", "8")
    assert status == 0
    puzzles = [Puzzle(Board(4, 4, cells)) for cells in out.splitlines()]
    assert puzzles
    for puzzle in puzzles:
        assert sum(cell != "." for cell in puzzle.board.cells) == 8
        assert check(puzzle).verdict == "unique"
        assert not redundant_clues(puzzle)
    assert call("census", "4", "--all-puzzles", "--puzzles", "7")[:2] == (0, "")


def redundant_clues(puzzle: Puzzle) -> list[int]:
    """The clues that can be left out."""
    board = puzzle.board
    return [
        k
        for k, cell in enumerate(board.cells)
        if cell != "."
        and check(
            Puzzle(Board(board.height, board.width, board.cells[:k] + "." + board.cells[k + 1 :]))
        ).verdict
        == "unique"
    ]


def test_a_size_without_boards() -> None:
    status, out, _ = call("census", "5x4", "--odd", "ones", "--all-puzzles")
    assert (status, out.splitlines()[-1].split()) == (0, ["total", "0", "0", "0", "0"])
