"""The techniques for lines once more, as compiled code on machine words, for grading many puzzles.

`techniques` is what is meant, and the tests compare the two round by round. This has what needs no
signs and no trying of values; lines have up to 64 cells.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import int64, njit, types, uint8

from binairo_cp.deduction.compiled_techniques import (
    NAMES,
    PROJECTION,
    TWO_OPEN,
    is_broken,
    opposite,
)
from binairo_cp.deduction.distinct_lines import unlike
from binairo_cp.puzzle.bits.line import consistent
from binairo_cp.puzzle.bits.shape import SHAPE, line_rules
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, first, size
from binairo_cp.workers.compiling import compiled, notice

ROUNDS, NARROWEST, OPEN_CELLS, CONTRADICTION, PLACED = 0, 1, 2, 3, 4
"""What is told of a puzzle: how many rounds, the fewest cells filled in one but the last, how many
cells are open in the end, whether a contradiction came up; and from the last on how many cells each
technique filled."""

RESULT_WORDS = PLACED + len(NAMES)
_TECHNIQUES = len(NAMES)


@cache
def grader() -> Any:
    """The compiled `grade`."""
    signature = types.void(uint8[:, ::1], SHAPE, int64[:, ::1])
    with notice("the grader"):
        return compiled(grade, signature, ("deduction", "puzzle/bits", "solving/backends/bitboard"))


@njit
def grade(clues: Any, shape: Any, results: Any) -> None:
    """Grade puzzles of one shape and its rules.

    Args:
        clues: puzzles x cells, row by row: 0, 1, or 2 for an open cell.
        shape: their `Shape`.
        results: puzzles x `RESULT_WORDS`; is filled.
    """
    height, width = shape.height, shape.width
    lines = height + width
    ones, zeros = np.zeros(lines, np.uint64), np.zeros(lines, np.uint64)
    new_ones, new_zeros = np.zeros(height, np.uint64), np.zeros(height, np.uint64)
    dirty = np.zeros((_TECHNIQUES, lines), np.bool_)
    stack = np.zeros((130, 2), np.uint64)
    for puzzle in range(len(clues)):
        result = results[puzzle]
        result[:] = 0
        result[NARROWEST] = height * width
        result[OPEN_CELLS] = _load(clues[puzzle], height, width, ones, zeros)
        dirty[:] = True
        if is_broken(shape, ones, zeros):
            result[CONTRADICTION] = 1
        while (
            result[OPEN_CELLS]
            and not result[CONTRADICTION]
            and _round(shape, ones, zeros, new_ones, new_zeros, dirty, stack, result)
        ):
            pass


@njit
def _load(clues: Any, height: int, width: int, ones: Any, zeros: Any) -> int:
    """Make the words of all lines; how many cells are open."""
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
def _round(
    shape: Any,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    dirty: Any,
    stack: Any,
    result: Any,
) -> bool:
    """Fill what the first technique shows that shows anything; whether there was one."""
    height, width = shape.height, shape.width
    for technique in range(_TECHNIQUES):
        new_ones[:] = ZERO
        new_zeros[:] = ZERO
        for k in range(height + width):
            if dirty[technique, k]:
                # A line may be like one that was filled since, though it did not change itself.
                dirty[technique, k] = technique >= TWO_OPEN
                _look(technique, k, shape, ones, zeros, new_ones, new_zeros, stack)
        placed = 0
        for row in range(height):
            placed += int(size(new_ones[row] | new_zeros[row]))
            if new_ones[row] & new_zeros[row]:
                result[CONTRADICTION] = 1
                return False
        if placed:
            result[PLACED + technique] += placed
            result[ROUNDS] += 1
            result[OPEN_CELLS] -= placed
            if result[OPEN_CELLS]:
                result[NARROWEST] = min(result[NARROWEST], placed)
            _fill(height, width, ones, zeros, new_ones, new_zeros, dirty)
            if is_broken(shape, ones, zeros):
                result[CONTRADICTION] = 1
            return True
    return False


@njit
def _fill(
    height: int,
    width: int,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    dirty: Any,
) -> None:
    for row in range(height):
        filled = new_ones[row] | new_zeros[row]
        ones[row] |= new_ones[row]
        zeros[row] |= new_zeros[row]
        if filled:
            dirty[:, row] = True
        while filled:
            column = first(filled)
            if new_ones[row] & cell(column):
                ones[height + column] |= cell(row)
            else:
                zeros[height + column] |= cell(row)
            dirty[:, height + column] = True
            filled &= filled - ONE


@njit
def _look(
    technique: int,
    k: int,
    shape: Any,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    stack: Any,
) -> None:
    """Add what a technique shows in a line to what is new."""
    height = shape.height
    rules = line_rules(shape, 0 if k < height else 1)
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
        more_ones, more_zeros = unlike(technique, k, rules, ones, zeros, stack)
    else:
        more_zeros = opposite(technique, ones[k], zeros[k], rules.max_ones, rules)
        more_ones = opposite(technique, zeros[k], ones[k], rules.max_zeros, rules)
    more_ones &= open_cells
    more_zeros &= open_cells
    if k < height:
        new_ones[k] |= more_ones
        new_zeros[k] |= more_zeros
        return
    column = cell(k - height)
    while more_ones:
        new_ones[first(more_ones)] |= column
        more_ones &= more_ones - ONE
    while more_zeros:
        new_zeros[first(more_zeros)] |= column
        more_zeros &= more_zeros - ONE
