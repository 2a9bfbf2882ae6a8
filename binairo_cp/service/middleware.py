"""The middleware: request ids, logs, security headers, access control, compression."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from importlib.metadata import version
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import (
    DEFAULT_EXCLUDED_CONTENT_TYPES,
    GZipMiddleware,
    IdentityResponder,
)
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service import clients, problems
from binairo_cp.service.addresses import GUARDED, HEALTH
from binairo_cp.service.app_state import AppState
from binairo_cp.service.clients import MAX_ADDRESS, Caller, client_of_address
from binairo_cp.service.problems import Problem, route_path
from binairo_cp.service.requests import NDJSON

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")
_MAX_PATH, _MAX_DIGITS = 200, 12
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
    "binairo-version": version("binairo-cp"),
}

MIN_BYTES = 1_024
"""Smaller responses are sent as they are."""

_LEVEL = 5
_EXCLUDED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, NDJSON)


_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class RequestContext:
    """Gives each request an id, adds security headers, and logs and counts the request."""

    def __init__(self, app: ASGIApp, state: AppState) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, status, started = scope["method"], 0, perf_counter()
        if method == "HEAD":
            # Routes handle HEAD as GET. Uvicorn omits the body of the response.
            scope = {**scope, "method": "GET"}
        request = Request(scope, receive)
        request.state.request_id = request_id(request.headers.get("x-request-id", ""))
        request.state.client_name = ""
        request.state.is_head = method == "HEAD"

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                identifier = (b"x-request-id", request.state.request_id.encode())
                others = (each for each in _RAW_HEADERS if each[0] not in names)
                message["headers"] = [*given, identifier, *others]
            await send(message)

        self._state.active += 1
        try:
            await self._app(scope, receive, send_with_headers)
        except Problem as problem:
            await problems.response(request, problem)(scope, receive, send_with_headers)
        finally:
            self._state.active -= 1
            self._record(request, method, status, perf_counter() - started)

    def _record(self, request: Request, method: str, status: int, seconds: float) -> None:
        """Count and log a request. The body and the query are not logged: they contain puzzles."""
        route = getattr(request.scope.get("route"), "path", "") or "none"
        self._state.metrics.record_request(method, route, status, seconds)
        if not _LOG.isEnabledFor(logging.INFO):
            return
        _LOG.info(
            "request",
            extra={
                "request_id": request.state.request_id,
                "method": method,
                "path": request.scope["path"][:_MAX_PATH],
                "status": status,
                "seconds": round(seconds, 6),
                "client": request.state.client_name
                or (request.client.host[:MAX_ADDRESS] if request.client else ""),
            },
        )


def request_id(given: str) -> str:
    """The id that a client sent if it is valid, else a new one. Ids are not secret."""
    return given if _ID.fullmatch(given) else f"{random.getrandbits(64):016x}"


class AccessControl:
    """Refuses requests without a key or beyond a limit, and turns exceptions into problems."""

    def __init__(self, app: ASGIApp, state: AppState) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        headers = {"Connection": "close"} if _is_over_limit(request) else {}
        has_started = False

        async def send_and_note(message: Message) -> None:
            nonlocal has_started
            has_started = True
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        try:
            self._check(request, headers)
            await self._app(scope, receive, send_and_note)
            return
        except Problem as error:
            problem = error
        except asyncio.CancelledError:
            # On shutdown, uvicorn cancels the requests that still run after the grace period.
            if not self._state.stopping.is_set():
                raise
            detail = "the server stopped before the request was finished"
            problem = Problem(503, "stopping", detail, retry_after=10, close=True)
        except Exception:
            _LOG.exception("failed", extra={"request_id": request.state.request_id})
            if has_started:
                raise
            problem = Problem(500, "internal", "internal error; see the log of the server")
        if not has_started:
            await problems.response(request, problem)(scope, receive, send_and_note)

    def _check(self, request: Request, headers: dict[str, str]) -> None:
        """Check the connection limit, the key and the rate limit, and set the caller.

        Args:
            request: the request.
            headers: gets the header fields that report the rate limit.

        Raises:
            Problem: the request is refused.
        """
        path = route_path(request.scope)
        if _is_over_limit(request) and path not in HEALTH:
            detail = "too many simultaneous connections"
            raise Problem(429, "connections", detail, retry_after=1, close=True)
        if not path.startswith(GUARDED) or request.method == "OPTIONS":
            return
        client = client_of_address(request.client.host if request.client else "")
        keys = self._state.keys
        if keys is not None:
            name = keys.name_of(_key(request))
            if name is None:
                # The rate limit also slows down clients that guess keys.
                self._check_rate(f"address {client}", headers)
                raise _key_required()
            request.state.client_name = name
            client = f"key {name}"
        self._check_rate(client, headers)
        size = request.headers.get("content-length", "")
        is_known = size.isascii() and size.isdigit() and len(size) <= _MAX_DIGITS
        body_bytes = int(size) if is_known else self._state.limits.body_bytes
        clients.set_current(Caller(client, body_bytes, scope=request.scope))

    def _check_rate(self, client: str, headers: dict[str, str]) -> None:
        limiter = self._state.rate_limiter
        quota = limiter.take(client)
        if quota is None:
            return
        headers.update(limiter.fields(quota))
        if quota.wait:
            detail = f"expected at most {self._state.limits.rate:g} requests per second"
            raise Problem(429, "rate", detail, retry_after=quota.wait, close=True)


def _is_over_limit(request: Request) -> bool:
    """Whether the request came on a connection beyond the limit."""
    return bool(getattr(request.state, "is_over_limit", False))


def _key(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return request.headers.get("x-api-key", "")


def _key_required() -> Problem:
    detail = "expected an API key: Authorization: Bearer KEY, or X-API-Key: KEY"
    problem = Problem(401, "key", detail, close=True)
    problem.headers["WWW-Authenticate"] = "Bearer"
    return problem


class Compression:
    """Compresses large responses for clients that accept gzip, except streams and packed files.

    Starlette's middleware alone compresses for clients that refuse gzip, and keeps strong tags
    (`test_other_responses_are_not_compressed`, `test_large_responses_are_compressed`).
    """

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
