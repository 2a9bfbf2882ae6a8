"""A board to fill and to change, and the memory for it."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.completions import ENDS, count_lines
from binairo_cp.kernels.randomness import Random
from binairo_cp.kernels.words import ALL, Index, Word, line_of, size

_LONGEST = 64


@cython.final
@cython.cclass
class Lines:
    """The lines of one direction of a board, as words, and the bounds on their ones."""

    words: Word[::1]  # the lines; bit k of a line is its cell k
    count: Index  # how many there are
    fewest: Index  # the minimum number of ones in a line
    most: Index  # the maximum number of ones in a line

    def __init__(self, count: Index, fewest: Index, most: Index) -> None:
        self.words, self.count, self.fewest, self.most = zeros("Q", count), count, fewest, most


@cython.final
@cython.cclass
class Generator:
    """A board of one shape, and the memory to fill and to change it.

    The arrays of a row are indexed by the row.

    Args:
        height: the number of rows, 1 to 64.
        width: the number of columns, 1 to 64.
        row_ones: the minimum and the maximum number of ones in a row.
        column_ones: those in a column.
        distinct: whether no two rows and no two columns may be equal.

    Raises:
        ValueError: a size or a number is out of range.
    """

    rows: Lines  # the rows of the board
    columns: Lines  # its columns; see `find_columns`
    distinct: cython.bint  # whether no two rows and no two columns may be equal
    random: Random  # the random numbers
    row: Index  # the row to fill next
    is_new: cython.bint  # whether this row has no candidates yet
    can_zero: Word[::1]  # the cells of each row that can be 0
    can_one: Word[::1]  # the cells of each row that can be 1
    number: cython.longlong[::1]  # the number of the candidate in each row
    step: cython.longlong[::1]  # the distance between the numbers of a row's successive candidates
    total: cython.longlong[::1]  # how many candidates each row has
    left: cython.longlong[::1]  # how many of them are left
    sums: cython.longlong[:, ::1]  # the number of ones in each column above each row
    ends: cython.longlong[:, ::1]  # the end of each column above each row; see `completions`
    possible: cython.longlong[:, :, ::1]  # a table of `completions` for the columns
    # The tables of `completions` for all rows, one below the other.
    tables: cython.longlong[:, :, ::1]
    single: cython.longlong[:, :, ::1]  # a table of `completions` for one row or column
    pairs: cython.double[:, :, ::1]  # the table of `gibbs` for two rows or columns

    def __init__(
        self,
        height: Index,
        width: Index,
        row_ones: tuple[int, int],
        column_ones: tuple[int, int],
        distinct: cython.bint,
    ) -> None:
        for length, (fewest, most) in ((width, row_ones), (height, column_ones)):
            if not 1 <= length <= _LONGEST:
                raise ValueError(f"a side of {length} cells; expected 1 to {_LONGEST}")
            if not 0 <= fewest <= most <= length:
                raise ValueError(f"{fewest} to {most} ones in a line of {length} cells")
        longest: Index = max(height, width)
        self.rows, self.columns = Lines(height, *row_ones), Lines(width, *column_ones)
        self.distinct, self.random = distinct, Random(0)
        self.row, self.is_new = 0, True
        self.can_zero, self.can_one = zeros("Q", height), zeros("Q", height)
        self.number, self.step = zeros("q", height), zeros("q", height)
        self.total, self.left = zeros("q", height), zeros("q", height)
        self.sums, self.ends = zeros("q", height + 1, width), zeros("q", height + 1, width)
        self.possible = zeros("q", height + 1, height + 2, ENDS)
        self.tables = zeros("q", height * (width + 1), width + 2, ENDS)
        self.single = zeros("q", longest + 1, longest + 2, ENDS)
        self.pairs = zeros("d", longest + 1, longest + 2, ENDS * ENDS)
        columns = self.columns
        count_lines(height, ALL, ALL, columns.fewest, columns.most, self.possible, 0)


@cython.nogil_noexcept
def find_columns(rows: Lines, columns: Lines) -> None:
    """Compute the columns of a board from its rows."""
    for column in range(columns.count):
        line: Word = 0
        for row in range(rows.count):
            line |= ((rows.words[row] >> column) & 1) << row
        columns.words[column] = line


@cython.nogil_noexcept
def are_legal(lines: Lines, length: Index) -> cython.bint:
    """Whether each line keeps the bounds on its ones and has no three equal cells in a row."""
    all_cells = line_of(length)
    for k in range(lines.count):
        if lines.words[k] & ~all_cells or not is_legal(lines, lines.words[k], all_cells):
            return False
    return True


@cython.inline_nogil_noexcept
def is_legal(lines: Lines, line: Word, all_cells: Word) -> cython.bint:
    """Whether a line keeps the bounds on its ones and has no three equal cells in a row."""
    rest = all_cells & ~line
    if line & (line >> 1) & (line >> 2) or rest & (rest >> 1) & (rest >> 2):
        return False
    return lines.fewest <= size(line) <= lines.most


@cython.inline_nogil_noexcept
def repeats(lines: Lines, number: Index) -> cython.bint:
    """Whether a line equals one before it."""
    for before in range(number):
        if lines.words[before] == lines.words[number]:
            return True
    return False


@cython.nogil_noexcept
def have_distinct_columns(rows: Lines, width: Index) -> cython.bint:
    """Whether no two columns are the same."""
    for distance in range(1, width):
        # The columns that differ from the one at this distance.
        differ: Word = 0
        for row in range(rows.count):
            differ |= rows.words[row] ^ (rows.words[row] >> distance)
        if line_of(width - distance) & ~differ:
            return False
    return True
