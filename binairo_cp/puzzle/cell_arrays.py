"""Cells as the codes of ``0``, ``1`` and ``.``, and puzzles of one shape as arrays of cells."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.digests import Signs
from binairo_cp.puzzle.grids import OPEN_MARKS
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.slices import Bytes, Numbers, Slices

CELLS = np.zeros(256, np.uint8)
"""Maps the byte of a mark to its cell; 0 for bytes that are no mark."""
CELLS[list(b"01")] = list(b"01")
CELLS[list(OPEN_MARKS.encode())] = ord(".")


def codes_of(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The codes of an array of the same shape; 0 for values that are no cell.

    Args:
        values: bytes (uint8) are codes; other bools, integers and floats are 0, 1, and -1, nan or
            masked for an open cell.
    """
    if values.dtype == np.uint8:
        codes: npt.NDArray[np.uint8] = CELLS[values]
        return codes
    data = np.ma.getdata(values)
    codes = np.zeros(data.shape, np.uint8)
    for value, code in zip((0, 1, -1), b"01.", strict=True):
        codes[data == value] = code
    codes[np.ma.getmaskarray(values) | (data != data)] = ord(".")
    return codes


@dataclass(frozen=True, slots=True)
class PlainPuzzles:
    """Puzzles of one shape under the same rules.

    Attributes:
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        lines: the line of each puzzle in the block, from 0.
        ids: their ids in UTF-8; empty for puzzles without one.
        signs: the signs of each puzzle, sorted; None if none has any.
    """

    rules: Rules
    clues: Bytes
    lines: Numbers
    ids: Slices
    signs: list[Signs] | None = None

    def chosen(self, flags: npt.NDArray[np.bool_]) -> PlainPuzzles:
        """The puzzles whose flag is set."""
        return PlainPuzzles(
            rules=self.rules,
            clues=self.clues[flags],
            lines=self.lines[flags],
            ids=self.ids.take(flags),
            signs=self.signs and list(compress(self.signs, flags.tolist())),
        )
