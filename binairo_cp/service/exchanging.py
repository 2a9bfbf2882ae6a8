"""Requests that are answered by a file: encode, convert, render, certify; and verify."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.commands import encode as encoding
from binairo_cp.commands import render_options
from binairo_cp.commands.requests import ConvertRequest, EncodeRequest, RenderRequest
from binairo_cp.errors import BudgetExceeded, OptionError
from binairo_cp.service import files, openapi, problems, request_bodies, requests
from binairo_cp.service.bodies import CERTIFY, CONVERT, ENCODE, RENDER, PuzzleBody
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.files import Bounds, File, Refusal
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import ABody, Asked, refused_option
from binairo_cp.service.state import State, state_of
from binairo_cp.service.work import Given

CERTIFICATES = ("application/zip", "application/octet-stream")
_TEXT = "text/plain"

Make = Callable[[Given], File | list[Refusal]]

_ZIP = "application/zip"

router = APIRouter(prefix="/v1")


def _told(model: type[PuzzleBody], *media_types: str) -> dict[str, Any]:
    """What the contract says of a route that answers by a file."""
    file = {"type": "string", "format": "binary"}
    return {
        "summary": model.__doc__,
        "response_class": Response,
        "responses": openapi.gives(
            dict.fromkeys(media_types, file), openapi.ALWAYS, openapi.WITH_BODY, openapi.WORKING
        ),
        "openapi_extra": openapi.takes(model),
    }


@router.post("/encode", **_told(ENCODE, _TEXT, _ZIP))
async def encode(request: Request) -> Response:
    """A file for a solver; of several puzzles a zip with their files."""
    state, asked, bounds = await _begun(request, ENCODE)
    asking = cast("EncodeRequest", asked.body.request)
    order = encoding.EncodeOptions(asking.to or "dimacs", asking.balance, asking.unique)
    make = partial(files.encoded, order, bounds.bytes)
    return await _file(request, state, asked, partial(files.make_each, make, _TEXT, bounds))


@router.post(
    "/convert", **_told(CONVERT, _TEXT, request_bodies.JSON, request_bodies.NDJSON, "text/csv")
)
async def convert(request: Request) -> Response:
    """A file in another format."""
    state, asked, bounds = await _begun(request, CONVERT)
    to = cast("ConvertRequest", asked.body.request).to or "text"
    return await _file(request, state, asked, partial(files.converted, to, bounds))


@router.post("/certify", **_told(CERTIFY, _ZIP))
async def certify(request: Request) -> Response:
    """A certificate as a zip; of several puzzles a zip with their zips."""
    state, asked, bounds = await _begun(request, CERTIFY)
    make = partial(files.make_each, files.certified, "application/zip", bounds)
    return await _file(request, state, asked, make)


@router.post(
    "/render",
    **_told(RENDER, _TEXT, _ZIP, "image/svg+xml", "image/png", "application/pdf", "text/html"),
)
async def render(request: Request) -> Response:
    """A picture, pages, text; of several puzzles as svg or png a zip with their pictures."""
    state, asked, bounds = await _begun(request, RENDER)
    drawing = cast("RenderRequest", asked.body.request)
    try:
        render_options.options_of(drawing)
    except OptionError as error:
        raise refused_option(error) from None
    return await _file(request, state, asked, partial(files.drawn, drawing, bounds))


@router.post(
    "/verify",
    summary="Whether a certificate holds.",
    response_class=Response,
    responses=openapi.gives(
        {request_bodies.JSON: openapi.ref(openapi.Verified)},
        openapi.ALWAYS,
        openapi.WITH_BODY,
        openapi.WORKING,
    ),
    openapi_extra=openapi.takes_files(*CERTIFICATES),
)
async def verify(request: Request) -> Response:
    """A certificate, checked without a solver."""
    state = state_of(request)
    limits = state.limits
    request_bodies.media_type(request, CERTIFICATES)
    seconds = limits.seconds(requests.seconds_in_query(request))
    body = await request_bodies.read(request, limits.certificate_bytes, limits.body_seconds)
    work = state.general.run(partial(files.verified, seconds), body, seconds)
    text = await while_connected(request, work)
    in_force = orjson.dumps({"time_limit": seconds}).decode()
    return Response(f'{text[:-1]},"limits":{in_force}}}', media_type=request_bodies.JSON)


async def _begun(request: Request, model: type[ABody]) -> tuple[State, Asked[ABody], Bounds]:
    state = state_of(request)
    asked = await requests.asked(request, model, state.limits)
    return state, asked, Bounds(asked.seconds, state.limits.answer_bytes)


async def _file(request: Request, state: State, asked: Asked[ABody], make: Make) -> Response:
    """What a worker makes, as an answer."""
    work = state.general.run(make, asked.given, asked.seconds)
    made = await while_connected(request, work)
    if isinstance(made, list):
        raise _refused(made, asked)
    headers = {
        "Content-Disposition": f'attachment; filename="{_ascii(made.name)}"',
        "X-Time-Limit": f"{asked.seconds:g}",
    }
    return Response(made.content, headers=headers, media_type=made.media_type)


def _ascii(name: str) -> str:
    return "".join(each if each.isascii() and each not in '"\\' else "_" for each in name)


def _refused(refusals: list[Refusal], asked: Asked[ABody]) -> Problem:
    """What is said where nothing was made."""
    if {each.kind for each in refusals} & {BudgetExceeded.kind}:
        return Problem(504, "time", "the time limit was reached")
    faults = [
        Fault(
            pointer=asked.pointer(each.number),
            detail=each.message,
            kind=each.kind,
            **each.place._asdict(),
        )
        for each in refusals[: problems.MOST_FAULTS]
    ]
    return Problem(422, "invalid", faults[0].detail, faults)
