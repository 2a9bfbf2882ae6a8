"""Count long boards by a second method: row by row, with inclusion and exclusion of equal columns.

    python -m benchmarks.second_boards HEIGHT WIDTH [--distinct]

Rows may repeat. Without ``--distinct``, columns may repeat too (the rules ``plain``); with it, no
two columns are equal (``--rules columns``, or for the transposed size ``--rules rows``).

The boards above a row that agree in the ones of each column and in the last two rows are counted
together. Boards with distinct columns are the sum, over all partitions of the columns into blocks,
of the number of boards whose columns are equal within each block, times (-1)^(b - 1) (b - 1)! for
each block of b columns (G.-C. Rota, "On the foundations of combinatorial theory I", 1964). Nothing
is shared with the census but the list of legal rows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from binairo_cp.counting.blocks import rows_of
from binairo_cp.puzzle.rules import CLASSIC

Partition = tuple[tuple[int, ...], ...]
Numbers = npt.NDArray[np.int64]

_BITS = 5
"""Ones of columns are packed with this number of bits each."""


def cells_of_rows(width: int) -> Numbers:
    """The legal rows, as cells."""
    return rows_of(width, CLASSIC)[:, None] >> np.arange(width) & 1


def count_boards(height: int, lines: Numbers) -> int:
    """The number of boards of two or more rows with given legal rows, which may repeat.

    Args:
        height: the number of rows.
        lines: n x width cells.
    """
    number, width = lines.shape
    ones = CLASSIC.ones(height)
    shifts = _BITS * np.arange(width)
    packed = (lines << shifts).sum(axis=1)
    differ = lines[:, None] != lines[None, :]
    # At [b, a, c]: whether row c completes no triple with row a and row b below it.
    follows = (differ[:, :, None] | differ[:, None, :]).all(axis=3).astype(np.int64)
    # For each possible number of ones in the columns: at [b, a], the boards that end with a, b.
    sums, place = np.unique(packed[:, None] + packed[None, :], return_inverse=True)
    counts = np.zeros((len(sums), number, number), np.int64)
    b, a = np.indices((number, number))
    counts[place.reshape(number, number)[b, a], b, a] = 1
    for row in range(2, height):
        # At [b, s, c]: the boards with the sums s that end with row b, before row c.
        longer = np.matmul(counts.transpose(1, 0, 2), follows)
        left = height - 1 - row
        after = sums[:, None] + packed[None, :]
        digits = after[:, :, None] >> shifts & ((1 << _BITS) - 1)
        valid = ((digits <= ones[-1]) & (digits + left >= ones[0])).all(axis=2)
        valid &= longer.any(axis=0)
        sums = np.unique(after[valid])
        counts = np.zeros((len(sums), number, number), np.int64)
        for c in range(number):
            chosen = np.flatnonzero(valid[:, c])
            counts[np.searchsorted(sums, after[chosen, c]), c] += longer[:, chosen, c].T
    digits = sums[:, None] >> shifts & ((1 << _BITS) - 1)
    return int(counts[np.isin(digits, ones).all(axis=1)].sum())


def partitions(items: list[int]) -> Iterator[Partition]:
    """All partitions of a list into blocks."""
    if not items:
        yield ()
        return
    first, *rest = items
    for each in partitions(rest):
        yield ((first,), *each)
        for k, block in enumerate(each):
            yield (*each[:k], (first, *block), *each[k + 1 :])


def count_distinct_columns(height: int, width: int) -> int:
    """The number of boards whose columns differ; rows may repeat."""
    lines, total = cells_of_rows(width), 0
    for blocks in partitions(list(range(width))):
        equal = [
            (lines[:, block] == lines[:, block[:1]]).all(axis=1) for block in map(list, blocks)
        ]
        kept = lines[np.all(equal, axis=0)]
        if len(kept):
            sign = prod((-1) ** (len(each) - 1) * factorial(len(each) - 1) for each in blocks)
            total += sign * count_boards(height, kept)
    return total


def main() -> int:
    height, width = map(int, sys.argv[1:3])
    if "--distinct" in sys.argv[3:]:
        print(count_distinct_columns(height, width))
    else:
        print(count_boards(height, cells_of_rows(width)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
