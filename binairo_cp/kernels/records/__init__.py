"""Records of puzzles in text, without an object for each."""

from binairo_cp.kernels.records.flat import Records, find
from binairo_cp.kernels.records.slices import copy_lines, copy_slices, count_lines

__all__ = ["Records", "copy_lines", "copy_slices", "count_lines", "find"]
