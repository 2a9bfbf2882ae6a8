"""Count all puzzles of a size: those with one solution, and the irreducible ones.

A puzzle with one solution is a solved board and a set of its cells that hits every difference set
of the board (`search`). It is irreducible if no clue can be left out: the set is minimal.

Symmetries that map a puzzle with one solution to itself do the same with its solution. So the
puzzles up to symmetry are counted by class of boards: by Burnside's lemma, with the symmetries that
map the board to itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from binairo_cp.counting.blocks import Numbers
from binairo_cp.counting.census_runs import CensusOptions
from binairo_cp.counting.counting import map_blocks
from binairo_cp.counting.fewest_clues import (
    Words,
    all_boards,
    check_reach,
    classes_of_boards,
    images,
)
from binairo_cp.counting.orbits import symmetries_of
from binairo_cp.counting.sizes import Census
from binairo_cp.errors import LimitError
from binairo_cp.kernels import clue_sets
from binairo_cp.puzzle.symmetries import Symmetry
from binairo_cp.workers import terminal

MAX_CELLS = 36
"""The most cells of a board whose puzzles can be counted."""

_BLOCK = 16
"""The number of classes of boards that a worker gets at a time."""

_CELLS_HERE = 20
"""Workers pay off for boards with more cells."""

Counts = list[int]
"""Numbers of puzzles, by their number of clues."""


class PuzzleCounts(NamedTuple):
    """The number of puzzles of a board, or of a size, by the number of clues.

    Those with one solution are unique, and irreducible if they need all their clues.
    """

    unique: Counts
    unique_orbits: Counts
    irreducible: Counts
    irreducible_orbits: Counts


def check_size(census: Census) -> None:
    """Check that the puzzles of a size can be counted.

    Raises:
        LimitError: they can't.
    """
    if census.height * census.width > MAX_CELLS:
        raise LimitError(f"the puzzles of a size can be counted for up to {MAX_CELLS} cells")
    check_reach(census)


def sum_of_counts(census: Census, counts: Iterable[PuzzleCounts]) -> PuzzleCounts:
    """The sum of the counts of several classes of boards."""
    total = np.zeros((4, census.height * census.width + 1), object)
    for each in counts:
        total += np.array(each, object)
    return PuzzleCounts(*total.tolist())


def counts_of_classes(census: Census, boards: Iterable[int]) -> list[PuzzleCounts]:
    """Count the puzzles of classes of boards, given by one board each; the task of a worker."""
    return [_counts_of_class(census, board) for board in boards]


def _counts_of_class(census: Census, board: int) -> PuzzleCounts:
    sets = difference_sets(census, board)
    fixing = symmetries_that_fix(census, board)
    size = len(symmetries_of(census)) // len(fixing)
    unique = np.array([_unique(sets, each) for each in fixing], object)
    irreducible = _irreducible(sets, fixing)
    return PuzzleCounts(
        (unique[0] * size).tolist(),
        (unique.sum(axis=0) // len(fixing)).tolist(),
        (irreducible[0] * size).tolist(),
        (irreducible.sum(axis=0) // len(fixing)).tolist(),
    )


def difference_sets(census: Census, board: int) -> Words:
    """The minimal difference sets of a board; cell k of the board is bit k."""
    boards = all_boards(census)
    order = tuple(reversed(range(census.height * census.width)))
    mirror = Symmetry(census.height, census.width, order, complemented=False)
    sets = images(boards[boards != np.uint64(board)] ^ np.uint64(board), mirror)
    return sets[: clue_sets.keep_minimal(sets.data)].copy()


def symmetries_that_fix(census: Census, board: int) -> list[Symmetry]:
    """The symmetries that map a board to itself; the identity is the first one."""
    word = np.array([board], np.uint64)
    return [each for each in symmetries_of(census) if images(word, each)[0] == word[0]]


def _unique(sets: Words, symmetry: Symmetry) -> Counts:
    """The number of hitting sets that a symmetry maps to themselves, by size."""
    orbits = _orbits(symmetry)
    cells = len(orbits)
    sizes = np.bitwise_count(orbits)
    most = [int((sizes == size).sum()) // size for size in (1, 2, 4)]
    counts = np.zeros((cells + 1, *(each + 1 for each in most)), np.int64)
    clue_sets.count_hitting(sets.data, orbits.data, counts.data)
    total = [0] * (cells + 1)
    for index in np.argwhere(counts):
        certain, *free = index.tolist()
        for more, ways in enumerate(_choices(free)):
            total[certain + more] += int(counts[tuple(index)]) * ways
    return total


def _choices(free: list[int]) -> Counts:
    """In how many ways free cells, pairs and fours can be chosen, by the number of cells."""
    ways = np.ones(1, object)
    for number, size in zip(free, (1, 2, 4), strict=True):
        for _ in range(number):
            longer = np.zeros(len(ways) + size, object)
            longer[: len(ways)] += ways
            longer[size:] += ways
            ways = longer
    return ways.tolist()


def _orbits(symmetry: Symmetry) -> Words:
    """The cells that repeated use of a symmetry maps each cell to."""
    orbits = []
    for start in range(len(symmetry.order)):
        orbit, cell = 1 << start, symmetry.order[start]
        while cell != start:
            orbit |= 1 << cell
            cell = symmetry.order[cell]
        orbits.append(orbit)
    return np.array(orbits, np.uint64)


def _irreducible(sets: Words, symmetries: list[Symmetry]) -> Numbers:
    """The number of minimal hitting sets that each symmetry maps to themselves, by size."""
    counts = np.zeros((len(symmetries), len(symmetries[0].order) + 1), np.int64)
    _search(sets, symmetries, 0, counts, np.zeros(0, np.uint64))
    return counts.astype(object)


def _search(
    sets: Words, symmetries: list[Symmetry], wanted: int, counts: Numbers, found: Words
) -> int:
    moved = np.uint64(1) << np.array([each.order for each in symmetries], np.uint64)
    return clue_sets.count_minimal(sets.data, moved.data, wanted, counts.data, found.data)


def irreducible_puzzles(census: Census, clues: int) -> Iterator[tuple[int, int]]:
    """An irreducible puzzle with a number of clues for each class of boards that has one.

    Yields the board and its cells with a clue, as words of `fewest_clues`.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
    """
    check_size(census)
    cells = census.height * census.width
    for board in classes_of_boards(census).boards.tolist():
        found = np.zeros(1, np.uint64)
        counts = np.zeros((1, cells + 1), np.int64)
        identity = symmetries_of(census)[:1]
        if _search(difference_sets(census, board), list(identity), clues, counts, found):
            yield board, int(f"{int(found[0]):0{cells}b}"[::-1], 2)


def count_puzzles(census: Census, options: CensusOptions) -> PuzzleCounts:
    """Count the puzzles of all boards of a size.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
        SolverCrash: a worker crashed.
    """
    check_size(census)
    boards = classes_of_boards(census).boards.tolist()
    blocks = [boards[k : k + _BLOCK] for k in range(0, len(boards), _BLOCK)]
    work = partial(counts_of_classes, census)
    if census.height * census.width <= _CELLS_HERE:
        return sum_of_counts(census, chain.from_iterable(map_blocks(work, blocks, None)))
    with (
        options.worker_settings.open(["binairo_cp.counting.fewest_clues"]) as pool,
        terminal.bar(options.quiet) as show,
    ):
        total = sum_of_counts(census, [])
        for done, counts in enumerate(map_blocks(work, blocks, pool), 1):
            total = sum_of_counts(census, [total, *counts])
            show(done, len(blocks), f"{done:,} of {len(blocks):,} blocks of boards")
        return total


def table(counts: PuzzleCounts) -> Iterator[str]:
    """The numbers of puzzles by their number of clues, in words."""
    yield _line("clues", "unique", "up to symmetry", "irreducible", "up to symmetry")
    for clues, row in enumerate(zip(*counts, strict=True)):
        if any(row):
            yield _line(clues, *row)
    yield _line("total", *map(sum, counts))


def _line(clues: int | str, *numbers: int | str) -> str:
    unique, orbits, irreducible, irreducible_orbits = numbers
    return f"{clues:>5} {unique:>16} {orbits:>15} {irreducible:>12} {irreducible_orbits:>15}"
