"""Health checks, and the limits of the server.

The server is ready when a worker of each pool has decided a puzzle.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.batch.tasks import Task
from binairo_cp.service import deciding, openapi, request_bodies
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import WorkerPool

TRIAL_SECONDS = 20.0
"""Time limit for a worker to decide the puzzle of a trial."""

_TRIAL = RawPuzzles(("6x6u:CafBAdEAcDaf",), "unruly", None, 1, 255)
_MAX_PAUSE = 60.0
"""Maximum number of seconds between two trials."""

_LOG = logging.getLogger("binairo.service")

router = APIRouter()

_STATUS = {"type": "object", "properties": {"status": {"type": "string"}}}


async def become_ready(
    state: AppState, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Try each pool until it decides a puzzle; then mark the server as ready."""
    for pool in (state.fast, state.general):
        attempt = 0
        while fault := await _fault(pool):
            state.not_ready = fault
            attempt += 1
            _LOG.warning("not ready", extra={"attempt": attempt, "reason": fault})
            await sleep(min(2.0**attempt, _MAX_PAUSE))
    state.not_ready = ""
    _LOG.info("ready")


async def _fault(pool: WorkerPool) -> str:
    """Why a pool can't decide a puzzle; empty if it can."""
    decide = partial(deciding.decide_raw, Task("check"), TRIAL_SECONDS, None)
    try:
        (result,) = await pool.run(decide, _TRIAL, TRIAL_SECONDS) or []
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if result.kind or result.verdict != "unique":
        return result.message or f"the verdict is {result.verdict}; expected unique"
    return ""


@router.get(
    "/healthz", response_class=Response, responses=openapi.responses({request_bodies.JSON: _STATUS})
)
async def healthz() -> Response:
    """The server is alive. Responds at once, even while all workers are busy."""
    return Response('{"status":"ok"}', media_type=request_bodies.JSON)


@router.get(
    "/readyz",
    response_class=Response,
    responses=openapi.responses({request_bodies.JSON: _STATUS}, (503,)),
)
async def readyz(request: Request) -> Response:
    """The server is ready: the workers answer, and the server is not about to stop."""
    state = state_of(request)
    if state.stopping.is_set():
        raise Problem(503, "not-ready", "the server is about to stop", retry_after=10)
    if state.not_ready:
        raise Problem(503, "not-ready", state.not_ready, retry_after=1)
    return Response('{"status":"ready"}', media_type=request_bodies.JSON)


@router.get(
    "/v1/limits",
    response_class=Response,
    responses=openapi.responses({request_bodies.JSON: openapi.ref(openapi.LIMITS)}, openapi.ALWAYS),
)
async def limits(request: Request) -> Response:
    """The limits of this server."""
    return Response(orjson.dumps(state_of(request).limits), media_type=request_bodies.JSON)
