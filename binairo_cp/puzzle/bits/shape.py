"""The size and rules of a board as an argument for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, njit, types

from binairo_cp.puzzle.bits.words import line_of
from binairo_cp.puzzle.shape import Shape

SHAPE = types.NamedUniTuple(int64, len(Shape._fields), Shape)
"""The type of a `Shape` in the signatures of compiled functions."""


@njit(forceinline=True)
def max_ones(shape: Any, across: int) -> Any:
    """The largest number of ones in a row (0) or a column (1), as an unsigned word."""
    return np.uint64(shape.row_max_ones if across == 0 else shape.column_max_ones)


@njit(forceinline=True)
def max_zeros(shape: Any, across: int) -> Any:
    """The largest number of zeros in a row (0) or a column (1), as an unsigned word."""
    if across == 0:
        return np.uint64(shape.width - shape.row_min_ones)
    return np.uint64(shape.height - shape.column_min_ones)


class LineRules(NamedTuple):
    """The rules for the lines of one direction.

    Attributes:
        begin: the number of the first of these lines, with rows numbered before columns.
        end: the number after the last one.
        cells: the word of all cells of a line.
        longest_run: how many equal cells may stand side by side.
        max_ones: the largest number of ones, as a word.
        max_zeros: the largest number of zeros, as a word.
        distinct: 1 if no two of these lines may be equal, else 0.
        balanced: 1 if balance bounds the numbers of ones and zeros, else 0.
    """

    begin: Any
    end: Any
    cells: Any
    longest_run: Any
    max_ones: Any
    max_zeros: Any
    distinct: Any
    balanced: Any


@njit(forceinline=True)
def line_rules(shape: Any, across: int) -> Any:
    """The `LineRules` of the rows (0) or the columns (1)."""
    height, width = shape.height, shape.width
    if across == 0:
        begin, end, length, distinct = 0, height, width, shape.distinct_rows
    else:
        begin, end, length, distinct = height, height + width, height, shape.distinct_columns
    return LineRules(
        begin,
        end,
        line_of(length),
        shape.longest_run,
        max_ones(shape, across),
        max_zeros(shape, across),
        distinct,
        shape.balanced,
    )
