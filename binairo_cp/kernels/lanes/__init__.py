"""Many puzzles of one shape side by side, one bit of a vector for each: solved, or graded."""

from binairo_cp.kernels.lanes.boards import LONGEST, LONGEST_RUN, WORTH, LineRules
from binairo_cp.kernels.lanes.grading import LaneGrader, begin_grades
from binairo_cp.kernels.lanes.solving import LaneSolver, solve_all

__all__ = [
    "LONGEST",
    "LONGEST_RUN",
    "WORTH",
    "LaneGrader",
    "LaneSolver",
    "LineRules",
    "begin_grades",
    "solve_all",
]
