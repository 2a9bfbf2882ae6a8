"""The technique `contradiction`, compiled, on machine words.

It finds the same values as `contradiction.steps`, without sentences. The tests compare the two.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from binairo_cp.deduction.compiled_rounds import (
    apply,
    begin,
    fill,
    has_conflict,
    is_broken,
    wait,
)
from binairo_cp.deduction.compiled_techniques import LAST_ONE
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, copy_into, first, line_of

FOLLOWED = LAST_ONE + 1
"""The techniques with smaller numbers are those of `contradiction.FOLLOWED`."""

_NOT_REFUTED = -1


@njit
def refute(shape: Any, path: Any, trial: Any) -> int:
    """Find the values that are refuted in the fewest rounds, and add the opposite values.

    Returns the number of rounds.

    Args:
        shape: The `Shape`.
        path: The `Path` of a board on which the followed techniques find nothing; its new values
            are filled in.
        trial: A `Path` for the `FOLLOWED` techniques, for boards on which a value is tried.
    """
    fewest = shape.height * shape.width + 1
    for row in range(shape.height):
        open_cells = line_of(shape.width) & ~(path.ones[row] | path.zeros[row])
        while open_cells:
            column = first(open_cells)
            open_cells &= open_cells - ONE
            for value in range(2):
                copy_into(trial.ones, path.ones)
                copy_into(trial.zeros, path.zeros)
                rounds = _rounds_to_refute(shape, trial, row, column, value, fewest)
                if rounds == _NOT_REFUTED:
                    continue
                if rounds < fewest:
                    fewest = rounds
                    begin(path)
                if value:
                    path.new_zeros[row] |= cell(column)
                else:
                    path.new_ones[row] |= cell(column)
    return fewest


@njit
def _rounds_to_refute(shape: Any, trial: Any, row: int, column: int, value: int, most: int) -> int:
    """The number of rounds until a rule is broken; `_NOT_REFUTED` if it would exceed `most`."""
    words = trial.ones if value else trial.zeros
    words[row] |= cell(column)
    words[shape.height + column] |= cell(row)
    rows, columns = cell(row), cell(column)
    begin(trial)
    rounds = 0
    while True:
        if is_broken(shape, trial, rows, columns):
            return rounds
        if rounds == most:
            return _NOT_REFUTED
        wait(trial, rows, columns)
        rounds += 1
        for technique in range(FOLLOWED):
            if apply(technique, shape, trial):
                break
        if has_conflict(trial):
            return rounds
        rows, columns = fill(shape, trial)
        if rows == ZERO:
            return _NOT_REFUTED
