"""Find the fewest clues of a board among all boards of a size, and count all its puzzles."""

from binairo_cp.kernels.clue_sets.fewest import BoardIndex, bounds, fewest_clues, keep_minimal
from binairo_cp.kernels.clue_sets.hitting import count_hitting, count_minimal

__all__ = [
    "BoardIndex",
    "bounds",
    "count_hitting",
    "count_minimal",
    "fewest_clues",
    "keep_minimal",
]
