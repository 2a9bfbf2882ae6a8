"""All boards of a size as words, and one board of each class of symmetric boards."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.counting.blocks import Numbers, rows_of
from binairo_cp.counting.counting import count_boards
from binairo_cp.counting.orbits import symmetries_of
from binairo_cp.counting.sizes import Census
from binairo_cp.errors import LimitError, WrongAnswer
from binairo_cp.kernels import clue_sets
from binairo_cp.puzzle.symmetries import Symmetry

Words = npt.NDArray[np.uint64]
"""Boards, or sets of cells: the cells, row by row, are the digits of a binary number."""

MAX_CELLS = 64
MAX_BOARDS = 20_000_000
"""The most boards to list; the classes of these take about 1 GB."""

_BYTE = np.uint64(255)


class BoardClasses(NamedTuple):
    """One board of each class of symmetric boards.

    Attributes:
        boards: the smallest board of each class, in ascending order.
        sizes: the number of boards of each class.
        symmetries: the number of symmetries.
    """

    boards: Words
    sizes: Numbers
    symmetries: int


@lru_cache(maxsize=2)
def all_boards(census: Census) -> Words:
    """All boards of a census, in ascending order.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
        WrongAnswer: the number of boards differs from that of the census.
    """
    check_reach(census)
    expected = count_boards(census)
    if expected > MAX_BOARDS:
        raise LimitError(
            f"there are {expected:,} {census.name} boards; "
            f"the fewest clues can be found for up to {MAX_BOARDS:,}"
        )
    boards = _list(census if census.width <= census.height else census.transposed, expected)
    if census.width > census.height:
        order = np.arange(census.height * census.width).reshape(census.width, -1).T.ravel()
        boards = np.sort(_reordered(boards, tuple(order.tolist())))
    return boards


def check_reach(census: Census) -> None:
    """Check that the fewest clues of all boards of a size can be found.

    Raises:
        LimitError: they can't.
    """
    if census.height < 2 or census.width < 2 or census.height * census.width > MAX_CELLS:
        raise LimitError(
            f"the fewest clues of all boards can be found if both sides are 2 or more, "
            f"and there are at most {MAX_CELLS} cells"
        )


def _list(census: Census, expected: int) -> Words:
    lines, ones = rows_of(census.width, census.rules), census.rules.ones(census.height)
    boards = np.zeros(expected, np.uint64)
    listed = clue_sets.list_boards(
        census.height,
        census.width,
        (ones[0], ones[-1]),
        census.rows_differ,
        census.columns_differ,
        lines,
        boards,
    )
    if listed != expected:
        raise WrongAnswer(f"{listed:,} {census.name} boards were listed; expected {expected:,}")
    return boards


@lru_cache(maxsize=2)
def index_of(census: Census) -> clue_sets.BoardIndex:
    """All boards of a census, grouped by their first cells."""
    boards, cells = all_boards(census), census.height * census.width
    # 8x8 boards are grouped by 28 cells: 31,504 groups of 130 boards.
    prefix = np.uint64((1 << cells) - (1 << (cells - cells * 7 // 16)))
    first = boards & prefix
    start = np.flatnonzero(np.append(True, first[1:] != first[:-1])[: len(boards)])
    starts = np.append(start, len(boards))
    return clue_sets.BoardIndex(boards.data, starts.data, boards[start].data, int(prefix))


def classes_of_boards(census: Census) -> BoardClasses:
    """One board of each class of boards that differ only by a symmetry."""
    boards = all_boards(census)
    group = symmetries_of(census)
    smallest = boards.copy()
    for symmetry in group[1:]:
        np.minimum(smallest, images(boards, symmetry), out=smallest)
    boards = boards[smallest == boards]
    fixed = sum((images(boards, each) == boards).astype(np.int64) for each in group)
    return BoardClasses(boards, len(group) // fixed, len(group))


def images(boards: Words, symmetry: Symmetry) -> Words:
    """The images of boards under a symmetry."""
    moved = _reordered(boards, symmetry.order)
    return moved ^ np.uint64((1 << len(symmetry.order)) - 1) if symmetry.complemented else moved


def _reordered(boards: Words, order: tuple[int, ...]) -> Words:
    """Boards whose k-th cell is the cell order[k] of the given ones."""
    cells, values = len(order), np.arange(256, dtype=np.uint64)
    moved = np.zeros_like(boards)
    for low in range(0, cells, 8):
        # The images of the boards that are 0 except in the eight binary digits from `low`.
        table = np.zeros(256, np.uint64)
        for place, source in enumerate(order):
            digit = cells - 1 - source - low
            if 0 <= digit < 8:
                table |= (values >> np.uint64(digit) & np.uint64(1)) << np.uint64(cells - 1 - place)
        moved |= table[(boards >> np.uint64(low)) & _BYTE]
    return moved


def cells_of(board: int, census: Census) -> str:
    """The cells of a board, row by row."""
    return f"{board:0{census.height * census.width}b}"
