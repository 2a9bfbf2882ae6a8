"""Grade many puzzles in compiled code, with techniques on machine words.

`driver` defines the solving path, and the tests compare the two round by round. This code does not
support signs, nor lines of more than 64 cells.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, njit, types, uint8, uint64

from binairo_cp.deduction.compiled_contradiction import FOLLOWED, refute
from binairo_cp.deduction.compiled_rounds import (
    PATH,
    Path,
    apply,
    begin,
    fill,
    has_conflict,
    is_broken,
    wait,
)
from binairo_cp.deduction.compiled_techniques import NAMES, PROJECTION, add_to_rows
from binairo_cp.deduction.distinct_lines import STACK_LENGTH, distinct_from_full
from binairo_cp.deduction.score import sought as sought_in_round
from binairo_cp.puzzle.bits.line import consistent
from binairo_cp.puzzle.bits.shape import SHAPE, line_rules
from binairo_cp.puzzle.bits.words import ONE, ZERO, cell, first, line_of, size
from binairo_cp.puzzle.shape import Shape
from binairo_cp.workers.compiling import compiled, is_stored_for, notice

ROUNDS, NARROWEST, OPEN_CELLS, BROKEN, PLACED = 0, 1, 2, 3, 4
"""The places in a result: the number of rounds, the fewest cells filled in any round except the
last, the number of open cells left, whether a rule is broken, from `PLACED` on the number of cells
that each technique of `GRADED` filled, and from `SOUGHT` on what `score.sought` says of each."""

GRADED = (*NAMES, "contradiction")
SOUGHT = PLACED + len(GRADED)
RESULT_WORDS = SOUGHT + len(GRADED)
_IN_LINES = len(NAMES)

_SOURCES = ("deduction", "puzzle/bits", "solving/backends/bitboard")
_GRADE = types.void(uint8[:, ::1], SHAPE, types.boolean, PATH, PATH, uint64[:, ::1], int64[:, ::1])


sought = njit(sought_in_round)


@cache
def grader() -> Any:
    """The compiled `grade`."""
    with notice("the grader", seconds=5):
        return compiled(grade, _GRADE, _SOURCES, allocates=False)


def is_loaded() -> bool:
    """Whether this process has the machine code."""
    return grader.cache_info().currsize > 0


def is_stored() -> bool:
    """Whether the machine code is in the cache."""
    return is_stored_for(grade, _GRADE, _SOURCES)


def grades(clues: npt.NDArray[np.uint8], shape: Shape, tries: bool) -> npt.NDArray[np.int64]:
    """Grade puzzles of one shape.

    Args:
        clues: puzzles x cells, row by row: 0, 1, or 2 for an open cell.
        shape: Their `Shape`.
        tries: Whether to try values, to find contradictions.

    Returns:
        puzzles x `RESULT_WORDS` numbers.
    """
    results = np.zeros((len(clues), RESULT_WORDS), np.int64)
    path, trial = (
        Path.of(shape.height, shape.width, techniques) for techniques in (_IN_LINES, FOLLOWED)
    )
    stack = np.zeros((STACK_LENGTH, 2), np.uint64)
    grader()(clues, shape, tries, path, trial, stack, results)
    return results


@njit
def grade(
    clues: Any, shape: Any, tries: bool, path: Any, trial: Any, stack: Any, results: Any
) -> None:
    """Grade puzzles as `grades` does.

    Args:
        clues: See `grades`.
        shape: See `grades`.
        tries: See `grades`.
        path: A `Path` for all techniques.
        trial: A `Path` for those that `refute` follows.
        stack: A buffer for `distinct_from_full`.
        results: The results, all 0; is filled.
    """
    height, width = shape.height, shape.width
    for puzzle in range(len(clues)):
        result = results[puzzle]
        result[NARROWEST] = height * width
        result[OPEN_CELLS] = _load(clues[puzzle], height, width, path)
        begin(path)
        rows, columns = line_of(height), line_of(width)
        while True:
            if is_broken(shape, path, rows, columns):
                result[BROKEN] = 1
            if not result[OPEN_CELLS] or result[BROKEN]:
                break
            wait(path, rows, columns)
            technique, depth = _find(shape, path, stack), 1
            if technique == _IN_LINES and tries:
                depth = refute(shape, path, trial) + 1
            placed = _number_of_new(path)
            if not placed:
                break
            _count(result, technique, placed, depth)
            result[BROKEN] = has_conflict(path)
            rows, columns = fill(shape, path)


@njit
def _load(clues: Any, height: int, width: int, path: Any) -> int:
    """Set the words of all lines; return the number of open cells."""
    for k in range(height + width):
        path.ones[k] = ZERO
        path.zeros[k] = ZERO
    open_cells = 0
    for row in range(height):
        for column in range(width):
            value = clues[row * width + column]
            if value == 1:
                path.ones[row] |= cell(column)
                path.ones[height + column] |= cell(row)
            elif value == 0:
                path.zeros[row] |= cell(column)
                path.zeros[height + column] |= cell(row)
            else:
                open_cells += 1
    return open_cells


@njit(forceinline=True)
def _find(shape: Any, path: Any, stack: Any) -> int:
    """Apply the easiest technique for lines that finds anything; return its number.

    Returns `_IN_LINES` if none does.
    """
    for technique in range(_IN_LINES):
        if technique < PROJECTION:
            if apply(technique, shape, path):
                return technique
        elif _apply_to_changed(technique, shape, path, stack):
            return technique
    return _IN_LINES


@njit
def _number_of_new(path: Any) -> int:
    """The number of cells that a round fills."""
    number = ZERO
    for row in range(len(path.new_ones)):
        number += size(path.new_ones[row] | path.new_zeros[row])
    return int(number)


@njit(forceinline=True)
def _count(result: Any, technique: int, placed: int, depth: int) -> None:
    """Add a round to the result."""
    result[PLACED + technique] += placed
    result[SOUGHT + technique] += sought(placed, depth)
    result[ROUNDS] += 1
    result[OPEN_CELLS] -= placed
    if result[OPEN_CELLS]:
        result[NARROWEST] = min(result[NARROWEST], placed)


@njit
def _apply_to_changed(technique: int, shape: Any, path: Any, stack: Any) -> bool:
    """Apply a technique that `opposite` does not have; whether it finds anything."""
    any_new = ZERO
    for across in range(2):
        rules = line_rules(shape, across)
        lines = path.waiting[2 * technique + across]
        if technique == PROJECTION:
            path.waiting[2 * technique + across] = ZERO
        else:
            # The result for an unchanged line can change when another line becomes full.
            lines = line_of(rules.end - rules.begin) if rules.distinct else ZERO
        while lines:
            number = first(lines)
            lines &= lines - ONE
            k = rules.begin + number
            ones, zeros = path.ones[k], path.zeros[k]
            open_cells = rules.cells & ~(ones | zeros)
            if not open_cells:
                continue
            if technique == PROJECTION:
                more_ones, more_zeros = consistent(
                    ones, zeros, rules.cells, rules.longest_run, rules.max_ones, rules.max_zeros
                )
                if more_ones & more_zeros:
                    continue
            else:
                more_ones, more_zeros = distinct_from_full(
                    technique, k, rules, path.ones, path.zeros, stack
                )
            more_ones &= open_cells
            more_zeros &= open_cells
            any_new |= more_ones | more_zeros
            add_to_rows(across, number, more_ones, path.new_ones)
            add_to_rows(across, number, more_zeros, path.new_zeros)
    return any_new != ZERO
