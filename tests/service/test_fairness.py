"""A greedy client and a polite one at a real server: requests and metrics."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from binairo_cp.service import keys
from tests.service.test_hostile_clients import HARD
from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import PATIENCE, serving


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_greedy_client_leaves_room_for_others(tmp_path: Path) -> None:
    secrets, lines = zip(*map(keys.new, ("greedy", "polite")), strict=True)
    (tmp_path / "keys.txt").write_text("\n".join(lines))
    options = ("--workers", "1", "--queue", "2", "--time-limit", "3600")
    with serving(tmp_path / "data", *options, "--api-keys", str(tmp_path / "keys.txt")) as server:
        greedy, polite = (
            httpx.Client(
                base_url=server.url, timeout=PATIENCE, headers={"Authorization": f"Bearer {each}"}
            )
            for each in secrets
        )
        statuses: list[int] = []

        def send_hard() -> None:
            with suppress(httpx.TransportError):
                statuses.append(greedy.post("/v1/check", json=HARD).status_code)

        def gauge(name: str) -> float:
            text = polite.get("/metrics").text
            line = next(x for x in text.splitlines() if x.startswith(f'{name}{{pool="general"}}'))
            return float(line.split()[1])

        def send(route: str, **body: Any) -> httpx.Response:
            response = polite.post(f"/v1/{route}", json=body)
            assert response.status_code == 200, response.text
            return response

        crowd = [threading.Thread(target=send_hard) for _ in range(5)]
        for each in crowd:
            each.start()
        # One runs; two wait; the others are refused, although a worker is free.
        until(lambda: statuses.count(503) >= 2 and gauge("binairo_pool_busy") == 1)
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
        greedy.close()
        polite.close()
