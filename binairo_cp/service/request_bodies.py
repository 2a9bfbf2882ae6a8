"""The bodies of requests: bounded while they come, unpacked within the same bound."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator

import orjson
from fastapi import Request
from starlette.requests import ClientDisconnect

from binairo_cp.service.problems import Problem

JSON, NDJSON, TEXT = "application/json", "application/x-ndjson", "text/plain"
_GZIP = 31
"""What zlib calls a stream with a head of gzip."""


def media_type(request: Request, allowed: tuple[str, ...]) -> str:
    """What a body is said to be.

    Raises:
        Problem: it is none of what is allowed.
    """
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said in allowed:
        return said
    raise Problem(
        415,
        "media-type",
        f"Content-Type is {said[:100] or 'missing'!r}; expected {' or '.join(allowed)}",
        close=True,
    )


async def read(request: Request, most: int, seconds: float) -> bytes:
    """A body, unpacked.

    Args:
        request: whose body it is.
        most: its bytes, as they come and unpacked.
        seconds: how long it may take to come.

    Raises:
        Problem: it is too large, too slow, or can't be unpacked.
    """
    return b"".join([piece async for piece in pieces(request, most, seconds)])


async def pieces(request: Request, most: int, seconds: float) -> AsyncIterator[bytes]:
    """The same piece by piece."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said[:20]) > most:
        raise _too_large(most)
    unpack = _Unpacker(_encoding(request), most)
    loop = asyncio.get_running_loop()
    end, came = loop.time() + seconds, 0
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout_at(end):
                raw = await anext(stream)
        except StopAsyncIteration:
            break
        except TimeoutError:
            raise Problem(
                408, "slow", f"the body did not come within {seconds:g} s", close=True
            ) from None
        except ClientDisconnect:
            raise Problem(400, "disconnected", "the body did not come to its end") from None
        came += len(raw)
        if came > most:
            raise _too_large(most)
        for piece in unpack(raw):
            yield piece
    unpack.finish()


def parsed(body: bytes) -> object:
    """The value of a JSON text: no NaN, nothing nested deeply, UTF-8 only.

    Raises:
        Problem: it is none.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        detail = f"invalid JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise Problem(400, "json", detail) from None


def _encoding(request: Request) -> str:
    said = request.headers.get("content-encoding", "identity").strip().lower()
    if said in ("identity", "gzip", "x-gzip"):
        return said.removeprefix("x-")
    raise Problem(
        415, "encoding", f"Content-Encoding is {said[:100]!r}; expected gzip or none", close=True
    )


def _too_large(most: int) -> Problem:
    return Problem(413, "too-large", f"expected a body of at most {most:,} bytes", close=True)


class _Unpacker:
    """Unpacks a stream of gzip, or lets another pass; never more than so many bytes."""

    _PIECE = 1 << 16

    def __init__(self, encoding: str, most: int) -> None:
        self._stream = zlib.decompressobj(_GZIP) if encoding == "gzip" else None
        self._most = self._left = most

    def __call__(self, raw: bytes) -> list[bytes]:
        if self._stream is None:
            return [raw]
        unpacked = []
        while raw:
            try:
                piece = self._stream.decompress(raw, self._PIECE)
            except zlib.error as error:
                raise _no_gzip(str(error)) from None
            self._left -= len(piece)
            if self._left < 0:
                raise _too_large(self._most)
            unpacked.append(piece)
            raw = self._stream.unconsumed_tail
            if self._stream.unused_data:
                raise _no_gzip("something follows its end")
        return unpacked

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof:
            raise _no_gzip("it ends too early")


def _no_gzip(why: str) -> Problem:
    return Problem(400, "gzip", f"the body can't be unpacked: {why}", close=True)
