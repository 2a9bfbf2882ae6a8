"""Grade many puzzles in compiled code, with techniques on machine words.

`driver` defines the solving path, and the tests compare the two round by round. This code does not
support signs, nor lines of more than 64 cells.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import int64, njit, types, uint8

from binairo_cp.deduction import compiled_contradiction
from binairo_cp.deduction.compiled_techniques import (
    NAMES,
    PROJECTION,
    TWO_OPEN,
    add_to_rows,
    is_broken,
    opposite,
)
from binairo_cp.deduction.distinct_lines import distinct_from_full
from binairo_cp.puzzle.bits.line import consistent
from binairo_cp.puzzle.bits.shape import SHAPE, line_rules
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, first, size
from binairo_cp.workers.compiling import compiled, is_stored_for, notice

ROUNDS, NARROWEST, OPEN_CELLS, BROKEN, PLACED = 0, 1, 2, 3, 4
"""The places in a result: the number of rounds, the fewest cells filled in any round except the
last, the number of open cells left, whether a rule is broken, and from `PLACED` on the number of
cells that each technique of `GRADED` filled."""

GRADED = (*NAMES, "contradiction")
RESULT_WORDS = PLACED + len(GRADED)
_IN_LINES = len(NAMES)

_SOURCES = ("deduction", "puzzle/bits", "solving/backends/bitboard")
_GRADE = types.void(uint8[:, ::1], SHAPE, types.boolean, int64[:, ::1])


@cache
def grader() -> Any:
    """The compiled `grade`."""
    with notice("the grader", seconds=5):
        return compiled(grade, _GRADE, _SOURCES)


def is_loaded() -> bool:
    """Whether this process has the machine code."""
    return grader.cache_info().currsize > 0


def is_stored() -> bool:
    """Whether the machine code is in the cache."""
    return is_stored_for(grade, _GRADE, _SOURCES)


@njit
def grade(clues: Any, shape: Any, tries: bool, results: Any) -> None:
    """Grade puzzles of one shape.

    Args:
        clues: puzzles x cells, row by row: 0, 1, or 2 for an open cell.
        shape: Their `Shape`.
        tries: Whether to try values, to find contradictions.
        results: puzzles x `RESULT_WORDS`; is filled.
    """
    height, width = shape.height, shape.width
    lines = height + width
    ones, zeros = np.zeros(lines, np.uint64), np.zeros(lines, np.uint64)
    new_ones, new_zeros = np.zeros(height, np.uint64), np.zeros(height, np.uint64)
    dirty = np.zeros((_IN_LINES, lines), np.bool_)
    stack = np.zeros((130, 2), np.uint64)
    trial = compiled_contradiction.new_trial(height, width)
    for puzzle in range(len(clues)):
        result = results[puzzle]
        result[:] = 0
        result[NARROWEST] = height * width
        result[OPEN_CELLS] = _load(clues[puzzle], height, width, ones, zeros)
        dirty[:] = True
        result[BROKEN] = is_broken(shape, ones, zeros)
        while result[OPEN_CELLS] and not result[BROKEN]:
            new_ones[:] = ZERO
            new_zeros[:] = ZERO
            technique = _find(shape, ones, zeros, new_ones, new_zeros, dirty, stack)
            if technique == _IN_LINES and tries:
                compiled_contradiction.refute(shape, ones, zeros, new_ones, new_zeros, trial)
            placed = _fill(height, width, ones, zeros, new_ones, new_zeros, dirty)
            if not placed:
                break
            _count(result, technique, placed)
            result[BROKEN] = (new_ones & new_zeros).any() or is_broken(shape, ones, zeros)


@njit
def _load(clues: Any, height: int, width: int, ones: Any, zeros: Any) -> int:
    """Set the words of all lines; return the number of open cells."""
    ones[:] = ZERO
    zeros[:] = ZERO
    open_cells = 0
    for place in range(height * width):
        value = clues[place]
        row, column = place // width, place % width
        if value == 1:
            ones[row] |= cell(column)
            ones[height + column] |= cell(row)
        elif value == 0:
            zeros[row] |= cell(column)
            zeros[height + column] |= cell(row)
        else:
            open_cells += 1
    return open_cells


@njit(forceinline=True)
def _find(
    shape: Any, ones: Any, zeros: Any, new_ones: Any, new_zeros: Any, dirty: Any, stack: Any
) -> int:
    """Apply the easiest technique for lines that finds anything; return its number.

    Returns `_IN_LINES` if none does.
    """
    for technique in range(_IN_LINES):
        for k in range(shape.height + shape.width):
            if dirty[technique, k]:
                # The result for an unchanged line can change when another line becomes full.
                dirty[technique, k] = technique >= TWO_OPEN
                _apply(technique, k, shape, ones, zeros, new_ones, new_zeros, stack)
        for row in range(shape.height):
            if new_ones[row] | new_zeros[row]:
                return technique
    return _IN_LINES


@njit(forceinline=True)
def _count(result: Any, technique: int, placed: int) -> None:
    """Add a round to the result."""
    result[PLACED + technique] += placed
    result[ROUNDS] += 1
    result[OPEN_CELLS] -= placed
    if result[OPEN_CELLS]:
        result[NARROWEST] = min(result[NARROWEST], placed)


@njit
def _fill(
    height: int,
    width: int,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    dirty: Any,
) -> int:
    """Fill the new values; return their number."""
    placed = 0
    for row in range(height):
        filled = new_ones[row] | new_zeros[row]
        if not filled:
            continue
        placed += int(size(filled))
        ones[row] |= new_ones[row]
        zeros[row] |= new_zeros[row]
        dirty[:, row] = True
        while filled:
            column = first(filled)
            if new_ones[row] & cell(column):
                ones[height + column] |= cell(row)
            else:
                zeros[height + column] |= cell(row)
            dirty[:, height + column] = True
            filled &= filled - ONE
    return placed


@njit
def _apply(
    technique: int,
    k: int,
    shape: Any,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    stack: Any,
) -> None:
    """Apply a technique to a line, and add what it finds to the new values."""
    across = 0 if k < shape.height else 1
    rules = line_rules(shape, across)
    open_cells = rules.cells & ~(ones[k] | zeros[k])
    if not open_cells:
        return
    if technique == PROJECTION:
        more_ones, more_zeros = consistent(
            ones[k], zeros[k], rules.cells, rules.longest_run, rules.max_ones, rules.max_zeros
        )
        if more_ones & more_zeros:
            return
    elif technique >= TWO_OPEN:
        if not rules.distinct:
            return
        more_ones, more_zeros = distinct_from_full(technique, k, rules, ones, zeros, stack)
    else:
        more_zeros = opposite(technique, ones[k], zeros[k], rules.max_ones, rules)
        more_ones = opposite(technique, zeros[k], ones[k], rules.max_zeros, rules)
    more_ones &= open_cells
    more_zeros &= open_cells
    add_to_rows(across, k - rules.begin, more_ones, new_ones)
    add_to_rows(across, k - rules.begin, more_zeros, new_zeros)
