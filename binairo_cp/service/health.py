"""Health checks, and the limits of the server."""

from __future__ import annotations

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.service import openapi, request_bodies
from binairo_cp.service.app_state import state_of
from binairo_cp.service.problems import Problem

router = APIRouter()

_STATUS = {"type": "object", "properties": {"status": {"type": "string"}}}
_READY = {
    "type": "object",
    "properties": {
        "status": {"type": "string"},
        "failed": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Steps of the warm-up that failed, with the reasons.",
        },
    },
}


@router.get(
    "/healthz", response_class=Response, responses=openapi.responses({request_bodies.JSON: _STATUS})
)
async def healthz() -> Response:
    """The server is alive. Responds at once, even while all workers are busy."""
    return Response('{"status":"ok"}', media_type=request_bodies.JSON)


@router.get(
    "/readyz",
    response_class=Response,
    responses=openapi.responses({request_bodies.JSON: _READY}, (503,)),
)
async def readyz(request: Request) -> Response:
    """The server is ready: the workers are warm, and the server is not about to stop."""
    state = state_of(request)
    if state.stopping.is_set():
        raise Problem(503, "not-ready", "the server is about to stop", retry_after=10)
    if not state.is_ready:
        steps = "; ".join(state.warming.values()) or "starting"
        raise Problem(503, "not-ready", f"warming up: {steps}", retry_after=1)
    body: dict[str, object] = {"status": "ready"}
    if state.failed_steps:
        body["failed"] = state.failed_steps
    return Response(orjson.dumps(body), media_type=request_bodies.JSON)


@router.get(
    "/v1/limits",
    response_class=Response,
    responses=openapi.responses({request_bodies.JSON: openapi.ref(openapi.LIMITS)}, openapi.ALWAYS),
)
async def limits(request: Request) -> Response:
    """The limits of this server."""
    return Response(orjson.dumps(state_of(request).limits), media_type=request_bodies.JSON)
