"""Jobs over HTTP: asked for, looked at, followed, ended."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from binairo_cp.formats.output_files import PARTIAL
from binairo_cp.service import openapi, problems, request_bodies, requests
from binairo_cp.service.jobs import runner, submission
from binairo_cp.service.jobs.manager import Job
from binairo_cp.service.jobs.models import MODELS
from binairo_cp.service.jobs.record import JobList, JobRecord, record_of
from binairo_cp.service.problems import Problem
from binairo_cp.service.state import State, state_of

_LONGEST_KEY = 200
_PIECE = 1 << 16
_HEARTBEAT = 15.0
_LOOK_AGAIN = 1.0
_MOST_SHOWN = 1_000
_EVENT = {
    "type": "object",
    "properties": {"event": {"enum": ["progress", "end"]}, "data": {"type": "string"}},
}
_JOB = {request_bodies.JSON: openapi.ref(JobRecord)}

router = APIRouter(prefix="/v1/jobs")


@router.post(
    "",
    status_code=202,
    summary="Long work: accepted, and done when there is room.",
    response_class=Response,
    responses=openapi.gives(
        _JOB, openapi.ALWAYS, openapi.WITH_BODY, openapi.WORKING, status=202, what="Accepted."
    ),
    openapi_extra=openapi.takes_job(list(MODELS.values())),
)
async def submit(request: Request) -> Response:
    """A job; with an Idempotency-Key that came before, the one that it came with."""
    state = state_of(request)
    key = request.headers.get("idempotency-key")
    if key is not None and not (key.isprintable() and 1 <= len(key) <= _LONGEST_KEY):
        raise problems.invalid(f"Idempotency-Key: expected 1 to {_LONGEST_KEY} characters")
    if state.stopping.is_set():
        raise Problem(503, "not-ready", "the server is about to stop", retry_after=10)
    known = state.keeper.known(_owner(request), key) if key else None
    if known is None:
        state.keeper.check_room()
    id = secrets.token_hex(12)
    try:
        row = await submission.take(request, state, id, _owner(request), key)
        known = known or await state.keeper.add(row)
    finally:
        if known is None or known.row.id != id:
            shutil.rmtree(state.store.place(id), ignore_errors=True)
    known = known or state.keeper.known(_owner(request), key or "")
    if known is None or known.row.digest != row.digest:
        raise Problem(422, "key-reused", "that Idempotency-Key came with another request")
    return _told(request, known, 202)


@router.get(
    "",
    summary="The jobs that there are, the latest first.",
    response_class=Response,
    responses=openapi.gives({request_bodies.JSON: openapi.ref(JobList)}, openapi.ALWAYS),
)
async def listed(request: Request) -> Response:
    """Those of this client, if there are keys."""
    state = state_of(request)
    jobs = state.keeper.all(_owner(request))[:_MOST_SHOWN]
    records = [_record(request, job) for job in jobs]
    told = JobList(jobs=records).model_dump_json(exclude_none=True)
    return Response(told, media_type=request_bodies.JSON)


@router.get(
    "/{id}",
    summary="How far a job is.",
    response_class=Response,
    responses=openapi.gives(_JOB, openapi.ALWAYS, (404, 422)),
)
async def shown(request: Request, id: str) -> Response:
    """Its state and its progress."""
    state = state_of(request)
    return _told(request, state.keeper.find(id, _owner(request)))


@router.delete(
    "/{id}",
    summary="End a job; or, if it has ended, remove it with its results.",
    response_class=Response,
    responses=openapi.gives(_JOB, openapi.ALWAYS, (404, 422))
    | {204: {"description": "It had ended, and is gone now."}},
)
async def ended(request: Request, id: str) -> Response:
    """What runs is killed at once; its results so far stay until it expires or is removed."""
    state = state_of(request)
    job = state.keeper.find(id, _owner(request))
    if job.is_ended:
        await state.keeper.forget(job)
        return Response(status_code=204)
    await state.keeper.cancel(job)
    return _told(request, job)


@router.get(
    "/{id}/results",
    summary="The results of a job as NDJSON, also while it runs.",
    response_class=Response,
    responses=openapi.gives(
        {request_bodies.NDJSON: {"type": "string"}}, openapi.ALWAYS, (404, 422)
    ),
)
async def results(request: Request, id: str, follow: bool = True, after: int = 0) -> Response:
    """The records in the order of the input: those that there are, and unless told otherwise
    those to come, until the job ends; without the first ones if there is an `after`.
    """
    state = state_of(request)
    requests.query_of(request)
    if after < 0:
        raise problems.invalid("after: expected 0 or more", parameter="after")
    job = state.keeper.find(id, _owner(request))
    lines = _lines(state, job, follow=follow, after=after)
    return _stream(request, lines, request_bodies.NDJSON)


@router.get(
    "/{id}/events",
    summary="How far a job is, as server-sent events.",
    response_class=Response,
    responses=openapi.gives({"text/event-stream": _EVENT}, openapi.ALWAYS, (404, 422)),
)
async def events(request: Request, id: str) -> Response:
    """An event `progress` with the job whenever there is news, and `end` with it at its end."""
    state = state_of(request)
    job = state.keeper.find(id, _owner(request))
    return _stream(request, _news(request, job), "text/event-stream")


def _owner(request: Request) -> str:
    return getattr(request.state, "client_name", "")


def _record(request: Request, job: Job) -> JobRecord:
    keep_days = state_of(request).limits.keep_days
    return record_of(job.row, keep_days, request.scope.get("root_path", ""))


def _told(request: Request, job: Job, status: int = 200) -> Response:
    record = _record(request, job)
    headers = {"Location": record.links.self} if status == 202 else {}
    text = record.model_dump_json(exclude_none=True)
    return Response(text, status, headers, media_type=request_bodies.JSON)


def _stream(request: Request, pieces: AsyncIterator[str | bytes], media_type: str) -> Response:
    if request.state.is_head:
        # What goes on until a job ends would keep a client waiting for nothing.
        return Response(media_type=media_type)
    return StreamingResponse(pieces, media_type=media_type)


async def _news(request: Request, job: Job) -> AsyncIterator[str]:
    state = state_of(request)
    while True:
        changed = job.changed
        text = _record(request, job).model_dump_json(exclude_none=True)
        yield f"event: {'end' if job.is_ended else 'progress'}\ndata: {text}\n\n"
        if job.is_ended:
            return
        while not await _wait(state, changed, _HEARTBEAT):
            if state.stopping.is_set():
                return
            yield ": still here\n\n"


async def _lines(state: State, job: Job, *, follow: bool, after: int) -> AsyncIterator[bytes]:
    """The whole lines of the results of a job, as they grow."""
    file, kept, skipped = None, b"", 0
    try:
        while True:
            changed, was_ended = job.changed, job.is_ended
            file = file or _opened(state.store.place(job.row.id))
            while file and (piece := file.read(_PIECE)):
                whole, _, kept = (kept + piece).rpartition(b"\n")
                lines = whole.splitlines(keepends=True) if skipped < after else []
                if skipped < after:
                    whole = b"".join(lines[after - skipped :]).rstrip(b"\n")
                    skipped += len(lines)
                if whole:
                    yield whole + b"\n"
            if was_ended or not follow or state.stopping.is_set():
                return
            await _wait(state, changed, _LOOK_AGAIN)
    finally:
        if file:
            file.close()


def _opened(place: Path) -> BinaryIO | None:
    for name in (runner.RESULTS, f"{runner.RESULTS}{PARTIAL}"):
        try:
            return (place / name).open("rb")
        except OSError:
            continue
    return None


async def _wait(state: State, changed: asyncio.Event, seconds: float) -> bool:
    """Wait for news, for the server's end, or for so long; whether there is news."""
    waits = [asyncio.create_task(each.wait()) for each in (changed, state.stopping)]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
    return changed.is_set()
