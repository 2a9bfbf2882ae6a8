"""The app around the routes: request ids, logs, headers, access control, compression."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from importlib.metadata import version
from time import perf_counter, time
from typing import Any

from fastapi import FastAPI, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import (
    DEFAULT_EXCLUDED_CONTENT_TYPES,
    GZipMiddleware,
    IdentityResponder,
)
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.errors import BinairoError
from binairo_cp.service import clients, problems
from binairo_cp.service.addresses import GUARDED, HEALTH, AllowedSites, ProxyHeaders
from binairo_cp.service.app_state import AppState
from binairo_cp.service.clients import MAX_ADDRESS, Caller, client_of_address
from binairo_cp.service.logs import write_soon
from binairo_cp.service.problems import Problem, header, route_path
from binairo_cp.service.requests import NDJSON

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")
_MAX_PATH, _MAX_DIGITS = 200, 12
_EXPOSED = [
    *("Binairo-Version", "Content-Disposition", "Link", "Location", "RateLimit"),
    *("RateLimit-Policy", "Retry-After", "X-Request-ID", "X-Time-Limit"),
]

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


_FIELDS = {name.encode(): value.encode() for name, value in HEADERS.items()}


class App(FastAPI):
    """The app, with what each request passes before FastAPI sees it, and each response after.

    Each request gets an id. Requests of unknown sites, without a key, or beyond a limit are
    refused. What a route raises becomes a problem. Responses get headers for security, and requests
    are logged and counted.

    The `state` in the scope of a request has the state of the server, the id of the request, its
    path without the prefix, the status of its response (0 before that has begun), and `fields`, the
    header fields to add to the response. The protocol sets `has_body` if the whole body is there,
    `refusal` if what has arrived is no valid request, and `ask_for_body`.

    Routes that take a body are called without FastAPI. It would find the route and call its
    function too, but that takes longer than to decide a small puzzle. These functions take nothing
    but the request.
    """

    def __init__(self, state: AppState, **options: Any) -> None:
        super().__init__(**options)
        self.state.binairo = self._state = state
        self.posts: dict[str, APIRoute] = {}
        """The routes that are called without FastAPI, by their paths, which are fixed."""
        self._sites = AllowedSites(state.hosts, state.origins)
        self._proxies: ProxyHeaders | None = None
        if state.proxies.texts or state.root_path:
            self._proxies = ProxyHeaders(state.proxies, state.root_path)
        self._others = Compression(super().__call__)
        self._served: ASGIApp = self._serve
        if state.origins:
            self._served = CORSMiddleware(
                self._serve,
                allow_origins=list(state.origins),
                allow_methods=["GET", "HEAD", "POST", "DELETE"],
                allow_headers=["*"],
                expose_headers=_EXPOSED,
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        method, started = scope["method"], perf_counter()
        if method == "HEAD":
            # Routes handle HEAD as GET. Uvicorn omits the body of the response.
            scope = {**scope, "method": "GET"}
        scope["app"] = self
        id = _request_id(header(scope, b"x-request-id"))
        about = scope.setdefault("state", {})
        fields = {b"x-request-id": id.encode()}
        about |= {"server": self._state, "request_id": id, "fields": fields, "status": 0}
        about |= {"client_name": "", "is_head": method == "HEAD"}

        async def send_with_fields(message: Message) -> None:
            if message["type"] == "http.response.start":
                about["status"] = message["status"]
                given, own = message.get("headers", ()), _FIELDS | fields
                for name, _ in given:
                    own.pop(name, None)
                message["headers"] = [*given, *own.items()]
            await send(message)

        self._state.active += 1
        try:
            if "refusal" in about:
                raise about["refusal"]
            if self._proxies and (redirect := await self._proxies.apply(scope)):
                await redirect(scope, receive, send_with_fields)
                return
            about["path"] = route_path(scope)
            self._sites.check(scope, about["path"])
            await self._served(scope, receive, send_with_fields)
        except Problem as problem:
            await problems.response(Request(scope), problem)(scope, receive, send_with_fields)
        finally:
            self._state.active -= 1
            self._record(scope, method, perf_counter() - started)

    def _record(self, scope: Scope, method: str, seconds: float) -> None:
        """Count and log a request. The body and the query are not logged: they contain puzzles."""
        about = scope["state"]
        route = getattr(scope.get("route"), "path", "") or "none"
        self._state.metrics.record_request(method, route, about["status"], seconds)
        if _LOG.isEnabledFor(logging.INFO):
            fields = {
                "request_id": about["request_id"],
                "method": method,
                "path": scope["path"][:_MAX_PATH],
                "status": about["status"],
                "seconds": round(seconds, 6),
                "client": about["client_name"] or _address(scope)[:MAX_ADDRESS],
            }
            write_soon(time(), "info", _LOG.name, "request", fields)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check who sends a request, and answer it."""
        request, about = Request(scope, receive), scope["state"]
        try:
            self._check_client(scope, about)
            await self._answer(request, send)
            return
        except Problem as error:
            problem = error
        except BinairoError as error:
            problem = problems.of_error(error, request.query_params)
        except asyncio.CancelledError:
            # On shutdown, uvicorn cancels the requests that still run after the grace period.
            if not self._state.stopping.is_set():
                raise
            detail = "the server stopped before the request was finished"
            problem = Problem(503, "stopping", detail, retry_after=10, close=True)
        except Exception:
            _LOG.exception("failed", extra={"request_id": about["request_id"]})
            if about["status"]:
                raise
            problem = Problem(500, "internal", "internal error; see the log of the server")
        if not about["status"]:
            await problems.response(request, problem)(scope, receive, send)

    async def _answer(self, request: Request, send: Send) -> None:
        scope, receive = request.scope, request.receive
        route = self.posts.get(scope["state"]["path"]) if scope["method"] == "POST" else None
        if route is None:
            await self._others(scope, receive, send)
            return
        scope["route"] = route
        response = await route.endpoint(request)
        is_small = type(response) is Response and len(response.body) < MIN_BYTES
        await (response if is_small else Compression(response))(scope, receive, send)

    def _check_client(self, scope: Scope, about: dict[str, Any]) -> None:
        """Check the connection limit, the key and the rate limit, and set the caller.

        Raises:
            Problem: the request is refused.
        """
        path, fields = about["path"], about["fields"]
        if about.get("is_over_limit"):
            fields[b"connection"] = b"close"
            if path not in HEALTH:
                detail = "too many simultaneous connections"
                raise Problem(429, "connections", detail, retry_after=1)
        if not path.startswith(GUARDED) or scope["method"] == "OPTIONS":
            return
        client, keys = client_of_address(_address(scope)), self._state.keys
        if keys is not None:
            about["client_name"] = name = keys.name_of(_key(scope)) or ""
            # The rate limit also slows down clients that guess keys.
            client = f"key {name}" if name else f"address {client}"
        if rates := self._state.rate_limiter:
            quota = rates.take(client)
            fields |= quota.fields
            if quota.wait:
                detail = f"expected at most {self._state.limits.rate:g} requests per second"
                raise Problem(429, "rate", detail, retry_after=quota.wait, close=True)
        if keys is not None and not about["client_name"]:
            raise _key_required()
        size = header(scope, b"content-length")
        is_known = size.isascii() and size.isdigit() and len(size) <= _MAX_DIGITS
        body_bytes = int(size) if is_known else self._state.limits.body_bytes
        clients.CALLER.set(Caller(client, body_bytes, scope=scope))


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else ""


def _request_id(given: str) -> str:
    """The id that a client sent if it is valid, else a new one. Ids are not secret."""
    return given if _ID.fullmatch(given) else f"{random.getrandbits(64):016x}"


def _key(scope: Scope) -> str:
    scheme, _, token = header(scope, b"authorization").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return header(scope, b"x-api-key")


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
        app: ASGIApp = self._gzip
        if _refuses_gzip(scope):
            app = IdentityResponder(self._app, MIN_BYTES, exclude_content_types=_EXCLUDED)

        async def send_with_fields(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                _weaken_tag(headers)
                if message["status"] == 304:  # without its body, which may be compressed
                    headers.add_vary_header("Accept-Encoding")
            await send(message)

        await app(scope, receive, send_with_fields)


def _refuses_gzip(scope: Scope) -> bool:
    """Whether `Accept-Encoding` lists gzip with the weight 0."""
    for each in header(scope, b"accept-encoding").lower().split(","):
        name, _, weight = each.replace(" ", "").partition(";q=")
        if name in ("gzip", "x-gzip") and weight and not weight.strip("0."):
            return True
    return False


def _weaken_tag(headers: MutableHeaders) -> None:
    """Mark the tag of a compressed response as weak: its bytes differ from the original ones."""
    tag = headers.get("etag", "")
    if headers.get("content-encoding") == "gzip" and tag.startswith('"'):
        headers["etag"] = f"W/{tag}"
