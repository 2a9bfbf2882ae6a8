"""The memory and the tables of searches, which the next searches of the same shape use again.

Allocating the memory takes about as long as deciding a small puzzle. A searcher belongs to one
search at a time, since searches of several threads run at once, and a paused one needs its boards
later.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from binairo_cp.errors import BackendSizeError
from binairo_cp.kernels import bitboard as kernel
from binairo_cp.puzzle.rules import Puzzle, Rules

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
    """Searches boards of one size under one set of rules; holds the memory for this.

    Args:
        height: the number of rows.
        width: the number of columns.
        rules: the rules of the puzzles.

    Attributes:
        height: the number of rows.
        width: the number of columns.
        rules: the rules of the puzzles.
        search: the search of the kernel.
        bytes: the size of the memory.
    """

    def __init__(self, height: int, width: int, rules: Rules) -> None:
        self.height, self.width, self.rules = height, width, rules
        self._uses = 0
        self._solutions = _words(MAX_STORED * height, (1, MAX_STORED, height))
        boards = _words(kernel.search_words(height, width))
        self.bytes = boards.nbytes
        distinct = rules.distinct_lines
        self._rows = kernel.Direction(0, height, width, *_max_counts(width, rules), distinct)
        self._columns = kernel.Direction(
            height, width, height, *_max_counts(height, rules), distinct
        )
        longest_run = min(rules.longest_run, max(height, width))
        implied = _words(2 * (height + width))
        self.search = kernel.Search(self._rows, self._columns, longest_run, boards, implied)
        self.prepare_tables(1)

    def count_use(self) -> None:
        """Note that another puzzle is searched; builds the tables that pay off by now."""
        self._uses += 1
        is_power_of_two = not self._uses & (self._uses - 1)
        if is_power_of_two:
            self.prepare_tables(self._uses)

    def prepare_tables(self, puzzles: int) -> None:
        """Build the tables that pay off for this number of puzzles, or as much work."""
        for direction, length in ((self._rows, self.width), (self._columns, self.height)):
            if table := _table(length, self.rules, puzzles):
                direction.use_table(table, _ternary_numbers())

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
                f"bitboard takes lines of up to {MAX_LENGTH} cells, not a {height}x{width} board"
            ) from None
        searcher = Searcher(height, width, rules)
    searcher.count_use()
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
    """Memory for machine words, all 0."""
    memory = memoryview(bytearray(8 * number))
    return memory.cast("Q", shape or (number,))


def _table(length: int, rules: Rules, puzzles: int) -> memoryview | None:
    """The table for lines of a length; None if building it would not pay off.

    Args:
        length: the number of cells of the lines.
        rules: the rules of the puzzles.
        puzzles: the expected number of puzzles.
    """
    key = (length, min(rules.longest_run, length), *_max_counts(length, rules))
    if key in _tables:
        return _tables[key]
    if length > kernel.TABLE_LENGTH or 3**length > puzzles * _TABLE_STATES_PER_PUZZLE:
        return None
    table = memoryview(array("I", bytes(4 * 3**length)))
    kernel.fill_table(table, *key)
    return _tables.setdefault(key, table)


@cache
def _ternary_numbers() -> memoryview:
    numbers = memoryview(array("I", bytes(4 << kernel.TABLE_LENGTH)))
    kernel.fill_ternary_numbers(numbers)
    return numbers


def _max_counts(length: int, rules: Rules) -> tuple[int, int]:
    ones = rules.ones(length)
    return ones[-1], length - ones[0]
