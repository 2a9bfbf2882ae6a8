"""The bitboard: boards as machine words, searched by code that numba compiles.

`line` says what follows within a line, `propagation` what follows on a board, `search` tries what
does not follow, `kernel` compiles and calls them. It takes lines of up to 64 cells under all rules
and shares no code with the encodings.

Two ways to search suit two kinds of puzzles. With look-ahead, a puzzle with one solution or a few
takes few nodes. Without, each node is cheaper, which suits a board with very many solutions. A
search begins with look-ahead and changes over by how many solutions its nodes bring. And if few
solutions of a mostly open board are wanted and none was found soon, some short searches without
look-ahead, which draw the values they try first, may happen on one: on large boards they mostly do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from binairo_cp.errors import BackendNameError, BackendSizeError, BudgetExceeded
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends.bitboard import kernel
from binairo_cp.solving.backends.bitboard.levels import FOUND, NODES, STATUS
from binairo_cp.solving.backends.bitboard.search import DONE, Limits
from binairo_cp.solving.backends.contract import (
    UNLIMITED,
    Budget,
    Count,
    Meter,
    Stop,
    count_by_halves,
)

_NODES_AT_FIRST = 1_000
_MOST_NODES = 32_000
_PUZZLES_LIKE_A_LONG_SEARCH = 1_000
_KEPT = 256
_FEW = 1 / 64
_MANY = 1 / 16
_TRIES = 8
_OPEN = 8
_SALT = 0x9E3779B1


@dataclass(frozen=True, slots=True)
class Bitboard:
    """The backend; its unit of work is a node: one propagation."""

    name: ClassVar[str] = "bitboard"

    @classmethod
    def named(cls, options: list[str]) -> Bitboard:
        """From the parts of a name: there are no options.

        Raises:
            BackendNameError: there are some.
        """
        if options:
            raise BackendNameError("bitboard takes no options")
        return cls()

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """As the contract says.

        Raises:
            BackendSizeError: a line of more than 64 cells.
        """
        meter = Meter(budget)
        meter.check_clock()
        few = limit is not None and limit <= _KEPT
        lucky = few and self.tries_luck(puzzle.board)
        boards = _with_luck(puzzle, meter) if lucky else Search(puzzle).boards(meter)
        yield from islice(boards, limit)

    @staticmethod
    def tries_luck(board: Board) -> bool:
        """Whether a board has so few clues that there are likely many solutions to happen on."""
        return board.clue_count * _OPEN < len(board.cells)

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """As the contract says.

        Raises:
            BackendSizeError: a line of more than 64 cells.
        """
        meter = Meter(budget)
        return count_by_halves(puzzle, limit, lambda half, most: _count(half, most, meter))


class Search:
    """One search of one puzzle, which goes on from where it paused.

    Args:
        puzzle: what is searched.
        salt: 0 to search with look-ahead where that pays; otherwise without, and the values tried
            first are drawn with it.

    Attributes:
        done: there are no other solutions.
        found: how many solutions were found.
        nodes: how many nodes that took.

    Raises:
        BackendSizeError: a line of more than 64 cells.
    """

    def __init__(self, puzzle: Puzzle, salt: int = 0) -> None:
        board = puzzle.board
        if max(board.height, board.width) > kernel.MAX_LENGTH:
            raise BackendSizeError(
                f"bitboard takes lines of up to {kernel.MAX_LENGTH} cells, "
                f"not a {board.height}x{board.width} board"
            )
        self.done, self.found, self.nodes = False, 0, 0
        self._board = board
        self._salt = salt
        self._look_ahead = not salt
        self._cells = np.frombuffer(bytearray(board.cells.encode()), np.uint8).reshape(1, -1)
        self._signs = kernel.sign_words(board.height, board.width, puzzle.signs)
        self._searcher = kernel.Searcher(board.height, board.width, puzzle.rules)
        self._kept = np.empty((1, _KEPT, board.height), np.uint64)
        self._states = kernel.states_of(1)

    def go_on(self, stop: int, nodes: int) -> None:
        """Search until so many solutions are found, or for about so many nodes.

        Only the last 256 solutions are kept.
        """
        if self.nodes >= _NODES_AT_FIRST:
            self._searcher.expect(_PUZZLES_LIKE_A_LONG_SEARCH)
        found, spent = self.found, self.nodes
        self._searcher.search(
            self._cells,
            self._signs,
            self._kept,
            self._states,
            Limits(stop, self.nodes + nodes, int(self._look_ahead), self._salt),
        )
        state = self._states[0]
        self.done = bool(state[STATUS] == DONE)
        self.found, self.nodes = int(state[FOUND]), int(state[NODES])
        yields = (self.found - found) / (self.nodes - spent + 1)
        if not self._salt and (yields > _MANY or yields < _FEW):
            self._look_ahead = yields < _FEW

    def kept(self, number: int) -> Board:
        """The solution of a number, from 0, among the last 256."""
        words = self._kept[0, number % _KEPT].tolist()
        width = self._board.width
        cells = "".join(f"{word:0{width}b}"[::-1] for word in words)
        return Board(self._board.height, width, cells)

    def spend(self, meter: Meter, stop: int, nodes: int) -> None:
        """Go on within a budget, however short.

        Raises:
            BudgetExceeded: there is none left.
        """
        meter.check_clock()
        if (left := meter.work_left) is not None:
            if not left:
                raise BudgetExceeded("work")
            nodes = min(nodes, left)
        before = self.nodes
        self.go_on(stop, nodes)
        # A node may bring another with it before the budget is looked at.
        meter.spend(min(self.nodes - before, nodes))

    def boards(self, meter: Meter, nodes: int | None = None) -> Iterator[Board]:
        """The solutions from here on, until the end or until so many nodes are spent.

        Raises:
            BudgetExceeded: the budget ran out.
        """
        last = None if nodes is None else self.nodes + nodes
        slice = _NODES_AT_FIRST
        batch = 2
        while not self.done and (last is None or self.nodes < last):
            given = self.found
            self.spend(meter, given + batch, slice if last is None else last - self.nodes)
            for number in range(given, self.found):
                yield self.kept(number)
            slice, batch = min(2 * slice, _MOST_NODES), min(2 * batch, _KEPT)


def _with_luck(puzzle: Puzzle, meter: Meter) -> Iterator[Board]:
    """The solutions that a search finds at first, that some short other ones find, and the rest."""
    search = Search(puzzle)
    given: set[Board] = set()

    def new(boards: Iterator[Board]) -> Iterator[Board]:
        for board in boards:
            if board not in given:
                given.add(board)
                yield board

    yield from new(search.boards(meter, _NODES_AT_FIRST))
    if not (search.found or search.done):
        for number in range(1, _TRIES + 1):
            lucky = Search(puzzle, salt=number * _SALT)
            yield from new(lucky.boards(meter, _NODES_AT_FIRST + len(puzzle.board.cells)))
            if lucky.found:
                break
    yield from new(search.boards(meter))


def _count(puzzle: Puzzle, limit: int | None, meter: Meter) -> Count:
    """Count the solutions; the first two are kept."""
    most = limit if limit is not None else np.iinfo(np.int64).max
    first: list[Board] = []
    stopped_by: Stop | None = None
    nodes = _NODES_AT_FIRST
    if meter.seconds_left == 0:
        return Count(0, (), "time", Bitboard.name)
    search = Search(puzzle)
    try:
        while not search.done and search.found < most:
            search.spend(meter, min(most, search.found + 2) if len(first) < 2 else most, nodes)
            first += [search.kept(k) for k in range(len(first), min(2, search.found))]
            nodes = min(2 * nodes, _MOST_NODES)
    except BudgetExceeded as error:
        stopped_by = error.by
    reason: Stop | None = "limit" if search.found == limit else stopped_by
    return Count(search.found, tuple(first), reason, Bitboard.name)
