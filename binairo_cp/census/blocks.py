"""The rows of a width, and all blocks of a few rows without triples, by the sums of their columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.lines import legal_lines
from binairo_cp.rules import Rules

Numbers = npt.NDArray[np.int64]

_LONG_LIST = 600
BITS = 4
"""The sums of all columns are one number, with so many bits for each."""


class Blocks(NamedTuple):
    sums: Numbers
    start: Numbers
    line: Numbers
    edge: Numbers
    rows: npt.NDArray[np.int16]


def rows_of(width: int, rules: Rules) -> Numbers:
    return np.array([int(line[::-1], 2) for line in legal_lines(width, rules)], np.int64)


def pack(lines: Numbers, width: int) -> Numbers:
    total = np.zeros(len(lines), np.int64)
    for column in range(width):
        total |= ((lines >> column) & 1) << (BITS * column)
    return total


def block_count(rows: int, lines: Numbers) -> int:
    """How many blocks of rows without triples there are; of very many lines, at most how many."""
    number = len(lines)
    if rows <= 2 or not 0 < number <= _LONG_LIST:
        return int(number**rows)
    full = int(np.bitwise_or.reduce(lines))
    differ = lines[:, None] ^ lines[None, :]
    # ways[j, k]: how many blocks end with the lines j and k.
    ways = np.ones(differ.shape)
    for _ in range(rows - 2):
        ways = np.array(
            [ways[:, k] @ ((differ[:, k, None] | differ[None, k]) == full) for k in range(number)]
        )
    return int(ways.sum())


def blocks_of(rows: int, lines: Numbers, width: int, inner: bool) -> Blocks:
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
