"""Units of work: the fewest clues of a few hundred classes of boards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from binairo_cp.counting.blocks import Numbers
from binairo_cp.counting.fewest_clues.board_list import BoardClasses, Words, cells_of, index_of
from binairo_cp.counting.sizes import Census
from binairo_cp.errors import LimitError
from binairo_cp.kernels import clue_sets
from binairo_cp.puzzle.board import OPEN

CLASSES_PER_UNIT = 200
NO_LIMIT = 34
"""More clues than any board needs that can be listed; a state file has one digit for them."""

_ROOM = 20_000
"""How many difference sets of a board the search can hold."""


class FewestUnit(NamedTuple):
    """The fewest clues of the boards of a unit.

    Attributes:
        number: the unit's number. Unit k has the classes from 200 k on.
        first: its first board.
        fewest: the fewest clues of each of its boards; one more than the limit of the run if a
            board needs more than that.
    """

    number: int
    first: int
    fewest: tuple[int, ...]


class Task(NamedTuple):
    """A unit to find: its number and its boards."""

    number: int
    boards: Words


def tasks_of(classes: BoardClasses) -> list[Task]:
    """All units of a census."""
    parts = range(0, len(classes.boards), CLASSES_PER_UNIT)
    return [Task(k, classes.boards[low : low + CLASSES_PER_UNIT]) for k, low in enumerate(parts)]


def find_units(census: Census, limit: int, tasks: Iterable[Task]) -> list[FewestUnit]:
    """Find the fewest clues of units one after the other; this is the task of a worker."""
    return [_unit(census, limit, *task) for task in tasks]


def _unit(census: Census, limit: int, number: int, boards: Words) -> FewestUnit:
    fewest = np.minimum(np.bitwise_count(smallest_sets(census, boards, limit)), limit + 1)
    return FewestUnit(number, int(boards[0]), tuple(fewest.tolist()))


def smallest_sets(census: Census, boards: Words, limit: int = NO_LIMIT) -> Words:
    """A smallest set of clues that determines each board; 64 cells if it needs more than `limit`.

    Raises:
        LimitError: a board has too many difference sets.
    """
    found = np.zeros(len(boards), np.uint64)
    small = census.height * census.width // 8
    given = np.ascontiguousarray(boards).data
    done = clue_sets.fewest_clues(index_of(census), given, small, limit, _ROOM, found.data)
    if done < len(boards):
        board = cells_of(int(boards[done]), census)
        raise LimitError(f"the board {board} has more than {_ROOM:,} difference sets")
    return found


def puzzle_of(board: int, clues: int, census: Census) -> str:
    """The cells of the puzzle whose clues are some cells of a board."""
    pairs = zip(cells_of(board, census), cells_of(clues, census), strict=True)
    return "".join(value if chosen == "1" else OPEN for value, chosen in pairs)


class Row(NamedTuple):
    """How many boards need a number of clues.

    Attributes:
        clues: the number of clues.
        classes: the number of boards up to symmetry.
        boards: the number of all boards.
    """

    clues: int
    classes: int
    boards: int


def distribution(fewest: Numbers, sizes: Numbers) -> list[Row]:
    """How many classes and boards need each number of clues."""
    return [
        Row(clues, int((fewest == clues).sum()), int(sizes[fewest == clues].sum()))
        for clues in np.unique(fewest).tolist()
    ]
