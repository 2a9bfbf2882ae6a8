"""Requests for jobs: their puzzles go to files while they come, and not into memory."""

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
from binairo_cp.batch.records import failed
from binairo_cp.commands.requests import CountRequest, SolveRequest
from binairo_cp.formats import Entry
from binairo_cp.service import answering, making, problems, request_bodies, requests
from binairo_cp.service.bodies import GenerateBody
from binairo_cp.service.jobs import models
from binairo_cp.service.jobs.models import JobBody
from binairo_cp.service.jobs.store import Row
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.service.requests import Asked
from binairo_cp.service.state import State
from binairo_cp.service.work import Given
from binairo_cp.solving.solutions import Verdict

_PATIENCE = 10
"""So many times as long as other bodies those of jobs may take."""

_INPUT = "input"
_WORDS = {"kind", "verb"}


async def take(request: Request, state: State, id: str, owner: str, key: str | None) -> Row:
    """Put what is needed for a job in its place; what will be known of it.

    Args:
        request: what comes.
        state: the server.
        id: what the job will be called.
        owner: whose it is.
        key: the Idempotency-Key.

    Raises:
        Problem: it can't be asked so.
    """
    kind = request_bodies.media_type(request, requests.MEDIA_TYPES)
    place = state.store.place(id)
    place.mkdir(mode=0o700)
    if kind == request_bodies.JSON:
        body, input, digest = await _from_json(request, state, place)
    else:
        body, input, digest = await _from_file(request, state.limits, place, kind)
    told = body.model_dump(exclude={"puzzle", "puzzles", *_WORDS})
    return Row(
        id=id,
        owner=owner,
        kind=_word(body, "kind"),
        verb=_word(body, "verb"),
        ask=orjson.dumps(told).decode(),
        input=input,
        version=version("binairo-cp"),
        created=time.time(),
        key=key,
        digest=digest,
    )


def _word(body: JobBody, name: str) -> str:
    return str(getattr(body, name, ""))


async def _from_json(request: Request, state: State, place: Path) -> tuple[JobBody, str, str]:
    limits = state.limits
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    value = request_bodies.parsed(content)
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = requests.query_of(request)
    body = requests.validated(models.model_of({**query, **value}), request, value)
    digest = hashlib.sha256(orjson.dumps(query, option=orjson.OPT_SORT_KEYS) + content).hexdigest()
    if isinstance(body, GenerateBody):
        making.check(body, limits, limits.job_puzzles)
        return body, "", digest
    items = requests.items_of(body)
    bounded = _bounded(body, limits)
    if isinstance(items, bytes):
        (place / _INPUT).write_bytes(items)
        return bounded, _INPUT, digest
    given = Given(items, body.format, body.asked_rules, limits.job_puzzles, limits.side)
    asked = Asked(body, given, limits.most_time, body.puzzle is not None, len(content), 0)
    entries = await answering.read(state, asked)
    if asked.is_single and (error := entries[0].error):
        fault = answering.fault(error, asked.pointer(0))
        raise Problem(422, "invalid", fault.detail, [fault])
    text = "".join(map(_line, entries))
    (place / f"{_INPUT}.ndjson").write_text(text, encoding="utf-8", newline="\n")
    return bounded.model_copy(update={"format": "auto"}), f"{_INPUT}.ndjson", digest


def _line(entry: Entry) -> str:
    """A puzzle as a line of NDJSON; what is none as its result, which the job then repeats."""
    if entry.error:
        return failed(entry, entry.error, Verdict.INVALID).to_json() + "\n"
    return "".join(formats.write([entry], "ndjson"))


async def _from_file(
    request: Request, limits: Limits, place: Path, kind: str
) -> tuple[JobBody, str, str]:
    query = requests.query_of(request)
    model = models.model_of(query)
    if issubclass(model, GenerateBody):
        raise problems.invalid("generate takes no puzzles; expected a body of JSON", "/kind")
    usual = {"format": "ndjson"} if kind == request_bodies.NDJSON else {}
    body = requests.validated(model, request, {"puzzles": ""}, usual)
    head = orjson.dumps(query, option=orjson.OPT_SORT_KEYS)
    coming = request_bodies.pieces(request, limits.upload_bytes, limits.body_seconds * _PATIENCE)
    digest = await _stored(coming, place / _INPUT, head)
    return _bounded(body, limits), _INPUT, digest


async def _stored(coming: AsyncIterator[bytes], path: Path, head: bytes) -> str:
    """Write what comes to a file; the digest of it all."""
    digest = hashlib.sha256(head)
    with path.open("wb") as file:
        async for piece in coming:
            digest.update(piece)
            file.write(piece)
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    return digest.hexdigest()


def _bounded(body: Any, limits: Limits) -> Any:
    """A request with no more solutions than the server shows, and not counted for ever."""
    request = body.request
    if isinstance(request, SolveRequest):
        return body.model_copy(update={"limit": min(request.limit, limits.solutions)})
    is_batch = _word(body, "kind") == "batch"
    if isinstance(request, CountRequest) and is_batch and request.limit is None:
        return body.model_copy(update={"limit": limits.counted})
    return body
