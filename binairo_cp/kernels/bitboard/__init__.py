"""The search on bitboards: a line is two words, and bit k of both is its cell k.

    row 2     . 1 0 . 0 1       cell    0 1 2 3 4 5
                                ones    0 1 0 0 0 1
                                zeros   0 0 1 0 1 0      open where both are 0

A board has its rows and then its columns, so each cell stands in two lines: (r, c) is bit c of row
r and bit r of column c. The boards of a search are consecutive, one per level of its tree::

    base                       base + lines               base + 2 lines
     | ones of                  | zeros of                 | flags
     | row 0 .. row h-1, column 0 .. column w-1 | ...      | FULL NEARLY_FULL CHANGED ...
"""

from binairo_cp.kernels.bitboard.levels import FLAGS, Search, search_words
from binairo_cp.kernels.bitboard.search import resume, search_all, solution, start
from binairo_cp.kernels.line import (
    TABLE_LENGTH,
    Direction,
    consistent_line,
    fill_table,
    fill_ternary_numbers,
)

__all__ = [
    "FLAGS", "TABLE_LENGTH", "Direction", "Search", "consistent_line", "fill_table",
    "fill_ternary_numbers", "resume", "search_all", "search_words", "solution", "start",
]  # fmt: skip
