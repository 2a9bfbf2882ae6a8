"""Whether a server lives, and whether it can work."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request, Response

from binairo_cp.service import work
from binairo_cp.service.problems import Problem
from binairo_cp.service.state import State, state_of
from binairo_cp.tasks import Task

router = APIRouter()

_CANARY = work.Given(("4x4:.1..0...1..0....",), "line", None, 1, 255)
_PATIENCE = 120.0


@router.get("/healthz")
async def healthz() -> Response:
    """The server lives: answered at once, whatever the workers do."""
    return Response('{"status":"ok"}', media_type="application/json")


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """The workers are warm, and the server is not about to stop."""
    state = state_of(request)
    if not state.is_ready or state.stopping.is_set():
        raise Problem(503, "not-ready", "starting, or about to stop", retry_after=1)
    return Response('{"status":"ready"}', media_type="application/json")


async def warm(state: State) -> None:
    """Let the lanes load what they need, by a puzzle that they decide."""
    for lane in (state.fast, state.general):
        check = partial(work.decide_given, Task("check"), _PATIENCE, None)
        await lane.run(check, _CANARY, _PATIENCE)
    state.is_ready = True
