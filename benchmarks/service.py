"""The service under load: clients on the loopback interface that send requests without pause.

The clients are plain sockets in one process, so that the server gets most of the machine. Their
responses are compared with the solutions after the measurement.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks import puzzles, tables
from binairo_cp import check

SECONDS = tables.sized(1.0, 8.0, 60.0)
WARM = tables.sized(0.2, 2.0)
HARD = {"puzzle": "60x60:" + "." * 3600, "backend": "backtracking", "time_limit": 5}
"""A request that runs until its time limit; a clause learner would eventually solve it."""


@dataclass
class Seen:
    """The responses that clients got.

    Attributes:
        times: milliseconds of successful requests.
        statuses: the number of responses by status.
        answers: bodies to compare later, by the index of the puzzle.
    """

    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    answers: dict[int, bytes] = field(default_factory=dict)


class Connection:
    """A client: one connection from its address, one request at a time."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self._port, self._address = port, address
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def request(self, head: str, body: bytes) -> tuple[int, bytes]:
        """Send a request; return the status and the body of the response."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self._port, local_addr=(self._address, 0)
            )
        header = f"{head} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        self._writer.write(f"{header}content-length: {len(body)}\r\n\r\n".encode() + body)
        response = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(response.partition(b"content-length:")[2].split(b"\r\n")[0])
        answer = await self._reader.readexactly(length)
        if b"connection: close" in response:
            self._writer.close()
            self._reader = None
        return int(response.split()[1]), answer


async def send_requests(
    connection: Connection, head: str, bodies: list[bytes], seen: Seen, end: float
) -> None:
    numbers = count(id(connection) % len(bodies))
    begin = perf_counter() + WARM
    while (started := perf_counter()) < end:
        number = next(numbers) % len(bodies)
        status, answer = await connection.request(head, bodies[number])
        if started < begin:
            continue
        seen.statuses[status] += 1
        if status == 200:
            seen.times.append((perf_counter() - started) * 1000)
            seen.answers[number] = answer


async def load(port: int, clients: int, hanging: int, bodies: list[bytes]) -> list[Seen]:
    """The responses to checks, to long-running requests, and to health checks."""
    end = perf_counter() + WARM + SECONDS
    good, bad, health = Seen(), Seen(), Seen()
    hard = [json.dumps(HARD).encode()]
    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(send_requests(Connection(port), "POST /v1/check", bodies, good, end))
        for _ in range(hanging):
            group.create_task(send_requests(Connection(port), "POST /v1/check", hard, bad, end))

        async def check_health() -> None:
            connection = Connection(port)
            while perf_counter() < end:
                started = perf_counter()
                status, _ = await connection.request("GET /healthz", b"")
                health.statuses[status] += 1
                health.times.append((perf_counter() - started) * 1000)
                await asyncio.sleep(0.1)

        group.create_task(check_health())
    return [good, bad, health]


@contextmanager
def serving() -> Iterator[int]:
    """Start a server with default options; yields its port."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "binairo_cp", "serve", "--port", "0", "--data", folder]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        port = 0
        assert process.stderr
        for line in process.stderr:
            event = json.loads(line)
            port = port or int(event.get("url", ":0").rpartition(":")[2])
            if event["message"] == "ready":
                break
        # Keep reading its log, or else it would block.
        drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
        try:
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            drain.wait()


@contextmanager
def serving_bare() -> Iterator[int]:
    """Start a bare FastAPI route under uvicorn; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "benchmarks.bare_route", str(listener.fileno())]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()])
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait()


def compare(seen: Seen, solved: list[str]) -> None:
    """Check that all answers are right."""
    for number, answer in seen.answers.items():
        record = json.loads(answer)
        assert (record["verdict"], record["solution"]) == ("unique", solved[number])


def all_tables() -> Iterator[tables.Table]:
    yield f"checks of 10x10, {SECONDS:g} s each", list(rows())
    yield f"16 clients, beside a bare FastAPI route, {SECONDS:g} s each", list(bare_rows())


def rows() -> Iterator[tables.Row]:
    given = puzzles.load(10)
    bodies = [json.dumps({"puzzle": puzzle.board.cells}).encode() for puzzle in given]
    solved = [str(check(puzzle).solutions[0].cells) for puzzle in given]
    with serving() as port:
        for clients, hanging in ((1, 0), (4, 0), (16, 0), (3, 1), (12, 4), (48, 16)):
            good, bad, health = asyncio.run(load(port, clients, hanging, bodies))
            compare(good, solved)
            total = sum(good.statuses.values())
            yield {
                "clients": clients,
                "long-running clients": hanging,
                "requests per second": round(total / SECONDS),
                **tables.spread(good.times),
                "errors": total - good.statuses[200],
                "health p99 ms": tables.spread(health.times)["p99 ms"],
                "statuses of long-running": ", ".join(
                    f"{number} x {status}" for status, number in sorted(bad.statuses.items())
                ),
            }


def bare_rows() -> Iterator[tables.Row]:
    """Checks, and the same requests to a route that decides nothing, in turn."""
    bodies = [json.dumps({"puzzle": puzzle.board.cells}).encode() for puzzle in puzzles.load(10)]
    with serving() as port, serving_bare() as bare:
        asyncio.run(load_one(bare, 1, "POST /v1/check", bodies))
        for server, each in 2 * (("binairo", port), ("bare route", bare)):
            seen = asyncio.run(load_one(each, 16, "POST /v1/check", bodies))
            total = sum(seen.statuses.values())
            yield {
                "server": server,
                "requests per second": round(total / SECONDS),
                **tables.spread(seen.times),
                "errors": total - seen.statuses[200],
            }


async def load_one(port: int, clients: int, head: str, bodies: list[bytes]) -> Seen:
    """The responses to clients that all send the same kind of request."""
    end, seen = perf_counter() + WARM + SECONDS, Seen()
    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(send_requests(Connection(port), head, bodies, seen, end))
    return seen


if __name__ == "__main__":
    tables.report("service", all_tables())
