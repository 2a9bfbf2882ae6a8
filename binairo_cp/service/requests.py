"""Read requests: bodies with limits on size and time, options in bodies and query strings."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, cast

from fastapi import Request
from pydantic import BaseModel, TypeAdapter, ValidationError

from binairo_cp.errors import OptionError, SourceError
from binairo_cp.formats import unpacking
from binairo_cp.json_library import orjson
from binairo_cp.service import problems
from binairo_cp.service.bodies import BookBody, GenerateBody, PuzzleBody, PuzzleIn
from binairo_cp.service.deciding import Items, RawPuzzles
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem, header

JSON, NDJSON, TEXT = "application/json", "application/x-ndjson", "text/plain"
_GZIP = 31
"""The `wbits` argument of zlib for a stream with a gzip header."""

AModel = TypeVar("AModel", bound=BaseModel)

ABody = TypeVar("ABody", bound=PuzzleBody)

_MAX_NAME = 100

_MAX_KNOWN = 512
"""Longer options of a request are not remembered."""

_MAX_VALUES = 4_000
"""The most values in the options of a request. Each can be an error, which takes memory."""

_MOST_LISTS = 50_000
"""The most lists and objects in a body. To make more of them would stop other requests."""

_MOST_SIGNS = 20_000
"""The most elements of a list in a puzzle: a board of 100x100 has 19,800 places for signs."""

_TURN_SECONDS = 0.005
"""After so long, the validation of a list lets other requests have their turn."""

_ITEM: TypeAdapter[Any] = TypeAdapter(PuzzleIn)

PICTURES = ("image/png", "image/jpeg", "image/webp")

MEDIA_TYPES = (JSON, TEXT, *PICTURES)

OF_JOBS = (*MEDIA_TYPES, NDJSON)
"""The media types of the bodies of jobs."""

Result = TypeVar("Result")


def media_type(request: Request, allowed: tuple[str, ...]) -> str:
    """The media type of a body, from its `Content-Type`.

    Raises:
        Problem: it is not one of `allowed`.
    """
    content_type = header(request.scope, b"content-type").partition(";")[0].strip().lower()
    if content_type in allowed:
        return content_type
    detail = f"Content-Type is {content_type[:100] or 'missing'!r}; expected {' or '.join(allowed)}"
    if content_type == NDJSON and TEXT in allowed:
        detail += "; NDJSON of any length is the body of a job: POST /v1/jobs"
    raise Problem(415, "media-type", detail, close=True)


async def read(request: Request, max_bytes: int, seconds: float) -> bytes:
    """Read a body of at most `max_bytes`, both as received and decompressed, within a time limit.

    Raises:
        Problem: the body is too large, too slow, incomplete, or can't be decompressed.
    """
    return b"".join([chunk async for chunk in chunks(request, max_bytes, seconds)])


async def chunks(request: Request, max_bytes: int, seconds: float) -> AsyncIterator[bytes]:
    """Like `read`, but yields the decompressed body in chunks."""
    body, end = _Body(request, max_bytes), asyncio.get_running_loop().time() + seconds
    while body.has_more:
        try:
            async with asyncio.timeout_at(end):
                raw = await body.receive()
        except TimeoutError:
            detail = f"the body did not arrive within {seconds:g} s"
            raise Problem(408, "slow", detail, close=True) from None
        for chunk in body.decompressed(raw):
            yield chunk
            if chunk is not raw:  # a few packed bytes may be many, and others have their turn
                await asyncio.sleep(0)


def check_head(request: Request, max_bytes: int) -> str:
    """Check what the head of a request says about its body; return the body's encoding.

    Raises:
        Problem: the body is too large, or its encoding is not supported.
    """
    length = header(request.scope, b"content-length")
    if length.isdecimal() and int(length[:20]) > max_bytes:
        raise _too_large(max_bytes)
    if header(request.scope, b"upgrade"):
        # Uvicorn takes what follows for another protocol.
        raise Problem(400, "http", "expected HTTP/1.1 without Upgrade", close=True)
    encoding = header(request.scope, b"content-encoding").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        detail = f"Content-Encoding is {encoding[:100]!r}; expected gzip or none"
        raise Problem(415, "encoding", detail, close=True)
    return encoding.removeprefix("x-")


def parse_json(body: bytes) -> object:
    """Decode JSON. NaN, deep nesting and anything but UTF-8 are refused.

    Raises:
        Problem: the body is not valid JSON, or has too many parts.
    """
    if body.count(b"[") + body.count(b"{") > _MOST_LISTS:
        detail = f"expected at most {_MOST_LISTS:,} lists and objects"
        raise problems.invalid(f"{detail}; submit a job for more, as {NDJSON}")
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        detail = f"not valid JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise Problem(400, "json", detail) from None


class _Body:
    """A body of at most `max_bytes`, both as received and decompressed.

    Attributes:
        has_more: whether the client has not sent all of it.
    """

    _CHUNK = 1 << 16

    def __init__(self, request: Request, max_bytes: int) -> None:
        is_packed = check_head(request, max_bytes) == "gzip"
        self._stream = zlib.decompressobj(_GZIP) if is_packed else None
        self._receive, self._max_bytes = request.receive, max_bytes
        self._raw_left = self._left = max_bytes
        self.has_more = True

    async def receive(self) -> bytes:
        """The next part, as received."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            detail = "the connection was closed before the end of the body"
            raise Problem(400, "disconnected", detail)
        raw: bytes = message.get("body", b"")
        self.has_more = message.get("more_body", False)
        self._raw_left -= len(raw)
        if self._raw_left < 0:
            raise _too_large(self._max_bytes)
        return raw

    def decompressed(self, raw: bytes) -> Iterator[bytes]:
        """A part in pieces; gzip may have one or more members."""
        if self._stream is None:
            yield raw
            return
        while raw:
            if self._stream.eof:
                self._stream = zlib.decompressobj(_GZIP)
            try:
                piece = self._stream.decompress(raw, self._CHUNK)
            except zlib.error as error:
                raise _bad_gzip(str(error)) from None
            self._left -= len(piece)
            if self._left < 0:
                raise _too_large(self._max_bytes)
            raw = self._stream.unconsumed_tail or self._stream.unused_data
            yield piece
        if not (self.has_more or self._stream.eof):
            raise _bad_gzip("the stream is incomplete")


def _too_large(max_bytes: int) -> Problem:
    return Problem(413, "too-large", f"expected a body of at most {max_bytes:,} bytes", close=True)


def _bad_gzip(reason: str) -> Problem:
    return Problem(400, "gzip", f"the body can't be decompressed: {reason}", close=True)


class ParsedRequest(NamedTuple, Generic[ABody]):
    """A validated request with puzzles. The puzzles themselves are not parsed yet.

    Attributes:
        seconds: the time limit in force.
        is_single: the request has the field `puzzle`, so the response is not a list.
        size: the size of the body in bytes.
    """

    body: ABody
    puzzles: RawPuzzles
    seconds: float
    is_single: bool
    size: int
    is_picture: bool = False

    def pointer(self, index: int) -> str:
        """JSON pointer to a puzzle in the body; `index` counts from 0."""
        if self.is_single:
            return "/puzzle"
        return f"/puzzles/{index}" if isinstance(self.puzzles.items, tuple) else "/puzzles"


async def parse(request: Request, model: type[ABody], limits: Limits) -> ParsedRequest[ABody]:
    """Parse a request with puzzles: JSON, a file of puzzles in any format, or a picture.

    Raises:
        Problem: the request is not valid.
    """
    kind = media_type(request, MEDIA_TYPES)
    is_picture = kind in PICTURES
    most = limits.picture_bytes if is_picture else limits.body_bytes
    content = await read(request, most, limits.body_seconds)
    if is_picture and unpacking.picture_in(content) != "pixels":
        detail = f"the body is no picture; expected {', '.join(PICTURES)}"
        raise problems.invalid(detail, kind=SourceError.kind)
    items: Items = content
    if kind == JSON:
        body, items = await _parsed(model, request, parse_json(content), limits.puzzles)
    else:
        body = validate(model, request, {"puzzles": ""})
        if is_picture and body.format != "auto":
            detail = f"expected auto, not {body.format}, since the body is a picture"
            raise OptionError("format", detail)
    return ParsedRequest(
        body,
        RawPuzzles(items, body.stated, body.requested_rules, limits.puzzles, limits.side),
        limits.seconds(body.time_limit),
        is_single=body.puzzle is not None,
        size=len(content),
        is_picture=is_picture,
    )


async def _parsed(
    model: type[ABody], request: Request, value: object, most: int
) -> tuple[ABody, Items]:
    text = value.get("puzzle") if isinstance(value, dict) else None
    if isinstance(text, str) and not request.scope["query_string"]:
        options = orjson.dumps({**cast("dict[str, Any]", value), "puzzle": ""})
        if len(options) <= _MAX_KNOWN:
            return _with_text(model, options), (text,)
    return await validate_puzzles(model, request, value, most)


@lru_cache(maxsize=256)
def _with_text(model: type[ABody], options: bytes) -> ABody:
    """The body with a text as its puzzle; validation does not depend on the text."""
    return _validated(model, {}, orjson.loads(options))


async def parse_options(request: Request, model: type[AModel], limits: Limits) -> AModel:
    """Parse a request with a JSON body, without files of puzzles.

    Raises:
        Problem: the request is not valid.
    """
    media_type(request, (JSON,))
    content = await read(request, limits.body_bytes, limits.body_seconds)
    return validate(model, request, parse_json(content))


async def validate_puzzles(
    model: type[ABody], request: Request, value: object, most: int
) -> tuple[ABody, Items]:
    """Validate a JSON body with at most so many puzzles; return it and its puzzles.

    Raises:
        Problem: the request is not valid.
        OptionError: an option is not valid.
    """
    given = value.get("puzzles") if isinstance(value, dict) else None
    if isinstance(given, list):
        if len(given) > most:
            detail = f"expected at most {most:,} puzzles; submit a job for more"
            raise problems.invalid(detail, "/puzzles")
        options = {**cast("dict[str, Any]", value), "puzzles": ""}
        return validate(model, request, options), await _validated_items(given)
    body = validate(model, request, value)
    if body.puzzle is not None:
        return body, (body.puzzle,)
    return body, str(body.puzzles).encode(errors="surrogatepass")


async def _validated_items(given: list[object]) -> Items:
    """Validate the puzzles of a list, up to the first few errors."""
    items: list[Any] = []
    faults: list[problems.Fault] = []
    loop = asyncio.get_running_loop()
    turn = loop.time()
    for index, item in enumerate(given):
        try:
            _check_fields(item)
            items.append(_ITEM.validate_python(item))
        except ValidationError as error:
            faults += problems.faults_of(error, at=("puzzles", index))
            if len(faults) >= problems.MAX_FAULTS:
                break
        if loop.time() >= turn + _TURN_SECONDS:
            await asyncio.sleep(0)
            turn = loop.time()
    if faults:
        raise problems.of_faults(faults[: problems.MAX_FAULTS])
    return tuple(items)


def validate(
    model: type[AModel], request: Request, value: object, defaults: dict[str, str] | None = None
) -> AModel:
    """Validate the options of a request, from its decoded body and its query string.

    `defaults` apply to options that neither sets.

    Raises:
        Problem: the request is not valid.
        OptionError: an option is not valid.
    """
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = query_of(request)
    if "puzzle" in query or "puzzles" in query:
        raise Problem(422, "invalid", "puzzles must be in the body, not in the query string")
    return _validated(model, query, value, defaults)


def _validated(
    model: type[AModel],
    query: dict[str, str],
    value: dict[str, Any],
    defaults: dict[str, str] | None = None,
) -> AModel:
    if duplicates := query.keys() & value.keys():
        raise problems.invalid(f"{min(duplicates)} is both in the body and in the query string")
    fields = {**(defaults or {}), **query, **value}
    check_number(fields)
    check_types(model, value)
    try:
        body = model.model_validate(fields)
    except ValidationError as error:
        raise problems.from_validation(error, query.keys()) from None
    if isinstance(body, PuzzleBody | GenerateBody | BookBody):
        _ = body.request  # refuses options that can't be combined, and texts without a meaning
    return body


def check_number(fields: dict[str, Any]) -> None:
    """Refuse options and puzzles with far more values or fields than there are.

    Raises:
        Problem: there are too many.
    """
    _check_fields(fields.get("puzzle"))
    seen = len(fields)
    pending = [value for name, value in fields.items() if name not in ("puzzle", "puzzles")]
    while pending and seen <= _MAX_VALUES:
        value = pending.pop()
        if isinstance(value, dict | list):
            seen += len(value)
            pending.extend(value.values() if isinstance(value, dict) else value)
    if seen > _MAX_VALUES:
        raise problems.invalid(f"expected options with at most {_MAX_VALUES:,} values")


def _check_fields(puzzle: object) -> None:
    """Refuse a puzzle with far too many fields in its objects, or elements in their lists."""
    seen, pending = 0, [puzzle]
    while pending and seen <= _MAX_VALUES:
        value = pending.pop()
        if isinstance(value, dict):
            seen += len(value)
            pending.extend(value.values())
        elif isinstance(value, list) and value is not puzzle and len(value) > _MOST_SIGNS:
            raise problems.invalid(f"expected a puzzle with at most {_MOST_SIGNS:,} signs")
    if seen > _MAX_VALUES:
        raise problems.invalid(f"expected a puzzle with at most {_MAX_VALUES:,} fields")


def check_types(model: type[BaseModel], value: dict[str, Any]) -> None:
    """Refuse "3" for 3 and 1 for true in a body. Only the query string may contain them.

    Raises:
        OptionError: a value has another JSON type than the OpenAPI specification says.
    """
    types = _json_types(model)
    for name, inner in value.items():
        allowed = types.get(name)
        if allowed and not _json_types_of_value(inner) & allowed:
            raise OptionError(name, f"expected {' or '.join(sorted(allowed))}")


@cache
def _json_types(model: type[BaseModel]) -> dict[str, set[str]]:
    properties = model.model_json_schema()["properties"]
    return {name: _json_types_of_schema(schema) for name, schema in properties.items()}


def _json_types_of_schema(schema: dict[str, Any]) -> set[str]:
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return set().union(*map(_json_types_of_schema, alternatives))
    return {f'"{schema["const"]}"' if "const" in schema else schema.get("type", "object")}


def _json_types_of_value(value: object) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if value == int(value) else {"number"}
    if isinstance(value, str):
        return {"string", f'"{value}"'}
    names: dict[type, str] = {list: "array", dict: "object", type(None): "null"}
    return {names[type(value)]}


def query_of(request: Request) -> dict[str, str]:
    """The options in the query string.

    Raises:
        Problem: an option is there more than once, so it is not clear which value counts.
    """
    pairs = request.query_params.multi_items()
    query = dict(pairs)
    if len(query) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        detail = "is in the query string more than once"
        raise problems.invalid(detail, parameter=twice[:_MAX_NAME])
    return query


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Await `work`, but cancel it if the client disconnects. The body must have been read.

    Raises:
        Problem: the client has disconnected and will not see the response.
    """
    working = asyncio.create_task(work)
    disconnect = asyncio.create_task(disconnected(request))
    try:
        await asyncio.wait((working, disconnect), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Problem(499, "client-left", "the client closed the connection")
    finally:
        for task in (working, disconnect):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def disconnected(request: Request) -> None:
    """Wait until the client leaves. The body must have been read completely."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
