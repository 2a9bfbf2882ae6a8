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
    """Requests to a pool of one usual worker and one that is reserved for small requests."""

    def __init__(self, max_waiting: int = 10) -> None:
        self.tasks: dict[str, asyncio.Task[str]] = {}
        metrics = PoolMetrics(CollectorRegistry())
        self.pool = WorkerPool("", 1, max_waiting, 60.0, metrics, low_priority=False, reserved=1)
        self.started: dict[str, Future[str]] = cast("Any", self.pool)._pool.started

    async def send(self, name: str, *, is_small: bool = False) -> None:
        work = self.pool.run(str, name, 60.0, is_small=is_small)
        self.tasks[name] = asyncio.create_task(work)
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


def test_small_requests_do_not_wait_for_large_ones() -> None:
    async def scenario() -> None:
        requests = Requests()
        for name in ("large 1", "large 2", "large 3"):
            await requests.send(name)
        await requests.send("small 1", is_small=True)
        await requests.send("small 2", is_small=True)
        assert requests.started.keys() == {"large 1", "small 1"}
        assert (requests.pool.busy, requests.pool.waiting) == (2, 3)
        await requests.end("small 1")
        assert requests.started.keys() == {"large 1", "small 2"}
        await requests.end("large 1")
        assert requests.started.keys() == {"large 2", "small 2"}

    asyncio.run(scenario())


def test_small_requests_use_usual_workers_too() -> None:
    async def scenario() -> None:
        requests = Requests()
        for name in ("small 1", "small 2", "small 3"):
            await requests.send(name, is_small=True)
        assert len(requests.started) == 2
        await requests.send("large")
        for name in ("small 1", "small 2", "small 3"):
            await requests.end(name)
        assert requests.started.keys() == {"large"}
        assert requests.pool.busy == 1

    asyncio.run(scenario())


def test_a_full_queue_refuses_large_requests_only() -> None:
    async def scenario() -> None:
        requests = Requests(max_waiting=1)
        await requests.send("large 1")
        for name in ("small 1", "small 2"):
            await requests.send(name, is_small=True)
        assert requests.started.keys() == {"large 1", "small 1"}
        assert not requests.tasks["small 2"].done()
        await requests.send("large 2")
        with pytest.raises(Problem, match="too many requests"):
            await requests.tasks.pop("large 2")
        await requests.end("small 1")
        assert requests.started.keys() == {"large 1", "small 2"}

    asyncio.run(scenario())
