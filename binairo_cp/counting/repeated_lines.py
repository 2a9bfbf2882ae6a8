"""Count boards whose lines may repeat: only the two rows at the cut of each half matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.counting.halves import inner_blocks


@njit
def count_ends(
    classes: Any,
    full: int,
    n: int,
    outer: Any,
    inner: Any,
    begin: Any,
    ys: Any,
    ts: Any,
    counts: Any,
) -> int:
    """Count the halves of classes by their two rows at the cut.

    Args:
        classes: the classes, packed.
        full: the bit set of a row of ones.
        n: the number of legal rows.
        outer: the outer `Blocks`.
        inner: the inner `Blocks`, of at least one row.
        begin: as for `inner_blocks`.
        ys: its `blocks`.
        ts: its `needed_sums`.
        counts: n x (n + 1) zeros; is filled with the number of halves that have row a at the cut
            and row b behind it at [a, b], where b is n for halves of one row.

    Returns:
        The number of inner blocks. If it exceeds the length of `ys`, no halves are counted.
    """
    p, q = outer.rows.shape[1], inner.rows.shape[1]
    blocks = inner_blocks(classes, outer.sums, inner, n, begin, ys, ts)
    if blocks > len(ys):
        return blocks
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
    return blocks


@njit
def _ends(cut: int, line: int, full: int, lines: Any, names: Any, counts: Any, ends: Any) -> int:
    """List the nonzero counts of a row at the cut: its difference to the row behind, and the count.

    Returns:
        The number of pairs written to `ends`.
    """
    n, length = len(lines), 0
    for behind in range(n + 1):
        if counts[cut, behind]:
            ends[length, 0] = full if behind == n else line ^ lines[names[behind]]
            ends[length, 1] = counts[cut, behind]
            length += 1
    return length


@njit
def join_plain(lines: Any, full: int, names: Any, symmetric: bool, upper: Any, lower: Any) -> int:
    """Count the pairs of halves that make a board, like `joining.join`."""
    n = len(lines)
    identity = np.arange(n)
    above, below = np.empty((n + 1, 2), np.int64), np.empty((n + 1, n + 1, 2), np.int64)
    lengths = np.zeros(n, np.int64)
    for group in range(n):
        line = lines[names[group]]
        lengths[group] = _ends(group, line, full, lines, names, lower, below[group])
    total = 0
    for cut in range(n):
        length = _ends(cut, lines[cut], full, lines, identity, upper, above)
        for group in range(cut if symmetric else 0, n):
            # In columns where the two rows at the cut are equal, neither may equal the row behind.
            equal = full & ~(lines[cut] ^ lines[names[group]])
            upper_count, lower_count = 0, 0
            for k in range(length):
                if above[k, 0] & equal == equal:
                    upper_count += above[k, 1]
            if upper_count:
                for k in range(lengths[group]):
                    if below[group, k, 0] & equal == equal:
                        lower_count += below[group, k, 1]
            total += upper_count * lower_count * (2 if symmetric and group != cut else 1)
    return total
