"""The compiled code that makes boards, and what it is called with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64

from binairo_cp.errors import LimitError
from binairo_cp.generation import gibbs, listing, rows
from binairo_cp.puzzle.bits.shape import SHAPE, Shape
from binairo_cp.puzzle.rules import Rules
from binairo_cp.workers.compiling import compiled, notice

Words = npt.NDArray[np.uint64]

MAX_LENGTH = 64
"""The longest line, in cells: one machine word."""

_SOURCES = ("generation", "puzzle/bits")
_BOARDS, _WORDS = uint64[:, ::1], uint64[::1]


class Kernel:
    """The machine code, loaded or compiled. All functions take a `Shape`.

    Attributes:
        draw: (shape, boards, states, steps, budget, tries): a board by rows for each state of
            random numbers, stirred; how many of them were made before one could not be.
        stir: (shape, boards, states, steps): boards are stirred.
        list: (shape, lines, room, budget): `listing.boards`.
    """

    def __init__(self) -> None:
        with notice("the generator"):
            self.draw = compiled(
                _draw, int64(SHAPE, _BOARDS, _WORDS, int64, int64, int64), _SOURCES
            )
            self.stir = compiled(_stir, types.void(SHAPE, _BOARDS, _WORDS, int64), _SOURCES)
            self.list = compiled(listing.boards, int64(SHAPE, _WORDS, _WORDS, int64), _SOURCES)


@cache
def kernel() -> Kernel:
    """The machine code, once for the process."""
    return Kernel()


def shape_of(height: int, width: int, rules: Rules) -> Shape:
    """The shape of boards that can be generated.

    Raises:
        LimitError: lines that are too long, or rules that boards are not made for.
    """
    if not (1 <= height <= MAX_LENGTH and 1 <= width <= MAX_LENGTH):
        raise LimitError(
            f"boards are made of sides from 1 to {MAX_LENGTH} cells, not {height}x{width}"
        )
    if not rules.balanced or rules.longest_run != 2:
        raise LimitError("boards are made with balance and no triple, not under other rules")
    return Shape.of(height, width, rules)


def _draw(shape: Any, boards: Any, states: Any, steps: int, budget: int, tries: int) -> int:
    for k in range(len(boards)):
        state = states[k : k + 1]
        if not rows.draw(shape, boards[k], state, budget, tries):
            return k
        gibbs.stir(shape, boards[k], steps, state)
    return len(boards)


def _stir(shape: Any, boards: Any, states: Any, steps: int) -> None:
    for k in range(len(boards)):
        gibbs.stir(shape, boards[k], steps, states[k : k + 1])
