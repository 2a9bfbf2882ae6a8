"""Count the boards that are equal to their mirror images, by a search for their upper halves.

The symmetries here map row k to row k from below: they turn the board upside down, and may also
mirror it left to right or swap 0 and 1. The upper half determines such a board. It is built row by
row, from the outermost one. The columns of the whole board are followed: how many ones they have so
far, and which pairs of them are still equal.

Numbers of ones are packed into words, a byte for each column. Adding a constant to each byte sets
its highest bit exactly if the number exceeds a bound.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import ALL, Index, Word

_BYTES = 0x0101010101010101
_HIGH = 0x8080808080808080
_MAX_HEIGHT = 64

Row = cython.typedef(cython.short)
"""The index of a row."""


@cython.final
@cython.cclass
class MirroredRows:
    """The legal rows and their images under a symmetry."""

    lines: Index[::1]  # the legal rows as bit sets
    full: Index  # the bit set of a row of ones
    images: Index[::1]  # for each row, the index of its image
    # At [k, w], for each column the number of ones in row k and its image, in two words.
    ones: Word[:, ::1]
    # At [k, w], the pairs of columns that differ in row k or its image, in two words.
    differ: Word[:, ::1]
    columns: Word[::1]  # the bytes of `ones` that belong to columns, in two words

    def __init__(
        self,
        lines: Index[::1],
        full: Index,
        images: Index[::1],
        ones: Word[:, ::1],
        differ: Word[:, ::1],
        columns: Word[::1],
    ) -> None:
        n: Index = lines.shape[0]
        if images.shape[0] != n or ones.shape[0] != n or differ.shape[0] != n:
            raise ValueError(f"expected an image, ones and differences for each of {n} rows")
        if ones.shape[1] != 2 or differ.shape[1] != 2 or columns.shape[0] != 2:
            raise ValueError("ones, differences and columns are two words each")
        for k in range(n):
            if not 0 <= images[k] < n:
                raise ValueError(f"row {k} has the image {images[k]}; expected 0 to {n - 1}")
        self.lines, self.full, self.images = lines, full, images
        self.ones, self.differ, self.columns = ones, differ, columns


@cython.final
@cython.cclass
class Following:
    """The rows that complete no triple with two rows.

    Args:
        lines: the legal rows as bit sets, up to 32,767.
        full: the bit set of a row of ones.
    """

    n: Index  # the number of legal rows
    # At n a + b, the index in `rows` of the first row that may follow the rows a and b. The last
    # two entries enclose all n rows.
    begin: Index[::1]
    rows: Row[::1]  # the indices of rows

    def __init__(self, lines: Index[::1], full: Index) -> None:
        self.n = lines.shape[0]
        if self.n >= 1 << 15:
            raise ValueError(f"{self.n} rows; expected less than {1 << 15}")
        self.begin, self.rows = zeros("q", self.n * self.n + 2), zeros("h", self.n)
        number: Index = 0
        with cython.nogil:
            number = _follow(self, lines, full, False)
        self.rows = zeros("h", number + self.n)
        with cython.nogil:
            _follow(self, lines, full, True)


@cython.cfunc
def _follow(following: Following, lines: Index[::1], full: Index, filling: cython.bint) -> Index:
    """List or count the rows that may follow two rows; return their number."""
    n = following.n
    place: Index = 0
    for a in range(n):
        for b in range(n):
            following.begin[n * a + b] = place
            differs = lines[a] ^ lines[b]
            for c in range(n):
                if differs | (lines[b] ^ lines[c]) == full:
                    if filling:
                        following.rows[place] = c
                    place += 1
    following.begin[n * n], following.begin[n * n + 1] = place, place + n
    if filling:
        for row in range(n):
            following.rows[place + row] = row
    return place


@cython.final
@cython.cclass
class _Half:
    """What makes a board, and the rows of an upper half that are chosen so far.

    Arrays have a place for each depth.
    """

    height: Index  # the number of rows of a board
    least: Index  # the fewest ones in a column
    most: Index  # the most ones in a column
    rows_differ: cython.bint  # whether rows must differ
    chosen: Index[::1]  # the rows
    place: Index[::1]  # where the next candidate is in `Following.rows`
    end: Index[::1]  # where the candidates end
    # At [k, w], the ones in each column of k rows and their images, in two words.
    ones: Word[:, ::1]
    differ: Word[:, ::1]  # at [k, w], the pairs of columns that differ in them, in two words
    used: cython.uchar[::1]  # for each row, whether it can't be chosen any more

    def __init__(
        self, n: Index, height: Index, least: Index, most: Index, rows_differ: cython.bint
    ) -> None:
        depth: Index = (height >> 1) + 1
        self.height, self.least, self.most = height, least, most
        self.rows_differ = rows_differ
        self.chosen, self.place, self.end = zeros("q", depth), zeros("q", depth), zeros("q", depth)
        self.ones, self.differ, self.used = (
            zeros("Q", depth, 2),
            zeros("Q", depth, 2),
            zeros("B", n),
        )


@cython.inline
def _fits(half: _Half, depth: Index, rows: MirroredRows, needed: Index) -> cython.bint:
    """Whether no column has more ones than the most, or fewer than needed."""
    for word in range(2):
        ones = half.ones[depth, word]
        too_many: Word = (ones + _BYTES * cython.cast(Word, 127 - half.most)) & _HIGH
        enough: Word = (ones + _BYTES * cython.cast(Word, 128 - needed)) & _HIGH
        if too_many or enough & rows.columns[word] != rows.columns[word] & _HIGH:
            return False
    return True


@cython.cfunc
def _completions(rows: MirroredRows, following: Following, half: _Half, depth: Index) -> Index:
    """The number of boards with an upper half, whose rows up to a depth are chosen.

    Args:
        rows: the legal rows.
        following: those that may follow two rows.
        half: the half.
        depth: the place of its last row.
    """
    n = following.n
    last: Index = half.chosen[depth]
    behind: Index = half.chosen[depth - 1] if depth else 0
    above: Index = rows.lines[last]
    below: Index = rows.lines[rows.images[last]]
    one: Word = half.differ[depth + 1, 0]
    other: Word = half.differ[depth + 1, 1]
    if half.height & 1 == 0:
        edge: Index = rows.lines[behind] ^ above if depth else rows.full
        return 1 if edge | (above ^ below) == rows.full and one == ALL and other == ALL else 0
    group: Index = n * behind + last if depth else n * n
    total: Index = 0
    for place in range(following.begin[group], following.begin[group + 1]):
        middle: Index = following.rows[place]
        if (
            rows.images[middle] == middle
            and (above ^ rows.lines[middle]) | (rows.lines[middle] ^ below) == rows.full
            and _fits_middle(rows, half, rows.lines[middle], depth + 1)
            and one | rows.differ[middle, 0] == ALL
            and other | rows.differ[middle, 1] == ALL
        ):
            total += 1
    return total


@cython.cfunc
def _fits_middle(rows: MirroredRows, half: _Half, line: Index, depth: Index) -> cython.bint:
    """Whether the columns are balanced with a middle row."""
    for column in range(16):
        word: Index = column >> 3
        shift: Index = 8 * (column & 7)
        if rows.columns[word] >> shift & 255:
            number: Index = half.ones[depth, word] >> shift & 255
            number += (line >> column) & 1
            if number < half.least or number > half.most:
                return False
    return True


def count_mirrored(
    rows: MirroredRows,
    following: Following,
    height: Index,
    least: Index,
    most: Index,
    rows_differ: cython.bint,
    first_row: Index,
) -> int:
    """Count the boards of two or more rows that a symmetry maps to themselves.

    Args:
        rows: the legal rows.
        following: those that may follow two rows.
        height: the number of rows of a board, up to 64.
        least: the fewest ones in a column.
        most: the most ones in a column.
        rows_differ: whether rows must differ.
        first_row: the index of the first row of the boards.

    Raises:
        ValueError: the arrays don't fit each other, or a number is out of range.
    """
    n: Index = rows.lines.shape[0]
    if following.n != n or not 0 <= first_row < n:
        raise ValueError(f"row {first_row} of {n}, and {following.n} rows to follow it")
    if not (2 <= height <= _MAX_HEIGHT and 0 <= least <= most <= height):
        raise ValueError(f"boards of {height} rows with {least} to {most} ones in a column")
    half = _Half(n, height, least, most, rows_differ)
    total: Index = 0
    with cython.nogil:
        total = _search(rows, following, half, first_row)
    return total


@cython.cfunc
def _search(rows: MirroredRows, following: Following, half: _Half, first_row: Index) -> Index:
    """`count_mirrored` with an empty half."""
    n = following.n
    number: Index = half.height >> 1
    odd: Index = half.height & 1
    row: Index = 0
    for row in range(n):
        # A row of the upper half must differ from its image.
        half.used[row] = 1 if half.rows_differ and rows.images[row] == row else 0
    # The first row is the only candidate at depth 0.
    half.place[0] = following.begin[n * n] + first_row
    half.end[0] = half.place[0] + 1
    total: Index = 0
    depth: Index = 0
    while depth >= 0:
        if half.place[depth] == half.end[depth]:
            depth -= 1
            if depth >= 0 and half.rows_differ:
                half.used[half.chosen[depth]] = 0
                half.used[rows.images[half.chosen[depth]]] = 0
            continue
        row = following.rows[half.place[depth]]
        half.place[depth] += 1
        if half.used[row]:
            continue
        for word in range(2):
            half.ones[depth + 1, word] = half.ones[depth, word] + rows.ones[row, word]
            half.differ[depth + 1, word] = half.differ[depth, word] | rows.differ[row, word]
        needed: Index = max(0, half.least - odd - 2 * (number - depth - 1))
        if not _fits(half, depth + 1, rows, needed):
            continue
        half.chosen[depth] = row
        if depth + 1 == number:
            total += _completions(rows, following, half, depth)
            continue
        if half.rows_differ:
            half.used[row] = 1
            half.used[rows.images[row]] = 1
        group: Index = n * half.chosen[depth - 1] + row if depth else n * n
        depth += 1
        half.place[depth] = following.begin[group]
        half.end[depth] = following.begin[group + 1]
    return total
