"""The rows of a width, and blocks of a few rows without triples, by the sums of their columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules

Numbers = npt.NDArray[np.int64]

_LONG_LIST = 600
BITS = 4
"""The sums of all columns are one number, with so many bits for each."""


class Blocks(NamedTuple):
    """Blocks of rows, in the order of their sums. The border is the row next to other blocks.

    Attributes:
        sums: the distinct sums of their columns, packed, in ascending order.
        start: where the blocks of each sum begin, and where the last ones end.
        line: the row at the border of each block.
        edge: the columns where that row differs from the next one; all columns if there is none.
        rows: the numbers of the rows of each block, from above.
    """

    sums: Numbers
    start: Numbers
    line: Numbers
    edge: Numbers
    rows: npt.NDArray[np.int16]


def rows_of(width: int, rules: Rules) -> Numbers:
    """All legal lines of a length as numbers, cell k being bit k, in ascending order."""
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
    """The cells of lines as the sums of a block of that one row, packed."""
    total = np.zeros(len(lines), np.int64)
    for column in range(width):
        total |= ((lines >> column) & 1) << (BITS * column)
    return total


def block_count(rows: int, lines: Numbers, width: int) -> int:
    """How many blocks of rows without triples there are; of very many lines, at most how many."""
    number = len(lines)
    if rows <= 2 or not 0 < number <= _LONG_LIST:
        return int(number**rows)
    full = (1 << width) - 1
    differ = lines[:, None] ^ lines[None, :]
    # ways[j, k]: how many blocks end with the lines j and k.
    ways = np.ones(differ.shape)
    for _ in range(rows - 2):
        ways = np.array(
            [ways[:, k] @ ((differ[:, k, None] | differ[None, k]) == full) for k in range(number)]
        )
    return int(ways.sum())


def blocks_of(rows: int, lines: Numbers, width: int, inner: bool) -> Blocks:
    """All blocks of so many rows without triples.

    Args:
        rows: of each block, from 0.
        lines: the legal rows.
        width: of the rows, in cells.
        inner: the border is the first row, or else the last one.
    """
    full = (1 << width) - 1
    spread = pack(lines, width)
    found = np.zeros((1, 0), np.int16)
    sums = np.zeros(1, np.int64)
    for row in range(rows):
        parts, part_sums = [], []
        for number, line in enumerate(lines):
            keep = np.ones(len(found), np.bool_)
            if row >= 2:
                last, before = lines[found[:, -1]], lines[found[:, -2]]
                keep &= ((last ^ before) | (last ^ line)) & full == full
            kept = found[keep]
            parts.append(np.column_stack([kept, np.full(len(kept), number, np.int16)]))
            part_sums.append(sums[keep] + spread[number])
        found, sums = np.concatenate(parts), np.concatenate(part_sums)
    order = np.argsort(sums, kind="stable")
    found, sums = np.ascontiguousarray(found[order]), sums[order]
    distinct_sums, start = np.unique(sums, return_index=True)
    line = np.zeros(len(found), np.int64)
    edge = np.full(len(found), full, np.int64)
    border, behind = (0, 1) if inner else (-1, -2)
    if rows:
        line = lines[found[:, border]]
    if rows >= 2:
        edge = lines[found[:, border]] ^ lines[found[:, behind]]
    return Blocks(distinct_sums, np.append(start, len(found)), line, edge, found)
