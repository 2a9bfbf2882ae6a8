"""The legal completions of a line by number, in compiled code: `lines.Lines` for machine words.

A line has up to 64 cells. Two words give the cells that can be 0 and the cells that can be 1. A
table counts the completions of a prefix by (its cells, its ones, its end). The end is the last
symbol and whether it occurs twice: ``2 * symbol + doubled``. An empty prefix has the end -2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, ZERO, cell

ENDS = 4


@njit
def table_of(length: int) -> Any:
    """An empty table for lines of a length."""
    return np.zeros((length + 1, length + 2, ENDS), np.int64)


@njit(forceinline=True)
def end_after(end: int, symbol: int) -> int:
    """The end of a prefix after one more symbol; -1 if it would be the third in a row."""
    if end >> 1 != symbol:
        return 2 * symbol
    return -1 if end & 1 else 2 * symbol + 1


@njit
def count(length: int, zeros: Any, ones: Any, fewest: int, most: int, table: Any) -> Any:
    """Fill the table and count the legal lines.

    Args:
        length: Length of the line, 1 to 64 cells.
        zeros: The cells that can be 0.
        ones: The cells that can be 1.
        fewest: The minimum number of ones.
        most: The maximum number of ones.
        table: A table from `table_of` with this length; is filled.
    """
    for number in range(length + 1):
        for end in range(ENDS):
            table[length, number, end] = np.int64(fewest <= number <= most)
    for place in range(length - 1, 0, -1):
        can_zero, can_one = zeros & cell(place), ones & cell(place)
        # With fewer ones than this the minimum can't be reached.
        least = max(0, fewest - (length - place))
        table[place, most + 1] = 0
        if least:
            table[place, least - 1] = 0
        for number in range(least, min(place, most) + 1):
            after = table[place + 1]
            # A doubled end allows only the other symbol next; a single end allows both.
            zero_first = after[number, 0] if can_zero else 0
            zero_again = after[number, 1] if can_zero else 0
            one_first = after[number + 1, 2] if can_one else 0
            one_again = after[number + 1, 3] if can_one else 0
            table[place, number, 0] = zero_again + one_first
            table[place, number, 1] = one_first
            table[place, number, 2] = zero_first + one_again
            table[place, number, 3] = zero_first
    total = np.int64(0)
    if zeros & ONE:
        total += table[1, 0, 0]
    if ones & ONE:
        total += table[1, 1, 2]
    return total


@njit
def line_of_number(length: int, number: int, zeros: Any, ones: Any, table: Any) -> Any:
    """Return a line by its number, from 0, in lexicographic order, as the word of its ones.

    Args:
        length: As for `count`.
        number: Less than the result of `count`.
        zeros: As for `count`.
        ones: As for `count`.
        table: The table that `count` filled.
    """
    line = ZERO
    so_far, end = 0, -2
    for place in range(length):
        after = end_after(end, 0)
        ways = np.int64(0)
        if after >= 0 and zeros & cell(place):
            ways = table[place + 1, so_far, after]
        if number < ways:
            end = after
        else:
            number -= ways
            end = end_after(end, 1)
            so_far += 1
            line |= cell(place)
    return line


@njit
def has_completion(height: int, fewest: int, most: int) -> Any:
    """For (cells, ones, end) of a prefix: whether some legal line of this height completes it."""
    line = np.uint64(0xFFFFFFFFFFFFFFFF)
    table = table_of(height)
    count(height, line, line, fewest, most, table)
    return table > 0
