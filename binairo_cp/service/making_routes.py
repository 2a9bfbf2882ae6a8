"""The routes that make something: new puzzles, files and books."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import Request, Response

from binairo_cp.batch.book_recipe import MOST_PUZZLES
from binairo_cp.errors import BudgetExceeded
from binairo_cp.formats import FORMATS
from binairo_cp.json_library import orjson
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.service import clients, deciding, files, openapi, problems, requests
from binairo_cp.service.app_state import state_of
from binairo_cp.service.bodies import (
    BOOK,
    CERTIFY,
    CONVERT,
    ENCODE,
    GENERATE,
    RENDER,
    BookBody,
    GenerateBody,
    PuzzleBody,
)
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.files import File, FileBounds, Refusals
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import while_connected

router = openapi.router("/v1")

_TEXT = "text/plain"
_ZIP = "application/zip"
_PUZZLES = {requests.JSON: openapi.ref(openapi.Generated)}

MakeFile = Callable[[dict[str, Any], FileBounds, RawPuzzles], File | Refusals]
"""Called in a worker with the options, the limits and the puzzles."""


@router.post("/generate", **openapi.work(GENERATE, _PUZZLES, with_text=False))
async def generate(request: Request) -> Response:
    """Returns records of new puzzles, with their solutions and, on request, their grades."""
    state = state_of(request)
    limits = state.limits
    body = await requests.parse_options(request, GENERATE, limits)
    check_limits(body, limits, limits.generated)
    seconds = limits.seconds(body.time_limit)
    clients.CALLER.get().solutions = body.total
    work = state.pool.run(partial(files.generate_records, seconds), body.order(), seconds)
    records, shortfall = await while_connected(request, work)
    other_fields = {
        "seed": body.seed,
        "complete": not shortfall,
        **({"note": shortfall} if shortfall else {}),
        "limits": {"time_limit": seconds, "side": limits.side, "generated": limits.generated},
    }
    text = f'{{"results":[{",".join(records)}],{orjson.dumps(other_fields).decode()[1:]}'
    return Response(text, media_type=requests.JSON)


def check_limits(body: GenerateBody | BookBody, limits: Limits, max_count: int) -> None:
    """Refuse requests beyond the server's limits.

    Raises:
        Problem: the request is for too many puzzles, or for boards that are too large.
        BinairoError: there are no such puzzles.
    """
    if body.total > max_count:
        if isinstance(body, GenerateBody):
            raise problems.invalid(f"expected at most {max_count:,}", "/count")
        detail = f"expected at most {min(max_count, MOST_PUZZLES):,} puzzles in all"
        raise problems.invalid(detail, "/recipe/puzzles")
    for pointer, size in body.sizes.items():
        if max(sides_of(size)) > limits.side:
            raise problems.invalid(f"expected sides of at most {limits.side} cells", pointer)
    if isinstance(body, GenerateBody):
        body.order()


def _openapi(model: type[PuzzleBody], *media_types: str) -> dict[str, Any]:
    text = {"type": "string"}
    return openapi.work(
        model,
        {media_type: text if media_type == _TEXT else openapi.FILE for media_type in media_types},
    )


@router.post("/encode", **_openapi(ENCODE, _TEXT, _ZIP))
async def encode(request: Request) -> Response:
    """Returns a file for a solver; for several puzzles a zip of such files."""
    return await _file(request, ENCODE, files.encode_puzzles)


@router.post("/convert", **_openapi(CONVERT, *sorted({row.media_type for row in FORMATS.values()})))
async def convert(request: Request) -> Response:
    """Returns the puzzles in another format, in one file."""
    return await _file(request, CONVERT, files.convert_puzzles, is_quick=True)


@router.post("/certify", **_openapi(CERTIFY, _ZIP))
async def certify(request: Request) -> Response:
    """Returns a certificate, which is a zip; for several puzzles a zip of certificates."""
    return await _file(request, CERTIFY, files.certify_puzzles)


@router.post(
    "/render",
    **_openapi(RENDER, _TEXT, _ZIP, "image/svg+xml", "image/png", "application/pdf", "text/html"),
)
async def render(request: Request) -> Response:
    """Returns a picture, pages or text; for several puzzles as svg or png a zip of pictures."""
    return await _file(request, RENDER, files.draw_puzzles)


async def _file(
    request: Request, model: type[PuzzleBody], make: MakeFile, *, is_quick: bool = False
) -> Response:
    """Make a file and send it: in a worker, unless that is quick and the request small."""
    state = state_of(request)
    parsed = await requests.parse(request, model, state.limits)
    bounds = FileBounds(parsed.seconds, state.limits.answer_bytes)
    bound = partial(make, parsed.body.request, bounds)
    if is_quick and deciding.is_cheap(parsed.puzzles.items):
        file = bound(parsed.puzzles)
    else:
        work = state.pool.run(bound, parsed.puzzles, parsed.seconds)
        file = await while_connected(request, work)
    if isinstance(file, list):
        raise refused(file, parsed.pointer)
    return response(file, parsed.seconds)


def response(file: File, seconds: float) -> Response:
    """The response with a file that was made within a time limit."""
    name = re.sub(r'[^\x00-\x7f]|["\\]', "_", file.name)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Time-Limit": f"{seconds:g}",
    }
    return Response(file.content, headers=headers, media_type=file.media_type)


def refused(refusals: Refusals, pointer: Callable[[int], str]) -> Problem:
    """The problem that reports why puzzles were refused; `pointer` tells where each one is."""
    if any(fault.kind == BudgetExceeded.kind for _, fault in refusals):
        return problems.out_of_time()
    first = refusals[: problems.MAX_FAULTS]
    faults = [Fault(pointer=pointer(index), **fault._asdict()) for index, fault in first]
    return Problem(422, "invalid", faults[0].detail, faults)


@router.post("/book", **openapi.work(BOOK, openapi.BOOKS, with_text=False))
async def book(request: Request) -> Response:
    """Returns the book as PDF; with `to` zip also its manifest.

    Books that take longer than the time limit are jobs of the kind `book`.
    """
    state = state_of(request)
    limits = state.limits
    body = await requests.parse_options(request, BOOK, limits)
    check_limits(body, limits, limits.generated)
    # Few books are ready in the usual time of a request.
    seconds = limits.seconds(body.time_limit or limits.most_time)
    clients.CALLER.get().solutions = body.total
    make = partial(files.printed_book, seconds=seconds, max_bytes=limits.answer_bytes)
    work = state.pool.run(make, body.specification, seconds)
    return response(await while_connected(request, work), seconds)
