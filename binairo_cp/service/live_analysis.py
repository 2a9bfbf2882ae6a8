"""The analysis of a puzzle that is being edited, as server-sent events.

Each event says more than the one before: whether there is one solution, how many there are, with
growing limits, and how difficult the puzzle is. The work stops when the client disconnects.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from binairo_cp.commands.requests import (
    CheckRequest,
    CountRequest,
    GradeRequest,
    PuzzleRequest,
)
from binairo_cp.commands.tasks import task_of
from binairo_cp.service import (
    deciding,
    openapi,
    problems,
    puzzle_routes,
    request_bodies,
    requests,
    streaming,
)
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.bodies import AnalysisRequest
from binairo_cp.service.deciding import RawPuzzles, SerializedResult
from binairo_cp.service.openapi import InForce
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import SMALL_BODY_BYTES
from binairo_cp.solving.solutions import Verdict

EVENTS = "text/event-stream"
_FIRST_LIMIT, _GROWTH = 10, 10

router = APIRouter(prefix="/v1")


_EVENT = {
    "description": "Events `check`, `count` and `grade` with a result record as `data`, `problem` "
    "with a problem, and at last `end` with the limits in force.",
}


@router.post(
    "/analysis",
    summary="Analyse a puzzle step by step, as server-sent events.",
    response_class=Response,
    responses=openapi.responses({EVENTS: _EVENT}, openapi.ALWAYS, openapi.WITH_BODY),
    openapi_extra=openapi.request_body(AnalysisRequest, with_text=False),
)
async def analysis(request: Request) -> Response:
    """Sends `check`, then `count` with growing limits or `grade`, and `end`."""
    state = state_of(request)
    limits = state.limits
    request_bodies.media_type(request, (request_bodies.JSON,))
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    body = requests.validate(AnalysisRequest, request, request_bodies.parse_json(content))
    events = _Analysis(request, state, body, content).events()
    return StreamingResponse(events, media_type=EVENTS, headers=streaming.HEADERS)


class _Analysis:
    """The steps of an analysis, which share the time limit of the request."""

    def __init__(
        self, request: Request, state: AppState, body: AnalysisRequest, content: bytes
    ) -> None:
        limits = state.limits
        self._request, self._state = request, state
        self._puzzles = RawPuzzles(
            (body.puzzle,), body.stated, body.requested_rules, 1, limits.side
        )
        self._is_small = len(content) <= SMALL_BODY_BYTES
        self._seconds = limits.seconds(body.time_limit)
        self._end = monotonic() + self._seconds
        self._limit = min(body.limit, limits.counted)

    async def events(self) -> AsyncIterator[str]:
        """The events as text. A problem is an event, because the status was sent already."""
        try:
            async for name, result in self._results():
                puzzle_routes.raise_error_of(result)
                yield _event(name, result.text)
        except Problem as problem:
            yield _event("problem", bytes(problems.response(self._request, problem).body).decode())
        limits = InForce(time_limit=self._seconds, side=self._state.limits.side, limit=self._limit)
        yield _event("end", limits.model_dump_json(exclude_none=True))

    async def _results(self) -> AsyncIterator[tuple[str, SerializedResult]]:
        checked = await self._decide(CheckRequest())
        yield "check", checked
        if checked.verdict == Verdict.MULTIPLE:
            async for counted in self._counts():
                yield "count", counted
        elif checked.verdict == Verdict.UNIQUE:
            yield "grade", await self._decide(GradeRequest())

    async def _counts(self) -> AsyncIterator[SerializedResult]:
        """The number of solutions up to growing limits, until all are counted."""
        limit, known = min(_FIRST_LIMIT, self._limit), 0
        while True:
            result = await self._decide(CountRequest(limit=limit))
            record = orjson.loads(result.text)
            # A search that ran out of time may have counted less than the one before.
            if record.get("count", 0) > known or result.kind:
                yield result
            known = record.get("count", 0)
            if limit == self._limit or record.get("stopped_by") != "limit":
                return
            limit = min(limit * _GROWTH, self._limit)

    async def _decide(self, wanted: PuzzleRequest) -> SerializedResult:
        task = task_of(wanted, reasons="smallest")
        seconds = max(0.0, self._end - monotonic())
        is_small = self._is_small and isinstance(wanted, CheckRequest | GradeRequest)
        if is_small and (result := deciding.decide_at_once(task, seconds, self._puzzles)):
            return result
        return await puzzle_routes.decide_one(
            self._state.pool, task, self._puzzles, seconds, is_small=is_small
        )


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
