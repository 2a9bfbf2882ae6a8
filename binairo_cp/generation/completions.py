"""The legal completions of a line by number, as compiled code: `lines.Lines` for machine words.

A line is up to 64 cells. What may stand in it is two words, the cells that can be 0 and those that
can be 1. A table says how many ways a line can go on, by (cells so far, ones so far, end), where an
end is the last symbol and whether it stands twice: ``2 * symbol + doubled``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, ZERO, cell

ENDS = 4


@njit
def table_of(length: int) -> Any:
    """Room for a table of lines of a length."""
    return np.zeros((length + 1, length + 2, ENDS), np.int64)


@njit(forceinline=True)
def end_after(end: int, symbol: int) -> int:
    """The end of a line after one more symbol; -1 if three would stand side by side."""
    if end >> 1 != symbol:
        return 2 * symbol
    return -1 if end & 1 else 2 * symbol + 1


@njit
def count(length: int, zeros: Any, ones: Any, fewest: int, most: int, table: Any) -> Any:
    """Fill the table; how many legal lines there are.

    Args:
        length: of the line, 1 to 64 cells.
        zeros: the cells that can be 0.
        ones: the cells that can be 1.
        fewest: how many ones there must be at least.
        most: how many there may be.
        table: from `table_of` that length.
    """
    for number in range(length + 1):
        for end in range(ENDS):
            table[length, number, end] = np.int64(fewest <= number <= most)
    for place in range(length - 1, 0, -1):
        can_zero, can_one = zeros & cell(place), ones & cell(place)
        # With fewer ones than this there is no way, however many follow.
        least = max(0, fewest - (length - place))
        table[place, most + 1] = 0
        if least:
            table[place, least - 1] = 0
        for number in range(least, min(place, most) + 1):
            after = table[place + 1]
            # With an end of two 0s, of two 1s, and both together for an end of a single one.
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
    """The line of a number, counted from 0 in lexicographic order, as the word of its ones.

    Args:
        length: as for `count`, which filled the table.
        number: less than what `count` said.
        zeros: as for `count`.
        ones: as for `count`.
        table: filled.
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
def can_go_on(height: int, fewest: int, most: int) -> Any:
    """For (cells so far, ones so far, end): whether a line of a length can go on to a legal one."""
    line = np.uint64(0xFFFFFFFFFFFFFFFF)
    table = table_of(height)
    count(height, line, line, fewest, most, table)
    return table > 0
