"""When to load compiled code.

Loading takes every new process about half a second. On a new machine the code is compiled first,
which takes about five seconds.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib import import_module

LOADED = "binairo_cp.solving.backends.bitboard.loaded"
"""The module that loads the compiled search on import, for the workers of a pool."""

_COMPILING_TO_LOADING = 9
"""How much longer it takes to compile code than to load it."""

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
        self._cells_to_compile = _COMPILING_TO_LOADING * cells
        self._is_loaded = False

    def pays_off(self, cells: int = 0) -> bool:
        """Whether to use the module, for puzzles with so many more cells."""
        if self._is_loaded:
            return True
        self._cells -= cells
        if (module := sys.modules.get(self._module)) and module.is_loaded():
            self._is_loaded = True
            return True
        if self._cells > 0:
            return False
        # Importing the module loads numba, so ask this last.
        is_stored = self._is_stored()
        return is_stored or (is_stored is False and self._cells <= -self._cells_to_compile)

    @cache  # noqa: B019 - there are few objects, and they live as long as the process
    def _is_stored(self) -> bool | None:
        """Whether machine code is stored; None if the module can't be imported, without numba."""
        with suppress(ImportError):
            return bool(import_module(self._module).is_stored())
        return None


BITBOARD = Loading("binairo_cp.solving.backends.bitboard.kernel", 20_000)
"""The search. Clause learning decides 200 puzzles of 10x10 in the time to load it."""
