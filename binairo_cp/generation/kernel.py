"""The compiled functions that generate boards, and the shapes that they support."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, njit, uint64

from binairo_cp.errors import LimitError
from binairo_cp.generation import gibbs, listing, rows
from binairo_cp.generation.memory import MEMORY, Memory
from binairo_cp.puzzle.bits.shape import SHAPE
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.shape import Shape
from binairo_cp.workers.compiling import compiled, notice

Words = npt.NDArray[np.uint64]

MAX_LENGTH = 64
"""The longest line, in cells: a line is one machine word."""

_SOURCES = ("generation", "puzzle/bits")
_BOARDS, _WORDS = uint64[:, ::1], uint64[::1]


class Kernel:
    """The compiled functions; each is loaded or compiled on first use."""

    @cached_property
    def draw(self) -> Any:
        """Fill boards at random: `_draw`."""
        with notice("the generator", seconds=2):
            signature = int64(SHAPE, _BOARDS, _WORDS, int64, int64, int64, MEMORY)
            return compiled(_draw, signature, _SOURCES, allocates=False)

    @cached_property
    def list(self) -> Any:
        """`listing.boards`."""
        with notice("the generator", seconds=1):
            return compiled(listing.boards, int64(SHAPE, _WORDS, _WORDS, int64), _SOURCES)


def load_all() -> None:
    """Load or compile all functions."""
    _ = kernel().draw, kernel().list


@cache
def kernel() -> Kernel:
    """The compiled functions, loaded once per process."""
    return Kernel()


def shape_of(height: int, width: int, rules: Rules) -> Shape:
    """Return the shape of the boards to generate.

    Raises:
        LimitError: A side is too long, or the rules are not supported.
    """
    if not (1 <= height <= MAX_LENGTH and 1 <= width <= MAX_LENGTH):
        raise LimitError(
            f"can't generate {height}x{width} boards; expected sides of 1 to {MAX_LENGTH} cells"
        )
    if not rules.balanced or rules.longest_run != 2:
        raise LimitError(
            "boards can only be generated under rules with balance and a longest run of 2"
        )
    return Shape.of(height, width, rules)


def draw(shape: Shape, boards: Words, states: Words, steps: int, budget: int, tries: int) -> int:
    """Fill a board row by row for each random state, and take Gibbs steps from it.

    Without tries, start from the boards as they are. Stops at the first board that is not found.

    Returns:
        The number of boards before that one.
    """
    memory = Memory.of(shape)
    return int(kernel().draw(shape, boards, states, steps, budget, tries, memory))


@njit
def _draw(
    shape: Any, boards: Any, states: Any, steps: int, budget: int, tries: int, memory: Any
) -> int:
    """Draw boards as `draw` does."""
    for k in range(len(boards)):
        memory.state[0] = states[k]
        found = not tries or rows.draw(shape, boards, k, budget, tries, memory)
        states[k] = memory.state[0]
        if not found:
            return k
        for row in range(shape.height):
            memory.rows[row] = boards[k, row]
        gibbs.walk(shape, steps, memory)
        for row in range(shape.height):
            boards[k, row] = memory.rows[row]
        states[k] = memory.state[0]
    return len(boards)
