"""The route `POST /v1/book`."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request, Response

from binairo_cp.batch.book_recipe import MOST_PUZZLES
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.service import books, callers, file_routes, openapi, problems, request_bodies
from binairo_cp.service import requests as parsing
from binairo_cp.service.app_state import state_of
from binairo_cp.service.bodies import BOOK, BookBody
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.limits import Limits

router = APIRouter(prefix="/v1")


@router.post(
    "/book",
    summary=BOOK.__doc__,
    response_class=Response,
    responses=openapi.responses(
        {each: {"type": "string", "format": "binary"} for each in books.MEDIA_TYPES.values()},
        openapi.ALWAYS,
        openapi.WITH_BODY,
        openapi.WORKING,
    ),
    openapi_extra=openapi.request_body(BOOK, with_text=False),
)
async def book(request: Request) -> Response:
    """Returns the book as PDF; with `to` zip also a template of its cover, and its manifest.

    Books that take longer than the time limit are jobs of the kind `book`.
    """
    state = state_of(request)
    limits = state.limits
    request_bodies.media_type(request, (request_bodies.JSON,))
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    body = parsing.validate(BOOK, request, request_bodies.parse_json(content))
    check_limits(body, limits, limits.generated)
    # Few books are ready in the usual time of a request.
    seconds = limits.seconds(body.time_limit or limits.most_time)
    callers.current().solutions = sum(each.count for each in body.recipe.puzzles)
    make = partial(books.make, seconds=seconds, max_bytes=limits.answer_bytes)
    work = state.general.run(make, body.specification, seconds)
    return file_routes.response(await while_connected(request, work), seconds)


def check_limits(body: BookBody, limits: Limits, max_count: int) -> None:
    """Refuse books beyond the server's limits.

    Raises:
        Problem: the recipe is for too many puzzles, or for boards that are too large.
    """
    sets = body.recipe.puzzles
    if sum(each.count for each in sets) > max_count:
        detail = f"expected at most {min(max_count, MOST_PUZZLES):,} puzzles in all"
        raise problems.invalid(detail, "/recipe/puzzles")
    for number, each in enumerate(sets):
        if max(sides_of(each.size)) > limits.side:
            detail = f"expected sides of at most {limits.side} cells"
            raise problems.invalid(detail, f"/recipe/puzzles/{number}/size")
