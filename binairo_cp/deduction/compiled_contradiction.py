"""The technique `contradiction` once more, as compiled code on machine words.

It finds what `contradiction.steps` finds, without the sentences; the tests compare the two.
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
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, first, line_of

_FOLLOWED = LAST_ONE + 1
"""The techniques before this number are those of `contradiction.FOLLOWED`."""

_NOT_REFUTED = -1


class Trial(NamedTuple):
    """Room for a board on which a value is tried.

    Attributes:
        ones: the ones of each line, rows first.
        zeros: the zeros of each line.
        new_ones: the ones that a round adds to each row.
        new_zeros: the zeros that a round adds to each row.
        waiting: techniques x 2, the rows and columns that a technique has yet to look at.
    """

    ones: Any
    zeros: Any
    new_ones: Any
    new_zeros: Any
    waiting: Any


@njit
def room(height: int, width: int) -> Any:
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
    """Add the opposites of the values that are refuted in the fewest rounds to what is new.

    Args:
        shape: the `Shape`.
        ones: the ones of each line of a board on which the followed techniques show nothing.
        zeros: its zeros.
        new_ones: is filled, row by row.
        new_zeros: likewise.
        trial: the room to try values in.
    """
    fewest = shape.height * shape.width + 1
    for row in range(shape.height):
        open_cells = line_of(shape.width) & ~(ones[row] | zeros[row])
        while open_cells:
            column = first(open_cells)
            open_cells &= open_cells - ONE
            for value in range(2):
                trial.ones[:] = ones
                trial.zeros[:] = zeros
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
    """How many rounds it takes until a rule is broken, at most so many."""
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
        trial.waiting[:, 0] |= rows
        trial.waiting[:, 1] |= columns
        rounds += 1
        if not _find_next(shape, trial):
            return rounds
        rows, columns = _fill(shape, trial)
        if not rows:
            return _NOT_REFUTED


@njit
def _is_broken(shape: Any, trial: Any, across: int, lines: Any) -> bool:
    rules = line_rules(shape, across)
    while lines:
        k = rules.begin + first(lines)
        lines &= lines - ONE
        if is_line_broken(k, rules, trial.ones, trial.zeros):
            return True
    return False


@njit
def _find_next(shape: Any, trial: Any) -> bool:
    """What the cheapest technique shows that shows anything; False if a cell gets two values."""
    new_ones, new_zeros = trial.new_ones, trial.new_zeros
    new_ones[:] = ZERO
    new_zeros[:] = ZERO
    for technique in range(_FOLLOWED):
        any_new = ZERO
        for across in range(2):
            any_new |= _look(technique, across, shape, trial)
        if any_new:
            return not (new_ones & new_zeros).any()
    return True


@njit
def _look(technique: int, across: int, shape: Any, trial: Any) -> Any:
    """Add what a technique shows in the lines that wait for it to what is new."""
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
    """Fill what is new; the rows and the columns that changed."""
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
