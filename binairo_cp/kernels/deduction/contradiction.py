"""The technique `contradiction`: try the values of open cells, and see which are refuted first."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.lines import copy_values, fill, is_broken
from binairo_cp.kernels.deduction.rounds import (
    Path,
    apply,
    begin,
    fill_new,
    forget_new,
    has_conflict,
    wait,
)
from binairo_cp.kernels.deduction.techniques import FOLLOWED
from binairo_cp.kernels.words import Index, cell, first

_NOT_REFUTED = -1


@cython.cfunc
@cython.nogil
def refute(path: Path, trial: Path) -> Index:
    """Find the values that are refuted in the fewest rounds, and add the opposite values.

    Returns the number of rounds.

    Args:
        path: a board on which the followed techniques find nothing; its new values are filled in.
        trial: the memory for boards on which a value is tried.
    """
    fewest: Index = path.height * path.width + 1
    for row in range(path.height):
        open_cells = path.rows.cells & ~(path.ones[row] | path.zeros[row])
        while open_cells:
            column = first(open_cells)
            open_cells &= open_cells - 1
            for value in range(2):
                copy_values(trial, path)
                rounds = _rounds_to_refute(trial, row, column, value, fewest)
                if rounds == _NOT_REFUTED:
                    continue
                if rounds < fewest:
                    fewest = rounds
                    forget_new(path)
                if value:
                    path.new_zeros[row] |= cell(column)
                else:
                    path.new_ones[row] |= cell(column)
    return fewest


@cython.cfunc
@cython.nogil
def _rounds_to_refute(trial: Path, row: Index, column: Index, value: Index, most: Index) -> Index:
    """The number of rounds until a rule is broken; `_NOT_REFUTED` if it would exceed `most`."""
    fill(trial, row, column, value)
    trial.changed_rows, trial.changed_columns = cell(row), cell(column)
    begin(trial, FOLLOWED)
    rounds: Index = 0
    while True:
        if is_broken(trial):
            return rounds
        if rounds == most:
            return _NOT_REFUTED
        wait(trial, FOLLOWED)
        rounds += 1
        for technique in range(FOLLOWED):
            if apply(trial, technique):
                break
        if has_conflict(trial):
            return rounds
        fill_new(trial)
        if not trial.changed_rows:
            return _NOT_REFUTED
