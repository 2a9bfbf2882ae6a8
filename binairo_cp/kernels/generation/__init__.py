"""Random boards, and lists of all boards of a small size."""

from binairo_cp.kernels.generation.drawing import draw
from binairo_cp.kernels.generation.generator import Generator
from binairo_cp.kernels.generation.listing import list_boards
from binairo_cp.kernels.randomness import fill_words

__all__ = ["Generator", "draw", "fill_words", "list_boards"]
