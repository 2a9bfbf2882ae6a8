"""New puzzles for a request."""

from __future__ import annotations

from functools import partial

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.commands import generate as generation
from binairo_cp.commands.generate import GenerationSpec, GenerationState
from binairo_cp.errors import BinairoError, BudgetExceeded, GenerationError
from binairo_cp.service import openapi, problems, request_bodies, requests
from binairo_cp.service.bodies import GENERATE, GenerateBody
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.limits import Limits
from binairo_cp.service.state import state_of
from binairo_cp.solving.backends import Budget, Meter

router = APIRouter(prefix="/v1")

OUT_OF_TIME = "the time limit was reached"


@router.post(
    "/generate",
    summary=GENERATE.__doc__,
    response_class=Response,
    responses=openapi.gives(
        {request_bodies.JSON: openapi.ref(openapi.Generated)},
        openapi.ALWAYS,
        openapi.WITH_BODY,
        openapi.WORKING,
    ),
    openapi_extra=openapi.takes(GENERATE, with_text=False),
)
async def generate(request: Request) -> Response:
    """The records of new puzzles, with their solutions and, if asked for, their grades."""
    state = state_of(request)
    limits = state.limits
    request_bodies.media_type(request, (request_bodies.JSON,))
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    body = requests.validated(GENERATE, request, request_bodies.parsed(content))
    check(body, limits, limits.generated)
    seconds = limits.seconds(body.time_limit)
    work = state.general.run(partial(made, seconds), body.order(), seconds)
    records, why = await while_connected(request, work)
    told = {
        "seed": body.seed,
        "complete": not why,
        **({"note": why} if why else {}),
        "limits": {"time_limit": seconds, "side": limits.side, "generated": limits.generated},
    }
    text = f'{{"results":[{",".join(records)}],{orjson.dumps(told).decode()[1:]}'
    return Response(text, media_type=request_bodies.JSON)


def check(body: GenerateBody, limits: Limits, most: int) -> None:
    """Refuse what a server does not make.

    Raises:
        Problem: too many, too large, or nothing that there can be.
    """
    if body.request.count > most:
        raise problems.invalid(f"expected at most {most:,}", "/count")
    if max(body.request.sides) > limits.side:
        raise problems.invalid(f"expected sides of at most {limits.side} cells", "/size")
    try:
        body.order()
    except BinairoError as error:
        raise problems.invalid(str(error), kind=error.kind) from None


def made(seconds: float, order: GenerationSpec) -> tuple[list[str], str]:
    """What a worker does: records of puzzles as JSON, and why there are not more.

    Raises:
        GenerationError: there is none, and it is not for the time.
    """
    told, meter = GenerationState(), Meter(Budget(seconds))
    records: list[str] = []
    try:
        for number, puzzle in generation.numbered_puzzles(order, 1, told, meter=meter):
            records.append(generation.record(order, number, puzzle).to_json())
    except BudgetExceeded:
        return records, OUT_OF_TIME
    if told.error and not records:
        raise GenerationError(str(told.error))
    return records, str(told.error or "")
