"""The search on bitboards."""

from binairo_cp.kernels.bitboard.levels import FLAGS, Search, search_words
from binairo_cp.kernels.bitboard.search import resume, search_all, solution, start
from binairo_cp.kernels.direction import Direction
from binairo_cp.kernels.line import (
    TABLE_LENGTH,
    consistent_line,
    fill_table,
    fill_ternary_numbers,
)

__all__ = [
    "FLAGS",
    "TABLE_LENGTH",
    "Direction",
    "Search",
    "consistent_line",
    "fill_table",
    "fill_ternary_numbers",
    "resume",
    "search_all",
    "search_words",
    "solution",
    "start",
]
