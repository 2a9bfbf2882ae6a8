"""Count the boards that are equal to their mirror images, by a search for their upper halves.

The symmetries here map row k to row k from below: they turn the board upside down, and may also
mirror it left to right or swap 0 and 1. The upper half determines such a board. It is built row by
row, from the outermost one. The columns of the whole board are followed: how many ones they have so
far, and which pairs of them are still equal.

Numbers of ones are packed into words, a byte for each column. Adding a constant to each byte sets
its highest bit exactly if the number exceeds a bound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ALL, ZERO

_BYTES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)


class Rows(NamedTuple):
    """The legal rows and their images under a symmetry.

    Attributes:
        lines: the legal rows as bit sets.
        full: the bit set of a row of ones.
        images: for each row, the index of its image.
        ones: at [k, w], for each column the number of ones in row k and its image, in two words.
        differ: at [k, w], the pairs of columns that differ in row k or its image, in two words.
        columns: the bytes of `ones` that belong to columns, in two words.
    """

    lines: Any
    full: int
    images: Any
    ones: Any
    differ: Any
    columns: Any


class Following(NamedTuple):
    """The rows that may follow two rows.

    Attributes:
        begin: at n a + b, the index in `rows` of the first row that may follow the rows a and b.
            The last two entries enclose all n rows.
        rows: the indices of rows.
    """

    begin: Any
    rows: Any


class Goal(NamedTuple):
    """What makes a board.

    Attributes:
        height: the number of rows.
        least: the fewest ones in a column.
        most: the most ones in a column.
        rows_differ: 1 if rows must differ, else 0.
    """

    height: int
    least: int
    most: int
    rows_differ: int


@njit
def following(lines: Any, full: int) -> Any:
    """List the rows that complete no triple with two rows."""
    n = len(lines)
    begin = np.zeros(n * n + 2, np.int64)
    for filling in range(2):
        rows = np.empty(begin[n * n] + n if filling else 0, np.int16)
        place = 0
        for a in range(n):
            for b in range(n):
                begin[n * a + b] = place
                differs = lines[a] ^ lines[b]
                for c in range(n):
                    if differs | (lines[b] ^ lines[c]) == full:
                        if filling:
                            rows[place] = c
                        place += 1
        begin[n * n], begin[n * n + 1] = place, place + n
    for row in range(n):
        rows[place + row] = row
    return Following(begin, rows)


@njit
def _fits(ones: Any, columns: Any, most: int, needed: int) -> bool:
    """Whether no column has more ones than `most`, or fewer than `needed`."""
    for word in range(2):
        too_many = (ones[word] + _BYTES * np.uint64(127 - most)) & _HIGH
        enough = (ones[word] + _BYTES * np.uint64(128 - needed)) & columns[word] & _HIGH
        if too_many != ZERO or enough != columns[word] & _HIGH:
            return False
    return True


@njit
def _all_differ(differ: Any) -> bool:
    return differ[0] == ALL and differ[1] == ALL


@njit
def _completions(
    rows: Any, following: Any, goal: Any, behind: int, last: int, ones: Any, differ: Any
) -> int:
    """The number of boards with an upper half.

    Args:
        rows: the `Rows`.
        following: the `Following`.
        goal: the `Goal`.
        behind: the row behind the last one; -1 if there is none.
        last: the last row of the half.
        ones: the ones in each column of the half and its image, as words.
        differ: the pairs of columns that differ in them, as words.
    """
    n, lines = len(rows.lines), rows.lines
    above, below = lines[last], lines[rows.images[last]]
    edge = rows.full if behind < 0 else lines[behind] ^ above
    if goal.height % 2 == 0:
        return int(edge | (above ^ below) == rows.full and _all_differ(differ))
    group = n * n if behind < 0 else n * behind + last
    total = 0
    for place in range(following.begin[group], following.begin[group + 1]):
        middle = following.rows[place]
        # The middle row is its own image, so it counts twice in `rows.ones`.
        if (
            rows.images[middle] == middle
            and (above ^ lines[middle]) | (lines[middle] ^ below) == rows.full
            and _fits_middle(rows, goal, lines[middle], ones)
            and differ[0] | rows.differ[middle, 0] == ALL
            and differ[1] | rows.differ[middle, 1] == ALL
        ):
            total += 1
    return total


@njit
def _fits_middle(rows: Any, goal: Any, line: int, ones: Any) -> bool:
    """Whether the columns are balanced with a middle row."""
    for column in range(16):
        word, shift = column // 8, np.uint64(8 * (column % 8))
        if rows.columns[word] >> shift & np.uint64(255) != ZERO:
            number = np.int64(ones[word] >> shift & np.uint64(255)) + ((line >> column) & 1)
            if not goal.least <= number <= goal.most:
                return False
    return True


@njit
def count_mirrored(rows: Any, following: Any, goal: Any, first: int) -> int:
    """Count the boards of two or more rows that a symmetry maps to themselves.

    Args:
        rows: the `Rows`.
        following: the `Following`.
        goal: the `Goal`.
        first: the index of the first row of the boards.
    """
    n, half, odd = len(rows.lines), goal.height // 2, goal.height % 2
    used = np.zeros(n, np.int8)
    if goal.rows_differ:
        # A row of the upper half must differ from its image.
        for row in range(n):
            used[row] = rows.images[row] == row
    ones, differ = np.zeros((half + 1, 2), np.uint64), np.zeros((half + 1, 2), np.uint64)
    chosen = np.zeros(half + 1, np.int64)
    place, end = np.zeros(half + 1, np.int64), np.zeros(half + 1, np.int64)
    # The first row is the only candidate at depth 0.
    first_place = following.begin[n * n] + first
    place[0], end[0] = first_place, first_place + 1
    total, depth = 0, 0
    while depth >= 0:
        if place[depth] == end[depth]:
            depth -= 1
            if depth >= 0 and goal.rows_differ:
                used[chosen[depth]], used[rows.images[chosen[depth]]] = 0, 0
            continue
        row = np.int64(following.rows[place[depth]])
        place[depth] += 1
        if used[row]:
            continue
        for word in range(2):
            ones[depth + 1, word] = ones[depth, word] + rows.ones[row, word]
            differ[depth + 1, word] = differ[depth, word] | rows.differ[row, word]
        needed = max(0, goal.least - odd - 2 * (half - depth - 1))
        if not _fits(ones[depth + 1], rows.columns, goal.most, needed):
            continue
        behind = chosen[depth - 1] if depth else -1
        if depth + 1 == half:
            total += _completions(
                rows, following, goal, behind, row, ones[depth + 1], differ[depth + 1]
            )
            continue
        chosen[depth] = row
        if goal.rows_differ:
            used[row], used[rows.images[row]] = 1, 1
        group = n * behind + row if depth else n * n
        depth += 1
        place[depth], end[depth] = following.begin[group], following.begin[group + 1]
    return total
