"""Boards whose lines may repeat: halves of a class are only counted, by the two rows at the cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.census.halves import inner_blocks


@njit
def count_ends(classes: Any, full: int, n: int, outer: Any, inner: Any) -> Any:
    """Count the halves of classes.

    Args:
        classes: packed.
        full: the number of a row of ones.
        n: how many rows there are.
        outer: the outer `Blocks`.
        inner: the inner ones, of at least one row.

    Returns:
        How many halves have row a at the cut and row b behind it, at [a, b]; b is n if there is
        none. And how many halves there are.
    """
    counts = np.zeros((n, n + 1), np.int64)
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    begin, ys, ts = inner_blocks(classes, outer.sums, inner, n)
    for cut in range(n):
        for place in range(begin[cut], begin[cut + 1]):
            y, t = ys[place], ts[place]
            line, edge = inner.line[y], inner.edge[y]
            behind = n
            if q >= 2:
                behind = np.int64(inner.rows[y, q - 2])
            for x in range(outer.start[t], outer.start[t + 1]):
                if not p or ((outer.line[x] ^ line) | (outer.edge[x] & edge)) == full:
                    if q == 1 and p:
                        behind = np.int64(outer.rows[x, p - 1])
                    counts[cut, behind] += 1
    return counts, counts.sum()


@njit
def _ends(cut: int, line: int, full: int, lines: Any, names: Any, counts: Any, ends: Any) -> int:
    """What of a row at the cut is not zero: by how the row behind it differs, and how often."""
    n, found = len(lines), 0
    for behind in range(n + 1):
        if counts[cut, behind]:
            ends[found, 0] = full if behind == n else line ^ lines[names[behind]]
            ends[found, 1] = counts[cut, behind]
            found += 1
    return found


@njit
def join_plain(lines: Any, full: int, names: Any, symmetric: bool, upper: Any, lower: Any) -> int:
    """Count the boards that halves make, as `joining.join` does."""
    n = len(lines)
    same = np.arange(n)
    above, below = np.empty((n + 1, 2), np.int64), np.empty((n + 1, n + 1, 2), np.int64)
    lengths = np.zeros(n, np.int64)
    for group in range(n):
        line = lines[names[group]]
        lengths[group] = _ends(group, line, full, lines, names, lower, below[group])
    total = 0
    for cut in range(n):
        length = _ends(cut, lines[cut], full, lines, same, upper, above)
        for group in range(cut if symmetric else 0, n):
            # Where the rows at the cut are equal, neither may be equal to the one behind it.
            equal = full & ~(lines[cut] ^ lines[names[group]])
            one, other = 0, 0
            for k in range(length):
                if above[k, 0] & equal == equal:
                    one += above[k, 1]
            if one:
                for k in range(lengths[group]):
                    if below[group, k, 0] & equal == equal:
                        other += below[group, k, 1]
            total += one * other * (2 if symmetric and group != cut else 1)
    return total
