"""The routes under `/v1/jobs`."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import BaseModel

from binairo_cp.service import files, openapi, problems, requests, streaming
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.jobs import submission
from binairo_cp.service.jobs.database import JobRow
from binairo_cp.service.jobs.folder import DataFolder, ResultReader
from binairo_cp.service.jobs.records import MODELS, JobList, JobRecord, ListPlace, record_of
from binairo_cp.service.problems import Problem

_MAX_KEY = _MAX_CURSOR = 200
_HEARTBEAT = 15.0
_POLL_SECONDS = 1.0
_MAX_LISTED, _USUALLY_LISTED = 1_000, 100
"""Jobs on a page."""

_EVENT = {"description": "Events `progress` and `end`, each with a job record as `data`."}
_JOB = {requests.JSON: openapi.ref(JobRecord)}

router = APIRouter(prefix="/v1/jobs")


@router.post(
    "",
    name="submit_job",
    status_code=202,
    **openapi.route(
        _JOB,
        openapi.WORKING,
        summary="Submit a job.",
        body=openapi.job_body(list(MODELS.values())),
        status=202,
        description="Accepted.",
    ),
)
async def submit(request: Request) -> Response:
    """Returns the new job, or the job that was submitted with the same Idempotency-Key."""
    state = state_of(request)
    key = request.headers.get("idempotency-key")
    if key is not None and not (key.isprintable() and 1 <= len(key) <= _MAX_KEY):
        raise problems.invalid(f"Idempotency-Key: expected 1 to {_MAX_KEY} characters")
    if state.stopping.is_set():
        raise Problem(503, "not-ready", "the server is about to stop", retry_after=10)
    jobs, store, owner = state.job_manager, state.store, _owner(request)
    known = await jobs.in_thread(store.find_by_key, owner, key) if key else None
    if known is None:
        await jobs.reject_if_full()
    id, is_added = secrets.token_hex(12), False
    try:
        row = await submission.accept(request, state, id, owner, key)
        is_added = known is None and await jobs.add(row)
    except OSError as error:  # such as a full disk
        detail = f"the job can't be stored: {error.strerror or error}"
        raise Problem(503, "storage", detail, retry_after=60) from error
    finally:
        if not is_added:
            store.folder.delete(id)
    if not is_added:
        # A concurrent request with the same key may have been faster.
        known = known or await jobs.in_thread(store.find_by_key, owner, key or "")
        if known is None or known.digest != row.digest:
            detail = "this Idempotency-Key was already used for another request"
            raise Problem(422, "key-reused", detail)
        row = known
    record = _record(request, row)
    return _json(record, 202, Location=record.links.self)


@router.get(
    "",
    **openapi.route(
        {requests.JSON: openapi.ref(JobList)},
        (*openapi.ALWAYS, 422),
        summary="List jobs, the latest first.",
    ),
)
async def list_jobs(
    request: Request,
    limit: Annotated[
        int, Query(ge=1, le=_MAX_LISTED, description="Number of jobs on a page.")
    ] = _USUALLY_LISTED,
    cursor: Annotated[
        str | None,
        Query(max_length=_MAX_CURSOR, description="Where to continue: `next` of the last page."),
    ] = None,
) -> Response:
    """Returns the jobs of the client's API key, or all jobs if no keys are required.

    If there are more, `next` is the `cursor` of the next page, and the header `Link` has its path.
    Each job is on one page, even if others are submitted or deleted meanwhile.
    """
    state = state_of(request)
    requests.query_of(request)
    try:
        place = None if cursor is None else ListPlace.parse(cursor)
    except ValueError:
        detail = "cursor: expected the value of `next` of another page"
        raise problems.invalid(detail, parameter="cursor") from None
    # One more than fits shows whether there is a next page.
    rows = await state.job_manager.in_thread(state.store.all, _owner(request), limit + 1, place)
    records = [_record(request, row) for row in rows[:limit]]
    if len(rows) <= limit:
        return _json(JobList(jobs=records))
    next = ListPlace(rows[limit - 1].created, rows[limit - 1].id).cursor
    path = f"{request.scope.get('root_path', '')}{router.prefix}?limit={limit}&cursor={next}"
    return _json(JobList(jobs=records, next=next), Link=f'<{path}>; rel="next"')


@router.get("/{id}", **openapi.route(_JOB, openapi.OF_JOBS, summary="Get a job."))
async def get_job(request: Request, id: str) -> Response:
    """Returns the state and the progress of a job."""
    return _json(_record(request, await _find(request, id)))


@router.delete(
    "/{id}",
    **openapi.route(
        _JOB,
        openapi.OF_JOBS,
        summary="Cancel a job, or delete it if it has ended.",
        others={204: {"description": "The job had ended and was deleted with its results."}},
    ),
)
async def delete_job(request: Request, id: str) -> Response:
    """Kills a running job. Its results so far are kept until it expires or is deleted."""
    state, row = state_of(request), await _find(request, id)
    if row.is_ended:
        await state.job_manager.in_thread(state.store.delete, row.id)
        return Response(status_code=204)
    return _json(_record(request, await state.job_manager.cancel(row)))


@router.get(
    "/{id}/results",
    name="job_results",
    **openapi.route(
        {requests.NDJSON: {"type": "string"}},
        openapi.OF_JOBS,
        summary="Stream the results of a job as NDJSON.",
    ),
)
async def results(request: Request, id: str, follow: bool = True, after: int = 0) -> Response:
    """Streams the records in the order of the input until the job ends.

    With `follow=false`, returns only the records available now. `after` is the number of records to
    skip at the beginning.
    """
    state = state_of(request)
    requests.query_of(request)
    if after < 0:
        raise problems.invalid("after: expected 0 or more", parameter="after")
    lines = _lines(state, await _find(request, id), follow=follow, after=after)
    return _stream(request, lines, requests.NDJSON)


@router.get(
    "/{id}/file",
    name="job_file",
    **openapi.route(openapi.BOOKS, openapi.OF_JOBS, summary="Get the file of a book that is done."),
)
async def job_file(request: Request, id: str) -> Response:
    """Returns the file of a job of the kind `book`: a PDF, or a zip, as its `to` says."""
    row = await _find(request, id)
    path = await asyncio.to_thread(_file, state_of(request).store.folder, row)
    if path is None:
        raise Problem(404, "not-found", f"there is no file: the job is {row.state}")
    kind = files.MEDIA_TYPES[cast("files.BookForm", path.suffix[1:])]
    return FileResponse(path, media_type=kind, filename=path.name)


def _file(folder: DataFolder, row: JobRow) -> Path | None:
    """The file of a book; None if it is not done, or the job is no book."""
    if row.kind != "book" or row.state != "done":
        return None
    run = folder.last_run(row.id, row.run)
    paths = (run / f"book.{form}" for form in files.MEDIA_TYPES) if run else ()
    return next((path for path in paths if path.is_file()), None)


@router.get(
    "/{id}/events",
    name="job_events",
    **openapi.route(
        {"text/event-stream": _EVENT},
        openapi.OF_JOBS,
        summary="Stream the progress of a job as server-sent events.",
    ),
)
async def events(request: Request, id: str) -> Response:
    """Sends an event `progress` with the job after each change, and `end` when the job ends."""
    row = await _find(request, id)
    return _stream(request, _events(request, row), "text/event-stream")


def _owner(request: Request) -> str:
    return getattr(request.state, "client_name", "")


async def _find(request: Request, id: str) -> JobRow:
    return await state_of(request).job_manager.find(id, _owner(request))


def _record(request: Request, row: JobRow) -> JobRecord:
    keep_days = state_of(request).limits.keep_days
    return record_of(row, keep_days, request.scope.get("root_path", ""))


def _json(record: BaseModel, status: int = 200, **headers: str) -> Response:
    text = record.model_dump_json(exclude_none=True)
    return Response(text, status, headers, media_type=requests.JSON)


def _stream(request: Request, chunks: AsyncIterator[str | bytes], media_type: str) -> Response:
    if request.state.is_head:
        # A stream without its body would only keep the client waiting until the job ends.
        return Response(media_type=media_type)
    return StreamingResponse(chunks, media_type=media_type, headers=streaming.HEADERS)


async def _rows(state: AppState, row: JobRow) -> AsyncIterator[JobRow]:
    """The job now, and after each change or second, until it ends or the server stops."""
    yield row
    while not (row.is_ended or state.stopping.is_set()):
        row = await state.job_manager.wait(row, _POLL_SECONDS)
        yield row


async def _events(request: Request, row: JobRow) -> AsyncIterator[str]:
    last, sent = "", 0.0
    async for each in _rows(state_of(request), row):
        text = _record(request, each).model_dump_json(exclude_none=True)
        if text != last:
            last, sent = text, monotonic()
            yield streaming.event("end" if each.is_ended else "progress", text)
        elif monotonic() > sent + _HEARTBEAT:
            sent = monotonic()
            yield ": still here\n\n"


async def _lines(state: AppState, row: JobRow, *, follow: bool, after: int) -> AsyncIterator[bytes]:
    """The complete lines of the results of a job, while they are written."""
    reader = ResultReader(state.store.folder, row.id, after)
    try:
        async for each in _rows(state, row):
            for lines in reader.read(each.run):
                yield lines
            if not follow:
                return
    finally:
        reader.close()
