"""Count boards whose lines may repeat: only the two rows at the cut of each half matter."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.census.halves import Blocks, check_names, inner_blocks
from binairo_cp.kernels.words import Index


def count_ends(
    classes: Index[::1],
    full: Index,
    outer: Blocks,
    inner: Blocks,
    begin: Index[::1],
    blocks: Index[::1],
    needed_sums: Index[::1],
    counts: Index[:, ::1],
) -> int:
    """Count the halves of classes by their two rows at the cut.

    Args:
        classes: the classes, packed.
        full: the bit set of a row of ones.
        outer: the outer blocks.
        inner: the inner blocks, of at least one row.
        begin: as in `HalfList`.
        blocks: as in `HalfList`.
        needed_sums: as in `HalfList`.
        counts: n x (n + 1) zeros for n legal rows; is filled with the number of halves that have
            row a at the cut and row b behind it at [a, b], where b is n for halves of one row.

    Returns:
        The number of inner blocks. If it exceeds the length of `blocks`, no halves are counted.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    n: Index = counts.shape[0]
    if counts.shape[1] != n + 1 or begin.shape[0] != n + 1:
        raise ValueError(f"expected {n} x {n + 1} counts, and {n + 1} numbers")
    if inner.height < 1 or blocks.shape[0] != needed_sums.shape[0]:
        raise ValueError("inner blocks have a row or more, and each has a sum")
    if max(outer.end, inner.end) > n:
        raise ValueError(f"expected blocks of {n} rows")
    found: Index = 0
    with cython.nogil:
        found = inner_blocks(classes, outer, inner, begin, blocks, needed_sums)
        if found <= blocks.shape[0]:
            for cut in range(n):
                for place in range(begin[cut], begin[cut + 1]):
                    _count_halves(
                        cut, full, blocks[place], needed_sums[place], outer, inner, counts
                    )
    return found


@cython.inline_nogil_noexcept
def _count_halves(
    cut: Index, full: Index, y: Index, t: Index, outer: Blocks, inner: Blocks, counts: Index[:, ::1]
) -> None:
    """Count the halves with inner block y, whose outer blocks have the t-th sum."""
    line: Index = inner.line[y]
    edge: Index = inner.edge[y]
    behind: Index = counts.shape[0]
    if inner.height >= 2:
        behind = inner.rows[y, inner.height - 2]
    for x in range(outer.start[t], outer.start[t + 1]):
        if not outer.height or ((outer.line[x] ^ line) | (outer.edge[x] & edge)) == full:
            if inner.height == 1 and outer.height:
                behind = outer.rows[x, outer.height - 1]
            counts[cut, behind] += 1


@cython.nogil_noexcept
def _list_ends(
    cut: Index,
    line: Index,
    full: Index,
    lines: Index[::1],
    names: Index[::1],
    counts: Index[:, ::1],
    edges: Index[:, ::1],
    ends: Index[:, ::1],
    place: Index,
) -> Index:
    """List the nonzero counts of a row at the cut, and return how many there are.

    At [place, k], `edges` receives the columns where it differs from the row behind, and `ends` the
    counts.
    """
    n: Index = lines.shape[0]
    length: Index = 0
    for behind in range(n + 1):
        if counts[cut, behind]:
            edges[place, length] = full if behind == n else line ^ lines[names[behind]]
            ends[place, length] = counts[cut, behind]
            length += 1
    return length


@cython.inline_nogil_noexcept
def _matching(
    equal: Index, edges: Index[:, ::1], ends: Index[:, ::1], place: Index, length: Index
) -> Index:
    """The number of halves whose edges contain some columns."""
    total: Index = 0
    for k in range(length):
        if edges[place, k] & equal == equal:
            total += ends[place, k]
    return total


def join_plain(
    lines: Index[::1],
    full: Index,
    names: Index[::1],
    symmetric: cython.bint,
    upper: Index[:, ::1],
    lower: Index[:, ::1],
) -> int:
    """Count the pairs of halves that make a board, like `join`, from the counts of `count_ends`.

    The other arguments are those of `join`.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    n: Index = lines.shape[0]
    if names.shape[0] != n or upper.shape[0] != n or lower.shape[0] != n:
        raise ValueError(f"expected names, and counts of upper and lower halves, for {n} rows")
    check_names(names)
    if upper.shape[1] != n + 1 or lower.shape[1] != n + 1:
        raise ValueError(f"expected {n} x {n + 1} counts")
    identity: Index[::1] = zeros("q", n)
    lengths: Index[::1] = zeros("q", n)
    above_edges: Index[:, ::1] = zeros("q", 1, n + 1)
    above: Index[:, ::1] = zeros("q", 1, n + 1)
    below_edges: Index[:, ::1] = zeros("q", n + 1, n + 1)
    below: Index[:, ::1] = zeros("q", n + 1, n + 1)
    total: Index = 0
    with cython.nogil:
        for group in range(n):
            identity[group] = group
            line: Index = lines[names[group]]
            lengths[group] = _list_ends(
                group, line, full, lines, names, lower, below_edges, below, group
            )
        for cut in range(n):
            length: Index = _list_ends(
                cut, lines[cut], full, lines, identity, upper, above_edges, above, 0
            )
            for group in range(cut if symmetric else 0, n):
                # In columns where the two rows at the cut are equal, neither may equal the row
                # behind it.
                equal: Index = full & ~(lines[cut] ^ lines[names[group]])
                found = _matching(equal, above_edges, above, 0, length)
                if found:
                    found *= _matching(equal, below_edges, below, group, lengths[group])
                total += found * (2 if symmetric and group != cut else 1)
    return total
