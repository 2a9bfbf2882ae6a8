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
from binairo_cp.batch.tasks import failed
from binairo_cp.formats import Entry
from binairo_cp.service import answering, making, problems, request_bodies, requests
from binairo_cp.service.asks import CountAsk, SolveAsk
from binairo_cp.service.jobs import orders
from binairo_cp.service.jobs.orders import JobAsk
from binairo_cp.service.jobs.store import Row
from binairo_cp.service.limits import Limits
from binairo_cp.service.orders import GenerateAsk
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
        ask, input, digest = await _from_json(request, state, place)
    else:
        ask, input, digest = await _from_file(request, state.limits, place, kind)
    told = ask.model_dump(exclude={"puzzle", "puzzles", *_WORDS})
    return Row(
        id=id,
        owner=owner,
        kind=_word(ask, "kind"),
        verb=_word(ask, "verb"),
        ask=orjson.dumps(told).decode(),
        input=input,
        version=version("binairo-cp"),
        created=time.time(),
        key=key,
        digest=digest,
    )


def _word(ask: JobAsk, name: str) -> str:
    return str(getattr(ask, name, ""))


async def _from_json(request: Request, state: State, place: Path) -> tuple[JobAsk, str, str]:
    limits = state.limits
    body = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    value = request_bodies.parsed(body)
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = requests.query_of(request)
    ask = requests.validated(orders.model_of({**query, **value}), request, value)
    digest = hashlib.sha256(orjson.dumps(query, option=orjson.OPT_SORT_KEYS) + body).hexdigest()
    if isinstance(ask, GenerateAsk):
        making.check(ask, limits, limits.job_puzzles)
        return ask, "", digest
    items = requests.items_of(ask)
    bounded = _bounded(ask, limits)
    if isinstance(items, bytes):
        (place / _INPUT).write_bytes(items)
        return bounded, _INPUT, digest
    given = Given(items, ask.format, ask.asked_rules, limits.job_puzzles, limits.side)
    asked = Asked(ask, given, limits.most_time, ask.puzzle is not None, len(body), 0)
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
) -> tuple[JobAsk, str, str]:
    query = requests.query_of(request)
    model = orders.model_of(query)
    if issubclass(model, GenerateAsk):
        raise problems.invalid("generate takes no puzzles; expected a body of JSON", "/kind")
    usual = {"format": "ndjson"} if kind == request_bodies.NDJSON else {}
    ask = requests.validated(model, request, {"puzzles": ""}, usual)
    head = orjson.dumps(query, option=orjson.OPT_SORT_KEYS)
    coming = request_bodies.pieces(request, limits.upload_bytes, limits.body_seconds * _PATIENCE)
    digest = await _stored(coming, place / _INPUT, head)
    return _bounded(ask, limits), _INPUT, digest


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


def _bounded(ask: Any, limits: Limits) -> Any:
    """A request with no more solutions than the server shows, and not counted for ever."""
    if isinstance(ask, SolveAsk):
        return ask.model_copy(update={"limit": min(ask.limit, limits.solutions)})
    if isinstance(ask, CountAsk) and _word(ask, "kind") == "batch" and ask.limit is None:
        return ask.model_copy(update={"limit": limits.counted})
    return ask
