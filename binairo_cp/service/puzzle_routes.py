"""The routes that answer with what is known about puzzles: solve, check, hint and so on.

`/v1/analysis` answers with server-sent events, for a puzzle that is being edited. Each event says
more than the one before: whether there is one solution, how many there are, with growing limits,
and how difficult the puzzle is. The work stops when the client disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import lru_cache, partial
from time import monotonic
from typing import cast

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event

from binairo_cp.batch.tasks import Task, failed, without_puzzle
from binairo_cp.errors import SolverCrash, SolverHang, SourceError
from binairo_cp.features.feature import feature_named, task_of
from binairo_cp.formats import Entry
from binairo_cp.json_library import orjson
from binairo_cp.service import clients, deciding, openapi, problems, requests
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.bodies import TASKS, AnalysisRequest, TaskBody
from binairo_cp.service.deciding import Answer, RawPuzzles
from binairo_cp.service.limits import Limits
from binairo_cp.service.openapi import InForce
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import ABody, ParsedRequest, while_connected
from binairo_cp.service.worker_pools import WorkerPool
from binairo_cp.solving.solutions import Verdict

router = openapi.router("/v1")

_BLOCK = 16

EVENTS = "text/event-stream"
UNBUFFERED = {"X-Accel-Buffering": "no", "Cache-Control": "no-store, no-transform"}
"""Headers of a response that proxies must pass on as it comes."""

_FIRST_LIMIT, _GROWTH = 10, 10

_EVENT = {
    "description": "Events `check`, `count` and `grade` with a result record as `data`, `problem` "
    "with a problem, and at last `end` with the limits in force.",
}


def _endpoint(model: type[TaskBody]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await answer(request, model)

    return endpoint


for name, model in TASKS.items():
    router.post(f"/{name}", name=name, **openapi.work(model, openapi.RESULTS))(_endpoint(model))


async def answer(request: Request, model: type[TaskBody]) -> Response:
    """Answer a request with a record, or with a list of records.

    Raises:
        Problem: the request is not valid, or its only puzzle could not be decided.
    """
    state = state_of(request)
    parsed = await requests.parse(request, model, state.limits)
    task = limited_task(parsed.body, state.limits)
    clients.current().solutions = task.limit or 1
    limits = _limits_in_force(
        parsed.seconds,
        state.limits.side,
        None if task.verb == "check" else (task.limit,),
        None if parsed.is_single else state.limits.puzzles,
    )
    if parsed.is_single:
        is_small = parsed.size <= deciding.CHEAP_BYTES and parsed.body.is_small
        result = deciding.decide_at_once(task, parsed.seconds, parsed.puzzles) if is_small else None
        if result is None:
            work = decide_one(state.pool, task, parsed.puzzles, parsed.seconds)
            result = await while_connected(request, work)
        text = f'{record_of(result)[:-1]},"limits":{limits}}}'
    else:
        results = await while_connected(request, _decide_many(state, parsed, task))
        text = f'{{"results":[{",".join(results)}],"limits":{limits}}}'
    return Response(text, media_type=requests.JSON)


def record_of(answer: Answer) -> str:
    """The JSON of the record of a single puzzle.

    Raises:
        Problem: the puzzle was refused, or the server failed.
    """
    if isinstance(answer, str):
        return answer
    if answer.kind not in problems.CLIENT_ERRORS:
        raise Problem(500, answer.kind, without_puzzle(answer.detail))
    pointer = problems.CLIENT_ERRORS[answer.kind] or "/puzzle"
    raise Problem(422, "invalid", answer.detail, [Fault(pointer=pointer, **answer._asdict())])


def limited_task(body: TaskBody, limits: Limits) -> Task:
    """The task, with its limit of solutions reduced to the server's."""
    task = body.task
    maximum = {"solve": limits.solutions, "count": limits.counted}.get(task.verb)
    if maximum is None:
        return task
    return replace(task, limit=maximum if task.limit is None else min(task.limit, maximum))


@lru_cache(maxsize=256)
def _limits_in_force(
    seconds: float, side: int, limit: tuple[int | None] | None, puzzles: int | None
) -> str:
    """The limits of a request, as JSON for its response; without the last two that are None."""
    in_force: dict[str, object] = {"time_limit": seconds, "side": side}
    if limit:
        in_force["limit"] = limit[0]
    if puzzles:
        in_force["puzzles"] = puzzles
    return orjson.dumps(in_force).decode()


async def decide_one(pool: WorkerPool, task: Task, puzzles: RawPuzzles, seconds: float) -> Answer:
    """Decide a single puzzle in a worker.

    If the worker is killed at the time limit, the result says that the time ran out.
    """
    decide = partial(deciding.decide_one, task, seconds)
    try:
        return await pool.run(decide, puzzles, seconds)
    except SolverHang:
        entries = await pool.run(deciding.read, puzzles, seconds)
        return deciding.out_of_time(entries[0], seconds)


async def _decide_many(state: AppState, parsed: ParsedRequest[TaskBody], task: Task) -> list[str]:
    """Decide several puzzles, which share the time limit of the request."""
    entries = await read(state, parsed)
    end, left = monotonic() + parsed.seconds, state.limits.answer_bytes
    # Only as many blocks at once as there are workers: a long list must not fill the queue.
    slots = asyncio.Semaphore(state.pool.workers)

    async def decide_block(block: list[Entry]) -> list[str]:
        nonlocal left
        async with slots:
            results = await _decide_block(state, task, end, block)
        left -= sum(map(len, results))
        if left < 0:
            detail = f"the results have more than {state.limits.answer_bytes:,} bytes"
            raise Problem(413, "too-large", f"{detail}; submit a job for more")
        return results

    try:
        async with asyncio.TaskGroup() as group:
            blocks = [
                group.create_task(decide_block(entries[start : start + _BLOCK]))
                for start in range(0, len(entries), _BLOCK)
            ]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [result for block in blocks for result in block.result()]


async def read(state: AppState, parsed: ParsedRequest[ABody]) -> list[Entry]:
    """Parse the puzzles of a request in a worker. Invalid puzzles become entries with an error.

    Raises:
        Problem: there are too many puzzles, or a picture shows no board.
    """
    entries = await state.pool.run(deciding.read, parsed.puzzles, parsed.seconds)
    if parsed.is_picture and len(entries) == 1 and not entries[0].picture:
        error = cast("SourceError", entries[0].error)
        raise problems.invalid(error.without_place, kind=error.kind)
    maximum = parsed.puzzles.max_count
    if len(entries) > maximum:
        detail = f"expected at most {maximum:,} puzzles; submit a job for more"
        raise problems.invalid(detail, "/puzzles")
    return entries


async def _decide_block(state: AppState, task: Task, end: float, block: list[Entry]) -> list[str]:
    """Decide a block of puzzles in one worker.

    If the worker dies, the puzzles are decided one by one, so that only the one that killed it
    fails.
    """
    seconds = max(0.0, end - monotonic())
    try:
        return await state.pool.run(partial(deciding.decide_all, task, end), block, seconds)
    except SolverCrash as error:
        if len(block) == 1:
            return [failed(block[0], error).to_json()]
    return [result for entry in block for result in await _decide_block(state, task, end, [entry])]


@router.post(
    "/analysis",
    **openapi.route(
        {EVENTS: _EVENT},
        openapi.WITH_BODY,
        summary="Analyse a puzzle step by step, as server-sent events.",
        body=openapi.request_body(AnalysisRequest, with_text=False),
    ),
)
async def analysis(request: Request) -> Response:
    """Sends `check`, then `count` with growing limits or `grade`, and `end`."""
    state = state_of(request)
    body = await requests.parse_options(request, AnalysisRequest, state.limits)
    events = _Analysis(request, state, body).events()
    return StreamingResponse(events, media_type=EVENTS, headers=UNBUFFERED)


class _Analysis:
    """The steps of an analysis, which share the time limit of the request."""

    def __init__(self, request: Request, state: AppState, body: AnalysisRequest) -> None:
        limits = state.limits
        self._request, self._state = request, state
        self._puzzles = RawPuzzles(
            (body.puzzle,), body.stated, body.requested_rules, 1, limits.side
        )
        self._is_small = clients.current().body_bytes <= deciding.CHEAP_BYTES
        self._seconds = limits.seconds(body.time_limit)
        self._end = monotonic() + self._seconds
        self._limit = min(body.limit, limits.counted)

    async def events(self) -> AsyncIterator[bytes]:
        """The events as text. A problem is an event, because the status was sent already."""
        try:
            async for name, record in self._records():
                yield format_sse_event(event=name, data_str=record)
        except Problem as problem:
            text = problems.text(self._request, problem)
            yield format_sse_event(event="problem", data_str=text)
        limits = InForce(time_limit=self._seconds, side=self._state.limits.side, limit=self._limit)
        yield format_sse_event(event="end", data_str=limits.model_dump_json(exclude_none=True))

    async def _records(self) -> AsyncIterator[tuple[str, str]]:
        checked = await self._decide("check")
        yield "check", checked
        verdict = orjson.loads(checked)["verdict"]
        if verdict == Verdict.MULTIPLE:
            async for counted in self._counts():
                yield "count", counted
        elif verdict == Verdict.UNIQUE:
            yield "grade", await self._decide("grade")

    async def _counts(self) -> AsyncIterator[str]:
        """The number of solutions up to growing limits, until all are counted."""
        limit, known = min(_FIRST_LIMIT, self._limit), 0
        while True:
            text = await self._decide("count", limit=limit)
            record = orjson.loads(text)
            # A search that ran out of time may have counted less than the one before.
            if record.get("count", 0) > known or "error" in record:
                yield text
            known = record.get("count", 0)
            if limit == self._limit or record.get("stopped_by") != "limit":
                return
            limit = min(limit * _GROWTH, self._limit)

    async def _decide(self, name: str, **options: int) -> str:
        task = task_of(name, feature_named(name).completed(options), reasons="smallest")
        seconds = max(0.0, self._end - monotonic())
        is_small = self._is_small and name in ("check", "grade")
        answer = deciding.decide_at_once(task, seconds, self._puzzles) if is_small else None
        if answer is None:
            answer = await decide_one(self._state.pool, task, self._puzzles, seconds)
        return record_of(answer)
