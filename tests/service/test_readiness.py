"""When the server is ready: failures are retried and reported. How it ends."""

import asyncio
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from prometheus_client import CollectorRegistry

from binairo_cp.errors import BinairoError, SolverHang
from binairo_cp.service import app as app_module
from binairo_cp.service import worker_pools
from binairo_cp.service.app import create_app
from binairo_cp.service.app_state import AppState, Settings
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import PoolMetrics, WorkerPool
from tests.support.in_process import send_request
from tests.support.serving import serving


class FakePool:
    """Calls functions in this process. The first calls fail with the given errors."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = [*failures]
        self.seconds: list[float] = []

    async def run(self, function: Any, argument: Any, seconds: float) -> Any:
        self.seconds.append(seconds)
        if self.failures:
            raise self.failures.pop(0)
        return function(argument)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Any]:
    app = create_app(Settings(limits=Limits(), data=tmp_path))
    yield app
    app.state.binairo.store.close()


@pytest.fixture
def state(app: Any) -> AppState:
    state: AppState = app.state.binairo
    state.pool = FakePool()  # type: ignore[assignment]
    return state


def readiness(app: Any) -> tuple[int, Any]:
    """The status of /readyz, and its body or the detail of its problem."""
    answer = send_request(app, "GET", "/readyz")
    content = answer.json()
    return answer.status_code, content if answer.is_success else content["detail"]


def become_ready(state: AppState) -> list[float]:
    """Become ready without waiting; returns the pauses."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        assert len(pauses) < 1_000

    asyncio.run(app_module.become_ready(state, sleep))
    return pauses


def test_a_pool_is_tried_until_it_decides_a_puzzle(
    app: Any, state: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    failures = [SolverHang(), Problem(503, "busy", "too many wait"), MemoryError("none left")]
    pool = FakePool(*failures, *[BinairoError("not yet")] * 6)
    state.pool = pool  # type: ignore[assignment]
    assert become_ready(state) == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0, 60.0]
    assert set(pool.seconds) == {app_module.TRIAL_SECONDS}
    warnings = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert "none left" in vars(warnings[2])["reason"]
    assert readiness(app) == (200, {"status": "ready"})


def test_readyz_reports_the_last_failure(app: Any, state: AppState) -> None:
    assert readiness(app) == (503, "the workers are starting")
    state.pool = FakePool(SolverHang("it hangs"))  # type: ignore[assignment]

    class Waiting(Exception):
        pass

    async def sleep(_: float) -> None:
        raise Waiting

    with pytest.raises(Waiting):
        asyncio.run(app_module.become_ready(state, sleep))
    status, detail = readiness(app)
    assert (status, detail.partition(":")[0]) == (503, "SolverHang")


def test_readyz_is_not_ready_when_the_server_is_about_to_stop(app: Any, state: AppState) -> None:
    become_ready(state)
    assert readiness(app)[0] == 200
    state.stopping.set()
    assert readiness(app) == (503, "the server is about to stop")


def test_a_wrong_verdict_is_a_failure(state: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = app_module._TRIAL.__class__(("01x",), "auto", None, 1, 255)
    monkeypatch.setattr(app_module, "_TRIAL", broken)
    assert "x" in asyncio.run(app_module._fault(state.pool))


@pytest.mark.slow
def test_a_terminal_shows_plain_lines_and_the_address_last(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    primary, secondary = pty.openpty()
    command = [sys.executable, "-m", "binairo_cp", "serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stderr=secondary) as process:
        os.close(secondary)
        try:
            shown = _read_until(primary, r"(?m)^(http://127\.0\.0\.1:\d+)\r$")
            url = shown.split()[-1]
            assert httpx.get(f"{url}/no%1b[2Jpath").status_code == 404
            shown += _read_until(primary, r"(?m)\d ms\r$")
        finally:
            process.send_signal(signal.SIGINT)
    os.close(primary)
    *_, ready, address, request = shown.splitlines()
    assert re.match(r"\d\d:\d\d:\d\d ready", ready)
    assert address == url
    assert re.match(r"[\d:]{8} GET /no\\x1b\[2Jpath 404 [\d.]+ ms", request)
    assert shown.count("http://") == 1
    assert process.returncode == 0


def _read_until(terminal: int, pattern: str) -> str:
    """What a terminal shows up to a line."""
    shown = ""
    while not re.search(pattern, shown):
        shown += os.read(terminal, 4_096).decode()
    return shown


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
        limits = Limits(workers=1, waiting=2, waiting_seconds=60.0)
        self.pool = WorkerPool("", limits, metrics, low_priority=False)
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


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_until_the_end_leave_no_traceback(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as server:
        while server.process.poll() is None:
            server.process.send_signal(number)
            time.sleep(0.001)
        assert server.process.returncode == 0
        stopping = server.until("stopping")
        assert stopping["reason"].startswith(number.name)
        server.until("stopped")
        assert {each["level"] for each in server.log} == {"info"}
