"""A greedy client and a polite one at a real server: requests and metrics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from binairo_cp.service import clients
from tests.service.test_hostile_clients import HARD
from tests.service.test_jobs import until
from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import PATIENCE, Server, serving


def busy(client: httpx.Client) -> int:
    """The number of requests in workers."""
    lines = client.get("/metrics").text.splitlines()
    line = next(each for each in lines if each.startswith('binairo_pool_busy{pool="general"}'))
    return int(float(line.split()[1]))


@contextmanager
def two_clients(folder: Path, *options: str) -> Iterator[tuple[Server, httpx.Client, httpx.Client]]:
    """A server with two clients, which it knows by their keys."""
    secrets, lines = zip(*map(clients.new_key, ("greedy", "polite")), strict=True)
    (folder / "keys.txt").write_text("\n".join(lines))
    keyed = ("--api-keys", str(folder / "keys.txt"))
    with serving(folder / "data", *options, *keyed) as server:
        greedy, polite = (
            httpx.Client(
                base_url=server.url, timeout=PATIENCE, headers={"Authorization": f"Bearer {each}"}
            )
            for each in secrets
        )
        yield server, greedy, polite
        greedy.close()
        polite.close()


@pytest.mark.slow
def test_a_greedy_client_leaves_room_for_others(tmp_path: Path) -> None:
    options = ("--workers", "1", "--queue", "2", "--time-limit", "3600")
    with two_clients(tmp_path, *options) as (server, greedy, polite):
        statuses: list[int] = []

        def send_hard() -> None:
            with suppress(httpx.TransportError):
                statuses.append(greedy.post("/v1/check", json=HARD).status_code)

        def send(route: str, **body: Any) -> httpx.Response:
            response = polite.post(f"/v1/{route}", json=body)
            assert response.status_code == 200, response.text
            return response

        crowd = [threading.Thread(target=send_hard) for _ in range(5)]
        for each in crowd:
            each.start()
        # One runs; two wait; the others are refused, although a worker is free.
        until(lambda: statuses.count(503) >= 2 and busy(polite) == 1)
        assert send("convert", puzzle=UNIQUE, to="line").text.split()[0]
        assert send("generate", size=6, seed=1).json()["complete"]
        assert send("check", puzzle=UNIQUE).json()["solution"] == KNOWN
        assert 200 not in statuses
        assert 'binairo_pool_wait_seconds_count{pool="general",route="/v1/generate"} 1.0' in (
            polite.get("/metrics").text
        )
        # Its request would run for an hour.
        server.process.kill()
        for each in crowd:
            each.join(PATIENCE)


@pytest.mark.slow
def test_a_client_leaves_a_worker_to_others_while_they_send_requests(tmp_path: Path) -> None:
    with two_clients(tmp_path, "--workers", "2") as (server, greedy, polite):

        def send_hard() -> None:
            with suppress(httpx.TransportError):
                while True:  # until the server is killed
                    greedy.post("/v1/check", json=HARD | {"time_limit": 2})

        crowd = [threading.Thread(target=send_hard) for _ in range(4)]
        for each in crowd:
            each.start()
        until(lambda: busy(polite) == 2)

        # From now on, another client sends requests.
        def busy_then() -> int:
            assert polite.post("/v1/generate", json={"size": 6}).status_code == 200
            return busy(polite)

        until(lambda: busy_then() == 1)
        assert max(busy_then() for _ in range(20)) == 1
        server.process.kill()
        for each in crowd:
            each.join(PATIENCE)
