"""What workers do with puzzles: read, decide, and tell it as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from time import monotonic
from typing import NamedTuple

from binairo_cp import formats
from binairo_cp.batch.records import invalid, record
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.errors import BinairoError, FormatError, LimitError
from binairo_cp.formats import Entry, records
from binairo_cp.formats.blocks import with_default_id
from binairo_cp.formats.schema import Finding, PuzzleRecord, ResultRecord, stated
from binairo_cp.puzzle.rules import Rules
from binairo_cp.solving.solutions import Verdict

SOURCE = "request"
"""What the source of a puzzle is called that came over HTTP."""


Items = tuple[PuzzleRecord | str, ...] | bytes


@dataclass(frozen=True, slots=True)
class Given:
    """The puzzles of a request, as they came.

    Attributes:
        items: each a record or a text with one puzzle; or a document with any number of them.
        format: of texts.
        rules: of puzzles that state none.
        most: how many puzzles there may be.
        side: how many cells a side may have.
    """

    items: Items
    format: str
    rules: Rules | None
    most: int
    side: int


class Place(NamedTuple):
    """Where in a text or on a board something is wrong; lines count from 1, cells from 0."""

    line: int | None = None
    column: int | None = None
    cell: tuple[int, int] | None = None


class Told(NamedTuple):
    """What became of a puzzle.

    Attributes:
        text: its result record, as JSON.
        verdict: what is known of it.
        kind: of its error, by the words of `errors`; None if there is none.
        message: of its error.
        place: of its error.
        is_final: more time would not tell more.
    """

    text: str
    verdict: str
    kind: str | None = None
    message: str = ""
    place: Place = Place()
    is_final: bool = True


def read(given: Given) -> list[Entry]:
    """The puzzles of a request, one more than allowed if there are so many."""
    return [_bounded(entry, given.side) for entry in islice(_entries(given), given.most + 1)]


def _entries(given: Given) -> Iterator[Entry]:
    if isinstance(given.items, bytes):
        yield from formats.read_bytes(given.items, SOURCE, given.format, given.rules)
        return
    for number, item in enumerate(given.items, 1):
        if isinstance(item, PuzzleRecord):
            entry = records.entry(partial(_same, item), given.rules, SOURCE)
        else:
            entry = _single(item, given)
        yield with_default_id(entry, number)


def _same(record: PuzzleRecord) -> PuzzleRecord:
    return record


def _single(text: str, given: Given) -> Entry:
    data = text.encode(errors="surrogatepass")
    found = list(islice(formats.read_bytes(data, SOURCE, given.format, given.rules), 2))
    if len(found) == 1:
        # Its number in a text of its own is no name.
        return replace(found[0], id=None) if found[0].id == "1" else found[0]
    error = FormatError("a text with several puzzles", source=SOURCE, expected="one")
    return Entry(error=error, source=SOURCE, line=found[1].line)


def _bounded(entry: Entry, side: int) -> Entry:
    if entry.puzzle is None:
        return entry
    board = entry.puzzle.board
    if max(board.height, board.width) <= side:
        return entry
    told = f"a board of {board.height}x{board.width}; this server takes sides of up to {side} cells"
    return replace(entry, puzzle=None, error=LimitError(told))


def decide_all(task: Task, end: float, entries: list[Entry]) -> list[Told]:
    """What becomes of puzzles that share the time until `end`, by the clock of the machine."""
    return [_decided(entry, task, end) for entry in entries]


def decide_given(
    task: Task, seconds: float, most_cells: int | None, given: Given
) -> list[Told] | None:
    """The same for puzzles as they came; None if they have more cells than that."""
    end = monotonic() + seconds
    entries = read(given)
    if most_cells is not None:
        boards = (entry.puzzle.board for entry in entries if entry.puzzle)
        if sum(len(board.cells) for board in boards) > most_cells:
            return None
    return decide_all(task, end, entries)


def _decided(entry: Entry, task: Task, end: float) -> Told:
    left = max(0.0, end - monotonic())
    found = decide(entry, replace(task, time_limit=left, shares_time=True))
    return told(found, entry.error)


def out_of_time(entry: Entry, seconds: float) -> Told:
    """What is said of a puzzle whose worker had to be killed when its time was over."""
    if entry.puzzle is None:
        return told(invalid(entry), entry.error)
    finding = Finding(
        rules=stated(entry.puzzle),
        verdict=Verdict.UNKNOWN,
        count=0,
        complete=False,
        stopped_by="time",
        seconds=seconds,
    )
    return told(record(entry, finding))


def told(found: ResultRecord, fault: BinairoError | None = None) -> Told:
    """What a record says, for the server, which does not read it."""
    text, verdict, error = found.to_json(), found.verdict.value, found.error
    if error is None:
        return Told(text, verdict, is_final=_is_final(found))
    cell = getattr(fault, "cell", None)
    place = Place(error.line, error.column, tuple(cell) if cell else None)
    return Told(text, verdict, error.kind, error.message, place, error.kind != "budget")


def _is_final(record: ResultRecord) -> bool:
    readings = list((record.readings or {}).values()) or [record]
    return not any("time" in (each.stopped_by, each.contradiction_stopped_by) for each in readings)
