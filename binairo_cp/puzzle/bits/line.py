"""Full consistency of one line, for any length, in a few word operations.

A line is two words: the cells that are 1 and the cells that are 0. `consistent` returns the cells
that have the same value in every legal completion. It relies on two facts.

First, once no open cell completes a run that is too long, a greedy algorithm finds the minimum
number of ones that a completion has. Each window of ``longest + 1`` cells without a 1 needs one.
Process the windows from the lowest to the highest and set the highest open cell of each: it also
covers most of the following windows.

Second, if the line may have more ones than this minimum, balance excludes no value of an open cell:
any cell can be set at the cost of at most one more 1. So only a line that must end with exactly its
minimum of ones, or zeros, needs more work. There the i-th added one is between its position in the
greedy solution from the right end and its position in the greedy solution from the left end. A cell
outside all of these stretches is 0, and a cell that is a stretch by itself is 1.

Both facts are tested, not proved: the tests compare all 3^n states of lines of up to 12 cells, and
random states of up to 64, with an exact enumeration, for every bound on ones and many on runs.

Up to `TABLE_LENGTH` cells the results for all states of a line are in a table instead, which makes
the solver as a whole a quarter to a third faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, TWO, ZERO, cell, highest, lowest, size

TABLE_LENGTH = 12
_SHIFT = np.uint64(16)


@njit(forceinline=True)
def completing(word: Any, longest: int) -> Any:
    """The cells that would extend runs of a symbol beyond the longest allowed run."""
    if longest == 2:
        left, right = word << ONE, word >> ONE
        return (left & (left << ONE)) | (left & right) | (right & (right >> ONE))
    result = ZERO
    if longest >= 64:  # no run can be that long, and a word can't be shifted that far
        return result
    for before in range(longest + 1):
        both = ~ZERO
        for k in range(1, before + 1):
            both &= word << np.uint64(k)
        for k in range(1, longest - before + 1):
            both &= word >> np.uint64(k)
        result |= both
    return result


@njit(forceinline=True)
def _windows(word: Any, longest: int) -> Any:
    """The lowest cells of all windows of ``longest + 1`` cells that are subsets of a word."""
    if longest == 2:
        return word & (word >> ONE) & (word >> TWO)
    for _ in range(longest):
        word &= word >> ONE
    return word


@njit(forceinline=True)
def _fewest_high(mine: Any, other: Any, line: Any, longest: int) -> Any:
    """A minimum set of cells of a symbol to add, each as high as possible."""
    windows = _windows(line & ~mine, longest)
    added = ZERO
    while windows:
        place = lowest(windows) << np.uint64(longest)
        while place & other:
            place >>= ONE
        added |= place
        windows &= ~((place << ONE) - ONE)
    return added


@njit
def _fewest_low(mine: Any, other: Any, line: Any, longest: int) -> Any:
    """A minimum set of cells of a symbol to add, each as low as possible."""
    windows = _windows(line & ~mine, longest)
    added = ZERO
    while windows:
        place = highest(windows)
        while place & other:
            place <<= ONE
        added |= place
        # The windows that begin at most `longest` cells below contain this cell.
        windows &= (place >> np.uint64(longest)) - ONE if place >> np.uint64(longest) else ZERO
    return added


@njit
def _stretches(low: Any, high: Any) -> Any:
    """The cells from the i-th cell of one word to the i-th cell of the other, for all i."""
    within = ZERO
    while high:
        begin, end = lowest(low), lowest(high)
        within |= ((end << ONE) - ONE) & ~(begin - ONE)
        low ^= begin
        high ^= end
    return within


@njit
def consistent(
    ones: Any, zeros: Any, line: Any, longest: int, most_ones: Any, most_zeros: Any
) -> Any:
    """The cells that are 1, and that are 0, in every legal completion of a line.

    Args:
        ones: the cells that are 1.
        zeros: the cells that are 0.
        line: all cells of the line.
        longest: the maximum number of consecutive equal cells.
        most_ones: the maximum number of ones.
        most_zeros: the maximum number of zeros.

    Returns:
        The two words; they overlap if there is no legal completion.
    """
    while True:
        more_zeros = zeros | (completing(ones, longest) & line)
        more_ones = ones | (completing(more_zeros, longest) & line)
        if more_ones == ones and more_zeros == zeros:
            break
        ones, zeros = more_ones, more_zeros
        if ones & zeros:
            return ones, zeros
    high_ones = _fewest_high(ones, zeros, line, longest)
    high_zeros = _fewest_high(zeros, ones, line, longest)
    fewest_ones, fewest_zeros = size(ones | high_ones), size(zeros | high_zeros)
    if fewest_ones > most_ones or fewest_zeros > most_zeros:
        return line, line
    open_cells = line & ~(ones | zeros)
    if fewest_ones == most_ones:
        low = _fewest_low(ones, zeros, line, longest)
        more_zeros |= open_cells & ~_stretches(low, high_ones)
        more_ones |= low & high_ones
    if fewest_zeros == most_zeros:
        low = _fewest_low(zeros, ones, line, longest)
        more_ones |= open_cells & ~_stretches(low, high_zeros)
        more_zeros |= low & high_zeros
    return more_ones, more_zeros


@njit
def ternary_numbers(length: int) -> Any:
    """For each word of up to `TABLE_LENGTH` cells, the number with its binary digits in base 3."""
    numbers = np.zeros(1 << length, np.uint32)
    for word in range(1, 1 << length):
        numbers[word] = 3 * numbers[word >> 1] + (word & 1)
    return numbers


@njit
def table(length: int, longest: int, most_ones: Any, most_zeros: Any) -> Any:
    """`consistent` for every state of a line: the ones in the low half, the zeros in the high half.

    The state with the words `ones` and `zeros` has the number ``t(ones) + 2 t(zeros)``, where t
    reads the binary digits of a word in base 3. The table is filled from the last state to the
    first: the completions of a state are those of the two states that fill its first open cell.
    """
    states = 3**length
    # The cells that are 1 (low half) and that are 0 (high half) in some legal completion.
    possible = np.zeros(states, np.uint32)
    power = np.array([3**k for k in range(length)])
    for state in range(states - 1, -1, -1):
        ones, zeros, rest, open_power = ZERO, ZERO, state, 0
        for k in range(length):
            digit = rest % 3
            rest //= 3
            if digit == 1:
                ones |= cell(k)
            elif digit == 2:
                zeros |= cell(k)
            elif open_power == 0:
                open_power = power[k]
        if open_power:
            possible[state] = possible[state + open_power] | possible[state + 2 * open_power]
        elif (
            size(ones) <= most_ones
            and size(zeros) <= most_zeros
            and _windows(ones, longest) == ZERO
            and _windows(zeros, longest) == ZERO
        ):
            possible[state] = np.uint32(ones | (zeros << _SHIFT))
    shared = np.empty(states, np.uint32)
    for state in range(states):
        ones, zeros = possible[state] & np.uint32(0xFFFF), possible[state] >> np.uint32(16)
        if ones | zeros:
            shared[state] = (ones & ~zeros) | ((zeros & ~ones) << np.uint32(16))
        else:
            shared[state] = np.uint32(0xFFFFFFFF)
    return shared
