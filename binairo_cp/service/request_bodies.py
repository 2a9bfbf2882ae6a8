"""Read request bodies with limits on size and time, also after decompression."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator

import orjson
from fastapi import Request
from starlette.requests import ClientDisconnect

from binairo_cp.service.problems import Problem

JSON, NDJSON, TEXT = "application/json", "application/x-ndjson", "text/plain"
_GZIP = 31
"""The `wbits` argument of zlib for a stream with a gzip header."""


def media_type(request: Request, allowed: tuple[str, ...]) -> str:
    """The media type of a body, from its `Content-Type`.

    Raises:
        Problem: it is not one of `allowed`.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type in allowed:
        return content_type
    raise Problem(
        415,
        "media-type",
        f"Content-Type is {content_type[:100] or 'missing'!r}; expected {' or '.join(allowed)}",
        close=True,
    )


async def read(request: Request, max_bytes: int, seconds: float) -> bytes:
    """Read and decompress a body.

    Args:
        request: the request.
        max_bytes: maximum size, both as received and decompressed.
        seconds: time limit for receiving the body.

    Raises:
        Problem: the body is too large, too slow, incomplete, or can't be decompressed.
    """
    return b"".join([chunk async for chunk in chunks(request, max_bytes, seconds)])


async def chunks(request: Request, max_bytes: int, seconds: float) -> AsyncIterator[bytes]:
    """Like `read`, but yields the decompressed body in chunks."""
    check_head(request, max_bytes)
    decompress = _Decompressor(_encoding(request), max_bytes)
    loop = asyncio.get_running_loop()
    end, received = loop.time() + seconds, 0
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout_at(end):
                raw = await anext(stream)
        except StopAsyncIteration:
            break
        except TimeoutError:
            detail = f"the body did not arrive within {seconds:g} s"
            raise Problem(408, "slow", detail, close=True) from None
        except ClientDisconnect:
            detail = "the connection was closed before the end of the body"
            raise Problem(400, "disconnected", detail) from None
        received += len(raw)
        if received > max_bytes:
            raise _too_large(max_bytes)
        for chunk in decompress(raw):
            yield chunk
    decompress.finish()


def check_head(request: Request, max_bytes: int) -> None:
    """Check what the head of a request says about its body.

    Raises:
        Problem: the body is too large, or its encoding is not supported.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > max_bytes:
        raise _too_large(max_bytes)
    _encoding(request)


def parse_json(body: bytes) -> object:
    """Decode JSON. NaN, deep nesting and anything but UTF-8 are refused.

    Raises:
        Problem: the body is not valid JSON.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        detail = f"not valid JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise Problem(400, "json", detail) from None


def _encoding(request: Request) -> str:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("identity", "gzip", "x-gzip"):
        return encoding.removeprefix("x-")
    detail = f"Content-Encoding is {encoding[:100]!r}; expected gzip or none"
    raise Problem(415, "encoding", detail, close=True)


def _too_large(max_bytes: int) -> Problem:
    return Problem(413, "too-large", f"expected a body of at most {max_bytes:,} bytes", close=True)


class _Decompressor:
    """Decompresses a gzip stream up to a maximum size. Other streams pass unchanged."""

    _CHUNK = 1 << 16

    def __init__(self, encoding: str, max_bytes: int) -> None:
        self._stream = zlib.decompressobj(_GZIP) if encoding == "gzip" else None
        self._max_bytes = self._left = max_bytes

    def __call__(self, raw: bytes) -> Iterator[bytes]:
        if self._stream is None:
            yield raw
            return
        while raw:
            try:
                chunk = self._stream.decompress(raw, self._CHUNK)
            except zlib.error as error:
                raise _bad_gzip(str(error)) from None
            self._left -= len(chunk)
            if self._left < 0:
                raise _too_large(self._max_bytes)
            raw = self._stream.unconsumed_tail
            if self._stream.unused_data:
                raise _bad_gzip("there is data after the end of the stream")
            yield chunk

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof:
            raise _bad_gzip("the stream is incomplete")


def _bad_gzip(reason: str) -> Problem:
    return Problem(400, "gzip", f"the body can't be decompressed: {reason}", close=True)
