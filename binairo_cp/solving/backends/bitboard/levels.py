"""The stack of boards of a search, one per level, and the state of the search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, ZERO, at, cell, first, line_of, size
from binairo_cp.solving.backends.bitboard.propagation import CHANGED, FULL, level_words

STATUS, DEPTH, FOUND, NODES, BEST_ROW, BEST_COLUMN, STATE_WORDS = range(7)
"""The members of a search state: the status, the current level, the number of solutions found, the
number of nodes spent, and the cell to branch on."""


@njit
def load(cells: Any, shape: Any, boards: Any) -> None:
    """Fill the first level from the bytes of a board: ``0``, ``1`` and ``.``, row by row."""
    height, width = shape.height, shape.width
    lines = height + width
    for k in range(level_words(lines)):
        boards[at(k)] = ZERO
    place = 0
    for row in range(height):
        given, ones = ZERO, ZERO
        for column in range(width):
            # 0x30 and 0x31 are clues, 0x2e is an open cell.
            byte = np.uint64(cells[place])
            place += 1
            given |= ((byte >> np.uint64(4)) & ONE) << np.uint64(column)
            ones |= (byte & ONE) << np.uint64(column)
        ones &= given
        boards[at(row)], boards[at(lines + row)] = ones, given ^ ones
        while given:
            column = first(given)
            zero = np.int64((~ones >> np.uint64(column)) & ONE)
            boards[at(zero * lines + height + column)] |= cell(row)
            given &= given - ONE
    boards[at(2 * lines + CHANGED)] = line_of(height)
    boards[at(2 * lines + CHANGED + 1)] = line_of(width)


@njit(forceinline=True)
def is_full(boards: Any, base: int, shape: Any) -> bool:
    """Whether no cell is open."""
    height = shape.height
    full: bool = boards[base + 2 * (height + shape.width) + FULL] == line_of(height)
    return full


@njit(forceinline=True)
def copy(boards: Any, source: int, target: int, words: int) -> None:
    """Copy the words of a level to another one."""
    for k in range(words):
        boards[at(target + k)] = boards[at(source + k)]


@njit
def store(boards: Any, base: int, shape: Any, found: Any, state: Any) -> None:
    """Store the rows of a solution; when the array is full, overwrite the oldest one."""
    place = state[FOUND] % len(found)
    for row in range(shape.height):
        found[place, row] = boards[at(base + row)]
    state[FOUND] += 1


@njit
def filled_cells(boards: Any, base: int, shape: Any) -> int:
    """The number of cells that have a value."""
    height = shape.height
    lines = height + shape.width
    count = ZERO
    for row in range(height):
        count += size(boards[at(base + row)] | boards[at(base + lines + row)])
    return np.int64(count)
