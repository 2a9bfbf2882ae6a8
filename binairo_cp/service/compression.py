"""Middleware that compresses responses with gzip, except streams of records and events.

A compressed response begins with its first chunk, but the head of a stream must arrive at once.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import (
    DEFAULT_EXCLUDED_CONTENT_TYPES,
    GZipMiddleware,
    IdentityResponder,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service.request_bodies import NDJSON

MIN_BYTES = 1_024
"""Smaller responses are sent as they are."""

_LEVEL = 5
_EXCLUDED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, NDJSON)


class Compression:
    """Compresses large responses for clients that accept gzip, except streams and packed files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._gzip = GZipMiddleware(
            app, MIN_BYTES, compresslevel=_LEVEL, exclude_content_types=_EXCLUDED
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _refuses_gzip(Headers(scope=scope)):
            plain = IdentityResponder(self._app, MIN_BYTES, exclude_content_types=_EXCLUDED)
            await plain(scope, receive, send)
            return

        async def send_with_weak_tag(message: Message) -> None:
            if message["type"] == "http.response.start":
                _weaken_tag(MutableHeaders(scope=message))
            await send(message)

        await self._gzip(scope, receive, send_with_weak_tag)


def _refuses_gzip(headers: Headers) -> bool:
    """Whether `Accept-Encoding` lists gzip with the weight 0."""
    for each in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = each.replace(" ", "").partition(";q=")
        if name in ("gzip", "x-gzip") and weight and not weight.strip("0."):
            return True
    return False


def _weaken_tag(headers: MutableHeaders) -> None:
    """Mark the tag of a compressed response as weak: its bytes differ from the original ones."""
    tag = headers.get("etag", "")
    if headers.get("content-encoding") == "gzip" and tag.startswith('"'):
        headers["etag"] = f"W/{tag}"
