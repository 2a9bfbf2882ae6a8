"""The rules for the lines of one direction of a board, as numbers."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.line import TABLE_LENGTH, table_states
from binairo_cp.kernels.words import Index, Word, line_of

LONGEST = 64
"""The maximum length of a line: it must fit in one word."""


@cython.final
@cython.cclass
class Direction:
    """The rules for the lines of one direction: all rows, or all columns."""

    begin: Index  # the number of the first of these lines, with rows numbered before columns
    count: Index  # how many there are
    length: Index  # their number of cells
    cells: Word  # the word of all cells of a line
    max_ones: Index  # the largest number of ones
    max_zeros: Index  # the largest number of zeros
    distinct: cython.bint  # whether no two of these lines may be equal
    balanced: cython.bint  # whether a full line has exactly the maxima of both symbols
    has_table: cython.bint  # whether there are tables
    table: cython.uint[::1]  # the table of `line.fill_table`
    ternary: cython.uint[::1]  # the numbers of `line.fill_ternary_numbers`

    def __init__(
        self,
        begin: Index,
        count: Index,
        length: Index,
        max_ones: Index,
        max_zeros: Index,
        distinct: cython.bint,
    ) -> None:
        """Keep the rules, with the names of the attributes.

        Raises:
            ValueError: a line has less than 1 or more than 64 cells, or there is none.
        """
        if not (1 <= length <= LONGEST and count >= 1 and begin >= 0):
            raise ValueError("expected lines of 1 to 64 cells")
        self.begin, self.count, self.length = begin, count, length
        self.cells = line_of(length)
        self.max_ones, self.max_zeros, self.distinct = max_ones, max_zeros, distinct
        self.balanced = max_ones + max_zeros == length
        self.has_table = False

    def use_table(self, table: cython.uint[::1], ternary: cython.uint[::1]) -> None:
        """From now on, look up the consequences of a line in tables.

        Raises:
            ValueError: a table has another size.
        """
        length = self.length
        if length > TABLE_LENGTH or len(table) != table_states(length):
            raise ValueError("the table has another size")
        if len(ternary) < 1 << length:
            raise ValueError("the ternary numbers have another size")
        self.table, self.ternary, self.has_table = table, ternary, True
