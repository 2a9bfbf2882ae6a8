"""Requests about puzzles, answered by result records."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic

import orjson
from fastapi import Request, Response

from binairo_cp.batch.records import failed
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import BinairoError, SolverCrash, SolverHang
from binairo_cp.formats import Entry
from binairo_cp.service import batches, problems, request_bodies, requests, work
from binairo_cp.service.batches import Small
from binairo_cp.service.bodies import TASKS, TaskBody
from binairo_cp.service.disconnects import while_connected
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Fault, Problem
from binairo_cp.service.requests import ABody, Asked
from binairo_cp.service.state import State, state_of
from binairo_cp.service.work import Told

FAST_BYTES = 8_192
"""How large the bodies are that may take the fast lane."""

_FAST = {TASKS["solve"], TASKS["check"], TASKS["hint"]}
_BLOCK = 16

REFUSED = {
    "format": "",
    "source": "",
    "limit": "",
    "puzzle": "",
    "board": "/board",
    "backend-size": "/backend",
    "backend-name": "/backend",
}
"""The kinds of errors that are about what was sent, and where they point beside the puzzle."""

FAILED = {"crash", "memory", "internal", "wrong-answer", "disagreement", "backend"}


async def answer(request: Request, model: type[TaskBody]) -> Response:
    """The answer to a request: a record, or a list of them.

    Raises:
        Problem: it can't be answered so.
    """
    state = state_of(request)
    asked = await requests.asked(request, model, state.limits)
    task = _task(asked.body, state.limits)
    limits = orjson.dumps(_in_force(asked, task, state.limits)).decode()
    if asked.is_single:
        told = await _one(request, state, asked, task)
        refuse(told)
        return _json(f'{told.text[:-1]},"limits":{limits}}}')
    results = await while_connected(request, _many(state, asked, task))
    if request_bodies.NDJSON in request.headers.get("accept", ""):
        lines = "".join(f"{told.text}\n" for told in results)
        return Response(lines, media_type=request_bodies.NDJSON)
    return _json(f'{{"results":[{",".join(told.text for told in results)}],"limits":{limits}}}')


def fault(error: BinairoError, pointer: str) -> Fault:
    """What is wrong with what is no puzzle."""
    place = {name: getattr(error, name, None) for name in ("line", "column", "cell")}
    detail = getattr(error, "without_place", str(error))
    return Fault(pointer=pointer, detail=detail, kind=error.kind, **place)


def refuse(told: Told, pointer: str = "/puzzle") -> None:
    """Let a single puzzle that could not be decided be a problem.

    Raises:
        Problem: it could not be.
    """
    if told.kind in FAILED:
        raise Problem(500, told.kind, told.message.partition("; its puzzle was")[0])
    if told.kind in REFUSED:
        raise problems.invalid(
            told.message, REFUSED[told.kind] or pointer, kind=told.kind, **told.place._asdict()
        )


def _json(text: str) -> Response:
    return Response(text, media_type=request_bodies.JSON)


def _task(body: TaskBody, limits: Limits) -> Task:
    """The task, with no more solutions than the server allows."""
    task = body.task()
    most = {"solve": limits.solutions, "count": limits.counted}.get(task.verb)
    if most is None:
        return task
    return replace(task, limit=most if task.limit is None else min(task.limit, most))


def _in_force(asked: Asked[TaskBody], task: Task, limits: Limits) -> dict[str, object]:
    """The limits that held for a request."""
    told: dict[str, object] = {"time_limit": asked.seconds, "side": limits.side}
    if task.verb != "check":
        told["limit"] = task.limit
    if not asked.is_single:
        told["puzzles"] = limits.puzzles
    return told


async def _one(request: Request, state: State, asked: Asked[TaskBody], task: Task) -> Told:
    """What becomes of a single puzzle: by the fast lane if it is small and soon done."""
    if type(asked.body) in _FAST and asked.size <= FAST_BYTES:
        small = Small(task, asked.given, min(asked.seconds, batches.SECONDS), asked.mark)
        with suppress(SolverHang):
            if found := await state.batches.decide(small):
                return found
    slow = partial(work.decide_given, task, asked.seconds, None)
    slowly = state.general.run(slow, asked.given, asked.seconds)
    try:
        return ((await while_connected(request, slowly)) or [])[0]
    except SolverHang:
        return work.out_of_time((await read(state, asked))[0], asked.seconds)


async def _many(state: State, asked: Asked[TaskBody], task: Task) -> list[Told]:
    """What becomes of each of several puzzles, which share the time of the request."""
    entries = await read(state, asked)
    end = monotonic() + asked.seconds
    starts = iter(range(0, len(entries), _BLOCK))
    done: dict[int, list[Told]] = {}

    async def decide_rest() -> None:
        for start in starts:
            done[start] = await _block(state, task, end, entries[start : start + _BLOCK])

    # No more at once than there are workers, so that a list does not fill the queue by itself.
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(state.general.workers):
                group.create_task(decide_rest())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [told for _, block in sorted(done.items()) for told in block]


async def read(state: State, asked: Asked[ABody]) -> list[Entry]:
    """The puzzles of a request, or what is wrong in their stead.

    Raises:
        Problem: there are too many.
    """
    entries = await state.general.run(work.read, asked.given, asked.seconds)
    if len(entries) > asked.given.most:
        raise problems.invalid(
            f"expected at most {asked.given.most:,} puzzles; a job takes more", "/puzzles"
        )
    return entries


async def _block(state: State, task: Task, end: float, block: list[Entry]) -> list[Told]:
    """A block of puzzles by one worker; if it dies, one by one, for one of them is the guilty."""
    seconds = max(0.0, end - monotonic())
    try:
        return await state.general.run(partial(work.decide_all, task, end), block, seconds)
    except SolverCrash as error:
        if len(block) == 1:
            return [work.told(failed(block[0], error))]
    return [told for entry in block for told in await _block(state, task, end, [entry])]
