"""The techniques that look at one line, compiled, on machine words.

`techniques` defines them, and the tests compare the two. A line is the word of its ones and the
word of its zeros, as in the bitboard. Lines are numbered with the rows first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.line import completing
from binairo_cp.puzzle.bits.words import ONE, TWO, ZERO, cell, first, lowest, size

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
"""The techniques in order, a subset of `driver.TECHNIQUES`."""

PAIR, SANDWICH, COUNT, LAST_ONE, ONE_OF_EACH, PROJECTION, TWO_OPEN, DISTINCT_LINES = range(8)


@njit
def is_line_broken(k: int, rules: Any, ones: Any, zeros: Any) -> Any:
    """Whether line k breaks a rule by itself, or equals another line that it must differ from."""
    if size(ones[k]) > rules.max_ones or size(zeros[k]) > rules.max_zeros:
        return True
    if has_long_run(ones[k], rules.longest_run) or has_long_run(zeros[k], rules.longest_run):
        return True
    if not rules.distinct or ones[k] | zeros[k] != rules.cells:
        return False
    for other in range(rules.begin, rules.end):
        if other != k and ones[k] == ones[other] and zeros[k] == zeros[other]:
            return True
    return False


@njit
def has_long_run(word: Any, longest: int) -> Any:
    """Whether a word has a run of bits longer than the longest run allowed."""
    if longest == 2:
        return (word & (word >> ONE) & (word >> TWO)) != ZERO
    if longest >= 64:
        return False
    for _ in range(longest):
        word &= word >> ONE
    return word != ZERO


@njit
def opposite(technique: int, mine: Any, other: Any, most: Any, rules: Any) -> Any:
    """The cells that must have the symbol opposite to that of `mine`.

    The result may contain cells that are not open.
    """
    longest, open_cells = rules.longest_run, rules.cells & ~(mine | other)
    if technique == PAIR:
        if longest == 2:
            runs = mine & (mine >> ONE)
            return (runs << TWO) | (runs >> ONE)
        if longest >= 64:
            return ZERO
        runs = mine
        for shift in range(1, longest):
            runs &= mine >> np.uint64(shift)
        return (runs << np.uint64(longest)) | (runs >> ONE)
    if technique == SANDWICH:
        return completing(mine, longest)
    if not rules.balanced:
        return ZERO
    missing = int(most) - int(size(mine))
    if technique == COUNT:
        return open_cells if missing == 0 else ZERO
    if technique == LAST_ONE:
        return last_one(open_cells, other, longest) if missing == 1 else ZERO
    return _one_of_each(mine, other, open_cells, longest, missing)


@njit
def last_one(open_cells: Any, other: Any, longest: int) -> Any:
    """The open cells where the last one of a symbol would turn the rest into too long a run."""
    impossible, rest = ZERO, open_cells
    while rest:
        place = lowest(rest)
        if has_long_run(other | (open_cells & ~place), longest):
            impossible |= place
        rest ^= place
    return impossible


@njit
def _one_of_each(mine: Any, other: Any, open_cells: Any, longest: int, missing: int) -> Any:
    if longest != 2:
        return ZERO
    pairs = open_cells & (open_cells >> ONE)
    mixed = ((mine << ONE) & (other >> np.uint64(2))) | ((other << ONE) & (mine >> np.uint64(2)))
    pairs &= mixed
    if not pairs or int(size(pairs)) != missing:
        return ZERO
    return open_cells & ~(pairs | (pairs << ONE))


@njit(forceinline=True)
def add_to_rows(across: int, number: int, cells: Any, rows: Any) -> None:
    """Add cells of a row (across is 0) or a column (1) to the words of the rows."""
    if across == 0:
        rows[number] |= cells
        return
    while cells:
        rows[first(cells)] |= cell(number)
        cells &= cells - ONE
