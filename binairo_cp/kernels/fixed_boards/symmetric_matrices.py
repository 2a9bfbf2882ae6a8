"""Count the boards that are equal to their reflections in a diagonal: symmetric matrices.

If a matrix is symmetric, its columns are its rows. So it is a board exactly if its rows are legal,
and differ if they must. The search fills row after row. The first cells of a row are given by the
rows above it.

Beginnings of rows are nodes of a tree, numbered as in a heap: node 1 is empty, and the nodes 2k and
2k + 1 are node k with one more cell, 0 or 1.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import Index

_MAX_SIDE = 24
"""The longest row: there are 2^25 nodes."""


@cython.final
@cython.cclass
class _Rows:
    """The rows of a symmetric matrix, and the rows that may come next."""

    lines: Index[::1]  # the legal lines as binary numbers, in ascending order
    side: Index  # the number of rows
    rows_differ: cython.bint  # whether rows must differ
    # For each node, the index of the first line with this beginning, and the index after the last.
    ranges: Index[:, ::1]
    begun: Index[:, ::1]  # at [k, r], the first k cells of row r, as a node
    used: cython.uchar[::1]  # for each line, whether it is a row
    chosen: Index[::1]  # the rows so far
    place: Index[::1]  # at each depth, the next candidate
    end: Index[::1]  # where the candidates end

    def __init__(self, lines: Index[::1], side: Index, rows_differ: cython.bint) -> None:
        self.lines, self.side, self.rows_differ = lines, side, rows_differ
        self.ranges, self.begun = zeros("q", 2 << side, 2), zeros("q", side + 1, side)
        self.used, self.chosen = zeros("B", lines.shape[0]), zeros("q", side)
        self.place, self.end = zeros("q", side + 1), zeros("q", side + 1)


@cython.cfunc
def _find_ranges(rows: _Rows) -> None:
    """Fill `ranges`."""
    for k in range(rows.lines.shape[0]):
        for length in range(rows.side + 1):
            node: Index = 1 << length
            node |= rows.lines[k] >> (rows.side - length)
            if rows.ranges[node, 1] == 0:
                rows.ranges[node, 0] = k
            rows.ranges[node, 1] = k + 1


@cython.inline
def _enter_row(rows: _Rows, depth: Index, line: Index) -> cython.bint:
    """Add the cells that a row gives to the rows below; return whether these can be legal."""
    for other in range(depth + 1, rows.side):
        node = rows.begun[depth, other] << 1 | (line >> (rows.side - 1 - other)) & 1
        if rows.ranges[node, 1] == 0:
            return False
        rows.begun[depth + 1, other] = node
    return True


@cython.cfunc
def _search_rows(rows: _Rows, first_row: Index) -> Index:
    """Count the matrices with a first row."""
    side = rows.side
    for other in range(side):
        rows.begun[0, other] = 1
    rows.place[0], rows.end[0] = first_row, first_row + 1
    total: Index = 0
    depth: Index = 0
    while depth >= 0:
        if rows.place[depth] == rows.end[depth]:
            depth -= 1
            if depth >= 0:
                rows.used[rows.chosen[depth]] = 0
            continue
        row: Index = rows.place[depth]
        rows.place[depth] += 1
        if rows.rows_differ and rows.used[row]:
            continue
        if depth == side - 1:
            total += 1
            continue
        if _enter_row(rows, depth, rows.lines[row]):
            rows.chosen[depth], rows.used[row] = row, 1
            depth += 1
            node: Index = rows.begun[depth, depth]
            rows.place[depth], rows.end[depth] = rows.ranges[node, 0], rows.ranges[node, 1]
    return total


def count_symmetric(
    lines: Index[::1], side: Index, rows_differ: cython.bint, first_row: Index
) -> int:
    """Count the symmetric matrices whose rows are legal.

    Args:
        lines: the legal lines as binary numbers, in ascending order.
        side: the number of rows, up to 24.
        rows_differ: whether rows must differ.
        first_row: the index of the first row.

    Raises:
        ValueError: a number is out of range.
    """
    n: Index = lines.shape[0]
    if not (1 <= side <= _MAX_SIDE and 0 <= first_row < n):
        raise ValueError(f"row {first_row} of {n}, of {side} cells; expected 1 to {_MAX_SIDE}")
    for k in range(n):
        if lines[k] < 0 or lines[k] >> side:
            raise ValueError(f"line {lines[k]} has more than {side} cells")
    rows = _Rows(lines, side, rows_differ)
    total: Index = 0
    with cython.nogil:
        _find_ranges(rows)
        total = _search_rows(rows, first_row)
    return total
