"""Which cells of many puzzles the techniques up to a level determine, by compiled code."""

from __future__ import annotations

from ctypes import c_uint64
from functools import lru_cache
from typing import Any

from binairo_cp.deduction.position import Position
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.kernels import deduction as kernel
from binairo_cp.kernels.arrays import zeros
from binairo_cp.puzzle.board import Cell
from binairo_cp.puzzle.shape import LONGEST, Shape
from binairo_cp.solving.backends.bitboard import sign_places

LONGEST_RUN = 2
"""The longest run for which closures are exact."""

_NO_SIGNS = (c_uint64 * 0 * 2 * 1)()


def reaches(
    clues: Any, shape: Shape, level: Level, targets: Any = None, signs: Any = _NO_SIGNS
) -> bytearray:
    """For which puzzles of a shape the techniques up to a level determine the target cells.

    With signs, and for a longest run other than 2, cells that need techniques from level hard on
    may be missed.

    All arguments that are arrays are buffers, such as arrays of numpy.

    Args:
        clues: n x cells, bytes ``0``, ``1`` and ``.``, row by row.
        shape: Their `Shape`.
        level: The highest level of techniques to use; not beyond logic.
        targets: n x k places of cells (64 bits), padded with negative numbers. A row without places
            stands for all cells, and so does None for all puzzles.
        signs: n x 2 x (h + w) words, in the bitboard's layout; 1 x 2 x 0 without signs.

    Returns:
        n flags, 1 or 0.

    Raises:
        ValueError: An array has another size.
    """
    number = len(clues)
    if not number:  # Python casts no memory of length 0
        return bytearray()
    if targets is None:
        targets = memoryview(b"\xff" * 8 * number).cast("q", (number, 1))
    reached = bytearray(number)
    rules = (*shape.directions(kernel.Direction), shape.longest_run)
    kernel.close_all(
        kernel.Closing(*rules),
        kernel.Closing(*rules),
        memoryview(clues),
        memoryview(signs),
        LEVELS.index(level),
        memoryview(targets),
        memoryview(reached),
    )
    return reached


def refutes(position: Position, cell: Cell, value: str) -> bool | None:
    """Whether `contradiction.follow` breaks a rule after an open cell is filled; None for lines of
    more than `LONGEST` cells, and for signs with another longest run, where it can't tell.

    Raises:
        ValueError: The cell is not open.
    """
    puzzle, board = position.puzzle, position.board
    is_usual = puzzle.rules.longest_run == LONGEST_RUN or not puzzle.signs
    if not is_usual or max(board.height, board.width) > LONGEST:
        return None
    clues = memoryview(board.cells.encode()).cast("B", (1, len(board.cells)))
    signs = memoryview(_NO_SIGNS)
    if puzzle.signs:
        lines = board.height + board.width
        words = zeros("Q", 2 * lines)
        for (relation, line), bit in sign_places(puzzle.signs, board.height, board.width):
            words[relation * lines + line] |= bit
        signs = words.cast("B").cast("Q", (1, 2, lines))
    closing = _closing(Shape.of(board.height, board.width, puzzle.rules))
    return kernel.refutes(closing, clues, signs, board.place(cell), int(value))


@lru_cache(maxsize=16)
def _closing(shape: Shape) -> kernel.Closing:
    # Threads can share the memory, since the kernel does not release the GIL.
    return kernel.Closing(*shape.directions(kernel.Direction), shape.longest_run)
