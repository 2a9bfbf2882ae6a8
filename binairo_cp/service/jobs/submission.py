"""Validate requests for jobs, and write their puzzles to disk as they arrive."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from fastapi import Request

from binairo_cp import formats
from binairo_cp.batch.tasks import failed
from binairo_cp.formats import Entry
from binairo_cp.service import files, making_routes, problems, puzzle_routes, requests
from binairo_cp.service.app_state import AppState
from binairo_cp.service.bodies import BookBody, GenerateBody, TaskBody
from binairo_cp.service.deciding import RawPuzzles
from binairo_cp.service.jobs import records
from binairo_cp.service.jobs.database import JobRow
from binairo_cp.service.jobs.records import JobBody
from binairo_cp.service.limits import Limits
from binairo_cp.service.requests import ParsedRequest
from binairo_cp.solving.solutions import Verdict

_BODY_TIME_FACTOR = 10
"""The body of a job may take this many times as long to arrive as other bodies."""

_INPUT = "input"
_CONSTANT_FIELDS = {"kind", "verb"}


async def accept(request: Request, state: AppState, id: str, owner: str, key: str | None) -> JobRow:
    """Validate a job and create its folder with its input; return the row to save.

    Args:
        request: the request.
        state: the state of the server.
        id: the id of the new job.
        owner: the name of the client's API key.
        key: the Idempotency-Key.

    Raises:
        Problem: the request is not valid.
    """
    kind = requests.media_type(request, requests.MEDIA_TYPES)
    folder = state.store.folder.job(id)
    folder.mkdir(mode=0o700)
    if kind == requests.JSON:
        body, input, digest = await _from_json(request, state, folder)
    else:
        body, input, digest = await _from_file(request, state.limits, folder, kind)
    options = body.model_dump(mode="json", exclude={"puzzle", "puzzles", *_CONSTANT_FIELDS})
    return JobRow(
        id=id,
        owner=owner,
        kind=_constant(body, "kind"),
        verb=_constant(body, "verb"),
        ask=orjson.dumps(options).decode(),
        input=input,
        version=version("binairo-cp"),
        created=time.time(),
        key=key,
        digest=digest,
    )


def _constant(body: JobBody, name: str) -> str:
    return str(getattr(body, name, ""))


async def _from_json(request: Request, state: AppState, folder: Path) -> tuple[JobBody, str, str]:
    """Read a JSON body.

    Returns:
        The validated body, the name of its input file, and its digest.
    """
    limits = state.limits
    content = await requests.read(request, limits.body_bytes, limits.body_seconds)
    value = requests.parse_json(content)
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = requests.query_of(request)
    body = requests.validate(records.model_of({**query, **value}), request, value)
    digest = hashlib.sha256(orjson.dumps(query, option=orjson.OPT_SORT_KEYS) + content).hexdigest()
    if isinstance(body, GenerateBody | BookBody):
        making_routes.check_limits(body, limits, limits.job_puzzles)
        return body, "", digest
    items = requests.items_of(body)
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
    entries = await puzzle_routes.read(state, parsed)
    if parsed.is_single and (error := entries[0].error):
        raise making_routes.refused([files.refusal(0, error)], parsed.pointer)
    text = "".join(map(_ndjson_line, entries))
    (folder / f"{_INPUT}.ndjson").write_text(text, encoding="utf-8", newline="\n")
    return limited.model_copy(update={"format": "auto"}), f"{_INPUT}.ndjson", digest


def _ndjson_line(entry: Entry) -> str:
    """Write a puzzle as a line of NDJSON.

    An invalid puzzle is written as its result record. The job copies such records to its results.
    """
    if entry.error:
        return failed(entry, entry.error, Verdict.INVALID).to_json() + "\n"
    return "".join(formats.write([entry], "ndjson"))


async def _from_file(
    request: Request, limits: Limits, folder: Path, kind: str
) -> tuple[JobBody, str, str]:
    """Save a body that is a file of puzzles, with the options in the query string.

    Returns:
        The validated options, the name of the input file, and the digest of both.
    """
    query = requests.query_of(request)
    model = records.model_of(query)
    if not issubclass(model, TaskBody):
        name = query["kind"]
        raise problems.invalid(f"{name} takes no puzzles; expected a JSON body", "/kind")
    defaults = {"format": "ndjson"} if kind == requests.NDJSON else {}
    body = requests.validate(model, request, {"puzzles": ""}, defaults)
    options = orjson.dumps(query, option=orjson.OPT_SORT_KEYS)
    seconds = limits.body_seconds * _BODY_TIME_FACTOR
    chunks = requests.chunks(request, limits.upload_bytes, seconds)
    digest = await _save(chunks, folder / _INPUT, options)
    return _limit_solutions(body, limits), _INPUT, digest


async def _save(chunks: AsyncIterator[bytes], path: Path, options: bytes) -> str:
    """Write chunks to a file; returns the digest of the options and the chunks."""
    digest = hashlib.sha256(options)
    with path.open("wb") as file:
        async for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    return digest.hexdigest()


def _limit_solutions(body: Any, limits: Limits) -> Any:
    """Apply the limits of the server on returned solutions, and on counting in a batch."""
    name = getattr(body, "command", "")
    if name == "solve":
        return body.model_copy(update={"limit": min(body.limit, limits.solutions)})
    is_batch = _constant(body, "kind") == "batch"
    if name == "count" and is_batch and body.limit is None:
        return body.model_copy(update={"limit": limits.counted})
    return body
