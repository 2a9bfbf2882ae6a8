"""How a person solves: grades by the solving path, and closures, without sentences.

`binairo_cp.deduction` has the same techniques for people: they also find the reason for each value
and what to say of it. That takes a different search in a line, on different data, so the two share
no code. Each is a check of the other: the tests compare all grades, and what each level finds.
"""

from binairo_cp.kernels.deduction.closure import Closing, close_all, refutes
from binairo_cp.kernels.deduction.grading import grade_all
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
from binairo_cp.kernels.deduction.rounds import Path
from binairo_cp.kernels.direction import Direction

__all__ = [
    "BROKEN",
    "GRADED",
    "LOOKS",
    "NARROWEST",
    "OPEN_CELLS",
    "PLACED",
    "RESULT_WORDS",
    "ROUNDS",
    "Closing",
    "Direction",
    "Path",
    "close_all",
    "grade_all",
    "refutes",
]
