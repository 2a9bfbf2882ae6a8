"""Answer a body of NDJSON while it arrives: a result record per line, in order.

Three tasks work at the same time: one reads lines into a bounded buffer, one gives blocks of them
to workers, and one writes the records. Each waits if the next one is slow, and so does the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from fastapi import Request, Response
from starlette.types import Message, Receive, Scope, Send

from binairo_cp.batch.tasks import Task, failed
from binairo_cp.errors import SolverCrash, SolverHang
from binairo_cp.formats.blocks import LineBlock
from binairo_cp.puzzle.rules import Rules
from binairo_cp.service import body_lines, clients, deciding, problems, requests
from binairo_cp.service.app_state import AppState
from binairo_cp.service.body_lines import MAX_DROPPED, DecidedLines, LineBuffer
from binairo_cp.service.clients import StreamBytes
from binairo_cp.service.problems import Problem

HEADERS = {"X-Accel-Buffering": "no", "Cache-Control": "no-store, no-transform"}
"""Headers of a response that proxies must pass on as it comes."""

_BUSY_SECONDS = 0.5
_ENDED_WHILE_READING = (400, 413)
_READ_ON_SECONDS, _READ_ON_BYTES = 1.0, 1 << 20
"""How long a client that is still sending gets to read the problem that ended its stream."""


class _Records(asyncio.Queue[DecidedLines | None]):
    """What was decided of a block and was not written yet.

    Attributes:
        is_next: the client waits for these records, and there are none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_next = asyncio.Event()


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


class ResultStream(Response):
    """The response to a body of NDJSON: the results, each sent as soon as it is decided.

    Nothing of the body was read. `seconds` is the time limit for each puzzle.
    """

    media_type = requests.NDJSON

    def __init__(
        self, request: Request, state: AppState, task: Task, seconds: float, rules: Rules | None
    ) -> None:
        super().__init__(media_type=self.media_type, headers=HEADERS)
        del self.headers["content-length"]
        self.headers["X-Time-Limit"] = f"{seconds:g}"
        self._request, self._state, self._task = request, state, task
        self._seconds, limits = seconds, state.limits
        requests.check_head(request, limits.upload_bytes)
        lines = body_lines.stream_of(rules, limits.side, limits.body_bytes)
        self._buffer = LineBuffer(lines, limits.body_bytes)
        self._blocks: asyncio.Queue[_Records | None] = asyncio.Queue()
        # One more than there are workers, so that they work while records are written.
        self._slots = asyncio.Semaphore(state.pool.workers + 1)
        self._taken = self._written = 0
        self._bytes = StreamBytes(state.undelivered, clients.current().client)
        self._fault: Problem | None = None
        self._last_progress = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the records. The last line is a problem if the body could not be read to its end."""
        if problems.header(scope, b"expect"):
            await self._ask_for_body()
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        try:
            await self._answer(send)
        except Problem as problem:
            await _send(send, self._problem_line(problem))
            if problem.status in _ENDED_WHILE_READING:
                await self._read_on()
        finally:
            self._bytes.close()
        await _send(send, b"", more=False)

    async def _ask_for_body(self) -> None:
        """Let the client send its body: uvicorn asks for it only before the response has begun."""
        receive, first = self._request.receive, [await self._request.receive()]

        async def receive_again() -> Message:
            return first.pop() if first else await receive()

        self._request = Request(self._request.scope, receive_again)

    async def _answer(self, send: Send) -> None:
        self._note_progress()
        async with task_group() as group:
            work = (self._read(), self._dispatch(group), self._watch_clock(), self._watch_stop())
            helpers = [group.create_task(coroutine) for coroutine in work]
            await self._write(send)
            if self._fault:
                raise self._fault
            for helper in helpers:
                helper.cancel()

    async def _read(self) -> None:
        """Read chunks into the buffer. At the end of the body, wait for the client to leave."""
        try:
            await self._read_body()
            await self._buffer.put_last()
        except Problem as problem:
            if problem.kind == "disconnected":
                raise
            self._fault = problem  # reported after the results of the lines before
        await self._buffer.close()
        await requests.disconnected(self._request)
        raise requests.client_left()

    async def _read_body(self) -> None:
        buffer, limits = self._buffer, self._state.limits
        seconds = limits.stream_seconds
        async for chunk in requests.chunks(self._request, limits.upload_bytes, seconds):
            if await buffer.put(chunk):
                self._note_progress()
            if buffer.is_endless:
                detail = f"a line has more than {MAX_DROPPED * limits.body_bytes:,} bytes"
                raise Problem(413, "too-large", detail)
            # Other requests get their turn, even while a chunk without a puzzle follows the other.
            await asyncio.sleep(0)

    async def _dispatch(self, group: asyncio.TaskGroup) -> None:
        """Give blocks of lines to workers, as many at once as there are slots."""
        await self._slots.acquire()
        while block := await self._buffer.take():
            self._taken += len(block)
            records = _Records()
            group.create_task(self._decide(block, records))
            self._blocks.put_nowait(records)
            await self._slots.acquire()
        self._blocks.put_nowait(None)

    async def _decide(self, block: LineBlock, records: _Records) -> None:
        known = None
        while len(block):
            await self._bytes.room(records.is_next)
            decided = await self._decide_first(block, known)
            records.is_next.clear()
            self._bytes.add(len(decided.records))
            records.put_nowait(decided)
            block, known = block.after(decided.lines, decided.puzzles), decided.known
        records.put_nowait(None)

    async def _decide_first(self, block: LineBlock, known: dict[int, bytes] | None) -> DecidedLines:
        side = self._state.limits.side
        decide = partial(body_lines.decide_lines, self._task, self._seconds, side, known)
        seconds = self._seconds + body_lines.BLOCK_SECONDS
        while True:
            try:
                return await self._state.pool.run(decide, block, seconds)
            except SolverCrash as error:
                if len(block) == 1:
                    lines = block.piece.data.count(b"\n")
                    return DecidedLines(self._failed(block, error), 1, lines, known)
                # One of them killed the worker: halves find out which.
                half = next(block.parts(len(block) // 2))
                return (await self._decide_first(half, known))._replace(known=known)
            except Problem as problem:
                if problem.kind != "busy":
                    raise
                await asyncio.sleep(_BUSY_SECONDS)

    def _failed(self, block: LineBlock, error: SolverCrash) -> bytes:
        (entry,) = block
        if isinstance(error, SolverHang):
            result = deciding.out_of_time(entry, self._seconds)
        else:
            result = deciding.serialize(failed(entry, error))
        return f"{result.text}\n".encode()

    async def _write(self, send: Send) -> None:
        while records := await self._blocks.get():
            while decided := await self._next(records):
                await _send(send, decided.records)
                self._bytes.add(-len(decided.records))
                self._written += decided.puzzles
                self._note_progress()
            self._slots.release()

    async def _next(self, records: _Records) -> DecidedLines | None:
        if records.empty():
            records.is_next.set()
            self._bytes.wake()
        return await records.get()

    def _note_progress(self) -> None:
        self._last_progress = asyncio.get_running_loop().time()

    async def _watch_clock(self) -> None:
        """End the stream if the next line takes too long to arrive."""
        loop, seconds = asyncio.get_running_loop(), self._state.limits.body_seconds
        while (left := self._last_progress + seconds - loop.time()) > 0 or self._is_busy:
            await asyncio.sleep(max(left, seconds / 10))
        raise self._fault or Problem(
            408, "slow", f"the next line did not arrive within {seconds:g} s"
        )

    @property
    def _is_busy(self) -> bool:
        """Whether the client waits for the server, not the server for the client."""
        return self._buffer.has_lines or self._written < self._taken

    async def _watch_stop(self) -> None:
        await self._state.stopping.wait()
        raise Problem(503, "stopping", "the server is about to stop; send the other lines again")

    def _problem_line(self, problem: Problem) -> bytes:
        detail = f"number of puzzles with results: {self._written:,}"
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
