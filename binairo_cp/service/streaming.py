"""Answer a body of NDJSON while it arrives: a result record per line, in order.

Three tasks work at the same time: one reads lines into a bounded buffer, one gives blocks of them
to workers, and one writes the records. Each waits if the next one is slow, and so does the client.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from binairo_cp.batch.tasks import Task, failed
from binairo_cp.errors import SolverCrash, SolverHang
from binairo_cp.service import deciding, problems, requests
from binairo_cp.service.app_state import AppState
from binairo_cp.service.deciding import LineOptions, NumberedLine
from binairo_cp.service.problems import Problem

MAX_DROPPED = 8
"""A stream continues after a line that is too long, unless it is so many times too long."""

HEADERS = {"X-Accel-Buffering": "no", "Cache-Control": "no-store, no-transform"}
"""Headers of a response that proxies must pass on as it comes."""

_MAX_BLOCK = 512
_BLOCK_BYTES = 1 << 18
_BUSY_SECONDS = 0.5
_ENDED_WHILE_READING = (400, 413)
_READ_ON_SECONDS, _READ_ON_BYTES = 1.0, 1 << 20
"""How long a client that is still sending gets to read the problem that ended its stream."""


def event(name: str, data: str) -> str:
    """A server-sent event; `data` is one line."""
    return f"event: {name}\ndata: {data}\n\n"


@asynccontextmanager
async def task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """A group of tasks that raises the first error itself, not in an `ExceptionGroup`."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None


class LineSplitter:
    """Splits a body that arrives in chunks into lines; the bytes of too long ones are dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = self._number = self._puzzle = 0

    def feed(self, chunk: bytes) -> list[NumberedLine]:
        """The lines that end in a chunk, without blank ones."""
        *ended, rest = chunk.split(b"\n")
        lines: list[NumberedLine] = []
        if ended:
            self._add(ended[0])
            first = b"".join(self._parts) if self._size <= self._max_bytes else None
            self._size = 0
            self._parts.clear()
            # A chunk may have tens of thousands of blank lines, so they are skipped in one pass.
            numbered = enumerate((first, *ended[1:]), self._number + 1)
            lines = [self._line(*each) for each in numbered if each[1] is None or each[1].strip()]
            self._number += len(ended)
        self._add(rest)
        return lines

    @property
    def is_endless(self) -> bool:
        """Whether the line that arrives is far too long."""
        return self._size > MAX_DROPPED * self._max_bytes

    def finish(self) -> list[NumberedLine]:
        """The last line, if it has no line feed."""
        return self.feed(b"\n")

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _line(self, number: int, content: bytes | None) -> NumberedLine:
        self._puzzle += 1
        is_long = content is None or len(content) > self._max_bytes
        return NumberedLine(number, self._puzzle, None if is_long else content)


class LineBuffer:
    """A queue of lines; `put` waits while they have more bytes than `max_bytes`."""

    _BYTES_PER_LINE = 200
    """Added to the length of each line, for the objects that hold it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lines: deque[NumberedLine] = deque()
        self._size = 0
        self._is_closed = False
        self._changed = asyncio.Condition()

    async def put(self, lines: list[NumberedLine]) -> None:
        """Add the lines of a chunk; wait for space first."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._size <= self._max_bytes)
            self._lines += lines
            self._size += sum(map(self._cost, lines))
            self._changed.notify_all()

    async def close(self) -> None:
        """There are no more lines."""
        async with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    async def take(self, max_lines: int, max_bytes: int) -> list[NumberedLine]:
        """Remove the first lines, at least one and at most these; empty at the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._lines or self._is_closed)
            taken: list[NumberedLine] = []
            size = 0
            while self._lines and len(taken) < max_lines and (not taken or size < max_bytes):
                taken.append(self._lines.popleft())
                size += self._cost(taken[-1])
            self._size -= size
            self._changed.notify_all()
            return taken

    def _cost(self, line: NumberedLine) -> int:
        return len(line.content or b"") + self._BYTES_PER_LINE


@dataclass
class _LineBlock:
    """Lines that are decided in order, and their records that were not written yet."""

    lines: list[NumberedLine]
    records: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)


class ResultStream(Response):
    """The response to a body of NDJSON: the results, each sent as soon as it is decided.

    Nothing of the body was read. `seconds` is the time limit for each puzzle.
    """

    media_type = requests.NDJSON

    def __init__(
        self, request: Request, state: AppState, task: Task, seconds: float, rules: LineOptions
    ) -> None:
        super().__init__(media_type=self.media_type, headers=HEADERS)
        del self.headers["content-length"]
        self.headers["X-Time-Limit"] = f"{seconds:g}"
        self._request, self._state, self._task = request, state, task
        self._seconds, self._rules = seconds, rules
        limits = state.limits
        requests.check_head(request, limits.upload_bytes)
        self._buffer = LineBuffer(limits.body_bytes)
        self._blocks: asyncio.Queue[_LineBlock | None] = asyncio.Queue()
        # One more than there are workers, so that they work while records are written.
        self._slots = asyncio.Semaphore(state.pool.workers + 1)
        self._lines_read = self._lines_written = 0
        self._last_progress = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the records. The last line is a problem if the body could not be read to its end."""
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        try:
            await self._answer(send)
        except Problem as problem:
            await _send(send, self._problem_line(problem))
            if problem.status in _ENDED_WHILE_READING:
                await self._read_on()
        await _send(send, b"", more=False)

    async def _answer(self, send: Send) -> None:
        self._note_progress()
        async with task_group() as group:
            work = (self._read(), self._dispatch(group), self._watch_clock(), self._watch_stop())
            helpers = [group.create_task(each) for each in work]
            await self._write(send)
            for each in helpers:
                each.cancel()

    async def _read(self) -> None:
        """Read lines into the buffer. At the end of the body, wait for the client to leave."""
        splitter = LineSplitter(self._state.limits.body_bytes)
        async for lines in self._lines(splitter):
            if lines:
                self._lines_read += len(lines)
                self._note_progress()
                await self._buffer.put(lines)
        await self._buffer.close()
        await requests.disconnected(self._request)
        raise requests.client_left()

    async def _lines(self, splitter: LineSplitter) -> AsyncIterator[list[NumberedLine]]:
        limits = self._state.limits
        async for chunk in requests.chunks(
            self._request, limits.upload_bytes, limits.stream_seconds
        ):
            yield splitter.feed(chunk)
            if splitter.is_endless:
                detail = f"a line has more than {MAX_DROPPED * limits.body_bytes:,} bytes"
                raise Problem(413, "too-large", detail)
            # Other requests get their turn, even while a chunk without a puzzle follows the other.
            await asyncio.sleep(0)
        yield splitter.finish()

    async def _dispatch(self, group: asyncio.TaskGroup) -> None:
        """Give blocks of lines to workers, as many at once as there are slots."""
        while True:
            await self._slots.acquire()
            lines = await self._buffer.take(_MAX_BLOCK, _BLOCK_BYTES)
            if not lines:
                break
            block = _LineBlock(lines)
            group.create_task(self._decide(block))
            self._blocks.put_nowait(block)
        self._blocks.put_nowait(None)

    async def _decide(self, block: _LineBlock) -> None:
        lines, known = block.lines, None
        while lines:
            results, known = await self._decide_first(lines, known)
            block.records.put_nowait("".join(f"{each}\n" for each in results))
            lines = lines[len(results) :]
        block.records.put_nowait(None)

    async def _decide_first(
        self, lines: list[NumberedLine], known: dict[int, str] | None
    ) -> tuple[list[str], dict[int, str] | None]:
        """The records of the first lines, at least one, and the known ones of later lines."""
        decide = partial(deciding.decide_lines, self._task, self._seconds, self._rules, known)
        seconds = self._seconds + deciding.BLOCK_SECONDS
        while True:
            try:
                return await self._state.pool.run(decide, lines, seconds)
            except SolverCrash as error:
                if len(lines) == 1:
                    return [self._failed(lines[0], error)], known
                # One of them killed the worker: halves find out which.
                first, _ = await self._decide_first(lines[: len(lines) // 2], known)
                return first, known
            except Problem as problem:
                if problem.kind != "busy":
                    raise
                await asyncio.sleep(_BUSY_SECONDS)

    def _failed(self, line: NumberedLine, error: SolverCrash) -> str:
        entry = deciding.read_line(line, self._rules)
        if isinstance(error, SolverHang):
            return deciding.out_of_time(entry, self._seconds).text
        return deciding.serialize(failed(entry, error)).text

    async def _write(self, send: Send) -> None:
        while (block := await self._blocks.get()) is not None:
            while (records := await block.records.get()) is not None:
                await _send(send, records.encode())
                self._lines_written += records.count("\n")
                self._note_progress()
            self._slots.release()

    def _note_progress(self) -> None:
        self._last_progress = asyncio.get_running_loop().time()

    async def _watch_clock(self) -> None:
        """End the stream if the next line takes too long to arrive."""
        loop, seconds = asyncio.get_running_loop(), self._state.limits.body_seconds
        while (left := self._last_progress + seconds - loop.time()) > 0 or self._is_busy:
            await asyncio.sleep(max(left, seconds / 10))
        raise Problem(408, "slow", f"the next line did not arrive within {seconds:g} s")

    @property
    def _is_busy(self) -> bool:
        """Whether the client waits for the server, not the server for the client."""
        return self._lines_written < self._lines_read

    async def _watch_stop(self) -> None:
        await self._state.stopping.wait()
        raise Problem(503, "stopping", "the server is about to stop; send the other lines again")

    def _problem_line(self, problem: Problem) -> bytes:
        detail = f"the first {self._lines_written:,} puzzles have results"
        problem.faults = [problems.Fault(pointer="", detail=detail)]
        return f"{problems.text(self._request, problem)}\n".encode()

    async def _read_on(self) -> None:
        """Drop what the client still sends, since closing at once could lose the last lines."""
        dropped = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(_READ_ON_SECONDS):
                while dropped < _READ_ON_BYTES:
                    message = await self._request.receive()
                    if not message.get("more_body"):
                        break
                    dropped += len(message["body"])


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
