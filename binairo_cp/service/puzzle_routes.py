"""The routes that answer with what is known about puzzles: solve, check, hint and so on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import lru_cache, partial
from time import monotonic
from typing import cast

from fastapi import Request, Response

from binairo_cp.batch.tasks import Task, failed, without_puzzle
from binairo_cp.errors import SolverCrash, SolverHang, SourceError
from binairo_cp.formats import Entry
from binairo_cp.json_library import orjson
from binairo_cp.service import clients, deciding, openapi, problems, requests
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.bodies import TASKS, TaskBody
from binairo_cp.service.deciding import Answer, RawPuzzles
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import ABody, ParsedRequest, while_connected
from binairo_cp.service.worker_pools import WorkerPool

router = openapi.router("/v1")

_BLOCK = 16


async def _answered(request: Request) -> Response:
    # A record, or a list of records. A docstring would be published as what the route does.
    state = state_of(request)
    parsed = await requests.parse(request, TASKS[request.scope["route"].name], state.limits)
    task = limited_task(parsed.body, state.limits)
    clients.CALLER.get().solutions = task.limit or 1
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


for name, model in TASKS.items():
    router.post(f"/{name}", name=name, **openapi.work(model, openapi.RESULTS))(_answered)


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
