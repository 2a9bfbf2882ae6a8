"""The rounds of a solving path, compiled: apply a technique to the lines that changed, and fill.

A round changes a few lines, so each technique remembers which lines it has not examined since they
changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit, types, uint64

from binairo_cp.deduction.compiled_techniques import add_to_rows, is_line_broken, opposite
from binairo_cp.puzzle.bits.shape import line_rules
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, first


class Path(NamedTuple):
    """A board on the way to its solution.

    Attributes:
        ones: The ones of each line, rows first.
        zeros: The zeros of each line.
        new_ones: The ones that a round adds to each row; empty between rounds.
        new_zeros: The zeros that a round adds to each row.
        waiting: For each technique, the rows and the columns that it has not yet examined.
    """

    ones: Any
    zeros: Any
    new_ones: Any
    new_zeros: Any
    waiting: Any

    @classmethod
    def of(cls, height: int, width: int, techniques: int) -> Self:
        """A path for boards of a size and the first few techniques."""
        lengths = (height + width, height + width, height, height, 2 * techniques)
        return cls(*(np.zeros(length, np.uint64) for length in lengths))


PATH = types.NamedUniTuple(uint64[::1], len(Path._fields), Path)
"""The type of a `Path` in the signatures of compiled functions."""


@njit
def begin(path: Any) -> None:
    """Forget what the rounds on an earlier board left."""
    for row in range(len(path.new_ones)):
        path.new_ones[row] = ZERO
        path.new_zeros[row] = ZERO
    for k in range(len(path.waiting)):
        path.waiting[k] = ZERO


@njit
def is_broken(shape: Any, path: Any, rows: Any, columns: Any) -> bool:
    """Whether one of some rows and columns breaks a rule."""
    for across in range(2):
        rules = line_rules(shape, across)
        lines = rows if across == 0 else columns
        while lines:
            k = rules.begin + first(lines)
            lines &= lines - ONE
            if is_line_broken(k, rules, path.ones, path.zeros):
                return True
    return False


@njit
def wait(path: Any, rows: Any, columns: Any) -> None:
    """Let all techniques examine some rows and columns."""
    for k in range(0, len(path.waiting), 2):
        path.waiting[k] |= rows
        path.waiting[k + 1] |= columns


@njit
def apply(technique: int, shape: Any, path: Any) -> bool:
    """Apply a technique of `opposite` to the lines that wait for it; whether it finds anything."""
    any_new = ZERO
    for across in range(2):
        rules = line_rules(shape, across)
        lines = path.waiting[2 * technique + across]
        path.waiting[2 * technique + across] = ZERO
        while lines:
            number = first(lines)
            lines &= lines - ONE
            ones, zeros = path.ones[rules.begin + number], path.zeros[rules.begin + number]
            open_cells = rules.cells & ~(ones | zeros)
            if not open_cells:
                continue
            more_zeros = opposite(technique, ones, zeros, rules.max_ones, rules) & open_cells
            more_ones = opposite(technique, zeros, ones, rules.max_zeros, rules) & open_cells
            any_new |= more_ones | more_zeros
            add_to_rows(across, number, more_ones, path.new_ones)
            add_to_rows(across, number, more_zeros, path.new_zeros)
    return any_new != ZERO


@njit
def has_conflict(path: Any) -> bool:
    """Whether a round finds two values for a cell."""
    both = ZERO
    for row in range(len(path.new_ones)):
        both |= path.new_ones[row] & path.new_zeros[row]
    return both != ZERO


@njit
def fill(shape: Any, path: Any) -> Any:
    """Fill the new values; return the rows and the columns that changed."""
    rows, columns = ZERO, ZERO
    for row in range(shape.height):
        new_ones, new_zeros = path.new_ones[row], path.new_zeros[row]
        filled = new_ones | new_zeros
        if not filled:
            continue
        path.new_ones[row], path.new_zeros[row] = ZERO, ZERO
        rows |= cell(row)
        columns |= filled
        path.ones[row] |= new_ones
        path.zeros[row] |= new_zeros
        while filled:
            column = first(filled)
            filled &= filled - ONE
            if new_ones & cell(column):
                path.ones[shape.height + column] |= cell(row)
            else:
                path.zeros[shape.height + column] |= cell(row)
    return rows, columns
