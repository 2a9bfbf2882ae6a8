"""The techniques that look at one line, on machine words."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.lines import has_long_run
from binairo_cp.kernels.line import completing
from binairo_cp.kernels.words import Index, Word, lowest, size

PAIR, SANDWICH, COUNT, LAST_ONE, ONE_OF_EACH, PROJECTION, TWO_OPEN, DISTINCT_LINES = (
    0, 1, 2, 3, 4, 5, 6, 7,
)  # fmt: skip
IN_LINES = 8
"""The number of techniques for lines, in order; each is one of `driver.TECHNIQUES`."""

FOLLOWED = LAST_ONE + 1
"""The techniques with smaller numbers are those that follow a tried value."""


@cython.cfunc
@cython.inline
@cython.nogil
def opposite(
    technique: Index, mine: Word, other: Word, open_cells: Word, most: Index, longest: Index
) -> Word:
    """The cells that must have the symbol opposite to that of `mine`.

    The result may contain cells that are not open.
    """
    if technique == PAIR:
        if longest == 2:
            runs: Word = mine & (mine >> 1)
            return (runs << 2) | (runs >> 1)
        return _beside_runs(mine, longest)
    if technique == SANDWICH:
        return completing(mine, longest)
    # Without balance, no line lacks as few of a symbol as the other techniques need.
    missing: Index = most - size(mine)
    if technique == COUNT:
        return 0 if missing else open_cells
    if technique == LAST_ONE:
        return last_one(open_cells, other, longest) if missing == 1 else 0
    return _one_of_each(mine, other, open_cells, longest, missing)


@cython.cfunc
@cython.nogil
def _beside_runs(mine: Word, longest: Index) -> Word:
    """The cells beside the longest runs allowed."""
    if longest >= 64:
        return 0
    runs: Word = mine
    for shift in range(1, longest):
        runs &= mine >> shift
    return (runs << longest) | (runs >> 1)


@cython.cfunc
@cython.nogil
def last_one(open_cells: Word, other: Word, longest: Index) -> Word:
    """The open cells where the last one of a symbol would turn the rest into too long a run."""
    impossible: Word = 0
    rest: Word = open_cells
    while rest:
        place = lowest(rest)
        if has_long_run(other | (open_cells & ~place), longest):
            impossible |= place
        rest ^= place
    return impossible


@cython.cfunc
@cython.nogil
def _one_of_each(mine: Word, other: Word, open_cells: Word, longest: Index, missing: Index) -> Word:
    if longest != 2:
        return 0
    pairs: Word = open_cells & (open_cells >> 1)
    pairs &= ((mine << 1) & (other >> 2)) | ((other << 1) & (mine >> 2))
    if not pairs or size(pairs) != missing:
        return 0
    return open_cells & ~(pairs | (pairs << 1))
