"""Random boards and puzzles.

`boards` draws solved boards, and lists those of small sizes. `puzzles` draws a board and removes
clues and signs: from one at a time (`single_attempts`), or from many at once (`attempts`).
"""

from typing import Literal

Method = Literal["auto", "uniform", "gibbs", "rows"]
"""``auto`` is uniform for sizes whose boards are listed quickly, and gibbs for all others."""

Pattern = Literal[
    "none", "rotate2", "rotate4", "mirror", "flip", "mirror4", "diagonal", "diagonal4", "full"
]
"""The symmetry of the clues: none, half turns, quarter turns, left-right reflection, top-bottom
reflection, both of these, reflection in the main diagonal, in both diagonals, all of these."""
