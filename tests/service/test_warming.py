"""The warm-up: failed steps are retried and reported."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from binairo_cp.errors import BinairoError, SolverHang
from binairo_cp.service import warming
from binairo_cp.service.app import create_app
from binairo_cp.service.app_state import AppState, Settings
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.service.warming import FIRST_TIME_LIMIT, MAX_ATTEMPTS, Step


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


def nothing(seconds: float, puzzles: Any) -> None:
    pass


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Any]:
    app = create_app(Settings(Limits(), tmp_path))
    yield app
    app.state.binairo.store.close()


@pytest.fixture
def state(app: Any) -> AppState:
    state: AppState = app.state.binairo
    state.fast = state.general = FakePool()  # type: ignore[assignment]
    return state


def readiness(app: Any) -> tuple[int, Any]:
    """The status of /readyz, and its body or the detail of its problem."""

    async def get_readyz() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/readyz")

    answer = asyncio.run(get_readyz())
    content = answer.json()
    return answer.status_code, content if answer.is_success else content["detail"]


def warm(state: AppState, *steps: Step) -> list[float]:
    """Warm up without waiting; returns the pauses."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        assert len(pauses) < 1_000

    asyncio.run(warming.warm(state, steps, sleep))
    return pauses


def test_a_failed_step_is_retried_with_more_time(
    app: Any, state: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    pool = FakePool(SolverHang(), Problem(503, "busy", "too many wait"), MemoryError("none left"))
    state.general = pool  # type: ignore[assignment]
    assert warm(state, Step("grade", nothing)) == [2.0, 4.0, 8.0]
    assert pool.seconds == [
        FIRST_TIME_LIMIT,
        2 * FIRST_TIME_LIMIT,
        4 * FIRST_TIME_LIMIT,
        8 * FIRST_TIME_LIMIT,
    ]
    warnings = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert [vars(each)["step"] for each in warnings] == ["grade"] * 3
    assert "none left" in vars(warnings[-1])["reason"]
    assert readiness(app) == (200, {"status": "ready"})


def test_a_step_that_always_fails_is_given_up_and_reported(
    app: Any, state: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    pool = FakePool(*[BinairoError("no compiler")] * MAX_ATTEMPTS)
    state.general = pool  # type: ignore[assignment]
    warm(state, Step("grade", nothing), Step("certify", nothing))
    assert len(pool.seconds) == MAX_ATTEMPTS + 1
    assert readiness(app) == (
        200,
        {"status": "ready", "failed": ["grade: BinairoError: no compiler"]},
    )
    assert [each.message for each in caplog.records if each.levelno == logging.ERROR] == [
        "warm-up failed"
    ]


def test_a_required_step_is_retried_until_it_works(app: Any, state: AppState) -> None:
    pool = FakePool(*[BinairoError("not yet")] * 50)
    state.fast = pool  # type: ignore[assignment]
    pauses = warm(state, Step("check", nothing, "fast", is_required=True))
    assert (len(pauses), max(pauses), max(pool.seconds)) == (50, 60.0, 3_600.0)
    assert readiness(app)[0] == 200


def test_readyz_reports_the_current_step_and_the_last_failure(app: Any, state: AppState) -> None:
    assert readiness(app) == (503, "warming up: starting")
    state.general = FakePool(SolverHang())  # type: ignore[assignment]

    class Waiting(Exception):
        pass

    async def sleep(_: float) -> None:
        raise Waiting

    with pytest.raises(Waiting):
        asyncio.run(warming.warm(state, [Step("grade", nothing)], sleep))
    detail = readiness(app)[1]
    assert detail.startswith("warming up: step 1 of 1, grade, attempt 1 failed: SolverHang")


def test_readyz_is_not_ready_when_the_server_is_about_to_stop(app: Any, state: AppState) -> None:
    warm(state)
    assert readiness(app)[0] == 200
    state.stopping.set()
    assert readiness(app) == (503, "the server is about to stop")


@pytest.mark.parametrize("step", warming.STEPS, ids=lambda step: step.name)
def test_each_step_works(step: Step) -> None:
    step.function(FIRST_TIME_LIMIT, warming._CANARY)


def test_a_step_without_a_result_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = warming._CANARY.__class__(("01x",), "auto", None, 1, 255)
    for name in ("check", "certify", "grade"):
        (step,) = (each for each in warming.STEPS if each.name == name)
        with pytest.raises(BinairoError):
            partial(step.function, FIRST_TIME_LIMIT)(broken)
