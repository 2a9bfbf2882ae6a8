"""The search on bitboards."""

from binairo_cp.kernels.bitboard.levels import (
    BUDGET,
    DONE,
    FLAGS,
    NOT_STARTED,
    STOPPED,
    Search,
)
from binairo_cp.kernels.bitboard.search import search_all
from binairo_cp.kernels.direction import Direction
from binairo_cp.kernels.line import (
    TABLE_LENGTH,
    consistent_line,
    fill_table,
    fill_ternary_numbers,
)

__all__ = [
    "BUDGET",
    "DONE",
    "FLAGS",
    "NOT_STARTED",
    "STOPPED",
    "TABLE_LENGTH",
    "Direction",
    "Search",
    "consistent_line",
    "fill_table",
    "fill_ternary_numbers",
    "search_all",
]
