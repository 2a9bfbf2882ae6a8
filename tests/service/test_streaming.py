"""Bodies of NDJSON are answered while they arrive."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from binairo_cp.errors import SolverCrash
from binairo_cp.service.body_lines import TOO_LONG, LineBuffer, stream_of
from binairo_cp.service.limits import Limits
from tests.service.test_hostile_clients import HARD, logged, raw
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE
from tests.support.in_process import InProcessPool, in_process_app
from tests.support.serving import PATIENCE, Server, serving

NDJSON = {"Content-Type": "application/x-ndjson"}
_HEAD = (
    b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n"
    b"transfer-encoding: chunked\r\n%s\r\n"
)


def record(clues: str, height: int = 6, **more: Any) -> bytes:
    puzzle = {"height": height, "width": len(clues) // height, "clues": clues}
    return json.dumps(puzzle | more).encode() + b"\n"


LINE = record(UNIQUE)
HARD_LINE = record("." * 6_400, 80)


class Conversation:
    """A request whose body is sent piece by piece, while its response is read."""

    def __init__(self, connection: socket.socket, path: str, more: bytes) -> None:
        self._connection = connection
        connection.sendall(_HEAD % (path.encode(), more))
        self._answer = connection.makefile("rb")
        self.status = int(self._answer.readline().split()[1])
        self.headers = {}
        while (line := self._answer.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            self.headers[name] = value

    def send(self, data: bytes) -> None:
        self._connection.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self) -> None:
        self._connection.sendall(b"0\r\n\r\n")

    def _chunk(self) -> bytes:
        chunk = self._answer.read(int(self._answer.readline(), 16))
        self._answer.readline()
        return chunk

    def record(self) -> Any:
        """The next record; waits for it."""
        return json.loads(self._chunk())

    def rest(self) -> list[Any]:
        return [json.loads(line) for line in b"".join(iter(self._chunk, b"")).splitlines()]


@contextmanager
def conversation(
    server: Server, path: str = "/v1/check", more: bytes = b""
) -> Iterator[Conversation]:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        stream = Conversation(connection, path, more)
        with stream._answer:
            yield stream


def test_each_line_is_answered_before_the_next_is_sent(server: Server) -> None:
    with conversation(server) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "application/x-ndjson"
        assert stream.headers["x-accel-buffering"] == "no"
        assert "no-transform" in stream.headers["cache-control"]
        for number, (clues, verdict) in enumerate(
            [(UNIQUE, "unique"), (MULTIPLE, "multiple"), (NONE, "none")], 1
        ):
            stream.send(record(clues))
            answer = stream.record()
            assert (answer["id"], answer["line"]) == (str(number), number)
            assert (answer["verdict"], answer["clues"]) == (verdict, clues)
        stream.end()
        assert stream.rest() == []


def test_a_client_that_asks_before_it_sends_need_not_wait(server: Server) -> None:
    """As curl does. It sends the body a second later if nobody answers."""
    head = _HEAD % (b"/v1/check", b"expect: 100-continue\r\n")
    assert raw(server, head + b"0\r\n\r\n").startswith(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "
    )


def test_a_broken_line_gets_a_record_with_its_number(server: Server) -> None:
    with conversation(server) as stream:
        stream.send(b"\n" + LINE + b"{nonsense\n")
        stream.send(b"\xff\n" + b"x" * 200_000)
        stream.send(b"y" * 200_000 + b"\r\n" + record("0" * 36)[:-2])
        stream.send(b"}")
        stream.end()
        good, *broken, last = stream.rest()
    assert (good["line"], good["id"], good["solution"]) == (2, "1", KNOWN)
    assert [(each["verdict"], each["id"], each["line"]) for each in broken] == [
        ("invalid", "2", 3),
        ("invalid", "3", 4),
        ("invalid", "4", 5),
    ]
    assert [each["error"]["line"] for each in broken] == [3, 4, 5]
    assert broken[-1]["error"]["message"] == "a line of more than 65,536 bytes"
    assert (last["verdict"], last["line"]) == ("none", 6)


@pytest.mark.parametrize(("route", "times"), [("check", 1), ("solve", 2), ("explain", 2)])
def test_streamed_records_are_those_of_a_list(server: Server, route: str, times: int) -> None:
    puzzles = [{"height": 6, "width": 6, "clues": each} for each in (UNIQUE, MULTIPLE, NONE, "x")]
    puzzles.append({"height": 101, "width": 1, "clues": "." * 101})
    puzzles.append({"height": 2, "width": 2, "clues": "0...", "signs": [[0, 0, "R", "="]]})
    puzzles *= times  # Several are decided together.
    body = b"\n".join(json.dumps(each).encode() + b"\n" for each in puzzles)
    streamed = server.http.post(f"/v1/{route}?rules=classic", content=body, headers=NDJSON)
    listed = server.post(f"/v1/{route}", puzzles=puzzles, rules="classic").json()["results"]
    for line, expected in zip(streamed.text.splitlines(), listed, strict=True):
        answer = json.loads(line)
        for each in (answer, expected):
            for name in ("seconds", "line", "error"):
                each.pop(name, None)
        assert answer == expected


def test_a_client_can_ask_for_json(server: Server) -> None:
    headers = {**NDJSON, "Accept": "application/json"}
    body = server.http.post("/v1/check", content=LINE * 2, headers=headers).json()
    assert [each["verdict"] for each in body["results"]] == ["unique", "unique"]


def test_many_puzzles_are_answered_in_order(server: Server) -> None:
    body = b"".join(record(UNIQUE, id=f"p{number}") for number in range(5_000))
    assert len(body) < 1 << 20
    response = server.http.post("/v1/check", content=body, headers=NDJSON)
    records = [json.loads(line) for line in response.text.splitlines()]
    assert [each["id"] for each in records] == [f"p{number}" for number in range(5_000)]
    assert {each["verdict"] for each in records} == {"unique"}


def test_a_slow_puzzle_delays_only_those_after_it(server: Server) -> None:
    with conversation(server, "/v1/check?backend=pysat&time_limit=0.3") as stream:
        stream.send(LINE + HARD_LINE + LINE)
        assert stream.record()["verdict"] == "unique"
        stream.end()
        slow, last = stream.rest()
        # On a quiet machine, two solutions may be found in time.
        assert slow["verdict"] in ("unknown", "multiple")
        assert last["verdict"] == "unique"


def test_compressed_bodies_are_answered_while_they_arrive(server: Server) -> None:
    packer = zlib.compressobj(wbits=31)
    with conversation(server, more=b"content-encoding: gzip\r\n") as stream:
        for _ in range(3):
            stream.send(packer.compress(LINE) + packer.flush(zlib.Z_SYNC_FLUSH))
            assert stream.record()["verdict"] == "unique"
        stream.send(packer.flush())
        stream.end()
        assert stream.rest() == []


def last_problem(answer: list[Any]) -> tuple[int, str]:
    last = answer[-1]
    assert last["errors"][0]["detail"].startswith("number of puzzles with results: ")
    return last["status"], last["type"].rpartition(":")[2]


def test_lines_before_a_fault_of_the_body_have_results(server: Server) -> None:
    body = LINE * 200 + b"x" * (8 * 65_536 + 1)
    answer = server.http.post("/v1/check", content=body, headers=NDJSON)
    *records, problem = map(json.loads, answer.text.splitlines())
    assert [each["verdict"] for each in records] == ["unique"] * 200
    assert (problem["status"], problem["type"]) == (413, "urn:binairo:problem:too-large")
    assert problem["errors"][0]["detail"].endswith(" 200")
    assert logged(server, answer.headers["x-request-id"])["status"] == 413


def test_a_body_that_is_too_large_ends_with_a_problem(server: Server) -> None:
    with conversation(server) as stream:
        try:
            for _ in range(64):
                stream.send(b"\n" * 65_535)
        except OSError:
            pass
        assert last_problem(stream.rest()) == (413, "too-large")


def test_decompression_bombs_end_with_a_problem(server: Server) -> None:
    bomb = gzip.compress(b"\n" * (1 << 26), mtime=0)
    with conversation(server, more=b"content-encoding: gzip\r\n") as stream:
        stream.send(bomb[:5])
        stream.end()
        assert last_problem(stream.rest()) == (400, "gzip")
    with conversation(server, more=b"content-encoding: gzip\r\n") as stream:
        stream.send(bomb)
        stream.end()
        assert last_problem(stream.rest()) == (413, "too-large")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/check?limit=x", {}, 422),
        ("/v1/check?format=line", {}, 422),
        ("/v1/check?puzzle=x", {}, 422),
        ("/v1/check", {"Content-Encoding": "br"}, 415),
    ],
)
def test_requests_that_are_not_valid_are_refused_before_the_body_is_read(
    server: Server, path: str, headers: dict[str, str], status: int
) -> None:
    response = server.http.post(path, content=b"", headers=NDJSON | headers)
    assert response.status_code == status


def test_a_declared_length_is_checked_before_the_body_is_read(server: Server) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n"
    answer = raw(server, head + b"content-length: 10000000000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_disconnect_cancels_the_work(server: Server) -> None:
    with conversation(server, "/v1/check?backend=pysat&time_limit=3600") as stream:
        stream.send(HARD_LINE)
        while 'binairo_pool_busy{pool="general"} 0.0' in server.http.get("/metrics").text:
            time.sleep(0.01)
    while 'binairo_pool_busy{pool="general"} 0.0' not in server.http.get("/metrics").text:
        time.sleep(0.05)


@pytest.mark.slow
def test_a_client_that_does_not_wait_is_slowed_down(tmp_path: Path) -> None:
    with serving(tmp_path) as server, conversation(server, f"/v1/check?{HARD_QUERY}") as stream:
        stream.send(HARD_LINE)
        stream._connection.settimeout(5)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 1 << 26:
                stream.send(LINE * 100)
                sent += 100 * len(LINE)
        # The buffers of the sockets hold more than the server.
        assert sent < 1 << 25


HARD_QUERY = f"backend={HARD['backend']}&time_limit=300"


@pytest.mark.slow
def test_a_stop_of_the_server_ends_streams(tmp_path: Path) -> None:
    with serving(tmp_path) as server, conversation(server) as stream:
        stream.send(LINE)
        assert stream.record()["verdict"] == "unique"
        server.process.terminate()
        assert last_problem(stream.rest()) == (503, "stopping")


# In this process, with limits and workers that the command line does not offer


class Exchange:
    """A request as the app sees it."""

    def __init__(self, app: Any, chunks: list[bytes]) -> None:
        self._app, self._chunks = app, chunks
        self.answer = b""

    async def receive(self) -> dict[str, Any]:
        if self._chunks:
            return {"type": "http.request", "body": self._chunks.pop(0), "more_body": True}
        return await asyncio.get_running_loop().create_future()

    async def send(self, message: dict[str, Any]) -> None:
        self.answer += message.get("body", b"")

    async def answered(self, path: str = "/v1/check", query: bytes = b"") -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/x-ndjson")],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "scheme": "http",
            "root_path": "",
            "state": {},
        }
        await self._app(scope, self.receive, self.send)

    def run(self) -> list[Any]:
        asyncio.run(self.answered())
        return [json.loads(line) for line in self.answer.splitlines()]


def exchange(tmp_path: Path, chunks: list[bytes], limits: Limits, pool: Any = None) -> list[Any]:
    app = in_process_app(limits, tmp_path)
    if pool:
        app.state.binairo.pool = pool
    try:
        return Exchange(app, chunks).run()
    finally:
        app.state.binairo.store.close()


@pytest.mark.parametrize("chunks", [[], [LINE], [LINE[:9]], [LINE, LINE, b"{"]])
def test_a_line_that_does_not_arrive_ends_the_stream(tmp_path: Path, chunks: list[bytes]) -> None:
    complete = sum(chunk.endswith(b"\n") for chunk in chunks)
    answer = exchange(tmp_path, chunks, Limits(body_seconds=0.2))
    assert [each["verdict"] for each in answer[:-1]] == ["unique"] * complete
    assert last_problem(answer) == (408, "slow")
    assert answer[-1]["errors"][0]["detail"] == f"number of puzzles with results: {complete}"


def test_a_body_that_takes_too_long_ends_the_stream(tmp_path: Path) -> None:
    answer = exchange(tmp_path, [LINE], Limits(stream_seconds=0.2))
    assert last_problem(answer) == (408, "slow")


class Poisoned(InProcessPool):
    """Workers that die of puzzles with 4 rows."""

    deaths = 0

    async def run(self, function: Any, argument: Any, seconds: float) -> Any:
        if b'"height": 4' in argument.piece.data:
            self.deaths += 1
            raise SolverCrash("died")
        return await super().run(function, argument, seconds)


def test_a_worker_that_dies_costs_only_the_puzzle_that_killed_it(tmp_path: Path) -> None:
    body = LINE * 60 + record("." * 16, 4) + LINE + record("." * 16, 4)
    pool = Poisoned()
    answer = exchange(tmp_path, [body], Limits(body_seconds=0.2), pool)
    verdicts = [each.get("verdict") for each in answer]
    assert verdicts == ["unique"] * 60 + ["unknown", "unique", "unknown", None]
    assert answer[60]["error"]["kind"] == "crash"
    assert pool.deaths <= 16, "the block is halved until the puzzle stands alone"


# Lines


def a_buffer(max_bytes: int) -> LineBuffer:
    return LineBuffer(stream_of(None, 255, max_bytes), max_bytes)


async def blocks_of(chunks: list[bytes], max_bytes: int = 10) -> list[tuple[int, int, list[bytes]]]:
    """The numbers of the first line and the first puzzle of each block, and its lines."""
    buffer = a_buffer(max_bytes)

    async def put_all() -> None:
        for chunk in chunks:
            await buffer.put(chunk)
        await buffer.put_last()
        await buffer.close()

    putting, blocks = asyncio.create_task(put_all()), []
    while block := await buffer.take():
        blocks.append((block.piece.number, block.number, block.piece.data.split(b"\n")[:-1]))
    await putting
    return blocks


def test_lines_do_not_depend_on_the_chunks() -> None:
    body = b"a\n\n  \nbc\r\n" + b"d" * 11 + b"\nlast"
    expected = [(1, 1, b"a"), (4, 2, b"bc\r"), (5, 3, TOO_LONG), (6, 4, b"last")]
    for size in range(1, len(body) + 1):
        chunks = [body[start : start + size] for start in range(0, len(body), size)]
        found = []
        for line, puzzle, lines in asyncio.run(blocks_of(chunks)):
            numbered = [(line + k, each) for k, each in enumerate(lines) if each.strip()]
            found += [(at, puzzle + k, each) for k, (at, each) in enumerate(numbered)]
        assert found == expected


@pytest.mark.parametrize("more", [b"", b"x"])
def test_blank_lines_are_skipped_in_one_pass(more: bytes) -> None:
    """A small gzip may contain millions of them, and others must not wait for the server."""
    started = time.process_time()
    blocks = asyncio.run(blocks_of([more + b"\n" * 65_536] * 100 + [b"x\n"], 1 << 20))
    puzzles = 1 + 100 * len(more)
    line, puzzle, lines = blocks[-1]
    assert line + len(lines) == 6_553_602
    assert puzzle + sum(map(bool, lines)) == puzzles + 1
    # It takes 0.2 s; a loop over the lines took 5 s.
    assert time.process_time() - started < 3


def test_a_buffer_waits_for_space() -> None:
    async def fill() -> None:
        buffer = a_buffer(1_000)
        line = b"x" * 600 + b"\n"
        assert await buffer.put(line)
        assert await buffer.put(line)
        third = asyncio.create_task(buffer.put(line))
        await asyncio.sleep(0)
        assert not third.done()
        block = await buffer.take()
        assert block is not None
        assert (len(block), block.piece.data) == (2, 2 * line)
        await third
        await buffer.close()
        block = await buffer.take()
        assert block is not None
        assert (block.number, block.piece.data) == (3, line)
        assert await buffer.take() is None

    asyncio.run(fill())
