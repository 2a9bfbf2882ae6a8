"""Middleware that compresses responses with gzip.

Streams are flushed after each chunk, so records and events still arrive as soon as they are sent.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware, IdentityResponder
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MIN_BYTES = 1_024
"""Smaller responses are sent as they are."""

_LEVEL = 5


class Compression:
    """Compresses large responses for clients that accept gzip, except pictures, zips and events."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._gzip = GZipMiddleware(app, minimum_size=MIN_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _refuses_gzip(Headers(scope=scope)):
            await IdentityResponder(self._app, MIN_BYTES)(scope, receive, send)
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
