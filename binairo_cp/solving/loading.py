"""When to load compiled code, on which every new process spends about half a second."""

from __future__ import annotations

import sys

LOADED = "binairo_cp.solving.backends.bitboard.loaded"
"""The module that loads the compiled search on import, for the workers of a pool."""

LEAST_TIME_LIMIT = 1.0
"""Shortest time limit per puzzle, in seconds, with which many puzzles are decided by one call.

Such a call does not watch the clock, but spends at most milliseconds on a puzzle.
"""


class Loading:
    """When to load a module with compiled code.

    The cells of all calls in this process count together, so that a loop over single puzzles loads
    it too. The answer does not depend on the clock.

    Args:
        module: its name.
        cells: how many cells of puzzles take about as long without it as it takes to load.
    """

    def __init__(self, module: str, cells: int) -> None:
        self._module, self._cells = module, cells

    def pays_off(self, cells: int = 0) -> bool:
        """Whether to use the module, for puzzles with so many more cells."""
        self._cells -= cells
        return self._module in sys.modules or self._cells <= 0


BITBOARD = Loading("binairo_cp.solving.backends.bitboard.kernel", 20_000)
"""The search. Clause learning decides 200 puzzles of 10x10 in the time to load it."""
