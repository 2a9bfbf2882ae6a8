"""The technique `contradiction`, compiled, on machine words.

It finds the same values as `contradiction.steps`, without sentences. The tests compare the two.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.deduction.compiled_techniques import (
    LAST_ONE,
    add_to_rows,
    is_line_broken,
    opposite,
)
from binairo_cp.puzzle.bits.shape import line_rules
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, copy_into, first, line_of

_FOLLOWED = LAST_ONE + 1
"""The techniques with smaller numbers are those of `contradiction.FOLLOWED`."""

_NOT_REFUTED = -1


class Trial(NamedTuple):
    """Buffers for a board on which a value is tried.

    Attributes:
        ones: The ones of each line, rows first.
        zeros: The zeros of each line.
        new_ones: The ones that a round adds to each row.
        new_zeros: The zeros that a round adds to each row.
        waiting: techniques x 2: the rows and columns that a technique has not yet examined.
    """

    ones: Any
    zeros: Any
    new_ones: Any
    new_zeros: Any
    waiting: Any


@njit
def new_trial(height: int, width: int) -> Any:
    """An empty `Trial` for boards of a size."""
    return Trial(
        np.zeros(height + width, np.uint64),
        np.zeros(height + width, np.uint64),
        np.zeros(height, np.uint64),
        np.zeros(height, np.uint64),
        np.zeros((_FOLLOWED, 2), np.uint64),
    )


@njit
def refute(shape: Any, ones: Any, zeros: Any, new_ones: Any, new_zeros: Any, trial: Any) -> None:
    """Find the values that are refuted in the fewest rounds, and add the opposite values.

    Args:
        shape: The `Shape`.
        ones: The ones of each line of a board on which the followed techniques find nothing.
        zeros: Its zeros.
        new_ones: The new ones of each row; is filled.
        new_zeros: The new zeros of each row; is filled.
        trial: Buffers for trials.
    """
    fewest = shape.height * shape.width + 1
    for row in range(shape.height):
        open_cells = line_of(shape.width) & ~(ones[row] | zeros[row])
        while open_cells:
            column = first(open_cells)
            open_cells &= open_cells - ONE
            for value in range(2):
                copy_into(trial.ones, ones)
                copy_into(trial.zeros, zeros)
                rounds = _rounds_to_refute(shape, trial, row, column, value, fewest)
                if rounds == _NOT_REFUTED:
                    continue
                if rounds < fewest:
                    fewest = rounds
                    new_ones[:] = ZERO
                    new_zeros[:] = ZERO
                if value:
                    new_zeros[row] |= cell(column)
                else:
                    new_ones[row] |= cell(column)


@njit
def _rounds_to_refute(shape: Any, trial: Any, row: int, column: int, value: int, most: int) -> int:
    """The number of rounds until a rule is broken; `_NOT_REFUTED` if it would exceed `most`."""
    words = trial.ones if value else trial.zeros
    words[row] |= cell(column)
    words[shape.height + column] |= cell(row)
    rows, columns = cell(row), cell(column)
    trial.waiting[:] = ZERO
    rounds = 0
    while True:
        if _is_broken(shape, trial, 0, rows) or _is_broken(shape, trial, 1, columns):
            return rounds
        if rounds == most:
            return _NOT_REFUTED
        for technique in range(_FOLLOWED):
            trial.waiting[technique, 0] |= rows
            trial.waiting[technique, 1] |= columns
        rounds += 1
        if not _apply_next(shape, trial):
            return rounds
        rows, columns = _fill(shape, trial)
        if not rows:
            return _NOT_REFUTED


@njit
def _is_broken(shape: Any, trial: Any, across: int, lines: Any) -> bool:
    """Whether one of some rows (across is 0) or columns (1) breaks a rule."""
    rules = line_rules(shape, across)
    while lines:
        k = rules.begin + first(lines)
        lines &= lines - ONE
        if is_line_broken(k, rules, trial.ones, trial.zeros):
            return True
    return False


@njit
def _apply_next(shape: Any, trial: Any) -> bool:
    """Apply the easiest technique that finds anything; False if a cell gets two values."""
    new_ones, new_zeros = trial.new_ones, trial.new_zeros
    new_ones[:] = ZERO
    new_zeros[:] = ZERO
    for technique in range(_FOLLOWED):
        any_new = ZERO
        for across in range(2):
            any_new |= _apply(technique, across, shape, trial)
        if any_new:
            return not (new_ones & new_zeros).any()
    return True


@njit
def _apply(technique: int, across: int, shape: Any, trial: Any) -> Any:
    """Apply a technique to the lines that wait for it, and add what it finds to the new values."""
    rules = line_rules(shape, across)
    lines = trial.waiting[technique, across]
    trial.waiting[technique, across] = ZERO
    any_new = ZERO
    while lines:
        number = first(lines)
        lines &= lines - ONE
        ones, zeros = trial.ones[rules.begin + number], trial.zeros[rules.begin + number]
        open_cells = rules.cells & ~(ones | zeros)
        if not open_cells:
            continue
        more_zeros = opposite(technique, ones, zeros, rules.max_ones, rules) & open_cells
        more_ones = opposite(technique, zeros, ones, rules.max_zeros, rules) & open_cells
        any_new |= more_ones | more_zeros
        add_to_rows(across, number, more_ones, trial.new_ones)
        add_to_rows(across, number, more_zeros, trial.new_zeros)
    return any_new


@njit
def _fill(shape: Any, trial: Any) -> Any:
    """Fill the new values; return the rows and the columns that changed."""
    rows, columns = ZERO, ZERO
    for row in range(shape.height):
        filled = trial.new_ones[row] | trial.new_zeros[row]
        if not filled:
            continue
        rows |= cell(row)
        columns |= filled
        trial.ones[row] |= trial.new_ones[row]
        trial.zeros[row] |= trial.new_zeros[row]
        while filled:
            column = first(filled)
            filled &= filled - ONE
            k = shape.height + column
            if trial.new_ones[row] & cell(column):
                trial.ones[k] |= cell(row)
            else:
                trial.zeros[k] |= cell(row)
    return rows, columns
