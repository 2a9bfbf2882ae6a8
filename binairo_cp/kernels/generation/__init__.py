"""Random boards, and lists of all boards of a small size.

Boards are filled row by row. Two words say what each cell of the next row may be, after the columns
above. The legal rows that fit both are counted and numbered, never listed::

    rows above   0 0 1 0 1 1       cell        0 1 2 3 4 5
                 0 1 1 0 0 1       can be 0    0 1 1 0 1 1      after 0 0 only 1 may come,
                                   can be 1    1 1 0 1 1 0      after 1 1 only 0
"""

from binairo_cp.kernels.generation.generator import Generator
from binairo_cp.kernels.generation.gibbs import draw
from binairo_cp.kernels.generation.listing import list_boards
from binairo_cp.kernels.randomness import fill_words

__all__ = ["Generator", "draw", "fill_words", "list_boards"]
