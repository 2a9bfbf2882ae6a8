"""Count the puzzles of all 6x6 boards by a second method and compare: Ganak, and Berge's algorithm.

    python -m benchmarks.second_counts [STEP]

compares every STEP-th class of 6x6 boards (default: all 321) with `census --all-puzzles`. Nothing
is shared but the symmetries and the list of classes: the difference sets come from a SAT solver,
Ganak counts the sets of cells that hit them all, and Berge's algorithm lists the minimal ones (C.
Berge, "Hypergraphs", 1989), one difference set after another, where the census searches depth
first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import process_time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.counting.fewest_clues import classes_of_boards
from binairo_cp.counting.puzzle_counts import counts_of_classes
from binairo_cp.counting.sizes import Census
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.symmetries import Symmetry, symmetries_under
from binairo_cp.solving.solutions import enumerate_solutions

Sets = npt.NDArray[np.uint64]
"""Sets of cells: bit k stands for cell k."""


class Counted(NamedTuple):
    """The puzzles of a class of boards.

    Attributes:
        unique: puzzles with one solution.
        unique_orbits: the same, up to symmetry.
        irreducible: irreducible puzzles, by their number of clues.
        irreducible_orbits: the same, up to symmetry.
    """

    unique: int
    unique_orbits: int
    irreducible: list[int]
    irreducible_orbits: list[int]


def solutions(census: Census) -> list[str]:
    """The cells of all boards, found by a SAT solver."""
    empty = Puzzle(Board.empty(census.height, census.width), census.rules)
    return [board.cells for board in enumerate_solutions(empty, backend="pysat")]


def minimal_differences(cells: str, every: Iterable[str]) -> Sets:
    """The minimal sets of cells in which other boards differ from a board."""
    own = int(cells[::-1], 2)
    masks = np.array([int(other[::-1], 2) ^ own for other in every], np.uint64)
    masks = np.unique(masks[masks != 0])
    masks = masks[np.argsort(np.bitwise_count(masks), kind="stable")]
    kept = np.zeros(0, np.uint64)
    for mask in masks:
        if not ((kept & mask) == kept).any():
            kept = np.append(kept, mask)
    return kept


def minimal_hitting_sets(sets: Sets) -> Sets:
    """All minimal hitting sets, by Berge's algorithm.

    A minimal hitting set of the first sets either hits the next one, or gets one of its cells. It
    stays minimal if each of its cells is the only one in some set so far.
    """
    found = np.zeros(1, np.uint64)
    for number, new in enumerate(sets):
        hits = (found & new) != 0
        missing = found[~hits]
        bits = [np.uint64(1 << k) for k in range(64) if int(new) >> k & 1]
        longer = np.concatenate([missing | bit for bit in bits])
        needed = np.zeros_like(longer)
        for each in sets[: number + 1]:
            common = longer & each
            needed |= np.where(common & (common - np.uint64(1)) == 0, common, np.uint64(0))
        found = np.concatenate([found[hits], longer[needed == longer]])
    return found


def image(sets: Sets, symmetry: Symmetry) -> Sets:
    """Sets of cells moved by a symmetry."""
    moved = np.zeros_like(sets)
    for cell, target in enumerate(symmetry.order):
        moved |= (sets >> np.uint64(cell) & np.uint64(1)) << np.uint64(target)
    return moved


def clauses(sets: Sets) -> list[list[int]]:
    """A clause for each set: variable k + 1 says that cell k has a clue."""
    return [[k + 1 for k in range(64) if each >> k & 1] for each in sets.tolist()]


def invariant(symmetry: Symmetry) -> list[list[int]]:
    """Clauses: a cell has a clue exactly if its image has one."""
    return [[k + 1, -image - 1] for k, image in enumerate(symmetry.order) if image != k]


def models(formula: list[list[int]]) -> int:
    """The number of models of a formula, by Ganak."""
    import pyganak

    counter = pyganak.Counter()
    for clause in formula:
        counter.add_clause(clause)
    return int(counter.count())


def count_class(census: Census, cells: str, every: list[str]) -> Counted:
    """Count the puzzles of a class of boards."""
    sets = minimal_differences(cells, every)
    group = symmetries_under(census.rules, census.height, census.width)
    fixing = [each for each in group if each.cells(cells) == cells]
    unique = [models(clauses(sets) + invariant(each)) for each in fixing]
    minimal = minimal_hitting_sets(sets)
    by_size = [
        np.bincount(np.bitwise_count(minimal[image(minimal, each) == minimal]), minlength=37)
        for each in fixing
    ]
    size = len(group) // len(fixing)
    return Counted(
        unique[fixing.index(group[0])] * size,
        sum(unique) // len(fixing),
        (by_size[fixing.index(group[0])] * size).tolist(),
        (np.sum(by_size, axis=0) // len(fixing)).tolist(),
    )


def compare(census: Census, step: int = 1) -> Iterator[tuple[int, bool, Counted]]:
    """Compare every STEP-th class: its board, whether both methods agree, and the counts."""
    every = solutions(census)
    number = census.height * census.width
    for board in classes_of_boards(census).boards.tolist()[::-step]:
        counted = count_class(census, f"{board:0{number}b}", every)
        [found] = counts_of_classes(census, [board])
        expected = (sum(found.unique), sum(found.unique_orbits))
        expected += ([*found.irreducible, *[0] * (36 - number)],)
        expected += ([*found.irreducible_orbits, *[0] * (36 - number)],)
        yield board, counted == expected, counted


def main() -> int:
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    total, largest, classes = np.zeros(4, object), 0, 0
    for board, agree, counted in compare(Census(6, 6), step):
        if not agree:
            print(f"{board:036b}: the counts differ")
            return 1
        irreducible = counted.irreducible
        total += [*counted[:2], sum(irreducible), sum(counted.irreducible_orbits)]
        largest = max(largest, max(k for k, n in enumerate(irreducible) if n))
        classes += 1
        if not classes % 20:
            print(f"{classes} classes agree ({process_time():.0f} s)", file=sys.stderr)
    print(
        f"{classes} classes agree: {total[0]:,} ({total[1]:,}) puzzles with one solution, "
        f"{total[2]:,} ({total[3]:,}) irreducible, with at most {largest} clues; "
        f"{process_time():.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
