"""What follows within one line: all of it, whatever the length, in a few word operations.

A line is two words, the cells that are 1 and those that are 0. `consistent` yields the cells that
have the same value in every legal completion: full consistency. It rests on two facts.

First, once no open cell completes a too long run, the fewest ones that a line can end with are
found greedily. Each window of ``longest + 1`` cells without a 1 needs one; going from the lowest
window up, the highest open cell of the window serves most of the windows that follow.

Second, if the line may have more ones than that fewest, both values of every open cell are still
possible, as far as the number of ones goes: any cell can be set at the price of at most one more.
So only a line that must end with exactly its fewest ones, or zeros, is looked at closer. There the
i-th added one stands between its place in the greedy solution from the right end and its place in
the one from the left end: a cell within none of these stretches is 0, and one that is a stretch by
itself is 1.

Both facts are checked, not proved: the tests compare all 3^n states of the lines up to 12 cells,
and random ones of up to 64, with an exact enumeration, under every bound on ones and many on runs.

Up to `TABLE_LENGTH` cells the result of every state of a line is kept in a table instead, which
is a quarter to a third faster for the solver as a whole.
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
    """The cells beside runs of a symbol that would make a run longer than the longest allowed."""
    if longest == 2:
        left, right = word << ONE, word >> ONE
        return (left & (left << ONE)) | (left & right) | (right & (right >> ONE))
    found = ZERO
    if longest >= 64:  # a word can't be shifted so far, and no run can be so long
        return found
    for before in range(longest + 1):
        both = ~ZERO
        for k in range(1, before + 1):
            both &= word << np.uint64(k)
        for k in range(1, longest - before + 1):
            both &= word >> np.uint64(k)
        found |= both
    return found


@njit(forceinline=True)
def _windows(word: Any, longest: int) -> Any:
    """The lowest cells of the windows of ``longest + 1`` cells that a word holds."""
    if longest == 2:
        return word & (word >> ONE) & (word >> TWO)
    for _ in range(longest):
        word &= word >> ONE
    return word


@njit(forceinline=True)
def _fewest_high(mine: Any, other: Any, line: Any, longest: int) -> Any:
    """The fewest cells of a symbol that must be added, each as high as possible."""
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
    """The fewest cells of a symbol that must be added, each as low as possible."""
    windows = _windows(line & ~mine, longest)
    added = ZERO
    while windows:
        place = highest(windows)
        while place & other:
            place <<= ONE
        added |= place
        # Windows that begin at most `longest` cells below the place hold it.
        windows &= (place >> np.uint64(longest)) - ONE if place >> np.uint64(longest) else ZERO
    return added


@njit
def _stretches(low: Any, high: Any) -> Any:
    """From the i-th cell of one word to the i-th of the other, for all i."""
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
    """The ones and zeros that every legal completion of a line shares.

    Args:
        ones: the cells that are 1.
        zeros: those that are 0.
        line: all cells of the line.
        longest: how many equal cells may stand side by side.
        most_ones: how many ones there may be, at most.
        most_zeros: how many zeros.

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
    """For each word of a line of up to `TABLE_LENGTH` cells: its binary digits read in base 3."""
    numbers = np.zeros(1 << length, np.uint32)
    for word in range(1, 1 << length):
        numbers[word] = 3 * numbers[word >> 1] + (word & 1)
    return numbers


@njit
def table(length: int, longest: int, most_ones: Any, most_zeros: Any) -> Any:
    """`consistent` for every state of a line: its ones, and above them its zeros.

    The state in which the words `ones` and `zeros` are open is number ``t(ones) + 2 t(zeros)``,
    where t reads a word's binary digits in base 3. From the last state to the first, a state's
    completions are those of the two states that fill its first open cell.
    """
    states = 3**length
    # The cells that are 1, and above them those that are 0, in some legal completion.
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
