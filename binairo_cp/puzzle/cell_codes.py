"""Cells in arrays: the ASCII codes of ``0``, ``1`` and ``.``."""

from __future__ import annotations

import numpy as np

from binairo_cp.puzzle.grids import OPEN_MARKS

CELLS = np.zeros(256, np.uint8)
"""Maps the byte of a mark to its cell; 0 for bytes that are no mark."""
CELLS[list(b"01")] = list(b"01")
CELLS[list(OPEN_MARKS.encode())] = ord(".")
