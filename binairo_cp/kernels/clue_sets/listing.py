"""List all boards of a size, row by row.

A board is a word: its cells, row by row, are the digits of a binary number.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import Index, Word, line_of, size


@cython.final
@cython.cclass
class _Listing:
    """The rules of the boards, and the rows so far.

    Attributes:
        height: of the boards.
        width: of the boards.
        least: the fewest ones in a column.
        most: the most ones in a column.
        rows_differ: whether rows must differ.
        columns_differ: whether columns must differ.
        rows: the rows so far.
        tried: for each of them, how many lines were tried.
        columns: at [k, c], the first k cells of column c as a binary number.
        words: at k, the first k rows as a binary number.
    """

    height: Index
    width: Index
    least: Index
    most: Index
    rows_differ: cython.bint
    columns_differ: cython.bint
    rows: Index[::1]
    tried: Index[::1]
    columns: Word[:, ::1]
    words: Word[::1]

    def __init__(
        self,
        height: Index,
        width: Index,
        least: Index,
        most: Index,
        rows_differ: cython.bint,
        columns_differ: cython.bint,
    ) -> None:
        self.height, self.width, self.least, self.most = height, width, least, most
        self.rows_differ, self.columns_differ = rows_differ, columns_differ
        self.rows, self.tried = zeros("q", height), zeros("q", height)
        self.columns, self.words = zeros("Q", height + 1, width), zeros("Q", height + 1)


@cython.cfunc
@cython.inline
@cython.nogil
def _row_repeats(listing: _Listing, depth: Index) -> cython.bint:
    """Whether the last row is equal to another one."""
    for other in range(depth):
        if listing.rows[depth] == listing.rows[other]:
            return True
    return False


@cython.cfunc
@cython.inline
@cython.nogil
def _columns_repeat(listing: _Listing) -> cython.bint:
    """Whether two columns of a board are equal."""
    for one in range(listing.width):
        for other in range(one):
            if listing.columns[listing.height, one] == listing.columns[listing.height, other]:
                return True
    return False


@cython.cfunc
@cython.inline
@cython.nogil
def _add_row(listing: _Listing, line: Index, depth: Index) -> cython.bint:
    """Append a row to the columns; return whether they can still be balanced."""
    least: Index = listing.least - (listing.height - 1 - depth)
    for column in range(listing.width):
        value: Word = (line >> (listing.width - 1 - column)) & 1
        cells: Word = listing.columns[depth, column] << 1 | value
        listing.columns[depth + 1, column] = cells
        ones = size(cells)
        if ones < least or ones > listing.most:
            return False
    return True


def list_boards(
    height: Index,
    width: Index,
    column_ones: tuple[int, int],
    rows_differ: cython.bint,
    columns_differ: cython.bint,
    lines: Index[::1],
    boards: Word[::1],
) -> int:
    """List all boards in ascending order, and return their number.

    Args:
        height: of the boards.
        width: of the boards, which have up to 64 cells.
        column_ones: the fewest and the most ones in a column.
        rows_differ: whether rows must differ.
        columns_differ: whether columns must differ.
        lines: the legal rows as binary numbers, in ascending order.
        boards: receives the boards; further boards are only counted.

    Raises:
        ValueError: a number is out of range.
    """
    if not (1 <= height <= 64 and 1 <= width <= 62 and height * width <= 64):
        raise ValueError(f"boards of {height}x{width}; expected up to 64 cells, 62 in a row")
    for k in range(lines.shape[0]):
        if lines[k] < 0 or lines[k] >> width:
            raise ValueError(f"line {lines[k]} has more than {width} cells")
    listing = _Listing(height, width, *column_ones, rows_differ, columns_differ)
    number: Index = 0
    with cython.nogil:
        number = _list_boards(listing, lines, boards)
    return number


@cython.cfunc
@cython.nogil
def _list_boards(listing: _Listing, lines: Index[::1], boards: Word[::1]) -> Index:
    """`list_boards` with no rows so far."""
    height, width = listing.height, listing.width
    full: Index = line_of(width)
    number: Index = 0
    depth: Index = 0
    while depth >= 0:
        if listing.tried[depth] == lines.shape[0]:
            listing.tried[depth] = 0
            depth -= 1
            continue
        line: Index = lines[listing.tried[depth]]
        listing.tried[depth] += 1
        if (
            depth >= 2
            and (line ^ listing.rows[depth - 1]) | (line ^ listing.rows[depth - 2]) != full
        ):
            continue
        listing.rows[depth] = line
        if not _add_row(listing, line, depth):
            continue
        if listing.rows_differ and _row_repeats(listing, depth):
            continue
        listing.words[depth + 1] = listing.words[depth] << width | cython.cast(Word, line)
        if depth < height - 1:
            depth += 1
        elif not (listing.columns_differ and _columns_repeat(listing)):
            if number < boards.shape[0]:
                boards[number] = listing.words[height]
            number += 1
    return number
