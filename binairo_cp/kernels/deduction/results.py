"""What the grade of a puzzle is made of: the techniques by number, and the words of a result."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index

PAIR, SANDWICH, COUNT, LAST_ONE, ONE_OF_EACH, PROJECTION, TWO_OPEN, DISTINCT_LINES = (
    0, 1, 2, 3, 4, 5, 6, 7,
)  # fmt: skip
IN_LINES = 8
"""The number of techniques for lines, in order; each is one of `driver.TECHNIQUES`."""

FOLLOWED = LAST_ONE + 1
"""The techniques with smaller numbers are those that follow a tried value."""

GRADED = (
    "pair",
    "sandwich",
    "count",
    "last one",
    "one of each",
    "projection",
    "two open",
    "distinct lines",
    "contradiction",
)
"""The names of the techniques: those for lines by their numbers, and the one that tries values."""

LEN_GRADED = IN_LINES + 1

ROUNDS, NARROWEST, OPEN_CELLS, BROKEN, PLACED = 0, 1, 2, 3, 4
SOUGHT = PLACED + IN_LINES + 1
RESULT_WORDS = SOUGHT + IN_LINES + 1
"""The places in a result: the number of rounds, the fewest cells filled in any round except the
last, the number of open cells left, whether a rule is broken, from `PLACED` on the number of cells
that each technique of `GRADED` filled, and from `SOUGHT` on the sums of `sought` for each."""


@cython.ccall
@cython.nogil
def sought(cells: Index, depth: Index) -> Index:
    """How long a round takes to find, in thousandths of a look at all lines.

    The first of k possible cells takes one k-th of a look at all lines, the next one the (k - 1)-th
    part, and so on.

    Args:
        cells: the number of cells that the round fills.
        depth: how many rounds of easier techniques each look takes.
    """
    total: Index = 0
    for left in range(1, cells + 1):
        total += 1_000 // left
    return depth * total
