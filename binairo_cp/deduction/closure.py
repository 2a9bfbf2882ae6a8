"""Which cells of many puzzles the techniques up to a level determine, by compiled code."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction.position import Position
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.board import Cell
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.many import sign_words

_NO_SIGNS = np.zeros((1, 2, 0), np.uint64)


def reaches(
    clues: npt.NDArray[np.uint8],
    shape: Shape,
    level: Level,
    targets: npt.NDArray[np.int64] | None = None,
    signs: npt.NDArray[np.uint64] = _NO_SIGNS,
) -> npt.NDArray[np.bool_]:
    """For which puzzles of a shape the techniques up to a level determine the target cells.

    With signs, and for a longest run other than 2, cells that need techniques from level hard on
    may be missed.

    Args:
        clues: n x cells, bytes ``0``, ``1`` and ``.``, row by row.
        shape: Their `Shape`.
        level: The highest level of techniques to use; not beyond logic.
        targets: n x k places of cells, padded with negative numbers. A row without places stands
            for all cells, and so does None for all puzzles.
        signs: n x 2 x (h + w) words, in the bitboard's layout; 1 x 2 x 0 without signs.

    Returns:
        n flags.

    Raises:
        ValueError: An array has another size.
    """
    if targets is None:
        targets = np.full((len(clues), 1), -1)
    reached = np.zeros(len(clues), np.uint8)
    rules = (*shape.directions(kernel.Direction), shape.longest_run)
    kernel.close_all(
        kernel.Closing(*rules),
        kernel.Closing(*rules),
        clues.data,
        signs.data,
        LEVELS.index(level),
        targets.data,
        reached.data,
    )
    return reached.astype(bool)


def refutes(position: Position, cell: Cell, value: str) -> bool:
    """Whether `contradiction.follow` breaks a rule after an open cell is filled.

    Raises:
        ValueError: A line is longer than `LONGEST`, or the cell is not open.
    """
    puzzle, board = position.puzzle, position.board
    clues = np.frombuffer(board.cells.encode(), np.uint8).reshape(1, -1)
    signs = sign_words([puzzle.signs], board.height, board.width) if puzzle.signs else _NO_SIGNS
    closing = _closing(Shape.of(board.height, board.width, puzzle.rules))
    return kernel.refutes(closing, clues.data, signs.data, board.place(cell), int(value))


@lru_cache(maxsize=16)
def _closing(shape: Shape) -> kernel.Closing:
    # Threads can share the memory, since the kernel does not release the GIL.
    return kernel.Closing(*shape.directions(kernel.Direction), shape.longest_run)
