"""The lines of a body of NDJSON: collected from its chunks, and decided in blocks by workers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from binairo_cp.batch.tasks import Task
from binairo_cp.errors import FormatError
from binairo_cp.formats import Entry, records
from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.sources import Piece, TextLine
from binairo_cp.puzzle.rules import Rules
from binairo_cp.service.deciding import SOURCE, check_size, decide_entry
from binairo_cp.solving.backends import LEAST_TIME_LIMIT

if TYPE_CHECKING:
    from binairo_cp.batch.columnar import Group

MAX_DROPPED = 8
"""A stream continues after a line that is too long, unless it is so many times too long."""

BLOCK_SECONDS = 0.1
"""Results wait about this long for the later lines of their block at most."""

TOO_LONG = b"\x1aa line that is too long"
"""Stands for a line that is too long."""

_MAX_BLOCK = 8_192
_BLOCK_BYTES = 1 << 19

RESULT_BYTES = 1 << 19
"""No further puzzle of a block is decided once its results have so many bytes."""

_MANY = 8
"""So many lines are decided together."""


def stream_of(rules: Rules | None, max_side: int, max_bytes: int) -> LineBlock:
    """The empty beginning of a stream of NDJSON.

    Args:
        rules: the rules of puzzles that don't state any.
        max_side: the maximum side of a board, in cells.
        max_bytes: the maximum length of a line. `TOO_LONG` stands for a longer one.
    """
    read = partial(_read_line, max_side, max_bytes)
    return LineBlock(replace(records.RECORDS, read=read), Piece(1, b""), SOURCE, rules, 1, 0)


def _read_line(
    max_side: int, max_bytes: int, line: TextLine, source: str, rules: Rules | None
) -> Entry:
    if line.text == TOO_LONG.decode():
        message = f"a line of more than {max_bytes:,} bytes"
        error = FormatError(message, source=source, line=line.number)
        return Entry(error=error, source=source, line=line.number)
    return check_size(records.read_line(line, source, rules), max_side)


class LineBuffer:
    """The lines of a body, from the chunks that arrive to the blocks that are decided.

    Args:
        lines: the empty beginning of the body.
        max_bytes: `put` waits while the lines have more bytes. Longer lines are dropped.
    """

    def __init__(self, lines: LineBlock, max_bytes: int) -> None:
        self._next, self._max_bytes = lines, max_bytes
        self._lines, self._last = bytearray(), bytearray()
        self._last_size = 0
        self._is_closed = False
        self._changed = asyncio.Condition()

    async def put(self, chunk: bytes) -> bool:
        """Add a chunk, and wait for space first. Returns whether a line ends in it that is not
        blank.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: len(self._lines) <= self._max_bytes)
            ended, feed, rest = chunk.rpartition(b"\n")
            if feed:
                first, *others = ended.split(b"\n", 1)
                self._add_to_last(first)
                ended = b"\n".join((self._last, *others, b""))
                self._last_size = 0
                self._last.clear()
                self._add(ended)
                self._changed.notify_all()
            self._add_to_last(rest)
            return bool(feed) and not ended.isspace()

    def _add_to_last(self, part: bytes) -> None:
        """Add to the last line, which has not ended; only its size matters if it is too long."""
        self._last_size += len(part)
        if self._last_size > self._max_bytes:
            self._last[:] = TOO_LONG
        else:
            self._last += part

    def _add(self, lines: bytes) -> None:
        if len(lines) > self._max_bytes:
            parts = lines.split(b"\n")
            lines = b"\n".join(TOO_LONG if len(x) > self._max_bytes else x for x in parts)
        if lines.isspace() and not self._lines:
            # A small gzip may contain millions of blank lines.
            self._pass(lines, 0)
        else:
            self._lines += lines

    @property
    def has_lines(self) -> bool:
        """Whether there are lines that were not taken."""
        return bool(self._lines)

    @property
    def is_endless(self) -> bool:
        """Whether the line that arrives is far too long."""
        return self._last_size > MAX_DROPPED * self._max_bytes

    async def put_last(self) -> None:
        """End the last line, which may lack its line feed."""
        if self._last_size:
            await self.put(b"\n")

    async def close(self) -> None:
        """There are no more lines."""
        async with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    async def take(self) -> LineBlock | None:
        """Remove the first lines, at least one puzzle; None at the end."""
        async with self._changed:
            while True:
                await self._changed.wait_for(lambda: self._lines or self._is_closed)
                if not self._lines:
                    return None
                end = self._lines.rfind(b"\n", 0, _BLOCK_BYTES) + 1 or self._lines.find(b"\n") + 1
                data = bytes(self._lines[:end])
                begin = replace(self._next, piece=replace(self._next.piece, data=data))
                block = next(begin.parts(_MAX_BLOCK), begin)
                self._pass(block.piece.data, len(block))
                del self._lines[: len(block.piece.data)]
                self._changed.notify_all()
                if len(block):
                    return block

    def _pass(self, lines: bytes, puzzles: int) -> None:
        """Count lines that are done with."""
        self._next = replace(self._next.after(lines.count(b"\n"), puzzles), size=0)


class DecidedLines(NamedTuple):
    """What is known about a block of lines.

    Attributes:
        records: the records of the first puzzles, with line feeds.
        puzzles: the number of these puzzles.
        lines: the number of lines up to the next one.
        known: records of later puzzles by the number of their line.
    """

    records: bytes
    puzzles: int
    lines: int
    known: dict[int, bytes] | None


def decide_lines(
    task: Task,
    seconds: float,
    max_side: int,
    known: dict[int, bytes] | None,
    block: LineBlock,
) -> DecidedLines:
    """Decide the first puzzles of a block, at least one, each with its own time limit.

    `known` are the records that an earlier call returned for this block, by the number of their
    line; None in the first call.

    Returns:
        The records of the puzzles before the first one that would take long.
    """
    first, groups = block.piece.number, []
    if known is None and len(block) >= _MANY and task.is_columnar and seconds >= LEAST_TIME_LIMIT:
        # Imported here, because they load numpy.
        from binairo_cp.batch import columnar
        from binairo_cp.puzzle.shape import LONGEST

        groups = columnar.decide_block(block, columnar.plan_of(task), min(LONGEST, max_side))
    end, stop, left_bytes = monotonic() + BLOCK_SECONDS, None, RESULT_BYTES
    lines = block.piece.data.count(b"\n")
    if sum(map(len, groups)) == len(block):
        return DecidedLines(_texts(block, groups, {}), len(block), lines, {})
    rows_known = ((number - first, text) for number, text in (known or {}).items())
    others = {row: text for row, text in rows_known if row < lines}
    rows = {row for group in groups for row in group.puzzles.lines.tolist()} | others.keys()
    for row, number, entry in block.entries(rows):
        if entry is None:
            continue
        left = seconds if number == block.number else min(seconds, end - monotonic())
        if left_bytes <= 0:
            left = 0.0
        result = decide_entry(entry, task, monotonic() + left) if left > 0 else None
        if result is None or (left < seconds and not result.is_final):
            stop = row
            break
        others[row] = f"{result.text}\n".encode()
        left_bytes -= len(others[row])
    texts = _texts(block, groups, others)
    if stop is None:
        return DecidedLines(texts, len(block), lines, {})
    decided = sorted(rows | others.keys())
    by_row = dict(zip(decided, texts.splitlines(keepends=True), strict=True))
    done = [text for row, text in by_row.items() if row < stop]
    later = {first + row: text for row, text in by_row.items() if row > stop}
    return DecidedLines(b"".join(done), len(done), stop, later)


def _texts(block: LineBlock, groups: list[Group], others: dict[int, bytes]) -> bytes:
    """The records of a block in order: those of groups, and those of others by row."""
    if not groups:
        return b"".join(others[row] for row in sorted(others))
    from binairo_cp.batch import columnar_text

    return bytes(columnar_text.written(block, groups, others, "ndjson", ResultRecord.to_json))
