"""Many puzzles of one shape by one call of the compiled search."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.rules import Rules
from binairo_cp.solving.backends.bitboard import kernel
from binairo_cp.solving.backends.bitboard.levels import FOUND, STATUS
from binairo_cp.solving.backends.bitboard.search import DONE, Limits

_NODES = 1_000
"""How much work is spent on a puzzle; what needs more is for a search of its own."""


class Decided(NamedTuple):
    """What was found out about n puzzles of h x w cells.

    Attributes:
        found: how many solutions of each were found.
        complete: whether there are no others.
        kept: n x k x h rows as words: the last k solutions that were found of each; those beyond
            `found` mean nothing.
        width: w.
    """

    found: npt.NDArray[np.int64]
    complete: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.uint64]
    width: int

    def boards(self, which: npt.NDArray[np.bool_] | slice, number: int) -> npt.NDArray[np.uint8]:
        """The solutions of a number, from 0, of m puzzles, as m x h x w bytes ``0`` and ``1``."""
        rows = self.kept[which, number].astype("<u8")
        size = -(-self.width // 8)
        packed = np.ascontiguousarray(rows.view(np.uint8).reshape(*rows.shape, 8)[:, :, :size])
        bits = np.unpackbits(packed.reshape(-1), bitorder="little")
        return bits.reshape(*rows.shape, -1)[:, :, : self.width] + np.uint8(ord("0"))


def decide(clues: npt.NDArray[np.uint8], rules: Rules, stop: int, kept: int) -> Decided:
    """Search on each puzzle until so many solutions are found, or for a thousand nodes.

    Args:
        clues: n x h x w bytes ``0``, ``1`` and ``.``; h and w at most `kernel.MAX_LENGTH`.
        rules: of all of them.
        stop: how many solutions are wanted of a puzzle.
        kept: how many of them are given back.
    """
    puzzles, height, width = clues.shape
    found = np.zeros((puzzles, kept, height), np.uint64)
    states = kernel.states_of(puzzles)
    searcher = _searcher(height, width, rules)
    searcher.expect(puzzles)
    searcher.search(
        np.require(clues.reshape(puzzles, -1), requirements=["C", "W"]),
        kernel.NO_SIGNS,
        found,
        states,
        Limits(stop, _NODES, 1, 0),
    )
    return Decided(states[:, FOUND], states[:, STATUS] == DONE, found, width)


@lru_cache(maxsize=64)
def _searcher(height: int, width: int, rules: Rules) -> kernel.Searcher:
    return kernel.Searcher(height, width, rules)
