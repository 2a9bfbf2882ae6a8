"""Count the boards that are equal to their reflections in a diagonal: symmetric matrices.

If a matrix is symmetric, its columns are its rows. So it is a board exactly if its rows are legal,
and differ if they must. The search fills row after row. The first cells of a row are given by the
rows above it.

Beginnings of rows are nodes of a tree, numbered as in a heap: node 1 is empty, and the nodes 2k and
2k + 1 are node k with one more cell, 0 or 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit
def _ranges(lines: Any, side: int) -> Any:
    """For each node, the index of the first line with this beginning, and the index after the last.

    Args:
        lines: the legal lines as binary numbers, in ascending order.
        side: their length.
    """
    ranges = np.zeros((2 << side, 2), np.int64)
    for k in range(len(lines)):
        for length in range(side + 1):
            node = (1 << length) | (lines[k] >> (side - length))
            if ranges[node, 1] == 0:
                ranges[node, 0] = k
            ranges[node, 1] = k + 1
    return ranges


@njit
def count_symmetric(lines: Any, side: int, rows_differ: bool, first: int) -> int:
    """Count the symmetric matrices whose rows are legal.

    Args:
        lines: the legal lines as binary numbers, in ascending order.
        side: the number of rows.
        rows_differ: whether rows must differ.
        first: the index of the first row.
    """
    ranges = _ranges(lines, side)
    # At [k, r]: the first k cells of row r, as a node.
    begun = np.ones((side + 1, side), np.int64)
    used = np.zeros(len(lines), np.int8)
    chosen = np.zeros(side, np.int64)
    place, end = np.zeros(side + 1, np.int64), np.zeros(side + 1, np.int64)
    place[0], end[0] = first, first + 1
    total, depth = 0, 0
    while depth >= 0:
        if place[depth] == end[depth]:
            depth -= 1
            if depth >= 0:
                used[chosen[depth]] = 0
            continue
        row = place[depth]
        place[depth] += 1
        if rows_differ and used[row]:
            continue
        if depth == side - 1:
            total += 1
            continue
        line, fits = lines[row], True
        for other in range(depth + 1, side):
            node = begun[depth, other] << 1 | (line >> (side - 1 - other)) & 1
            if ranges[node, 1] == 0:
                fits = False
                break
            begun[depth + 1, other] = node
        if fits:
            chosen[depth], used[row] = row, 1
            depth += 1
            place[depth], end[depth] = ranges[begun[depth, depth]]
    return total
