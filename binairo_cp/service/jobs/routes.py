"""The routes under `/v1/jobs`. A request's puzzles are written to disk as they arrive."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import time
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, cast

from fastapi import Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel

from binairo_cp.errors import OptionError
from binairo_cp.json_library import orjson
from binairo_cp.service import deciding, files, making_routes, openapi, problems, requests
from binairo_cp.service.app_state import AppState, state_of
from binairo_cp.service.bodies import GenerateBody, TaskBody
from binairo_cp.service.deciding import PuzzleFault, RawPuzzles
from binairo_cp.service.jobs import descriptions
from binairo_cp.service.jobs.descriptions import MODELS, JobBody, JobList, JobRecord, record_of
from binairo_cp.service.jobs.folder import ResultReader
from binairo_cp.service.jobs.store import JobRow, place_of
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.service.requests import ParsedRequest

_BODY_TIME_FACTOR = 10
"""The body of a job may take this many times as long to arrive as other bodies."""

_INPUT = "input"


async def accept(request: Request, state: AppState, id: str, owner: str, key: str | None) -> JobRow:
    """Validate a job and create its folder with its input; return the row to save.

    Raises:
        Problem: the request is not valid.
    """
    kind = requests.media_type(request, requests.OF_JOBS)
    folder = state.store.folder.job(id)
    folder.mkdir(mode=0o700)
    if kind == requests.JSON:
        body, input, digest = await _from_json(request, state, folder)
    else:
        body, input, digest = await _from_file(request, state.limits, folder, kind)
    options = body.model_dump(mode="json", exclude={"puzzle", "puzzles", "kind", "verb"})
    total = (folder / input).stat().st_size if input else cast("GenerateBody", body).total
    return JobRow(
        id=id,
        owner=owner,
        kind=_constant(body, "kind"),
        verb=_constant(body, "verb"),
        ask=orjson.dumps(options).decode(),
        input=input,
        created=time.time(),
        progress=orjson.dumps({"done": 0, "total": total}).decode(),
        key=key,
        digest=digest,
    )


def _constant(body: JobBody, name: str) -> str:
    return str(getattr(body, name, ""))


async def _from_json(request: Request, state: AppState, folder: Path) -> tuple[JobBody, str, str]:
    """Read a JSON body; returns the validated body, the name of its input file, and its digest."""
    limits = state.limits
    content = await requests.read(request, limits.body_bytes, limits.body_seconds)
    value = requests.parse_json(content)
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = requests.query_of(request)
    model = descriptions.model_of({**query, **value})
    digest = hashlib.sha256(orjson.dumps(query, option=orjson.OPT_SORT_KEYS) + content).hexdigest()
    if not issubclass(model, TaskBody):
        made = requests.validate(model, request, value)
        making_routes.check_limits(made, limits, limits.job_puzzles)
        return made, "", digest
    body, items = await requests.validate_puzzles(model, request, value, limits.job_puzzles)
    limited = _limit_solutions(body, limits)
    if isinstance(items, bytes):
        (folder / _INPUT).write_bytes(items)
        return limited, _INPUT, digest
    parsed = ParsedRequest(
        body,
        RawPuzzles(items, body.stated, body.requested_rules, limits.job_puzzles, limits.side),
        limits.most_time,
        is_single=body.puzzle is not None,
        size=len(content),
    )
    lines, fault = await state.pool.run(_as_lines, parsed.puzzles, parsed.seconds)
    if parsed.is_single and fault:
        raise making_routes.refused([(0, fault)], parsed.pointer)
    (folder / f"{_INPUT}.ndjson").write_bytes(lines)
    return limited.model_copy(update={"format": "auto"}), f"{_INPUT}.ndjson", digest


def _as_lines(puzzles: RawPuzzles) -> tuple[bytes, PuzzleFault | None]:
    """Write puzzles as NDJSON, in a worker; with what is wrong with the first one."""
    entries = deciding.read(puzzles)
    error = entries[0].error if entries else None
    lines = "".join(map(deciding.line_of, entries))
    return lines.encode(), files.fault_of(error) if error else None


async def _from_file(
    request: Request, limits: Limits, folder: Path, kind: str
) -> tuple[JobBody, str, str]:
    """Save a body that is a file of puzzles, with the options in the query string.

    Returns the validated options, the name of the input file, and the digest of both.
    """
    query = requests.query_of(request)
    model = descriptions.model_of(query)
    if not issubclass(model, TaskBody):
        raise OptionError("kind", f"{query['kind']} takes no puzzles; expected a JSON body")
    defaults = {"format": "ndjson"} if kind == requests.NDJSON else {}
    body = requests.validate(model, request, {"puzzles": ""}, defaults)
    options = orjson.dumps(query, option=orjson.OPT_SORT_KEYS)
    seconds = limits.body_seconds * _BODY_TIME_FACTOR
    chunks = requests.chunks(request, limits.upload_bytes, seconds)
    digest = hashlib.sha256(options)
    with (folder / _INPUT).open("wb") as file:
        async for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    return _limit_solutions(body, limits), _INPUT, digest.hexdigest()


def _limit_solutions(body: Any, limits: Limits) -> Any:
    name = getattr(body, "command", "")
    if name == "solve":
        return body.model_copy(update={"limit": min(body.limit, limits.solutions)})
    is_batch = _constant(body, "kind") == "batch"
    if name == "count" and is_batch and body.limit is None:
        return body.model_copy(update={"limit": limits.counted})
    return body


_MAX_KEY = _MAX_CURSOR = 200
_HEARTBEAT = 15.0
_POLL_SECONDS = 1.0
_MAX_LISTED, _USUALLY_LISTED = 1_000, 100
"""Jobs on a page."""

EVENTS = "text/event-stream"
UNBUFFERED = {"X-Accel-Buffering": "no", "Cache-Control": "no-store, no-transform"}
"""Headers of a response that proxies must pass on as it comes."""

_EVENT = {"description": "Events `progress` and `end`, each with a job record as `data`."}
_JOB = {requests.JSON: openapi.ref(JobRecord)}

router = openapi.router("/v1/jobs")


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
    jobs, store, owner = state.job_manager, state.store, request.state.client_name
    known = await jobs.in_thread(store.find_by_key, owner, key) if key else None
    if known is None:
        await jobs.reject_if_full(owner)
    id, is_added = secrets.token_hex(12), False
    try:
        row = await accept(request, state, id, owner, key)
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
        place = None if cursor is None else place_of(cursor)
    except ValueError:
        raise OptionError("cursor", "expected the value of `next` of another page") from None
    # One more than fits shows whether there is a next page.
    rows = await state.job_manager.in_thread(
        state.store.all, request.state.client_name, limit + 1, place
    )
    records = [_record(request, row) for row in rows[:limit]]
    if len(rows) <= limit:
        return _json(JobList(jobs=records))
    next = rows[limit - 1].cursor
    path = f"{router.prefix}?limit={limit}&cursor={next}"
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
async def delete_job(request: Request, id: str, keep: bool = False) -> Response:
    """Kills a running job. Its results so far are kept until it expires or is deleted.

    With `keep=true`, a job that has ended is not deleted: its record is returned.
    """
    requests.query_of(request)
    state, row = state_of(request), await _find(request, id)
    if row.is_ended and not keep:
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
async def results(
    request: Request, id: str, follow: bool = True, after: Annotated[int, Query(ge=0)] = 0
) -> Response:
    """Streams the records in the order of the input until the job ends.

    With `follow=false`, returns only the records available now. `after` is the number of records to
    skip at the beginning.
    """
    requests.query_of(request)
    lines = _lines(request, await _find(request, id), follow=follow, after=after)
    return _stream(request, lines, requests.NDJSON)


@router.get(
    "/{id}/file",
    name="job_file",
    **openapi.route(openapi.BOOKS, openapi.OF_JOBS, summary="Get the file of a book that is done."),
)
async def job_file(request: Request, id: str) -> Response:
    """Returns the file of a job of the kind `book`: a PDF, or a zip, as its `to` says."""
    row = await _find(request, id)
    path, folder = None, state_of(request).store.folder
    if row.kind == "book" and row.state == "done":
        run = await asyncio.to_thread(folder.last_run, row.id, row.run)
        paths = (run / f"book.{form}" for form in files.MEDIA_TYPES) if run else ()
        path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise Problem(404, "not-found", f"there is no file: the job is {row.state}")
    kind = files.MEDIA_TYPES[cast("files.BookForm", path.suffix[1:])]
    return FileResponse(path, media_type=kind, filename=path.name)


@router.get(
    "/{id}/events",
    name="job_events",
    **openapi.route(
        {EVENTS: _EVENT},
        openapi.OF_JOBS,
        summary="Stream the progress of a job as server-sent events.",
    ),
)
async def events(request: Request, id: str) -> Response:
    """Sends an event `progress` with the job after each change, and `end` when the job ends."""
    return _stream(request, _events(request, await _find(request, id)), EVENTS)


async def _find(request: Request, id: str) -> JobRow:
    return await state_of(request).job_manager.find(id, request.state.client_name)


def _record(request: Request, row: JobRow) -> JobRecord:
    return record_of(row, state_of(request).limits.keep_days)


def _json(record: BaseModel, status: int = 200, **headers: str) -> Response:
    text = record.model_dump_json(exclude_none=True)
    return Response(text, status, headers, media_type=requests.JSON)


def _stream(request: Request, chunks: AsyncIterator[bytes | str], media_type: str) -> Response:
    # Otherwise a client that sends HEAD would wait until the job ends.
    content = () if request.state.is_head else chunks
    return StreamingResponse(content, media_type=media_type, headers=UNBUFFERED)


async def _rows(state: AppState, row: JobRow) -> AsyncIterator[JobRow]:
    """The job now, and after each change or second, until it ends or the server stops."""
    yield row
    while not (row.is_ended or state.stopping.is_set()):
        row = await state.job_manager.wait(row, _POLL_SECONDS)
        yield row


async def _events(request: Request, row: JobRow) -> AsyncIterator[bytes]:
    last, sent, current = "", 0.0, row
    async for current in _rows(state_of(request), row):
        text = _record(request, current).model_dump_json(exclude_none=True)
        if text != last:
            last, sent = text, monotonic()
            name = "end" if current.is_ended else "progress"
            yield format_sse_event(event=name, data_str=text)
        elif monotonic() > sent + _HEARTBEAT:
            sent = monotonic()
            yield format_sse_event(comment="still here")
    if not current.is_ended:
        yield format_sse_event(event="problem", data_str=_stopping(request))


async def _lines(
    request: Request, row: JobRow, *, follow: bool, after: int
) -> AsyncIterator[bytes | str]:
    state, current = state_of(request), row
    reader = ResultReader(state.store.folder, row.id, after)
    try:
        async for current in _rows(state, row):
            for lines in reader.read(current.run):
                yield lines
            if not follow:
                return
    finally:
        reader.close()
    if not current.is_ended:
        yield f"{_stopping(request)}\n"


def _stopping(request: Request) -> str:
    """The problem that ends a stream before its job ends."""
    problem = Problem(503, "stopping", "the server is about to stop; the job goes on after that")
    return problems.text(request, problem)
