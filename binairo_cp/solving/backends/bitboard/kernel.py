"""The compiled search and its arguments."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint8, uint32, uint64

from binairo_cp.puzzle.bits import line
from binairo_cp.puzzle.bits.shape import SHAPE
from binairo_cp.puzzle.rules import Rules, Sign
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends.bitboard.levels import STATE_WORDS
from binairo_cp.solving.backends.bitboard.propagation import level_words
from binairo_cp.solving.backends.bitboard.search import Buffers, Limits, Tables, search
from binairo_cp.workers import resource_limits
from binairo_cp.workers.compiling import compiled, entry_point, is_stored_for, notice

Words = npt.NDArray[np.uint64]
Cells = npt.NDArray[np.uint8]

MAX_LENGTH = 64
"""The maximum length of a line: a line must fit in one machine word."""

_SOURCES = ("puzzle/bits", "solving/backends/bitboard")
_TABLE_ENTRIES = uint32[::1]
_SEARCH = types.void(
    uint8[:, ::1],
    uint64[:, :, ::1],
    SHAPE,
    types.NamedUniTuple(_TABLE_ENTRIES, len(Tables._fields), Tables),
    types.NamedUniTuple(uint64[::1], len(Buffers._fields), Buffers),
    uint64[:, :, ::1],
    int64[:, ::1],
    types.NamedUniTuple(int64, len(Limits._fields), Limits),
)
_TABLE = _TABLE_ENTRIES(int64, int64, uint64, uint64)
_TERNARY = _TABLE_ENTRIES(int64)

_TABLE_STATES_PER_PUZZLE = 2_000
"""The number of table states that can be computed in the time that a table saves per puzzle."""


class Kernel:
    """The machine code of the search and of the tables, loaded from the cache or compiled."""

    def __init__(self) -> None:
        with notice("the bitboard", seconds=5), resource_limits.pause_clock():
            self.search = entry_point(compiled(search, _SEARCH, _SOURCES, allocates=False))
            self.ternary = compiled(line.ternary_numbers, _TERNARY, _SOURCES)(line.TABLE_LENGTH)
        self._tables: dict[tuple[int, int, int, int], Any] = {}

    @cached_property
    def build_table(self) -> Any:
        """`line.table`, which only many puzzles need."""
        with notice("the bitboard", seconds=5), resource_limits.pause_clock():
            return compiled(line.table, _TABLE, _SOURCES)

    def table(self, length: int, rules: Rules, puzzles: int) -> Any:
        """The table for lines of a length; empty if building it would not pay off.

        Args:
            length: the number of cells of the lines.
            rules: the rules of the puzzles.
            puzzles: the expected number of puzzles.
        """
        key = (length, min(rules.longest_run, length), *_max_counts(length, rules))
        if key in self._tables:
            return self._tables[key]
        if length > line.TABLE_LENGTH or 3**length > puzzles * _TABLE_STATES_PER_PUZZLE:
            return np.empty(0, np.uint32)
        return self._tables.setdefault(key, self.build_table(*key))


@cache
def kernel() -> Kernel:
    """The machine code, loaded once per process."""
    return Kernel()


def load_all() -> None:
    """Load or compile everything."""
    _ = kernel().build_table


def is_loaded() -> bool:
    """Whether this process has the machine code of the search."""
    return kernel.cache_info().currsize > 0


def is_stored() -> bool:
    """Whether the machine code of the search is in the cache."""
    return is_stored_for(search, _SEARCH, _SOURCES)


class Searcher:
    """Searches boards of one size under one set of rules; holds the buffers for this.

    Args:
        height: the number of rows.
        width: the number of columns.
        rules: the rules of the puzzles.
    """

    def __init__(self, height: int, width: int, rules: Rules) -> None:
        self.height, self.width, self.rules = height, width, rules
        self._uses = 0
        lines = height + width
        # One level for each cell that the search may branch on, and two for look-ahead.
        levels = (height * width + 3) * level_words(lines)
        self._buffers = Buffers(np.empty(levels, np.uint64), np.empty(2 * lines, np.uint64))
        self._shape = Shape.of(height, width, rules)
        self.prepare_tables(1)

    @property
    def bytes(self) -> int:
        """The size of its memory."""
        return int(self._buffers.boards.nbytes)

    def count_use(self) -> None:
        """Note that another puzzle is searched; builds the tables that pay off by now."""
        self._uses += 1
        is_power_of_two = not self._uses & (self._uses - 1)
        if is_power_of_two:
            self.prepare_tables(self._uses)

    def prepare_tables(self, puzzles: int) -> None:
        """Build the tables that pay off for this number of puzzles, or as much work."""
        rows = kernel().table(self.width, self.rules, puzzles)
        columns = kernel().table(self.height, self.rules, puzzles)
        self._tables = Tables(kernel().ternary, rows, columns)

    def search(
        self,
        cells: Cells,
        signs: Words,
        found: Words,
        states: npt.NDArray[np.int64],
        limits: Limits,
    ) -> None:
        """Run `search.search` with the shape, tables and memory of this object.

        The arrays must have exactly the stated types, and be writeable and contiguous.
        """
        kernel().search(
            cells, signs, self._shape, self._tables, self._buffers, found, states, limits
        )


def new_states(puzzles: int) -> npt.NDArray[np.int64]:
    """The states of searches that have not started, one per puzzle."""
    return np.zeros((puzzles, STATE_WORDS), np.int64)


NO_SIGNS: Words = np.empty((1, 2, 0), np.uint64)


def sign_words(height: int, width: int, signs: tuple[Sign, ...]) -> Words:
    """The signs of a puzzle along its lines: 1 x 2 (equal, opposite) x (height + width) words."""
    if not signs:
        return NO_SIGNS
    words = np.zeros((1, 2, height + width), np.uint64)
    for sign in signs:
        relation = "=x".index(sign.relation)
        if sign.direction == "R":
            words[0, relation, sign.row] |= np.uint64(1 << sign.column)
        else:
            words[0, relation, height + sign.column] |= np.uint64(1 << sign.row)
    return words


def _max_counts(length: int, rules: Rules) -> tuple[int, int]:
    ones = rules.ones(length)
    return ones[-1], length - ones[0]
