"""Whether a server lives, and whether it can work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from fastapi import APIRouter, Request, Response

from binairo_cp.reasoning import Logic
from binairo_cp.service import bodies, contract, files, making, work
from binairo_cp.service.files import Bounds
from binairo_cp.service.limits import Limits
from binairo_cp.service.orders import GenerateAsk
from binairo_cp.service.problems import Problem
from binairo_cp.service.state import State, state_of
from binairo_cp.tasks import Task

router = APIRouter()

_CANARY = work.Given(("6x6u:CafBAdEAcDaf",), "unruly", None, 1, 255)
_PATIENCE = 120.0
"""Compiling, once on a machine, takes its time."""


def _generated(_: work.Given) -> None:
    """A puzzle of any grade, and one that a person can solve."""
    for grade in ("any", "easy"):
        making.made(_PATIENCE, GenerateAsk(size=8, grade=grade, seed=1).order())


_COMPILED: tuple[Callable[[work.Given], object], ...] = (
    partial(files.make_each, files.certified, "", Bounds(_PATIENCE, 1 << 20)),
    partial(work.decide_given, Task("check", logic=Logic("grade")), _PATIENCE, None),
    _generated,
)
"""What is compiled when it is first used on a machine, for which a request has no time."""

_LOG = logging.getLogger("binairo.service")
_STATUS = {"type": "object", "properties": {"status": {"type": "string"}}}


@router.get("/healthz", response_class=Response, responses=contract.gives({bodies.JSON: _STATUS}))
async def healthz() -> Response:
    """The server lives: answered at once, whatever the workers do."""
    return Response('{"status":"ok"}', media_type=bodies.JSON)


@router.get(
    "/readyz", response_class=Response, responses=contract.gives({bodies.JSON: _STATUS}, (503,))
)
async def readyz(request: Request) -> Response:
    """The workers are warm, and the server is not about to stop."""
    state = state_of(request)
    if not state.is_ready or state.stopping.is_set():
        raise Problem(503, "not-ready", "starting, or about to stop", retry_after=1)
    return Response('{"status":"ready"}', media_type=bodies.JSON)


@router.get(
    "/v1/limits",
    response_class=Response,
    responses=contract.gives({bodies.JSON: contract.ref(Limits)}, contract.ALWAYS),
)
async def limits(request: Request) -> Response:
    """What this server allows."""
    return Response(state_of(request).limits.model_dump_json(), media_type=bodies.JSON)


async def warm(state: State) -> None:
    """Let the lanes load what they need, by a puzzle that they decide."""
    check = partial(work.decide_given, Task("check"), _PATIENCE, None)
    for lane in (state.fast, state.general):
        await lane.run(check, _CANARY, _PATIENCE)
    for make in _COMPILED:
        await state.general.run(make, _CANARY, _PATIENCE)
    state.is_ready = True
    _LOG.info("ready")
