"""Create the FastAPI app: state, middleware and routes, among them the health checks.

The server is ready when it and one of its workers have decided a puzzle.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from binairo_cp.formats import Choices
from binairo_cp.json_library import orjson
from binairo_cp.service import (
    deciding,
    making_routes,
    monitoring,
    openapi,
    page,
    problems,
    puzzle_routes,
    requests,
)
from binairo_cp.service.app_state import AppState, Settings, state_of
from binairo_cp.service.bodies import TASKS
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.jobs import routes
from binairo_cp.service.middleware import AllowedSites, App
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import WorkerPool
from binairo_cp.solving.solutions import Verdict

TRIAL_SECONDS = 20.0
"""Time limit for a worker to decide the puzzle of a trial."""

_PUZZLE = "6x6u:CafBAdEAcDaf"
_TRIAL = RawPuzzles((_PUZZLE,), Choices("unruly"), None, 1, 255)
_TASKS = [TASKS[name](puzzle=_PUZZLE).task for name in ("check", "hint", "grade")]
_MAX_PAUSE = 60.0
"""Maximum number of seconds between two trials."""

_LOG = logging.getLogger("binairo.service")

_health = openapi.router()

_STATUS = {"type": "object", "properties": {"status": {"type": "string"}}}


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI app. Its lifespan starts and stops the workers."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await state.open()
        starting = asyncio.create_task(become_ready(state))
        try:
            yield
        finally:
            starting.cancel()
            await state.close()

    sites = AllowedSites(settings)  # which refuses wrong names before a folder is locked
    state = AppState(settings)
    # In the order of the OpenAPI specification. FastAPI looks twice at each route of a router that
    # is included.
    routers = (puzzle_routes.router, making_routes.router, routes.router, _health)
    app = App(
        state,
        sites,
        routes=[route for router in routers for route in router.routes],
        title="binairo",
        version=version("binairo-cp"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # `App` logs and counts
    )
    problems.install(app)
    openapi.install(app, needs_key=state.keys is not None)
    origins = page.parse_embed_origins(settings.embed_origins or ())
    page.install(app, embed_origins=origins, has_owners=state.keys is not None)
    page.install_api_docs(app)
    return app


async def become_ready(
    state: AppState, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Try the workers until one decides a puzzle; then mark the server as ready."""
    for task in _TASKS:  # The first puzzle loads modules.
        await asyncio.to_thread(deciding.decide_at_once, task, TRIAL_SECONDS, _TRIAL)
    attempt = 0
    while fault := await _fault(state.pool):
        state.not_ready = fault
        attempt += 1
        _LOG.warning("not ready", extra={"attempt": attempt, "reason": fault})
        await sleep(min(2.0**attempt, _MAX_PAUSE))
    # Or the garbage collector would look at all that was imported, while a large body is decoded.
    gc.collect()
    gc.freeze()
    state.not_ready = ""
    _LOG.info("ready")
    if state.url and monitoring.is_on_terminal():
        print(state.url, file=sys.stderr, flush=True)


async def _fault(pool: WorkerPool) -> str:
    """Why the workers can't decide a puzzle; empty if they can."""
    decide = partial(deciding.decide_one, _TASKS[0], TRIAL_SECONDS)
    try:
        answer = await pool.run(decide, _TRIAL, TRIAL_SECONDS)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if not isinstance(answer, str):
        return str(answer.detail)
    verdict = orjson.loads(answer)["verdict"]
    return "" if verdict == Verdict.UNIQUE else f"the verdict is {verdict}; expected unique"


@_health.get("/healthz", **openapi.route({requests.JSON: _STATUS}))
async def healthz() -> Response:
    """The server is alive. Responds at once, even while all workers are busy."""
    return Response('{"status":"ok"}', media_type=requests.JSON)


@_health.get("/readyz", **openapi.route({requests.JSON: _STATUS}, (503,)))
async def readyz(request: Request) -> Response:
    """The server is ready: the workers answer, and the server is not about to stop.

    `disk` is `full` if jobs wait for space; all else works then.
    """
    state = state_of(request)
    if state.stopping.is_set():
        raise Problem(503, "not-ready", "the server is about to stop", retry_after=10)
    if state.not_ready:
        raise Problem(503, "not-ready", state.not_ready, retry_after=1)
    disk = ',"disk":"full"' if state.store.folder.is_full() else ""
    return Response(f'{{"status":"ready"{disk}}}', media_type=requests.JSON)


@_health.get(
    "/v1/limits", **openapi.route({requests.JSON: openapi.ref(openapi.LIMITS)}, openapi.ALWAYS)
)
async def limits(request: Request) -> Response:
    """The limits of this server."""
    return Response(orjson.dumps(state_of(request).limits), media_type=requests.JSON)


@_health.get(
    "/metrics",
    **openapi.route(
        {"text/plain": {"type": "string"}}, openapi.ALWAYS, summary="Metrics for Prometheus."
    ),
)
async def metrics(request: Request) -> Response:
    """Returns metrics of requests, worker pools and jobs."""
    state = state_of(request)
    jobs: dict[str, int] = {}
    with suppress(Problem):  # without the database, the other metrics matter even more
        jobs = await state.job_manager.in_thread(state.store.counts)
    text = state.metrics.text(jobs, is_full=state.store.folder.is_full())
    return Response(text, media_type=CONTENT_TYPE_LATEST)
