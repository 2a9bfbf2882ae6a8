"""The routes that answer with a file (encode, convert, render, certify), and verify."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.errors import BudgetExceeded
from binairo_cp.formats import FORMATS
from binairo_cp.service import files, openapi, problems, request_bodies, requests
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.bodies import CERTIFY, CONVERT, ENCODE, RENDER, PuzzleBody
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.files import Bounds, File, Refusal
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import ABody, ParsedRequest
from binairo_cp.service.worker_pools import SMALL_BODY_BYTES, WorkerPool

CERTIFICATES = ("application/zip", "application/octet-stream")
_TEXT = "text/plain"
_ZIP = "application/zip"

MakeFile = Callable[[RawPuzzles], File | list[Refusal]]

router = APIRouter(prefix="/v1")


def _openapi(model: type[PuzzleBody], *media_types: str) -> dict[str, Any]:
    """The OpenAPI description of a route that answers with a file."""
    text, file = {"type": "string"}, {"type": "string", "format": "binary"}
    return {
        "summary": model.__doc__,
        "response_class": Response,
        "responses": openapi.responses(
            {each: text if each == _TEXT else file for each in media_types},
            openapi.ALWAYS,
            openapi.WITH_BODY,
            openapi.WORKING,
        ),
        "openapi_extra": openapi.request_body(model),
    }


@router.post("/encode", **_openapi(ENCODE, _TEXT, _ZIP))
async def encode(request: Request) -> Response:
    """Returns a file for a solver; for several puzzles a zip of such files."""
    state, parsed, bounds = await _parse(request, ENCODE)
    encode_puzzle = partial(files.encode_puzzle, parsed.body.request, bounds.bytes)
    make = partial(files.make_each, encode_puzzle, _TEXT, bounds)
    return await _file(request, state.general, parsed, make)


@router.post(
    "/convert", **_openapi(CONVERT, *sorted({each.media_type for each in FORMATS.values()}))
)
async def convert(request: Request) -> Response:
    """Returns the puzzles in another format, in one file."""
    state, parsed, bounds = await _parse(request, CONVERT)
    to = parsed.body.request["to"]
    # It takes about a millisecond, so it need not wait behind requests that solve or generate.
    pool = state.fast if parsed.size <= SMALL_BODY_BYTES else state.general
    return await _file(request, pool, parsed, partial(files.convert_puzzles, to, bounds))


@router.post("/certify", **_openapi(CERTIFY, _ZIP))
async def certify(request: Request) -> Response:
    """Returns a certificate, which is a zip; for several puzzles a zip of certificates."""
    state, parsed, bounds = await _parse(request, CERTIFY)
    certify_puzzle = partial(files.certify_puzzle, parsed.body.request)
    make = partial(files.make_each, certify_puzzle, "application/zip", bounds)
    return await _file(request, state.general, parsed, make)


@router.post(
    "/render",
    **_openapi(RENDER, _TEXT, _ZIP, "image/svg+xml", "image/png", "application/pdf", "text/html"),
)
async def render(request: Request) -> Response:
    """Returns a picture, pages or text; for several puzzles as svg or png a zip of pictures."""
    state, parsed, bounds = await _parse(request, RENDER)
    draw = partial(files.draw_puzzles, parsed.body.request, bounds)
    return await _file(request, state.general, parsed, draw)


@router.post(
    "/verify",
    summary="Check a certificate.",
    response_class=Response,
    responses=openapi.responses(
        {request_bodies.JSON: openapi.ref(openapi.Verified)},
        openapi.ALWAYS,
        openapi.WITH_BODY,
        openapi.WORKING,
    ),
    openapi_extra=openapi.file_body(*CERTIFICATES),
)
async def verify(request: Request) -> Response:
    """Checks a certificate without a solver."""
    state = state_of(request)
    limits = state.limits
    request_bodies.media_type(request, CERTIFICATES)
    seconds = limits.seconds(requests.seconds_in_query(request))
    body = await request_bodies.read(request, limits.certificate_bytes, limits.body_seconds)
    work = state.general.run(partial(files.verify_certificate, seconds), body, seconds)
    text = await while_connected(request, work)
    in_force = orjson.dumps({"time_limit": seconds}).decode()
    return Response(f'{text[:-1]},"limits":{in_force}}}', media_type=request_bodies.JSON)


async def _parse(
    request: Request, model: type[ABody]
) -> tuple[AppState, ParsedRequest[ABody], Bounds]:
    state = state_of(request)
    parsed = await requests.parse(request, model, state.limits)
    return state, parsed, Bounds(parsed.seconds, state.limits.answer_bytes)


async def _file(
    request: Request, pool: WorkerPool, parsed: ParsedRequest[ABody], make: MakeFile
) -> Response:
    """Make a file in a worker and send it."""
    work = pool.run(make, parsed.puzzles, parsed.seconds)
    file = await while_connected(request, work)
    if isinstance(file, list):
        raise _problem(file, parsed)
    return response(file, parsed.seconds)


def response(file: File, seconds: float) -> Response:
    """The response with a file that was made within a time limit."""
    headers = {
        "Content-Disposition": f'attachment; filename="{_ascii(file.name)}"',
        "X-Time-Limit": f"{seconds:g}",
    }
    return Response(file.content, headers=headers, media_type=file.media_type)


def _ascii(name: str) -> str:
    return "".join(each if each.isascii() and each not in '"\\' else "_" for each in name)


def _problem(refusals: list[Refusal], parsed: ParsedRequest[ABody]) -> Problem:
    """The problem that reports why no file was made."""
    if {each.kind for each in refusals} & {BudgetExceeded.kind}:
        return Problem(504, "time", "the time limit was reached")
    faults = [
        Fault(
            pointer=parsed.pointer(each.puzzle_index),
            detail=each.message,
            kind=each.kind,
            **each.place._asdict(),
        )
        for each in refusals[: problems.MAX_FAULTS]
    ]
    return Problem(422, "invalid", faults[0].detail, faults)
