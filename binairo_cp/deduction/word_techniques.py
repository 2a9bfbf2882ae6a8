"""The techniques that look at one line, on machine words, as compiled code.

`techniques` has the same in the words of a person, and the tests compare the two. A line is the
word of its ones and the word of its zeros, as in the bitboard. Lines are numbered rows first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.backends.bitboard.line import completing
from binairo_cp.backends.bitboard.words import ONE, ZERO, line_of, lowest, size

NAMES = (
    "pair",
    "sandwich",
    "count",
    "last one",
    "one of each",
    "projection",
    "two open",
    "distinct lines",
)
"""The techniques in order; they are a part of `driver.WAYS`."""

PAIR, SANDWICH, COUNT, LAST_ONE, ONE_OF_EACH, PROJECTION, TWO_OPEN, DISTINCT_LINES = range(8)


@njit
def is_broken(height: int, width: int, shape: Any, ones: Any, zeros: Any) -> Any:
    """Whether a rule is broken."""
    longest = shape[2]
    for k in range(height + width):
        most_ones, most_zeros = most_of(shape, k, height)
        if size(ones[k]) > most_ones or size(zeros[k]) > most_zeros:
            return True
        if has_long_run(ones[k], longest) or has_long_run(zeros[k], longest):
            return True
    if shape[3]:
        for begin, end, length in ((0, height, width), (height, height + width, height)):
            for one in range(begin, end):
                if ones[one] | zeros[one] == line_of(length):
                    for two in range(begin, one):
                        if ones[one] == ones[two] and zeros[one] == zeros[two]:
                            return True
    return False


@njit
def most_of(shape: Any, k: int, height: int) -> Any:
    """How many ones and zeros line k may have."""
    first_of = 5 if k < height else 7
    return np.uint64(shape[first_of]), np.uint64(shape[first_of + 1])


@njit
def has_long_run(word: Any, longest: int) -> Any:
    """Whether more cells than the longest run stand side by side."""
    if longest >= 64:
        return False
    for _ in range(longest):
        word &= word >> ONE
    return word != ZERO


@njit
def opposite(
    technique: int, mine: Any, other: Any, line: Any, longest: int, most: Any, balanced: Any
) -> Any:
    """The cells that must have the other symbol than `mine` does; open ones among others."""
    open_cells = line & ~(mine | other)
    if technique == PAIR:
        if longest >= 64:
            return ZERO
        runs = mine
        for shift in range(1, longest):
            runs &= mine >> np.uint64(shift)
        return (runs << np.uint64(longest)) | (runs >> ONE)
    if technique == SANDWICH:
        return completing(mine, longest)
    if not balanced:
        return ZERO
    missing = int(most) - int(size(mine))
    if technique == COUNT:
        return open_cells if missing == 0 else ZERO
    if technique == LAST_ONE:
        return last_one(open_cells, other, longest) if missing == 1 else ZERO
    return _one_of_each(mine, other, open_cells, line, longest, missing)


@njit
def last_one(open_cells: Any, other: Any, longest: int) -> Any:
    """The open cells in which the last one of a symbol would make a run of the rest."""
    found, rest = ZERO, open_cells
    while rest:
        place = lowest(rest)
        if has_long_run(other | (open_cells & ~place), longest):
            found |= place
        rest ^= place
    return found


@njit
def _one_of_each(
    mine: Any, other: Any, open_cells: Any, line: Any, longest: int, missing: int
) -> Any:
    if longest != 2:
        return ZERO
    pairs = open_cells & (open_cells >> ONE)
    mixed = ((mine << ONE) & (other >> np.uint64(2))) | ((other << ONE) & (mine >> np.uint64(2)))
    pairs &= mixed
    if not pairs or int(size(pairs)) != missing:
        return ZERO
    return open_cells & ~(pairs | (pairs << ONE))
