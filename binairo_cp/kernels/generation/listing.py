"""List all boards of a small size in lexicographic order, each as one word.

Bit ``r * width + c`` of the word is cell (r, c). Each row is one of the legal lines that the two
rows above and the sums of the columns allow. The column sums are bit-sliced: word k holds bit k of
the sums of all columns.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.generation.generator import (
    Generator,
    Lines,
    have_distinct_columns,
    is_legal,
    repeats,
)
from binairo_cp.kernels.words import ALL, Index, Word, line_of

_PLANES = 7
"""Bits of a column sum: a column has up to 64 ones."""

_WORD_CELLS = 64


@cython.final
@cython.cclass
class Listing:
    """The rows of a board, and what is known of each; the arrays are indexed by the row."""

    rows: Lines  # the rows
    sums: Word[:, ::1]  # the bit-sliced sums of the columns above each row
    ones: Word[::1]  # the cells of each row that the rows above force to 1
    zeros: Word[::1]  # those that they force to 0
    # The number of the next legal line to try; not 0 if the only line was tried.
    next_line: cython.longlong[::1]

    def __init__(self, rows: Lines) -> None:
        height = rows.count
        self.rows, self.sums = rows, zeros("Q", height + 1, _PLANES)
        self.ones, self.zeros = zeros("Q", height), zeros("Q", height)
        self.next_line = zeros("q", height + 1)


@cython.inline_nogil_noexcept
def _columns_with(listing: Listing, row: Index, number: Index) -> Word:
    """The columns with exactly this number of ones above a row."""
    equal: Word = ALL
    for plane in range(_PLANES):
        # All bits where the number has a 0, or no bits.
        flipped: Word = ((number >> plane) & 1) - 1
        equal &= listing.sums[row, plane] ^ flipped
    return equal


@cython.inline_nogil_noexcept
def _add_row(listing: Listing, row: Index) -> None:
    """Compute the column sums after one more row."""
    carry: Word = listing.rows.words[row]
    for plane in range(_PLANES):
        before: Word = listing.sums[row, plane]
        listing.sums[row + 1, plane] = before ^ carry
        carry &= before


@cython.inline_nogil_noexcept
def _find_forced(
    listing: Listing, row: Index, all_cells: Word, most_ones: Index, most_zeros: Index
) -> None:
    """Find the cells of a row that the columns above force to 1 or 0."""
    ones: Word = 0
    if row >= most_zeros:
        ones = _columns_with(listing, row, row - most_zeros)
    forced_zeros = _columns_with(listing, row, most_ones)
    if row >= 2:
        one, other = listing.rows.words[row - 1], listing.rows.words[row - 2]
        ones |= all_cells & ~(one | other)
        forced_zeros |= one & other
    listing.ones[row], listing.zeros[row] = ones & all_cells, forced_zeros


def list_boards(
    generator: Generator,
    lines: Word[::1],
    listed: Word[::1],
    budget: Index,
    rows_differ: cython.bint,
    columns_differ: cython.bint,
) -> int:
    """List the boards of a shape.

    Args:
        generator: the shape, of at most 64 cells; its board is changed.
        lines: the legal lines of its width as words, in lexicographic order.
        listed: the words of the boards are written here.
        budget: the maximum number of lines to try.
        rows_differ: whether no two rows may be equal.
        columns_differ: whether no two columns may be equal.

    Returns:
        The number of boards; -1 if there are more than `listed` can hold, or if the budget ran
        out.

    Raises:
        ValueError: the boards have too many cells.
    """
    rows, columns = generator.rows, generator.columns
    height, width = rows.count, columns.count
    if height * width > _WORD_CELLS:
        raise ValueError(f"{height * width} cells; expected at most {_WORD_CELLS}")
    all_cells = line_of(width)
    most_ones: Index = columns.most
    most_zeros: Index = height - columns.fewest
    listing = Listing(rows)
    line_count: Index = len(lines)
    room: Index = len(listed)
    row: Index = 0
    tried: Index = 0
    found: Index = 0
    with cython.nogil:
        while row >= 0:
            if row == height:
                row -= 1
                if not columns_differ or have_distinct_columns(rows, width):
                    if found == room:
                        found = -1
                        break
                    board: Word = 0
                    for k in range(height):
                        board |= rows.words[k] << (k * width)
                    listed[found] = board
                    found += 1
                continue
            place: Index = listing.next_line[row]
            if place == 0:
                _find_forced(listing, row, all_cells, most_ones, most_zeros)
                tried += 1
            ones: Word = listing.ones[row]
            forced_zeros: Word = listing.zeros[row]
            forced = ones | forced_zeros
            if forced & all_cells == all_cells:
                # All cells are forced, as in the last row of every board of even height.
                if place or ones & forced_zeros or not is_legal(rows, ones, all_cells):
                    listing.next_line[row] = 0
                    row -= 1
                    continue
                listing.next_line[row] = 1
                rows.words[row] = ones
            else:
                begin: Index = place
                if ones & forced_zeros:
                    place = line_count
                while place < line_count and (lines[place] ^ ones) & forced:
                    place += 1
                tried += place - begin
                if tried > budget:
                    found = -1
                    break
                if place == line_count:
                    listing.next_line[row] = 0
                    row -= 1
                    continue
                listing.next_line[row] = place + 1
                rows.words[row] = lines[place]
            if rows_differ and repeats(rows, row):
                continue
            _add_row(listing, row)
            row += 1
            listing.next_line[row] = 0
    return found
