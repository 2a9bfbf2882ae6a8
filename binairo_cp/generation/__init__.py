"""Random boards and puzzles.

`boards` draws solved boards with one of three methods: `listing` enumerates all boards of a small
size, `rows` fills a board row by row, and `gibbs` randomizes it further by Gibbs sampling.
`puzzles` draws a board and removes clues (`clue_removal`).
"""

from typing import Literal

Method = Literal["auto", "uniform", "gibbs", "rows"]
"""``auto`` is uniform for sizes whose boards are listed quickly, and gibbs for all others."""

Pattern = Literal[
    "none", "rotate2", "rotate4", "mirror", "flip", "mirror4", "diagonal", "diagonal4", "full"
]
"""The symmetry of the clues: none, half turns, quarter turns, left-right reflection, top-bottom
reflection, both of these, reflection in the main diagonal, in both diagonals, all of these."""
