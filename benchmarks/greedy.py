"""A greedy client and polite ones: what the fair shares of the service are worth.

Every client has its own address on the loopback interface. The polite clients send small requests,
and a pause follows each response. The greedy client sends requests that run until their time limit,
over several connections and without a pause. Each run has a new server with default options.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from time import perf_counter

from benchmarks import puzzles, tables
from benchmarks.service import HARD, Connection, compare, serving
from benchmarks.service import Seen as Responses
from binairo_cp import check

POLITE = 10
PAUSE = 0.2
SECONDS = tables.sized(3.0, 30.0, 120.0)
WARM = tables.sized(0.2, 3.0)
CONNECTIONS = (0, 2, 16)
"""The connections of the greedy client."""

KINDS = {
    "check": "POST /v1/check",
    "convert": "POST /v1/convert",
    "generate": "POST /v1/generate",
}


def bodies(cells: list[str]) -> dict[str, list[bytes]]:
    """The requests of each kind, which polite clients send in turn."""
    each = {
        "check": [{"puzzle": one} for one in cells],
        "convert": [{"puzzle": one, "to": "line"} for one in cells],
        "generate": [{"size": 10, "seed": seed} for seed in range(len(cells))],
    }
    return {kind: [json.dumps(one).encode() for one in some] for kind, some in each.items()}


async def be_polite(
    client: int, port: int, sent: dict[str, list[bytes]], seen: dict[str, Responses], end: float
) -> None:
    connection = Connection(port, address(client))
    begin = end - SECONDS
    number = client * 7
    await asyncio.sleep(client * PAUSE / POLITE)
    while perf_counter() < end:
        number += 1
        for kind, head in KINDS.items():
            place = number % len(sent[kind])
            started = perf_counter()
            status, answer = await connection.request(head, sent[kind][place])
            if started > begin:
                seen[kind].statuses[status] += 1
                seen[kind].times.append((perf_counter() - started) * 1000)
                seen[kind].answers[place] = answer
            await asyncio.sleep(PAUSE)


async def be_greedy(port: int, statuses: Counter[int], end: float) -> None:
    connection = Connection(port, address(POLITE))
    hard = json.dumps(HARD).encode()
    while perf_counter() < end:
        status, _ = await connection.request("POST /v1/check", hard)
        statuses[status] += 1


def address(client: int) -> str:
    return f"127.0.1.{client + 1}"


async def load(
    port: int, connections: int, sent: dict[str, list[bytes]]
) -> tuple[dict[str, Responses], Counter[int]]:
    """The responses to polite clients by kind, and the statuses of those to the greedy one."""
    end = perf_counter() + WARM + SECONDS
    seen = {kind: Responses() for kind in KINDS}
    statuses: Counter[int] = Counter()
    async with asyncio.TaskGroup() as group:
        for client in range(POLITE):
            group.create_task(be_polite(client, port, sent, seen, end))
        for _ in range(connections):
            group.create_task(be_greedy(port, statuses, end))
    return seen, statuses


def rows() -> Iterator[tables.Row]:
    given = puzzles.load(10)
    sent = bodies([puzzle.board.cells for puzzle in given])
    solved = [str(check(puzzle).solutions[0].cells) for puzzle in given]
    alone: dict[str, float] = {}
    for connections in CONNECTIONS:
        with serving() as port:
            seen, statuses = asyncio.run(load(port, connections, sent))
        compare(seen["check"], solved)
        for kind, responses in seen.items():
            spread = tables.spread(responses.times)
            yield {
                "connections of the greedy client": connections,
                "polite request": kind,
                "requests": len(responses.times),
                **spread,
                "p99 / p99 alone": round(
                    spread["p99 ms"] / alone.setdefault(kind, spread["p99 ms"]), 2
                ),
                "errors": responses.statuses.total() - responses.statuses[200],
                "statuses of the greedy client": ", ".join(
                    f"{number} x {status}" for status, number in sorted(statuses.items())
                ),
            }


def all_tables() -> Iterator[tables.Table]:
    yield f"{POLITE} polite clients and a greedy one, {SECONDS:g} s each", list(rows())


if __name__ == "__main__":
    tables.report("greedy", all_tables())
