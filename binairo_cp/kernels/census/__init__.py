"""Count the boards of a unit of the census: list the halves of its class, and join them."""

from binairo_cp.kernels.census.halves import (
    BLOCKS,
    ENTRIES,
    KEYS,
    KIND_ENTRIES,
    KIND_PAIRS,
    LISTED,
    SLOTS,
    Blocks,
    HalfList,
    list_halves,
    sort_words,
)
from binairo_cp.kernels.census.joining import Joiner, join
from binairo_cp.kernels.census.repeated_lines import count_ends, join_plain

__all__ = [
    "BLOCKS",
    "ENTRIES",
    "KEYS",
    "KIND_ENTRIES",
    "KIND_PAIRS",
    "LISTED",
    "SLOTS",
    "Blocks",
    "HalfList",
    "Joiner",
    "count_ends",
    "join",
    "join_plain",
    "list_halves",
    "sort_words",
]
