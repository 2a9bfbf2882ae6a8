"""The techniques for lines that must differ from the full lines, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.deduction.compiled_techniques import TWO_OPEN
from binairo_cp.puzzle.bits.line import consistent
from binairo_cp.puzzle.bits.words import ZERO, lowest, size

STACK_LENGTH = 130
"""Enough for the completions of a line of 64 cells."""


@njit
def distinct_from_full(
    technique: int,
    k: int,
    rules: Any,
    ones: Any,
    zeros: Any,
    stack: Any,
) -> Any:
    """The ones and zeros that line k must have to differ from the full lines.

    Args:
        technique: `TWO_OPEN` or `DISTINCT_LINES`.
        k: The number of the line.
        rules: The `LineRules` of its direction.
        ones: The ones of all lines.
        zeros: The zeros of all lines.
        stack: A buffer of `STACK_LENGTH` x 2 words.
    """
    if technique == TWO_OPEN and size(rules.cells & ~(ones[k] | zeros[k])) != np.uint64(2):
        return ZERO, ZERO
    taken = 0
    for full in range(rules.begin, rules.end):
        if _is_full_completion(full, k, rules.cells, ones, zeros):
            taken += 1
    if not taken:
        return ZERO, ZERO
    if technique == TWO_OPEN:
        return _of_two_completions(k, rules, ones, zeros, stack)
    return _of_each_value(k, rules, ones, zeros, stack)


@njit
def _of_two_completions(k: int, rules: Any, ones: Any, zeros: Any, stack: Any) -> Any:
    """The values if only two completions are left, which differ in both cells, and one is taken."""
    open_cells = rules.cells & ~(ones[k] | zeros[k])
    more_ones, more_zeros = ZERO, ZERO
    if _completions(ones[k], zeros[k], rules, 3, stack) != 2:
        return more_ones, more_zeros
    for full in range(rules.begin, rules.end):
        if _is_full_completion(full, k, rules.cells, ones, zeros):
            flipped_ones = ones[k] | (zeros[full] & open_cells)
            flipped_zeros = zeros[k] | (ones[full] & open_cells)
            if _completions(flipped_ones, flipped_zeros, rules, 1, stack) and _completions(
                ones[full], zeros[full], rules, 1, stack
            ):
                more_ones |= zeros[full] & open_cells
                more_zeros |= ones[full] & open_cells
    return more_ones, more_zeros


@njit
def _of_each_value(k: int, rules: Any, ones: Any, zeros: Any, stack: Any) -> Any:
    """The opposites of the values with which all completions are taken."""
    rest = rules.cells & ~(ones[k] | zeros[k])
    more_ones, more_zeros = ZERO, ZERO
    while rest:
        place = lowest(rest)
        rest ^= place
        for symbol in range(2):
            taken = _taken(place, symbol, k, rules, ones, zeros)
            if not taken:
                continue
            tried_ones = ones[k] | place if symbol else ones[k]
            tried_zeros = zeros[k] if symbol else zeros[k] | place
            count = _completions(tried_ones, tried_zeros, rules, taken + 1, stack)
            if 0 < count <= taken:
                if symbol:
                    more_zeros |= place
                else:
                    more_ones |= place
    return more_ones, more_zeros


@njit
def _taken(place: Any, symbol: int, k: int, rules: Any, ones: Any, zeros: Any) -> int:
    """The number of different full lines that complete line k and have a symbol in a cell."""
    count = 0
    for full in range(rules.begin, rules.end):
        has = ones[full] & place if symbol else zeros[full] & place
        if has and _is_full_completion(full, k, rules.cells, ones, zeros):
            count += 1
            for earlier in range(rules.begin, full):
                if ones[earlier] == ones[full] and zeros[earlier] == zeros[full]:
                    count -= 1
                    break
    return count


@njit
def _is_full_completion(full: int, k: int, line: Any, ones: Any, zeros: Any) -> Any:
    """Whether another line is full and completes line k."""
    return (
        full != k
        and ones[full] | zeros[full] == line
        and not (ones[k] & ~ones[full])
        and not (zeros[k] & ~zeros[full])
    )


@njit
def _completions(ones: Any, zeros: Any, rules: Any, limit: int, stack: Any) -> Any:
    """Count the legal completions of a line, up to a limit."""
    line, longest = rules.cells, rules.longest_run
    most_ones, most_zeros = rules.max_ones, rules.max_zeros
    stack[0, 0], stack[0, 1] = ones, zeros
    top, count = 1, 0
    while top and count < limit:
        top -= 1
        ones, zeros = consistent(stack[top, 0], stack[top, 1], line, longest, most_ones, most_zeros)
        if ones & zeros:
            continue
        if ones | zeros == line:
            count += 1
            continue
        place = lowest(line & ~(ones | zeros))
        stack[top, 0], stack[top, 1] = ones | place, zeros
        stack[top + 1, 0], stack[top + 1, 1] = ones, zeros | place
        top += 2
    return count
