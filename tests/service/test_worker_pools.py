"""Which requests get a worker. No worker works here: the tests end the requests."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any, cast

import pytest
from prometheus_client import CollectorRegistry

from binairo_cp.service import worker_pools
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import PoolMetrics, WorkerPool


class IdleWorkers:
    """Worker processes that never finish by themselves."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.started: dict[str, Future[str]] = {}

    def submit(self, _: Any, name: str) -> Future[str]:
        return self.started.setdefault(name, Future())


class Requests:
    """Requests to a pool of one worker, of which two may wait."""

    def __init__(self) -> None:
        self.tasks: dict[str, asyncio.Task[str]] = {}
        metrics = PoolMetrics(CollectorRegistry())
        self.pool = WorkerPool("", 1, 2, 60.0, metrics, low_priority=False)
        self.started: dict[str, Future[str]] = cast("Any", self.pool)._pool.started

    async def send(self, name: str) -> None:
        self.tasks[name] = asyncio.create_task(self.pool.run(str, name, 60.0))
        await settled()

    async def end(self, name: str) -> None:
        self.started.pop(name).set_result(name)
        assert await self.tasks.pop(name) == name
        await settled()


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pools, "Pool", IdleWorkers)


def test_requests_wait_for_a_worker_and_a_full_queue_refuses_the_latest() -> None:
    async def scenario() -> None:
        requests = Requests()
        for name in ("first", "second", "third", "fourth"):
            await requests.send(name)
        assert requests.started.keys() == {"first"}
        assert (requests.pool.busy, requests.pool.waiting) == (1, 2)
        with pytest.raises(Problem, match="too many requests"):
            await requests.tasks.pop("fourth")
        requests.tasks.pop("second").cancel()
        await settled()
        await requests.end("first")
        assert requests.started.keys() == {"third"}
        await requests.end("third")
        assert (requests.pool.busy, requests.pool.waiting) == (0, 0)

    asyncio.run(scenario())
