"""What follows from a line being unlike the full ones beside it, as compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.backends.bitboard.line import consistent
from binairo_cp.backends.bitboard.words import ZERO, lowest, size
from binairo_cp.deduction.word_techniques import TWO_OPEN


@njit
def unlike(
    technique: int,
    k: int,
    begin: int,
    end: int,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    ones: Any,
    zeros: Any,
    stack: Any,
) -> Any:
    """The ones and zeros that line k must have so that it is not like a full one.

    Args:
        technique: `TWO_OPEN` or `DISTINCT_LINES`.
        k: the number of the line.
        begin: where the lines of its direction begin.
        end: the line behind the last one of them.
        line: all cells of the line.
        longest: the longest run.
        most_ones: how many ones it may have.
        most_zeros: how many zeros.
        ones: the ones of all lines.
        zeros: their zeros.
        stack: 130 x 2 words of room.
    """
    if technique == TWO_OPEN and size(line & ~(ones[k] | zeros[k])) != np.uint64(2):
        return ZERO, ZERO
    alike = 0
    for full in range(begin, end):
        if _is_like(full, k, line, ones, zeros):
            alike += 1
    if not alike:
        return ZERO, ZERO
    if technique == TWO_OPEN:
        return _of_two_completions(
            k, begin, end, line, longest, most_ones, most_zeros, ones, zeros, stack
        )
    return _of_each_value(k, begin, end, line, longest, most_ones, most_zeros, ones, zeros, stack)


@njit
def _of_two_completions(
    k: int,
    begin: int,
    end: int,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    ones: Any,
    zeros: Any,
    stack: Any,
) -> Any:
    """Of two completions that differ in both open cells one is taken."""
    open_cells = line & ~(ones[k] | zeros[k])
    more_ones, more_zeros = ZERO, ZERO
    if _completions(ones[k], zeros[k], line, longest, most_ones, most_zeros, 3, stack) != 2:
        return more_ones, more_zeros
    for full in range(begin, end):
        if _is_like(full, k, line, ones, zeros):
            flipped_ones = ones[k] | (zeros[full] & open_cells)
            flipped_zeros = zeros[k] | (ones[full] & open_cells)
            if _completions(
                flipped_ones, flipped_zeros, line, longest, most_ones, most_zeros, 1, stack
            ) and _completions(
                ones[full], zeros[full], line, longest, most_ones, most_zeros, 1, stack
            ):
                more_ones |= zeros[full] & open_cells
                more_zeros |= ones[full] & open_cells
    return more_ones, more_zeros


@njit
def _of_each_value(
    k: int,
    begin: int,
    end: int,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    ones: Any,
    zeros: Any,
    stack: Any,
) -> Any:
    """A value with which all completions are taken is the wrong one."""
    rest = line & ~(ones[k] | zeros[k])
    more_ones, more_zeros = ZERO, ZERO
    while rest:
        place = lowest(rest)
        rest ^= place
        for symbol in range(2):
            taken = _taken(place, symbol, k, begin, end, line, ones, zeros)
            if not taken:
                continue
            tried_ones = ones[k] | place if symbol else ones[k]
            tried_zeros = zeros[k] if symbol else zeros[k] | place
            count = _completions(
                tried_ones, tried_zeros, line, longest, most_ones, most_zeros, taken + 1, stack
            )
            if 0 < count <= taken:
                if symbol:
                    more_zeros |= place
                else:
                    more_ones |= place
    return more_ones, more_zeros


@njit
def _taken(
    place: Any, symbol: int, k: int, begin: int, end: int, line: Any, ones: Any, zeros: Any
) -> int:
    """How many different full lines are like line k and have a symbol in a cell."""
    count = 0
    for full in range(begin, end):
        has = ones[full] & place if symbol else zeros[full] & place
        if has and _is_like(full, k, line, ones, zeros):
            count += 1
            for earlier in range(begin, full):
                if ones[earlier] == ones[full] and zeros[earlier] == zeros[full]:
                    count -= 1
                    break
    return count


@njit
def _is_like(full: int, k: int, line: Any, ones: Any, zeros: Any) -> Any:
    """Whether another line is full and has all that this one has."""
    return (
        full != k
        and ones[full] | zeros[full] == line
        and not (ones[k] & ~ones[full])
        and not (zeros[k] & ~zeros[full])
    )


@njit
def _completions(
    ones: Any,
    zeros: Any,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    limit: int,
    stack: Any,
) -> Any:
    """How many legal lines complete this one, up to a limit."""
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
