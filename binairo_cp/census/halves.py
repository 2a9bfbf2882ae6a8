"""The halves of a class, listed: which sets of rows, and in how many orders each.

A half is put together from an outer block of rows and an inner one, which lies at the cut. Whether
two halves make a board depends on little of them: which rows they have, in whatever order, which
columns are equal, the row at the cut and the one behind it. So halves that agree in all of that are
one entry with a weight, and there are far fewer entries than halves.

The entries of a class are grouped by the row at the cut. An entry holds the numbers of its other
rows in ascending order, for each of them in how many orders it is the one behind the cut, and
which pairs of columns are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_ROOM = 1024


@njit
def _find(numbers: Any, number: int) -> int:
    """The place of a number in an ascending array, or -1."""
    place = np.searchsorted(numbers, number)
    return place if place < len(numbers) and numbers[place] == number else -1


@njit
def inner_blocks(
    classes: Any, cut: Any, outer_sums: Any, inner_sums: Any, start: Any, n: int
) -> Any:
    """The inner blocks that can be in a class, by the row at the cut: where they begin in the list,
    which they are, and with which sum an outer one must come.
    """
    begin = np.zeros(n + 1, np.int64)
    for one_class in classes:
        for outer in range(len(outer_sums)):
            inner = _find(inner_sums, one_class - outer_sums[outer])
            if inner >= 0:
                for y in range(start[inner], start[inner + 1]):
                    begin[cut[y] + 1] += 1
    begin = np.cumsum(begin)
    place = begin.copy()
    blocks, wanted = np.empty(begin[n], np.int64), np.empty(begin[n], np.int64)
    for one_class in classes:
        for outer in range(len(outer_sums)):
            inner = _find(inner_sums, one_class - outer_sums[outer])
            if inner >= 0:
                for y in range(start[inner], start[inner + 1]):
                    blocks[place[cut[y]]] = y
                    wanted[place[cut[y]]] = outer
                    place[cut[y]] += 1
    return begin, blocks, wanted


@njit
def _longer(array: Any, length: int) -> Any:
    longer = np.empty((length, array.shape[1]), array.dtype)
    longer[: len(array)] = array
    return longer


@njit
def list_halves(
    classes: Any,
    full: int,
    rows_differ: bool,
    differences: Any,
    outer_sums: Any,
    outer_start: Any,
    outer_line: Any,
    outer_edge: Any,
    outer_rows: Any,
    inner_sums: Any,
    inner_start: Any,
    inner_line: Any,
    inner_edge: Any,
    inner_rows: Any,
) -> Any:
    n = len(differences)
    p, q = outer_rows.shape[1], inner_rows.shape[1]
    others = p + q - 1
    bits = 1
    while n >> bits:
        bits += 1
    begin, ys, ts = inner_blocks(
        classes, inner_rows[:, q - 1], outer_sums, inner_sums, inner_start, n
    )
    keys = np.empty(_ROOM, np.int64)
    sorted_rows = np.zeros(max(others, 1), np.int64)
    groups = np.zeros(n + 1, np.int64)
    rows = np.empty((_ROOM, others), np.int16)
    weights = np.zeros((_ROOM, max(others, 1)), np.uint16)
    marks = np.empty((_ROOM, 2), np.uint64)
    entries, total = 0, 0
    for cut in range(n):
        found = 0
        for place in range(begin[cut], begin[cut + 1]):
            y, t = ys[place], ts[place]
            line, edge = inner_line[y], inner_edge[y]
            for x in range(outer_start[t], outer_start[t + 1]):
                if p and ((outer_line[x] ^ line) | (outer_edge[x] & edge)) != full:
                    continue
                total += 1
                # The other rows in ascending order; the one behind the cut comes last.
                behind = -1
                for k in range(others):
                    number = outer_rows[x, k] if k < p else inner_rows[y, k - p]
                    if k == others - 1:
                        behind = number
                    spot = k
                    while spot and sorted_rows[spot - 1] > number:
                        sorted_rows[spot] = sorted_rows[spot - 1]
                        spot -= 1
                    sorted_rows[spot] = number
                key, same = 0, False
                for k in range(others):
                    same |= sorted_rows[k] == cut or (
                        k > 0 and sorted_rows[k] == sorted_rows[k - 1]
                    )
                    key = (key << bits) | sorted_rows[k]
                if same and rows_differ:
                    continue
                spot = 0
                while spot < others and sorted_rows[spot] != behind:
                    spot += 1
                if found == len(keys):
                    bigger = np.empty(2 * found, np.int64)
                    bigger[:found] = keys
                    keys = bigger
                keys[found] = (key << 4) | spot
                found += 1
        keys[:found].sort()
        last = -1
        for k in range(found):
            key = keys[k] >> 4
            if key != last:
                if entries == len(rows):
                    rows = _longer(rows, 2 * entries)
                    weights = _longer(weights, 2 * entries)
                    marks = _longer(marks, 2 * entries)
                first, second = differences[cut, 0], differences[cut, 1]
                for i in range(others):
                    number = (key >> (bits * (others - 1 - i))) & ((1 << bits) - 1)
                    rows[entries, i] = number
                    first |= differences[number, 0]
                    second |= differences[number, 1]
                    weights[entries, i] = 0
                if others == 0:
                    weights[entries, 0] = 0
                marks[entries, 0], marks[entries, 1] = ~first, ~second
                entries += 1
                last = key
            weights[entries - 1, min(keys[k] & 15, max(others - 1, 0))] += 1
        groups[cut + 1] = entries
    return groups, rows[:entries], weights[:entries], marks[:entries], total
