"""The working memory of the compiled functions that draw boards.

Python allocates it: compiled code that creates or slices arrays takes several times as long to
compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numba import float64, int64, types, uint64

from binairo_cp.generation.completions import ENDS
from binairo_cp.puzzle.shape import Shape


class Memory(NamedTuple):
    """The memory for boards of one shape; the arrays of a row are indexed by the row.

    Attributes:
        state: the state of the random numbers.
        rows: the rows of a board.
        columns: the columns of the board.
        can_zero: the cells of each row that can be 0.
        can_one: the cells of each row that can be 1.
        number: the number of the candidate in each row.
        step: the distance between the numbers of a row's successive candidates.
        total: how many candidates each row has.
        left: how many of them are left.
        sums: the number of ones in each column above each row.
        ends: the end of each column above each row; see `completions`.
        possible: a table of `completions` for the columns.
        tables: the tables of `completions` for all rows, one below the other.
        single: a table of `completions` for one row or column.
        pairs: the table of `gibbs` for two rows or columns.
    """

    state: Any
    rows: Any
    columns: Any
    can_zero: Any
    can_one: Any
    number: Any
    step: Any
    total: Any
    left: Any
    sums: Any
    ends: Any
    possible: Any
    tables: Any
    single: Any
    pairs: Any

    @classmethod
    def of(cls, shape: Shape) -> Self:
        """The memory for a shape."""
        height, width = shape.height, shape.width
        longest = max(height, width)
        arrays: list[Any] = [
            *(np.zeros(length, np.uint64) for length in (1, height, width, height, height)),
            *(np.zeros(height, np.int64) for _ in range(4)),
            *(np.zeros((height + 1, width), np.int64) for _ in range(2)),
            np.zeros((height + 1, height + 2, ENDS), np.int64),
            np.zeros((height * (width + 1), width + 2, ENDS), np.int64),
            np.zeros((longest + 1, longest + 2, ENDS), np.int64),
            np.zeros((longest + 1, longest + 2, ENDS * ENDS)),
        ]
        return cls(*arrays)


MEMORY = types.NamedTuple(
    (uint64[::1],) * 5
    + (int64[::1],) * 4
    + (int64[:, ::1],) * 2
    + (int64[:, :, ::1],) * 3
    + (float64[:, :, ::1],),
    Memory,
)
"""The type of a `Memory` in the signatures of compiled functions."""
