"""The rules for the lines of one direction of a board, as numbers."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index, Word, line_of


@cython.final
@cython.cclass
class Direction:
    """The rules for the lines of one direction: all rows, or all columns.

    Attributes:
        begin: the number of the first of these lines, with rows numbered before columns.
        count: how many there are.
        length: their number of cells.
        cells: the word of all cells of a line.
        max_ones: the largest number of ones.
        max_zeros: the largest number of zeros.
        distinct: whether no two of these lines may be equal.
        balanced: whether a full line has exactly the maxima of both symbols.
        table: `line.table`, or nothing.
        has_table: whether there is a table.
    """

    begin: Index
    count: Index
    length: Index
    cells: Word
    max_ones: Index
    max_zeros: Index
    distinct: cython.bint
    balanced: cython.bint
    has_table: cython.bint
    table: cython.uint[::1]

    def __init__(
        self,
        begin: Index,
        count: Index,
        length: Index,
        max_ones: Index,
        max_zeros: Index,
        distinct: cython.bint,
    ) -> None:
        self.begin, self.count, self.length = begin, count, length
        self.cells = line_of(length)
        self.max_ones, self.max_zeros, self.distinct = max_ones, max_zeros, distinct
        self.balanced = max_ones + max_zeros == length
        self.has_table = False

    def use_table(self, table: cython.uint[::1]) -> None:
        """From now on, look up the consequences of a line in a table."""
        self.table, self.has_table = table, True
