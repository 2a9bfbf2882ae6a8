"""Many puzzles of one shape side by side, one bit of a vector for each: solved, or graded.

A lane is a place for one puzzle. The bits of all lanes are a vector of the processor, so that each
operation treats as many puzzles as a vector has bits. For each cell, one vector says in which lanes
it is 1, and another one in which lanes it is 0:

    lane              0 1 2 3 4 5 ...
    ones of r1c1      1 0 0 0 1 0        puzzles 0 and 4 have 1 in r1c1,
    zeros of r1c1     0 0 1 0 0 0        puzzle 2 has 0; the others have an open cell
"""

from binairo_cp.kernels.lanes.boards import LONGEST, LONGEST_RUN, WORTH, LineRules
from binairo_cp.kernels.lanes.grading import LaneGrader, begin_grades
from binairo_cp.kernels.lanes.solving import LaneSolver, solve_all

__all__ = [
    "LONGEST", "LONGEST_RUN", "WORTH", "LaneGrader", "LaneSolver", "LineRules", "begin_grades",
    "solve_all",
]  # fmt: skip
