"""The compiled search, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, types, uint8, uint32, uint64

from binairo_cp.backends.bitboard import line
from binairo_cp.backends.bitboard.levels import STATE_WORDS
from binairo_cp.backends.bitboard.propagation import SHAPE_WORDS, level_words
from binairo_cp.backends.bitboard.search import search
from binairo_cp.compiling import compiled, digest, notice
from binairo_cp.rules import Rules, Sign

Words = npt.NDArray[np.uint64]
Cells = npt.NDArray[np.uint8]

MAX_LENGTH = 64
"""The longest line, in cells: one machine word."""

_ENTRIES = uint32[::1]
_SEARCH = int64(
    uint8[:, ::1],
    uint64[:, :, ::1],
    uint64[::1],
    _ENTRIES,
    _ENTRIES,
    _ENTRIES,
    uint64[::1],
    uint64[::1],
    uint64[:, :, ::1],
    int64[:, ::1],
    int64,
    int64,
    boolean,
    int64,
)
_TABLE = types.Tuple([int64, _ENTRIES])(int64, int64, uint64, uint64)
_TERNARY = types.Tuple([int64, _ENTRIES])(int64)

_STATES_A_PUZZLE = 2_000
"""So many states of a table are made in the time that having it saves on one puzzle."""


class Kernel:
    """The machine code of the search and of the tables, loaded or compiled."""

    def __init__(self) -> None:
        with notice("the bitboard"):
            sources = digest("backends/bitboard")
            self.search = compiled(_search_entry(sources), _SEARCH)
            self._table = compiled(_table_entry(sources), _TABLE)
            self.ternary = compiled(_ternary_entry(sources), _TERNARY)(line.TABLE_LENGTH)[1]
        self._tables: dict[tuple[int, int, int, int], Any] = {}

    def table(self, length: int, rules: Rules, puzzles: int) -> Any:
        """The table for lines of a length if it is worth its making, or an empty one.

        Args:
            length: of the lines, in cells.
            rules: of the puzzles.
            puzzles: how many of them there are.
        """
        key = (length, min(rules.longest_run, length), *_most(length, rules))
        if key in self._tables:
            return self._tables[key]
        if length > line.TABLE_LENGTH or 3**length > puzzles * _STATES_A_PUZZLE:
            return np.empty(0, np.uint32)
        return self._tables.setdefault(key, self._table(*key)[1])


@cache
def kernel() -> Kernel:
    """The machine code, once for the process."""
    return Kernel()


class Room:
    """The memory of a search, and the rules and the size that it is for.

    Args:
        height: of the boards.
        width: of the boards.
        rules: of the puzzles.
        signed: whether any of them has signs.
        puzzles: how many there will be.
    """

    def __init__(
        self, height: int, width: int, rules: Rules, signed: bool, puzzles: int = 1
    ) -> None:
        self.height, self.width, self._rules = height, width, rules
        lines = height + width
        # A level for each cell that may be branched on, and two for the values of a cell.
        self._boards = np.empty((height * width + 3) * level_words(lines), np.uint64)
        self._seen = np.empty(2 * lines, np.uint64)
        longest = min(rules.longest_run, max(height, width))
        ones, zeros = zip(_most(width, rules), _most(height, rules), strict=True)
        self._shape = np.array(
            [height, width, longest, rules.distinct_lines, signed, *ones, *zeros], np.uint64
        )
        assert len(self._shape) == SHAPE_WORDS
        self.expect(puzzles)

    def expect(self, puzzles: int) -> None:
        """Have the tables that are worth their making for so many puzzles, or so much work."""
        self._rows = kernel().table(self.width, self._rules, puzzles)
        self._columns = kernel().table(self.height, self._rules, puzzles)

    def search(
        self,
        cells: Cells,
        signs: Words,
        found: Words,
        states: npt.NDArray[np.int64],
        *,
        stop: int,
        budget: int,
        look_ahead: bool = True,
        salt: int = 0,
    ) -> None:
        """`search.search` in this room."""
        kernel().search(
            cells,
            signs,
            self._shape,
            kernel().ternary,
            self._rows,
            self._columns,
            self._boards,
            self._seen,
            found,
            states,
            stop,
            budget,
            look_ahead,
            salt,
        )


def states_of(puzzles: int) -> npt.NDArray[np.int64]:
    """The states of so many searches that have not begun."""
    return np.zeros((puzzles, STATE_WORDS), np.int64)


NO_SIGNS: Words = np.empty((1, 2, 0), np.uint64)


def sign_words(height: int, width: int, signs: tuple[Sign, ...]) -> Words:
    """The signs of a puzzle along its lines: 1 x 2 (equal, opposite) x (height + width) words."""
    words = np.zeros((1, 2, height + width), np.uint64)
    for sign in signs:
        relation = "=x".index(sign.relation)
        if sign.direction == "R":
            words[0, relation, sign.row] |= np.uint64(1 << sign.column)
        else:
            words[0, relation, height + sign.column] |= np.uint64(1 << sign.row)
    return words


def _most(length: int, rules: Rules) -> tuple[int, int]:
    ones = rules.ones(length)
    return ones[-1], length - ones[0]


# What encloses the digest of all sources: see `compiling.digest`.


def _search_entry(digest: int) -> Callable[..., int]:
    def entry(
        cells: Any,
        signs: Any,
        shape: Any,
        ternary: Any,
        rows: Any,
        columns: Any,
        boards: Any,
        seen: Any,
        found: Any,
        states: Any,
        stop: int,
        budget: int,
        look_ahead: bool,
        salt: int,
    ) -> int:
        search(
            cells,
            signs,
            shape,
            ternary,
            rows,
            columns,
            boards,
            seen,
            found,
            states,
            stop,
            budget,
            look_ahead,
            salt,
        )
        return digest

    return entry


def _table_entry(digest: int) -> Callable[..., Any]:
    def entry(length: int, longest: int, most_ones: Any, most_zeros: Any) -> Any:
        return digest, line.table(length, longest, most_ones, most_zeros)

    return entry


def _ternary_entry(digest: int) -> Callable[..., Any]:
    def entry(length: int) -> Any:
        return digest, line.ternary_numbers(length)

    return entry
