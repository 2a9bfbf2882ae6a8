"""Count all puzzles of a size in workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from binairo_cp.commands.census_runs import CensusOptions
from binairo_cp.counting.counting import map_blocks
from binairo_cp.counting.fewest_clues import classes_of_boards, puzzle_of
from binairo_cp.counting.puzzle_counts import (
    PuzzleCounts,
    check_size,
    counts_of_classes,
    irreducible_puzzles,
    sum_of_counts,
)
from binairo_cp.counting.sizes import Census
from binairo_cp.workers import progress

_BLOCK = 16
"""The number of classes of boards that a worker gets at a time."""

_CELLS_HERE = 20
"""Workers pay off for boards with more cells."""


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
        return sum_of_counts(census, _flat(map_blocks(work, blocks, None)))
    with (
        options.worker_settings.open(["binairo_cp.counting.fewest_clues"]) as pool,
        progress.bar(options.quiet) as show,
    ):
        total = sum_of_counts(census, [])
        for done, counts in enumerate(map_blocks(work, blocks, pool), 1):
            total = sum_of_counts(census, [total, *counts])
            show(done, len(blocks), f"{done:,} of {len(blocks):,} blocks of boards")
        return total


def _flat(blocks: Iterable[list[PuzzleCounts]]) -> Iterator[PuzzleCounts]:
    return (each for block in blocks for each in block)


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


def irreducible(census: Census, clues: int) -> Iterator[str]:
    """The cells of an irreducible puzzle for each class of boards that has one.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
    """
    for board, chosen in irreducible_puzzles(census, clues):
        yield puzzle_of(board, chosen, census)
