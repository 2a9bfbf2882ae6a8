"""The bitboard: boards as machine words, searched by compiled code.

`kernels.line` propagates within a line. `kernels.bitboard` propagates on a board, branches, and
tries values before branching. The bitboard supports lines of up to 64 cells under all rules and
shares no code with the encodings.

Look-ahead saves nodes on puzzles with one or few solutions. Without it each node is cheaper, which
pays off on boards with very many solutions. A search begins with look-ahead, and turns it off while
its nodes keep producing solutions. If few solutions are requested, the search pauses for short
randomized restarts without look-ahead, one each time its nodes have doubled, and more at the first
time if the board has few clues. They nearly always find solutions if there are very many, which
look-ahead finds only after it tried most cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from sys import maxsize
from typing import ClassVar

from binairo_cp.errors import BackendNameError, BudgetExceeded
from binairo_cp.kernels import bitboard as kernel
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends.bitboard import searchers
from binairo_cp.solving.backends.bitboard.searchers import MAX_STORED, Searcher
from binairo_cp.solving.backends.contract import (
    UNLIMITED,
    Budget,
    Count,
    Meter,
    Stop,
    count_by_halves,
)

_FIRST_SLICE = 1_000
_LARGEST_SLICE = 32_000
_LONG_SEARCH_IN_PUZZLES = 1_000
_LOW_YIELD = 1 / 64
_HIGH_YIELD = 1 / 16
_RESTARTS_IF_OPEN = 8
_FIRST_RESTART = 100
_NODES_PER_RESTART_NODE = 8
_CELLS_PER_CLUE = 8
_SALT = 0x9E3779B1


@dataclass(frozen=True, slots=True)
class Bitboard:
    """The backend. Its unit of work is a node: one propagation."""

    name: ClassVar[str] = "bitboard"

    @classmethod
    def named(cls, options: list[str]) -> Bitboard:
        """Create the backend from the options in its name; it has none.

        Raises:
            BackendNameError: there are options.
        """
        if options:
            raise BackendNameError("bitboard takes no options")
        return cls()

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """The solutions, as the contract requires.

        Raises:
            BackendSizeError: a line has more than 64 cells.
        """
        meter = Meter(budget)
        meter.check_clock()
        searcher = searchers.take(puzzle.board.height, puzzle.board.width, puzzle.rules)
        try:
            search = Search(puzzle, searcher)
            first: list[Board] = []
            if limit in (1, 2):
                # Most puzzles are decided here.
                first = search.next_boards(meter, 2, _FIRST_SLICE)[:limit]
                yield from first
                if search.done or len(first) == limit:
                    return
            is_few = limit is not None and limit <= MAX_STORED
            more = _with_restarts(search, first, meter) if is_few else search.boards(meter)
            yield from islice(more, None if limit is None else limit - len(first))
        finally:
            searchers.give_back(searcher)

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """The number of solutions, as the contract requires.

        Raises:
            BackendSizeError: a line has more than 64 cells.
        """
        meter = Meter(budget)
        return count_by_halves(puzzle, limit, lambda half, most: _count(half, most, meter))


class Search:
    """The search of one puzzle, which can be paused and resumed.

    Args:
        puzzle: the puzzle.
        searcher: the memory, which no other search uses until this one has ended.
        salt: 0 to use look-ahead where it pays off. Any other number turns look-ahead off and
            seeds the random choice of the first value of each branch.

    Attributes:
        puzzle: the puzzle.
        done: there are no more solutions.
        found: the number of solutions found.
        nodes: the number of nodes spent.
    """

    def __init__(self, puzzle: Puzzle, searcher: Searcher, salt: int = 0) -> None:
        self.puzzle, self._searcher = puzzle, searcher
        self.done, self.found, self.nodes = False, 0, 0
        self._salt = salt
        self._look_ahead = not salt
        searcher.start(puzzle)

    def resume(self, stop: int, nodes: int) -> None:
        """Search for about `nodes` more nodes, or until `stop` solutions are found in total.

        Only the last 256 solutions are stored.
        """
        if self.nodes >= _FIRST_SLICE:
            self._searcher.prepare_tables(_LONG_SEARCH_IN_PUZZLES)
        found, spent = self.found, self.nodes
        self.done, self.found, self.nodes = kernel.resume(
            self._searcher.search, stop, self.nodes + nodes, self._look_ahead, self._salt
        )
        yields = (self.found - found) / (self.nodes - spent + 1)
        if not self._salt and (yields > _HIGH_YIELD or yields < _LOW_YIELD):
            self._look_ahead = yields < _LOW_YIELD

    def stored_solution(self, number: int) -> Board:
        """A solution by its number, from 0; it must be among the last 256."""
        height, width = self.puzzle.board.height, self.puzzle.board.width
        cells = kernel.solution(self._searcher.search, number)
        return Board(height, width, cells.decode())

    def resume_within(self, meter: Meter, stop: int, nodes: int) -> None:
        """Resume the search within a budget; the arguments are those of `resume`.

        Raises:
            BudgetExceeded: nothing is left of the budget.
        """
        meter.check_clock()
        if (left := meter.work_left) is not None:
            if not left:
                raise BudgetExceeded("work")
            nodes = min(nodes, left)
        before = self.nodes
        self.resume(stop, nodes)
        # The last node may cause another one before the kernel checks the limit.
        meter.spend(min(self.nodes - before, nodes))

    def next_boards(self, meter: Meter, number: int, nodes: int) -> list[Board]:
        """At most `number` more solutions, which about `nodes` more nodes find.

        Raises:
            BudgetExceeded: nothing is left of the budget.
        """
        before = self.found
        self.resume_within(meter, before + number, nodes)
        return [self.stored_solution(k) for k in range(before, self.found)]

    def boards(self, meter: Meter, nodes: int | None = None) -> Iterator[Board]:
        """The remaining solutions, until the end or until `nodes` more nodes are spent.

        Raises:
            BudgetExceeded: the budget ran out.
        """
        last = None if nodes is None else self.nodes + nodes
        slice = _FIRST_SLICE
        batch = 2
        while not self.done and (last is None or self.nodes < last):
            yield from self.next_boards(meter, batch, slice if last is None else last - self.nodes)
            slice, batch = min(2 * slice, _LARGEST_SLICE), min(2 * batch, MAX_STORED)


def _with_restarts(search: Search, known: list[Board], meter: Meter) -> Iterator[Board]:
    """The other solutions of a search that pauses for restarts."""
    puzzle, yielded = search.puzzle, set(known)

    def new(boards: Iterator[Board]) -> Iterator[Board]:
        for board in boards:
            if board not in yielded:
                yielded.add(board)
                yield board

    nodes, restarts = _FIRST_SLICE, 1
    least = _FIRST_RESTART + puzzle.board.cells.count(OPEN) // 2
    if _is_open(puzzle):
        restarts, least = _RESTARTS_IF_OPEN, _FIRST_SLICE + len(puzzle.board.cells)
    salts = count(_SALT, _SALT)
    searcher = Searcher(puzzle.board.height, puzzle.board.width, puzzle.rules)
    yield from new(search.boards(meter, nodes - search.nodes))
    while not search.done:
        for salt in islice(salts, restarts):
            restart = Search(puzzle, searcher, salt)
            yield from new(restart.boards(meter, max(least, nodes // _NODES_PER_RESTART_NODE)))
            if restart.done:
                return
        nodes, restarts = min(2 * nodes, _LARGEST_SLICE), 1
        yield from new(search.boards(meter, nodes))


def _is_open(puzzle: Puzzle) -> bool:
    """Whether a puzzle has so few clues and signs that it has very many solutions, if any."""
    board = puzzle.board
    return (board.clue_count + len(puzzle.signs)) * _CELLS_PER_CLUE < len(board.cells)


def _count(puzzle: Puzzle, limit: int | None, meter: Meter) -> Count:
    """Count the solutions and return the first two."""
    most = limit if limit is not None else maxsize
    first: list[Board] = []
    stopped_by: Stop | None = None
    nodes = _FIRST_SLICE
    if meter.seconds_left == 0:
        return Count(0, (), "time", Bitboard.name)
    with searchers.borrowed(puzzle.board.height, puzzle.board.width, puzzle.rules) as searcher:
        search = Search(puzzle, searcher)
        try:
            while not search.done and search.found < most:
                stop = min(most, search.found + 2) if len(first) < 2 else most
                search.resume_within(meter, stop, nodes)
                new = range(len(first), min(2, search.found))
                first += [search.stored_solution(k) for k in new]
                nodes = min(2 * nodes, _LARGEST_SLICE)
        except BudgetExceeded as error:
            stopped_by = error.by
    reason: Stop | None = "limit" if search.found == limit else stopped_by
    return Count(search.found, tuple(first), reason, Bitboard.name)
