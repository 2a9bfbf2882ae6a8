"""The routes that answer with a file (encode, convert, render, certify), and verify."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import orjson
from fastapi import APIRouter, Request, Response

from binairo_cp.commands import encode as encoding
from binairo_cp.commands import render_options
from binairo_cp.commands.requests import (
    CertifyRequest,
    ConvertRequest,
    EncodeRequest,
    RenderRequest,
)
from binairo_cp.errors import BudgetExceeded, OptionError
from binairo_cp.formats import FORMATS
from binairo_cp.service import deciding, files, openapi, problems, request_bodies, requests
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.bodies import CERTIFY, CONVERT, ENCODE, RENDER, PuzzleBody
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.files import Bounds, File, Refusal
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import ABody, ParsedRequest, option_problem
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
    options = cast("EncodeRequest", parsed.body.request)
    order = encoding.EncodeOptions(
        options.to or "dimacs",
        options.balance,
        options.unique,
        fewest=options.fewest,
        clues=options.clues,
    )
    encode_puzzle = partial(files.encode_puzzle, order, bounds.bytes)
    make = partial(files.make_each, encode_puzzle, _TEXT, bounds)
    return await _file(request, state.pool, parsed, make)


@router.post(
    "/convert", **_openapi(CONVERT, *sorted({each.media_type for each in FORMATS.values()}))
)
async def convert(request: Request) -> Response:
    """Returns the puzzles in another format, in one file."""
    state, parsed, bounds = await _parse(request, CONVERT)
    to = cast("ConvertRequest", parsed.body.request).to or "text"
    make = partial(files.convert_puzzles, to, bounds)
    if deciding.is_cheap(parsed.puzzles):
        return _made(make(parsed.puzzles), parsed)
    is_small = parsed.size <= SMALL_BODY_BYTES
    return await _file(request, state.pool, parsed, make, is_small=is_small)


@router.post("/certify", **_openapi(CERTIFY, _ZIP))
async def certify(request: Request) -> Response:
    """Returns a certificate, which is a zip; for several puzzles a zip of certificates."""
    state, parsed, bounds = await _parse(request, CERTIFY)
    wanted = cast("CertifyRequest", parsed.body.request)
    certify_puzzle = partial(files.certify_puzzle, wanted)
    make = partial(files.make_each, certify_puzzle, "application/zip", bounds)
    return await _file(request, state.pool, parsed, make)


@router.post(
    "/render",
    **_openapi(RENDER, _TEXT, _ZIP, "image/svg+xml", "image/png", "application/pdf", "text/html"),
)
async def render(request: Request) -> Response:
    """Returns a picture, pages or text; for several puzzles as svg or png a zip of pictures."""
    state, parsed, bounds = await _parse(request, RENDER)
    options = cast("RenderRequest", parsed.body.request)
    try:
        render_options.options_of(options)
    except OptionError as error:
        raise option_problem(error) from None
    return await _file(request, state.pool, parsed, partial(files.draw_puzzles, options, bounds))


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
    work = state.pool.run(partial(files.verify_certificate, seconds), body, seconds)
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
    request: Request,
    pool: WorkerPool,
    parsed: ParsedRequest[ABody],
    make: MakeFile,
    *,
    is_small: bool = False,
) -> Response:
    """Make a file in a worker and send it."""
    work = pool.run(make, parsed.puzzles, parsed.seconds, is_small=is_small)
    return _made(await while_connected(request, work), parsed)


def _made(file: File | list[Refusal], parsed: ParsedRequest[ABody]) -> Response:
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
