"""Records of puzzles in text, without an object for each: numbers say where in the bytes they are.

    {"id": "a7", "height": 4, "width": 4, "clues": "..1....0..10.0.."}
            |                                       |
            ids = 8, id_lengths = 2                 cells = 48, sizes = 16

A line whose height stays 0 is left to a complete parser.
"""

from binairo_cp.kernels.records.flat import Records, find
from binairo_cp.kernels.records.slices import copy_lines, copy_slices, count_lines

__all__ = ["Records", "copy_lines", "copy_slices", "count_lines", "find"]
