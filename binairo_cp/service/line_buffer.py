"""Lines of a request body that have arrived and were not processed yet."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

MAX_DROPPED = 8
"""A stream continues after a line that is too long, unless it is so many times too long."""


class Line(NamedTuple):
    """A line of NDJSON that is not blank.

    Attributes:
        number: its number in the body, from 1; blank lines count.
        puzzle: the number of its puzzle, from 1; blank lines don't count.
        content: the line without its line feed; None if it is too long.
    """

    number: int
    puzzle: int
    content: bytes | None


class LineSplitter:
    """Split a body that arrives in chunks into lines.

    Args:
        max_bytes: maximum length of a line. The bytes of a longer one are dropped as they arrive.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = self._number = self._puzzle = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that end in a chunk."""
        first, *others = chunk.split(b"\n")
        self._add(first)
        if not others:
            return []
        lines = self._end_line()
        *complete, rest = others
        # A chunk may have tens of thousands of blank lines, so they are skipped in one pass.
        for index, content in [each for each in enumerate(complete, 1) if each[1].strip()]:
            lines.append(self._line(self._number + index, content))
        self._number += len(complete)
        self._add(rest)
        return lines

    @property
    def is_endless(self) -> bool:
        """Whether the line that arrives is far too long."""
        return self._size > MAX_DROPPED * self._max_bytes

    def finish(self) -> list[Line]:
        """The last line, if it has no line feed."""
        return self._end_line()

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _end_line(self) -> list[Line]:
        """The line whose parts were added, unless it is blank."""
        self._number += 1
        is_long, content = self._size > self._max_bytes, b"".join(self._parts)
        self._size = 0
        self._parts.clear()
        if is_long:
            self._puzzle += 1
            return [Line(self._number, self._puzzle, None)]
        return [self._line(self._number, content)] if content.strip() else []

    def _line(self, number: int, content: bytes) -> Line:
        self._puzzle += 1
        return Line(number, self._puzzle, content if len(content) <= self._max_bytes else None)


class LineBuffer:
    """A queue of lines, bounded by their size.

    Args:
        max_bytes: `put` waits while the lines have more bytes than this.
    """

    _BYTES_PER_LINE = 200
    """Added to the length of each line, for the objects that hold it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lines: deque[Line] = deque()
        self._size = 0
        self._is_closed = False
        self._changed = asyncio.Condition()

    async def put(self, line: Line) -> None:
        """Add a line; wait for space first."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._size <= self._max_bytes)
            self._lines.append(line)
            self._size += self._cost(line)
            self._changed.notify_all()

    async def close(self) -> None:
        """There are no more lines."""
        async with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    async def take(self, max_lines: int, max_bytes: int) -> list[Line]:
        """Remove the first lines, at least one and at most these; empty at the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._lines or self._is_closed)
            taken: list[Line] = []
            size = 0
            while self._lines and len(taken) < max_lines and (not taken or size < max_bytes):
                taken.append(self._lines.popleft())
                size += self._cost(taken[-1])
            self._size -= size
            self._changed.notify_all()
            return taken

    def _cost(self, line: Line) -> int:
        return len(line.content or b"") + self._BYTES_PER_LINE
