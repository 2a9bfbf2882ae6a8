"""The legal rows of a width, and blocks of a few rows, indexed by their column sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules

Numbers = npt.NDArray[np.int64]

_LONG_LIST = 600
BITS = 4
"""Column sums are packed into one number with this many bits per column."""


class RowBlocks(NamedTuple):
    """Blocks of rows, ordered by their sums. The border row is the one next to the other block.

    Attributes:
        sums: the distinct column sums, packed, in ascending order.
        start: the index of the first block of each sum, and the number of blocks at the end.
        edge: the columns where the border row differs from the row behind it; all columns if the
            block has no second row.
        rows: the row indices of each block, from top to bottom.
    """

    sums: Numbers
    start: Numbers
    line: Numbers
    edge: Numbers
    rows: npt.NDArray[np.int16]


def rows_of(width: int, rules: Rules) -> Numbers:
    """Return all legal lines of a length as bit sets, with cell k as bit k, in ascending order."""
    lines = np.arange(2)[: 1 << width]
    for cell in range(1, width):
        lines = np.concatenate([lines, lines | 1 << cell])
        if cell >= 2:
            last = (lines >> (cell - 2)) & 7
            lines = lines[(last != 0) & (last != 7)]
    ones = rules.ones(width)
    number = np.bitwise_count(lines)
    return lines[(ones[0] <= number) & (number <= ones[-1])]


def pack(lines: Numbers, width: int) -> Numbers:
    """Return the packed column sums of blocks that consist of one line each."""
    total = np.zeros(len(lines), np.int64)
    for column in range(width):
        total |= ((lines >> column) & 1) << (BITS * column)
    return total


def block_count(rows: int, lines: Numbers, width: int) -> int:
    """Return the number of blocks of rows without triples; an upper bound for very many lines."""
    number = len(lines)
    if rows <= 2 or not 0 < number <= _LONG_LIST:
        return int(number**rows)
    full = (1 << width) - 1
    differ = lines[:, None] ^ lines[None, :]
    # ways[j, k] is the number of blocks that end with the lines j and k.
    ways = np.ones(differ.shape)
    for _ in range(rows - 2):
        ways = np.array(
            [ways[:, k] @ ((differ[:, k, None] | differ[None, k]) == full) for k in range(number)]
        )
    return int(ways.sum())


def blocks_of(rows: int, lines: Numbers, width: int, inner: bool) -> RowBlocks:
    """Return all blocks of a number of rows, from 0, without triples.

    The border is the first row of inner blocks, and the last of others.
    """
    full = (1 << width) - 1
    line_sums = pack(lines, width)
    blocks = np.zeros((1, 0), np.int16)
    sums = np.zeros(1, np.int64)
    for row in range(rows):
        parts, part_sums = [], []
        for number, line in enumerate(lines):
            keep = np.ones(len(blocks), np.bool_)
            if row >= 2:
                last, before = lines[blocks[:, -1]], lines[blocks[:, -2]]
                keep &= ((last ^ before) | (last ^ line)) & full == full
            kept = blocks[keep]
            parts.append(np.column_stack([kept, np.full(len(kept), number, np.int16)]))
            part_sums.append(sums[keep] + line_sums[number])
        blocks, sums = np.concatenate(parts), np.concatenate(part_sums)
    order = np.argsort(sums, kind="stable")
    blocks, sums = np.ascontiguousarray(blocks[order]), sums[order]
    distinct_sums, start = np.unique(sums, return_index=True)
    line = np.zeros(len(blocks), np.int64)
    edge = np.full(len(blocks), full, np.int64)
    border, behind = (0, 1) if inner else (-1, -2)
    if rows:
        line = lines[blocks[:, border]]
    if rows >= 2:
        edge = lines[blocks[:, border]] ^ lines[blocks[:, behind]]
    return RowBlocks(distinct_sums, np.append(start, len(blocks)), line, edge, blocks)
