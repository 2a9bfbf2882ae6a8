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


class Half(NamedTuple):
    """The rows of an upper half that are chosen so far. Arrays have a place for each depth.

    Attributes:
        chosen: the rows.
        place: where the next candidate is in `Following.rows`.
        end: where the candidates end.
        ones: at [k, w], the ones in each column of k rows and their images, in two words.
        differ: at [k, w], the pairs of columns that differ in them, in two words.
        used: for each row, whether it can't be chosen any more.
    """

    chosen: Any
    place: Any
    end: Any
    ones: Any
    differ: Any
    used: Any


@njit
def _fits(ones: Any, depth: int, columns: Any, most: int, needed: int) -> bool:
    """Whether no column has more ones than `most`, or fewer than `needed`."""
    for word in range(2):
        too_many = (ones[depth, word] + _BYTES * np.uint64(127 - most)) & _HIGH
        enough = (ones[depth, word] + _BYTES * np.uint64(128 - needed)) & columns[word] & _HIGH
        if too_many != ZERO or enough != columns[word] & _HIGH:
            return False
    return True


@njit
def _completions(rows: Any, following: Any, goal: Any, half: Any, depth: int) -> int:
    """The number of boards with an upper half, whose rows up to a depth are chosen.

    Args:
        rows: the `Rows`.
        following: the `Following`.
        goal: the `Goal`.
        half: the `Half`.
        depth: the place of its last row.
    """
    n, last = len(rows.lines), half.chosen[depth]
    behind = half.chosen[depth - 1] if depth else -1
    above, below = rows.lines[last], rows.lines[rows.images[last]]
    one, other = half.differ[depth + 1, 0], half.differ[depth + 1, 1]
    if goal.height % 2 == 0:
        edge = rows.lines[behind] ^ above if depth else rows.full
        return int(edge | (above ^ below) == rows.full and one == ALL and other == ALL)
    group = n * behind + last if depth else n * n
    total = 0
    for place in range(following.begin[group], following.begin[group + 1]):
        middle = np.int64(following.rows[place])
        if (
            rows.images[middle] == middle
            and (above ^ rows.lines[middle]) | (rows.lines[middle] ^ below) == rows.full
            and _fits_middle(rows, goal, rows.lines[middle], half.ones, depth + 1)
            and one | rows.differ[middle, 0] == ALL
            and other | rows.differ[middle, 1] == ALL
        ):
            total += 1
    return total


@njit
def _fits_middle(rows: Any, goal: Any, line: int, ones: Any, depth: int) -> bool:
    """Whether the columns are balanced with a middle row."""
    for column in range(16):
        word, shift = column // 8, np.uint64(8 * (column % 8))
        if rows.columns[word] >> shift & np.uint64(255) != ZERO:
            number = np.int64(ones[depth, word] >> shift & np.uint64(255)) + ((line >> column) & 1)
            if not goal.least <= number <= goal.most:
                return False
    return True


@njit
def count_mirrored(rows: Any, following: Any, goal: Any, half: Any, first: int) -> int:
    """Count the boards of two or more rows that a symmetry maps to themselves.

    Args:
        rows: the `Rows`.
        following: the `Following`.
        goal: the `Goal`.
        half: a `Half`, zeros.
        first: the index of the first row of the boards.
    """
    n, number, odd = len(rows.lines), goal.height // 2, goal.height % 2
    chosen, place, end, ones, differ, used = half
    for row in range(n):
        # A row of the upper half must differ from its image.
        used[row] = goal.rows_differ and rows.images[row] == row
    # The first row is the only candidate at depth 0.
    place[0] = following.begin[n * n] + first
    end[0] = place[0] + 1
    total, depth = 0, 0
    while depth >= 0:
        if place[depth] == end[depth]:
            depth -= 1
            if depth >= 0 and goal.rows_differ:
                used[chosen[depth]] = 0
                used[rows.images[chosen[depth]]] = 0
            continue
        row = np.int64(following.rows[place[depth]])
        place[depth] += 1
        if used[row]:
            continue
        for word in range(2):
            ones[depth + 1, word] = ones[depth, word] + rows.ones[row, word]
            differ[depth + 1, word] = differ[depth, word] | rows.differ[row, word]
        needed = max(0, goal.least - odd - 2 * (number - depth - 1))
        if not _fits(ones, depth + 1, rows.columns, goal.most, needed):
            continue
        chosen[depth] = row
        if depth + 1 == number:
            total += _completions(rows, following, goal, half, depth)
            continue
        if goal.rows_differ:
            used[row] = 1
            used[rows.images[row]] = 1
        group = n * chosen[depth - 1] + row if depth else n * n
        depth += 1
        place[depth], end[depth] = following.begin[group], following.begin[group + 1]
    return total
