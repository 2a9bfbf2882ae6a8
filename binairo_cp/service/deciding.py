"""Read puzzles, decide them, and serialize the results: at once in the server, or in its workers.

The server decides a puzzle itself if that is cheap, since sending it to a worker takes longer. Its
search has a work limit. What exceeds it starts again in a worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from time import monotonic
from typing import NamedTuple, TypeGuard

from binairo_cp import formats
from binairo_cp.batch.tasks import Task, decide, invalid, record
from binairo_cp.errors import BinairoError, BudgetExceeded, LimitError
from binairo_cp.formats import Choices, Entry, read_one, schema
from binairo_cp.formats.blocks import with_default_id
from binairo_cp.formats.results import ResultRecord, stated
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.lines import why_impossible
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.backends import UNLIMITED, Budget, Count
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.solutions import Verdict

SOURCE = "request"
"""The `source` in records of puzzles that came over HTTP."""


Items = tuple[PuzzleRecord | str, ...] | bytes

CHEAP_CELLS = 400
"""The largest boards that the server decides itself."""

CHEAP_CHARACTERS, CHEAP_LINES, CHEAP_BYTES = 512, 64, 8_192
"""The longest texts and bodies that the server parses itself, in at most some milliseconds."""

CHEAP_NODES = 300
"""Nodes of a search in the server, which take about 200 microseconds."""

_CHEAP_SECONDS = 0.002
"""The time of work in the server that has no work limit."""


class RawPuzzles(NamedTuple):
    """The puzzles of a request, not yet parsed.

    Attributes:
        items: records, and texts with one puzzle each; or one document with any number of puzzles.
        choices: what is stated about texts.
        rules: the rules of puzzles that don't state any.
        max_count: the maximum number of puzzles.
        max_side: the maximum side of a board, in cells.
    """

    items: Items
    choices: Choices
    rules: Rules | None
    max_count: int
    max_side: int


class PuzzleFault(NamedTuple):
    """Why a puzzle was refused or not decided; `problems.Fault` has the same fields."""

    kind: str
    detail: str
    line: int | None = None
    column: int | None = None
    cell: tuple[int, int] | None = None


Answer = str | PuzzleFault
"""The answer to a request with one puzzle: the JSON of its record, or why there is none."""


def read(puzzles: RawPuzzles) -> list[Entry]:
    """Parse the puzzles of a request. Stops one puzzle after the maximum number."""
    most = puzzles.max_count + 1
    if not isinstance(puzzles.items, bytes):
        items = enumerate(puzzles.items[:most], 1)
        return [_read_item(puzzles, item, number) for number, item in items]
    entries = formats.read_bytes(puzzles.items, SOURCE, puzzles.choices, puzzles.rules)
    return [check_size(entry, puzzles.max_side) for entry in islice(entries, most)]


def _read_item(puzzles: RawPuzzles, item: PuzzleRecord | str, number: int = 1) -> Entry:
    if isinstance(item, PuzzleRecord):
        entry = with_default_id(schema.entry(lambda: item, puzzles.rules, SOURCE), number)
    else:
        entry = read_one(item, number, SOURCE, puzzles.choices, puzzles.rules)
    return check_size(entry, puzzles.max_side)


def check_size(entry: Entry, max_side: int) -> Entry:
    """The entry; with an error if its board is too large."""
    if entry.puzzle is None:
        return entry
    board = entry.puzzle.board
    if max(board.height, board.width) <= max_side:
        return entry
    error = LimitError(
        f"a board of {board.height}x{board.width}; this server takes sides of up to "
        f"{max_side} cells"
    )
    return replace(entry, puzzle=None, error=error)


def line_of(entry: Entry) -> str:
    """A puzzle as a line of NDJSON, for a later request; its result, if it can't be read."""
    if entry.error:
        return f"{invalid(entry).to_json()}\n"
    return "".join(formats.write([entry], "ndjson"))


def decide_all(task: Task, end: float, entries: list[Entry]) -> list[str]:
    """The records of puzzles that share the time until `end`, on the clock of `time.monotonic`.

    They are JSON, so that the server process only moves bytes.
    """
    return [_decided(entry, task, end).to_json() for entry in entries]


def decide_one(task: Task, seconds: float, puzzles: RawPuzzles) -> Answer:
    """Parse and decide the only puzzle of a request."""
    end = monotonic() + seconds
    (entry,) = read(puzzles)
    return _answer(_decided(entry, task, end), entry.error)


class _CheapSearch(Bitboard):
    """The bitboard with a work limit."""

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        return super().solutions(puzzle, limit=limit, budget=replace(budget, work=CHEAP_NODES))

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        return super().count(puzzle, limit=limit, budget=replace(budget, work=CHEAP_NODES))


def is_cheap(items: Items) -> TypeGuard[tuple[PuzzleRecord | str, ...]]:
    """Whether there is a single puzzle that is soon parsed."""
    if isinstance(items, bytes) or len(items) != 1:
        return False
    (item,) = items
    if isinstance(item, str):
        return len(item) <= CHEAP_CHARACTERS and item.count("\n") < CHEAP_LINES
    return item.height * item.width <= CHEAP_CELLS


def decide_at_once(task: Task, seconds: float, puzzles: RawPuzzles) -> Answer | None:
    """The answer for a puzzle that is cheap to decide, the same as a worker's; else None."""
    # Without analyses, boards take no time besides the nodes of the search, since only `solve`
    # makes more than two. The clock would count what other processes of a busy machine take.
    is_timed = task.analyses or task.verb == "solve"
    cheap = _cheap(task, min(seconds, _CHEAP_SECONDS) if is_timed else seconds)
    if cheap is None or not is_cheap(puzzles.items):
        return None
    entry = _read_item(puzzles, puzzles.items[0])
    if entry.puzzle is None:
        return _answer(invalid(entry), entry.error)
    board = entry.puzzle.board
    if len(board.cells) > CHEAP_CELLS or entry.picture:
        return None
    if why_impossible(board.height, board.width, entry.puzzle.rules):
        return None  # no backend answers, so the record names the one that was asked for
    record = decide(entry, cheap)
    # Another solver finds clues that contradict each other.
    may_say_more = record.verdict is Verdict.NONE and task.verb != "solve"
    is_final = record.stopped_by in (None, "limit") and not may_say_more
    return record.to_json() if is_final and not record.error else None


@lru_cache(maxsize=64)
def _cheap(task: Task, seconds: float) -> Task | None:
    """The task with these limits of time and work; None if it is never cheap."""
    if not task.uses_bitboard or task.cross_check or task.both_readings:
        return None
    cheap = replace(task, backend=_CheapSearch(), reasons="none")
    return replace(cheap, time_limit=seconds, shares_time=True)


def _decided(entry: Entry, task: Task, end: float) -> ResultRecord:
    """The record of a puzzle after at most the time until `end`."""
    left = max(0.0, end - monotonic())
    return decide(entry, replace(task, time_limit=left, shares_time=True))


def out_of_time(entry: Entry, seconds: float) -> Answer:
    """The answer for a puzzle whose worker was killed at the time limit."""
    if entry.puzzle is None:
        return _answer(invalid(entry), entry.error)
    found = {
        "rules": stated(entry.puzzle),
        "verdict": Verdict.UNKNOWN,
        "count": 0,
        "complete": False,
        "stopped_by": "time",
        "seconds": seconds,
    }
    return record(entry, found).to_json()


def _answer(record: ResultRecord, exception: BinairoError | None) -> Answer:
    """The answer that a record gives.

    `exception` is what its `error` was made from, and knows the cell.
    """
    error = record.error
    if error is None or error.kind == BudgetExceeded.kind:
        return record.to_json()
    cell = getattr(exception, "cell", None)
    place = error.line, error.column, tuple(cell) if cell else None
    return PuzzleFault(error.kind, error.message, *place)
