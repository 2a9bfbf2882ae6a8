"""The compiled code that makes boards, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, uint64

from binairo_cp.compiling import compiled, digest, notice
from binairo_cp.errors import LimitError
from binairo_cp.generation import listing, rows, stirring
from binairo_cp.rules import Rules

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

MAX_LENGTH = 64
"""The longest line, in cells: one machine word."""

_SHAPE, _BOARDS, _WORDS = int64[::1], uint64[:, ::1], uint64[::1]


class Kernel:
    """The machine code, loaded or compiled. All functions take a shape as `shape_of` makes it.

    Attributes:
        draw: (shape, boards, states, steps, budget, tries): a board by rows for each state of
            random numbers, stirred; how many of them were made before one could not be.
        stir: (shape, boards, states, steps): boards are stirred.
        list: (shape, lines, room, budget): `listing.boards`.
    """

    def __init__(self) -> None:
        with notice("the generator"):
            sources = digest("generation", "backends/bitboard")
            self.draw = compiled(
                _draw_entry(sources), int64(_SHAPE, _BOARDS, _WORDS, int64, int64, int64)
            )
            self.stir = compiled(_stir_entry(sources), int64(_SHAPE, _BOARDS, _WORDS, int64))
            self.list = compiled(_list_entry(sources), int64(_SHAPE, _WORDS, _WORDS, int64))


@cache
def kernel() -> Kernel:
    """The machine code, once for the process."""
    return Kernel()


def shape_of(height: int, width: int, rules: Rules) -> Numbers:
    """Size and rules as the `rows.SHAPE_NUMBERS` numbers of compiled code.

    Raises:
        LimitError: lines that are too long, or rules that boards are not made for.
    """
    if not (1 <= height <= MAX_LENGTH and 1 <= width <= MAX_LENGTH):
        raise LimitError(
            f"boards are made of sides from 1 to {MAX_LENGTH} cells, not {height}x{width}"
        )
    if not rules.balanced or rules.longest_run != 2:
        raise LimitError("boards are made with balance and no triple, not under other rules")
    row, column = rules.ones(width), rules.ones(height)
    shape = np.zeros(rows.SHAPE_NUMBERS, np.int64)
    shape[[rows.HEIGHT, rows.WIDTH, rows.DISTINCT]] = height, width, rules.distinct_lines
    shape[rows.ROW_ONES : rows.ROW_ONES + 2] = row[0], row[-1]
    shape[rows.COLUMN_ONES : rows.COLUMN_ONES + 2] = column[0], column[-1]
    return shape


# What encloses the digest of all sources: see `compiling.digest`.


def _draw_entry(digest: int) -> Callable[..., int]:
    def entry(shape: Any, boards: Any, states: Any, steps: int, budget: int, tries: int) -> Any:
        for k in range(len(boards)):
            state = states[k : k + 1]
            if not rows.draw(shape, boards[k], state, budget, tries):
                return k + 0 * digest
            stirring.stir(shape, boards[k], steps, state)
        return len(boards)

    return entry


def _stir_entry(digest: int) -> Callable[..., int]:
    def entry(shape: Any, boards: Any, states: Any, steps: int) -> int:
        for k in range(len(boards)):
            stirring.stir(shape, boards[k], steps, states[k : k + 1])
        return digest

    return entry


def _list_entry(digest: int) -> Callable[..., int]:
    def entry(shape: Any, lines: Any, room: Any, budget: int) -> Any:
        return listing.boards(shape, lines, room, budget) + 0 * digest

    return entry
