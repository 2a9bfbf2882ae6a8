"""How a person solves: grades by the solving path, and closures, without sentences.

A line is two words, as for the search, and a technique is a few operations on them. The pairs of
zeros in a row, for example, say where a 1 must follow::

    row       . 0 0 . 1 .      cell               0 1 2 3 4 5
                               zeros              0 1 1 0 0 0
                               pairs, begin at    0 1 0 0 0 0     zeros & zeros >> 1
                               so 1 at            1 0 0 1 0 0     one before and two behind

`binairo_cp.deduction` has the same techniques for people: they also find the reason for each value
and what to say of it. That takes a different search in a line, on different data, so the two share
no code. Each is a check of the other: the tests compare all grades, and what each level finds.
"""

from binairo_cp.kernels.deduction.closure import Closing, close_all, refutes
from binairo_cp.kernels.deduction.grading import Path, grade_all
from binairo_cp.kernels.deduction.results import (
    BROKEN,
    GRADED,
    LOOKS,
    NARROWEST,
    OPEN_CELLS,
    PLACED,
    RESULT_WORDS,
    ROUNDS,
)
from binairo_cp.kernels.line import Direction

__all__ = [
    "BROKEN", "GRADED", "LOOKS", "NARROWEST", "OPEN_CELLS", "PLACED", "RESULT_WORDS", "ROUNDS",
    "Closing", "Direction", "Path", "close_all", "grade_all", "refutes",
]  # fmt: skip
