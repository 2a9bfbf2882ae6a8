"""Work for the kernels of the census and of the searches for clues."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks import lower_bounds
from binairo_cp.counting import fewest_clues, orbits, puzzle_counts
from binairo_cp.counting import fewest_clues as clue_units
from binairo_cp.counting.counting import count_boards
from binairo_cp.counting.estimating import estimate
from binairo_cp.counting.orbits import symmetries_of
from binairo_cp.counting.predicting import pairs_of_units
from binairo_cp.counting.sizes import Census, classes_of
from binairo_cp.counting.units import count_units

_FEWEST_BOARDS = 20


def work() -> dict[str, Callable[[], object]]:
    """The work, by name."""
    twelve = Census(12, 12)
    return {
        "units 8x8": _units(Census(8, 8), 0.2, 0.98, 1000),
        "units 10x10": _units(Census(10, 10), 0.2, 0.98, 1500),
        "units 12x10": _units(Census(12, 10), 0.5, 0.97, 5),
        "units 12x12, medium": _units(twelve, 0.7, 0.7, 1),
        "units 12x12, large": _units(twelve, 0.9, 0.9, 1),
        "units 10x10 unruly": _units(Census(10, 10, "nothing"), 0.2, 0.98, 1000),
        "sampling 8x8": partial(estimate, Census(8, 8), 30000),
        "sampling 14x14": partial(estimate, Census(14, 14), 3000),
        "mirrored 10x10": _fixed(Census(10, 10)),
        "symmetric 10x10": partial(orbits._count_symmetric, Census(10, 10)),
        "by cells 7x7": _by_cells(Census(7, 7)),
        "list 8x6": _list(Census(8, 6, "nothing")),
        "fewest 6x6": _fewest(Census(6, 6), 1000),
        "fewest 8x8": _fewest(Census(8, 8), _FEWEST_BOARDS),
        "puzzles 6x6": _puzzles(Census(6, 6)),
        "few clues 8x8": _few_clues(lower_bounds.Search(8, 6, boards=4096)),
    }


def _units(census: Census, low: float, high: float, number: int) -> Callable[[], object]:
    """Units from small to large, in the order of their pairs of blocks."""
    classes = classes_of(census).packed
    order = np.argsort(pairs_of_units(census, classes), kind="stable")
    places = (np.linspace(low, high, number) * len(order)).astype(int)
    return partial(count_units, census, classes[order[places]].tolist())


def _list(census: Census) -> Callable[[], object]:
    return partial(fewest_clues._list, census, count_boards(census))


def _fixed(census: Census) -> Callable[[], object]:
    upside_down = next(
        each
        for each in symmetries_of(census)
        if each.order[0] == (census.height - 1) * census.width
        and each.order[1] == each.order[0] + 1
    )
    return partial(orbits.count_fixed, census, upside_down)


def _by_cells(census: Census) -> Callable[[], object]:
    turn = next(each for each in symmetries_of(census) if orbits.makes_rows_columns(each))
    return partial(orbits.count_by_cells, census, turn)


def _fewest(census: Census, number: int) -> Callable[[], object]:
    boards = fewest_clues.classes_of_boards(census).boards
    return partial(clue_units.smallest_sets, census, boards[:: -(-len(boards) // number)])


def _puzzles(census: Census) -> Callable[[], object]:
    board = int(fewest_clues.classes_of_boards(census).boards[7])
    return partial(puzzle_counts.counts_of_classes, census, [board])


def _few_clues(search: lower_bounds.Search) -> Callable[[], object]:
    decider = lower_bounds.Decider(search)
    return lambda: [decider._open(decider._known, *task) for task in search.tasks[:3]]
