"""The bitboard: boards as machine words, searched by compiled code of this package.

`kernels.line` propagates within a line. `kernels.bitboard` propagates on a board, branches, and
tries values before branching. The bitboard supports lines of up to 64 cells under all rules and
shares no code with the encodings. It needs no library; the installation compiles it, and without a
C compiler it takes 50 to 200 times as long.

Look-ahead saves nodes on puzzles with one or few solutions. Without it each node is cheaper, which
pays off on boards with very many solutions. A search begins with look-ahead, and turns it off while
its nodes keep producing solutions. If few solutions are requested, the search pauses for short
randomized restarts without look-ahead, one each time its nodes have doubled, and more at the first
time if the board has few clues. They nearly always find solutions if there are very many, which
look-ahead finds only after it tried most cells.

Allocating the memory takes about as long as deciding a small puzzle. A searcher belongs to one
search at a time, since searches of several threads run at once, and a paused one needs its boards
later.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from sys import maxsize
from typing import ClassVar

from binairo_cp.errors import BackendSizeError, BudgetExceeded
from binairo_cp.kernels import bitboard as kernel
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.backends import UNLIMITED, Budget, Count, Meter, Stop, count_by_halves

_SHORT_SEARCH = 100
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

MAX_LENGTH = 64
"""The maximum length of a line: a line must fit in one machine word."""

MAX_STORED = 256
"""How many solutions of a single puzzle are stored."""

_TABLE_STATES_PER_PUZZLE = 2_000
"""The number of table states that can be computed in the time that a table saves per puzzle."""

_MAX_BYTES = 1 << 19
_MAX_KEPT = 4
_MAX_SHAPES = 32

_free: dict[tuple[int, int, Rules], list[Searcher]] = {}
_tables: dict[tuple[int, int, int, int], memoryview] = {}


class Searcher:
    """Searches boards of one size under one set of rules; holds the memory for this."""

    def __init__(self, height: int, width: int, rules: Rules) -> None:
        self.height, self.width, self.rules = height, width, rules
        self.uses = 0
        self._solutions = _words(MAX_STORED * height, (1, MAX_STORED, height))
        boards = _words(kernel.search_words(height, width))
        self.bytes = boards.nbytes
        distinct = rules.distinct_lines
        in_row, in_column = max_counts(width, rules), max_counts(height, rules)
        self._rows = kernel.Direction(0, height, width, *in_row, distinct)
        self._columns = kernel.Direction(height, width, height, *in_column, distinct)
        longest_run = min(rules.longest_run, max(height, width))
        implied = _words(2 * (height + width))
        self.search = kernel.Search(self._rows, self._columns, longest_run, boards, implied)
        self.prepare_tables(1)

    def prepare_tables(self, puzzles: int) -> None:
        """Build the tables that pay off for this number of puzzles, or as much work."""
        for direction, length in ((self._rows, self.width), (self._columns, self.height)):
            key = (length, min(self.rules.longest_run, length), *max_counts(length, self.rules))
            pays_off = 3**length <= puzzles * _TABLE_STATES_PER_PUZZLE
            if key not in _tables and length <= kernel.TABLE_LENGTH and pays_off:
                table = memoryview(array("I", bytes(4 * 3**length)))
                kernel.fill_table(table, *key)
                _tables[key] = table
            if key in _tables:
                direction.use_table(_tables[key], _ternary_numbers())

    def start(self, puzzle: Puzzle) -> None:
        """Begin the search of a puzzle, which `kernel.resume` continues."""
        signs = None
        if puzzle.signs:
            signs = _words(2 * (self.height + self.width), (1, 2, self.height + self.width))
            for place, bit in sign_places(puzzle.signs, self.height, self.width):
                signs[0, *place] |= bit
        kernel.start(self.search, puzzle.board.cells.encode(), signs, self._solutions)


def take(height: int, width: int, rules: Rules) -> Searcher:
    """A free searcher; `give_back` makes it free again.

    Raises:
        BackendSizeError: a line has more than 64 cells.
    """
    try:
        searcher = _free[height, width, rules].pop()
    except (KeyError, IndexError):
        if max(height, width) > MAX_LENGTH:
            raise BackendSizeError(
                f"bitboard takes lines of up to {MAX_LENGTH} cells, not a board of {height}x{width}"
            ) from None
        searcher = Searcher(height, width, rules)
    searcher.uses += 1
    is_power_of_two = not searcher.uses & (searcher.uses - 1)
    if is_power_of_two:
        searcher.prepare_tables(searcher.uses)
    return searcher


def give_back(searcher: Searcher) -> None:
    """Keep a searcher for the next search, unless it is large or there are enough."""
    key = (searcher.height, searcher.width, searcher.rules)
    if len(_free) >= _MAX_SHAPES and key not in _free:
        _free.clear()
    kept = _free.setdefault(key, [])
    if len(kept) < _MAX_KEPT and searcher.bytes <= _MAX_BYTES:
        kept.append(searcher)


@contextmanager
def borrowed(height: int, width: int, rules: Rules) -> Iterator[Searcher]:
    """A searcher for a ``with`` block."""
    searcher = take(height, width, rules)
    try:
        yield searcher
    finally:
        give_back(searcher)


def sign_places(
    signs: Iterable[tuple[int, int, str, str]], height: int, width: int
) -> Iterator[tuple[tuple[int, int], int]]:
    """Where signs are in the words of the kernel: 2 (equal, opposite) x (height + width).

    Yields:
        The place of a word, and its bit: bit k is a sign between cells k and k + 1 of the line.
    """
    for row, column, direction, relation in signs:
        line, bit = (row, column) if direction == "R" else (height + column, row)
        yield ("=x".index(relation), line), 1 << bit


def _words(number: int, shape: tuple[int, ...] = ()) -> memoryview:
    return memoryview(bytearray(8 * number)).cast("Q", shape or (number,))


@cache
def _ternary_numbers() -> memoryview:
    numbers = memoryview(array("I", bytes(4 << kernel.TABLE_LENGTH)))
    kernel.fill_ternary_numbers(numbers)
    return numbers


@cache
def max_counts(length: int, rules: Rules) -> tuple[int, int]:
    """The largest numbers of ones and of zeros in a line."""
    ones = rules.ones(length)
    return ones[-1], length - ones[0]


def few(puzzle: Puzzle, limit: int) -> Count | None:
    """The first solutions of a puzzle that a short search decides, as most are; None for others.

    The search is that of `Bitboard.solutions`, without what a long one needs, which takes longer
    than it. It checks no clock, since it ends within a millisecond.
    """
    height, width = puzzle.board.height, puzzle.board.width
    if height > MAX_LENGTH or width > MAX_LENGTH:
        return None
    searcher = take(height, width, puzzle.rules)
    try:
        searcher.start(puzzle)
        search = searcher.search
        done, found, _ = kernel.resume(search, limit, _SHORT_SEARCH, True, 0)
        if not done and found < limit:
            return None
        texts = [kernel.solution(search, k).decode() for k in range(min(found, limit))]
    finally:
        give_back(searcher)
    boards = tuple(Board(height, width, text) for text in texts)
    return Count(len(boards), boards, "limit" if len(boards) == limit else None, Bitboard.name)


@dataclass(frozen=True, slots=True)
class Bitboard:
    """The backend. Its unit of work is a node: one propagation."""

    name: ClassVar[str] = "bitboard"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """The solutions, as the contract requires.

        Raises:
            BackendSizeError: a line has more than 64 cells.
        """
        meter = Meter(budget)
        meter.check_clock()
        with borrowed(puzzle.board.height, puzzle.board.width, puzzle.rules) as searcher:
            search = BitboardSearch(puzzle, searcher)
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

    few = staticmethod(few)

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """The number of solutions, as the contract requires.

        Raises:
            BackendSizeError: a line has more than 64 cells.
        """
        meter = Meter(budget)
        return count_by_halves(puzzle, limit, lambda half, most: _count(half, most, meter))


class BitboardSearch:
    """The search of one puzzle, which can be paused and resumed.

    No other search may use its searcher until this one has ended. With a salt other than 0, it uses
    no look-ahead, and the salt seeds the random choice of the first value of each branch.
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


def _with_restarts(search: BitboardSearch, known: list[Board], meter: Meter) -> Iterator[Board]:
    """The other solutions of a search that pauses for restarts."""
    puzzle, yielded = search.puzzle, set(known)

    def new(boards: Iterator[Board]) -> Iterator[Board]:
        for board in boards:
            if board not in yielded:
                yielded.add(board)
                yield board

    nodes, restarts = _FIRST_SLICE, 1
    least = _FIRST_RESTART + puzzle.board.cells.count(OPEN) // 2
    clues, cells = puzzle.board.clue_count + len(puzzle.signs), len(puzzle.board.cells)
    if clues * _CELLS_PER_CLUE < cells:  # Then it has very many solutions, if any.
        restarts, least = _RESTARTS_IF_OPEN, _FIRST_SLICE + cells
    salts = count(_SALT, _SALT)
    searcher = Searcher(puzzle.board.height, puzzle.board.width, puzzle.rules)
    yield from new(search.boards(meter, nodes - search.nodes))
    while not search.done:
        for salt in islice(salts, restarts):
            restart = BitboardSearch(puzzle, searcher, salt)
            yield from new(restart.boards(meter, max(least, nodes // _NODES_PER_RESTART_NODE)))
            if restart.done:
                return
        nodes, restarts = min(2 * nodes, _LARGEST_SLICE), 1
        yield from new(search.boards(meter, nodes))


def _count(puzzle: Puzzle, limit: int | None, meter: Meter) -> Count:
    """Count the solutions and return the first two."""
    most = limit if limit is not None else maxsize
    first: list[Board] = []
    stopped_by: Stop | None = None
    nodes = _FIRST_SLICE
    if meter.seconds_left == 0:
        return Count(0, (), "time", Bitboard.name)
    with borrowed(puzzle.board.height, puzzle.board.width, puzzle.rules) as searcher:
        search = BitboardSearch(puzzle, searcher)
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
