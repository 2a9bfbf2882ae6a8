"""Count the boards of a unit of the census: list the halves of its class, and join them.

    outer block   0 0 1 0 1 1
                  ...
    inner block   1 1 0 1 0 0    behind the cut
                  0 1 0 0 1 1    at the cut
    --------------------------   the cut
    other half    1 0 1 0 0 1

A row is a word, and the lists name it by its index among the legal rows. Halves with the same rows,
the same two rows at the cut and the same equal columns are one entry, with a weight. `joining`
draws the bit table in which they meet.
"""

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
    "BLOCKS", "ENTRIES", "KEYS", "KIND_ENTRIES", "KIND_PAIRS", "LISTED", "SLOTS", "Blocks",
    "HalfList", "Joiner", "count_ends", "join", "join_plain", "list_halves", "sort_words",
]  # fmt: skip
