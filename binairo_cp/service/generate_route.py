"""The route `POST /v1/generate`."""

from __future__ import annotations

from functools import partial

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.errors import BinairoError, BudgetExceeded, GenerationError
from binairo_cp.generation.runs import (
    GenerationSpec,
    GenerationState,
    generated_puzzles,
    record,
)
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.service import callers, openapi, problems, request_bodies, requests
from binairo_cp.service.app_state import state_of
from binairo_cp.service.bodies import GENERATE, GenerateBody
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.limits import Limits
from binairo_cp.solving.backends import Budget, Meter

router = APIRouter(prefix="/v1")

OUT_OF_TIME = "the time limit was reached"


@router.post(
    "/generate",
    summary=GENERATE.__doc__,
    response_class=Response,
    responses=openapi.responses(
        {request_bodies.JSON: openapi.ref(openapi.Generated)},
        openapi.ALWAYS,
        openapi.WITH_BODY,
        openapi.WORKING,
    ),
    openapi_extra=openapi.request_body(GENERATE, with_text=False),
)
async def generate(request: Request) -> Response:
    """Returns records of new puzzles, with their solutions and, on request, their grades."""
    state = state_of(request)
    limits = state.limits
    request_bodies.media_type(request, (request_bodies.JSON,))
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    body = requests.validate(GENERATE, request, request_bodies.parse_json(content))
    check_limits(body, limits, limits.generated)
    seconds = limits.seconds(body.time_limit)
    callers.current().solutions = body.request["count"]
    work = state.general.run(partial(generate_records, seconds), body.order(), seconds)
    records, shortfall = await while_connected(request, work)
    other_fields = {
        "seed": body.seed,
        "complete": not shortfall,
        **({"note": shortfall} if shortfall else {}),
        "limits": {"time_limit": seconds, "side": limits.side, "generated": limits.generated},
    }
    text = f'{{"results":[{",".join(records)}],{orjson.dumps(other_fields).decode()[1:]}'
    return Response(text, media_type=request_bodies.JSON)


def check_limits(body: GenerateBody, limits: Limits, max_count: int) -> None:
    """Refuse requests beyond the server's limits.

    Raises:
        Problem: the request is for too many puzzles, for boards that are too large, or for
            puzzles that can't exist.
    """
    if body.request["count"] > max_count:
        raise problems.invalid(f"expected at most {max_count:,}", "/count")
    if max(sides_of(body.request["size"])) > limits.side:
        raise problems.invalid(f"expected sides of at most {limits.side} cells", "/size")
    try:
        body.order()
    except BinairoError as error:
        raise problems.invalid(str(error), kind=error.kind) from None


def generate_records(seconds: float, order: GenerationSpec) -> tuple[list[str], str]:
    """Generate puzzles. Runs in a worker.

    Returns:
        The records as JSON, and why there are fewer than requested (empty if there are not).

    Raises:
        GenerationError: no puzzle was found, for another reason than the time limit.
    """
    state, meter = GenerationState(), Meter(Budget(seconds))
    records: list[str] = []
    try:
        for puzzle in generated_puzzles(order, 1, state, meter=meter):
            records.append(record(order, puzzle).to_json())
    except BudgetExceeded:
        return records, OUT_OF_TIME
    if state.error and not records:
        raise GenerationError(str(state.error))
    return records, str(state.error or "")
