"""Count the boards that a symmetry maps to themselves."""

from binairo_cp.kernels.fixed_boards.mirrored_halves import (
    Following,
    MirroredRows,
    count_mirrored,
)
from binairo_cp.kernels.fixed_boards.symmetric_boards import FixedBoards, count_fixed
from binairo_cp.kernels.fixed_boards.symmetric_matrices import count_symmetric

__all__ = [
    "FixedBoards",
    "Following",
    "MirroredRows",
    "count_fixed",
    "count_mirrored",
    "count_symmetric",
]
