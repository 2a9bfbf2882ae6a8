"""What the census, estimates, symmetric boards and the searches for clues found."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from typing import Any

import numpy as np

from benchmarks import lower_bounds
from binairo_cp.counting import fewest_clues, orbits, puzzle_counts
from binairo_cp.counting import fewest_clues as clue_units
from binairo_cp.counting.estimating import estimate
from binairo_cp.counting.orbits import symmetries_of
from binairo_cp.counting.sizes import Census, classes_of, oriented
from binairo_cp.counting.units import count_unit

_DISTINCT = ("lines", "rows", "columns", "nothing")


def results() -> dict[str, Any]:
    """All results by name."""
    sizes = [*product(range(2, 9), range(2, 9)), (9, 9), (10, 10), (10, 8), (11, 6), (12, 6)]
    return {
        **_units(sizes, 6),
        **_units([(12, 12), (12, 10)], 1),
        **_estimates([(2, 2), (4, 5), (8, 8), (9, 7), (14, 12)], 300),
        **_fixed([*product(range(2, 8), range(2, 8)), (2, 16), (8, 8), (9, 8), (12, 6)]),
        **_boards([*product(range(2, 6), range(2, 6)), (6, 6), (4, 8), (8, 6)]),
        **_clues([(2, 2), (3, 4), (4, 4), (5, 4), (4, 6), (6, 6)], 20),
        **_puzzles([(2, 3), (3, 3), (4, 4), (4, 5), (6, 4)], 10),
        **_lower_bounds([(4, 4, 20), (6, 4, 100)], 40),
    }


def quick() -> dict[str, Any]:
    """Some of them, which take little time without compiled code."""
    return {
        **_units([(2, 2), (3, 4), (4, 4), (5, 4), (4, 6)], 6),
        **_estimates([(2, 2)], 300),
        **_fixed([*product(range(2, 5), range(2, 5))]),
        **_boards([*product(range(2, 5), range(2, 5))]),
        **_clues([(2, 2), (3, 4)], 20),
        **_puzzles([(2, 3), (3, 3)], 10),
    }


def _each(sizes: list[tuple[int, int]]) -> Iterator[Census]:
    for (height, width), distinct in product(sizes, _DISTINCT):
        yield Census(height, width, distinct)  # type: ignore[arg-type]
        if height % 2 or width % 2:
            yield Census(height, width, distinct, "ones")  # type: ignore[arg-type]


def _spread(values: Any, number: int) -> list[int]:
    """Up to so many values from all parts of an array."""
    places = np.unique(np.linspace(0, len(values) - 1, number + 2).astype(int)[1:-1])
    return [int(values[place]) for place in places] if len(values) else []


def _digest(*arrays: Any) -> str:
    """A hash of arrays and their shapes."""
    described = [(np.shape(each), np.asarray(each).tolist()) for each in arrays]
    return sha256(repr(described).encode()).hexdigest()[:16]


def _units(sizes: list[tuple[int, int]], number: int) -> dict[str, Any]:
    found = {}
    for census in map(oriented, _each(sizes)):
        units = [count_unit(census, each) for each in _spread(classes_of(census).packed, number)]
        found[f"units {census.name}"] = units
    return found


def _estimates(sizes: list[tuple[int, int]], samples: int) -> dict[str, Any]:
    return {
        f"estimate {census.name}": estimate(census, samples, seed="golden").to_dict()
        for census in _each(sizes)
    }


def _fixed(sizes: list[tuple[int, int]]) -> dict[str, Any]:
    found = {}
    for census in _each(sizes):
        is_small = census.height * census.width <= 30
        for each in symmetries_of(census)[1:]:
            counts = [orbits.count_fixed(census, each)]
            if is_small:
                counts.append(orbits.count_by_cells(census, each))
            row = [each.order[0], each.order[-1], each.order[1], each.complemented]
            found[f"fixed {census.name} {row}"] = counts
    return found


def _boards(sizes: list[tuple[int, int]]) -> dict[str, Any]:
    found = {}
    for census in _each(sizes):
        boards = fewest_clues.all_boards(census)
        found[f"boards {census.name}"] = [len(boards), _digest(boards)]
    return found


def _clues(sizes: list[tuple[int, int]], number: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for census in _each(sizes):
        boards = np.array(_spread(fewest_clues.classes_of_boards(census).boards, number), np.uint64)
        if len(boards):
            found[f"clues {census.name}"] = clue_units.smallest_sets(census, boards).tolist()
            limited = clue_units.smallest_sets(census, boards, limit=3)
            found[f"clues to 3 {census.name}"] = limited.tolist()
    return found


def _puzzles(sizes: list[tuple[int, int]], number: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for census in _each(sizes):
        for board in _spread(fewest_clues.classes_of_boards(census).boards, number):
            counts = puzzle_counts.counts_of_classes(census, [board])[0]
            name = f"puzzles {census.name} {board}"
            found[name] = [list(map(str, each)) for each in counts]
            found[f"sets {census.name} {board}"] = _digest(
                puzzle_counts.difference_sets(census, board)
            )
    for clues in range(3, 6):
        census = Census(4, 4)
        irreducible = list(puzzle_counts.irreducible_puzzles(census, clues))
        found[f"irreducible {census.name} {clues}"] = irreducible
    return found


def _lower_bounds(searches: list[tuple[int, int, int]], number: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for side, clues, boards in searches:
        search = lower_bounds.Search(side, clues, boards=boards)
        decider = lower_bounds.Decider(search)
        for k in _spread(np.arange(len(search.tasks)), number):
            found[f"few clues {side} {clues} {k}"] = decider.unit(k, *search.tasks[k])
    return found
