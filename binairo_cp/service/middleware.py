"""What each request passes before FastAPI sees it: ids, access control, logs, headers, errors."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from importlib.metadata import version
from time import perf_counter, time
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.errors import BinairoError
from binairo_cp.service import clients, problems, requests
from binairo_cp.service.app_state import AppState
from binairo_cp.service.clients import MAX_ADDRESS, Caller, client_of_address
from binairo_cp.service.logs import write_soon
from binairo_cp.service.problems import Problem, header
from binairo_cp.service.sites import GUARDED, AllowedSites

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")
_MAX_PATH, _MAX_DIGITS = 200, 12
_EXPOSED = [
    *("Binairo-Version", "Content-Disposition", "Link", "Location", "Retry-After"),
    *("X-Request-ID", "X-Time-Limit"),
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

_FIELDS = {name.encode(): value.encode() for name, value in HEADERS.items()}

_FIELDS_OF_DATA = {
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    **{
        name: _FIELDS[name]
        for name in (b"x-content-type-options", b"cache-control", b"binairo-version")
    },
}
"""Browsers run nothing in JSON, and uvicorn takes long to write the fields for documents."""

_DATA = frozenset((b"content-type", kind.encode()) for kind in (requests.JSON, problems.MEDIA_TYPE))


class App(FastAPI):
    """FastAPI, with what each request passes before, and each response after.

    Each request gets an id. Requests of unknown sites or without a key are refused. What a route
    raises becomes a problem. Responses get headers for security, and requests are logged and
    counted.

    The `state` in the scope of a request has the state of the server, the id of the request, and
    the status of its response (0 before that has begun).
    """

    def __init__(self, state: AppState, **options: Any) -> None:
        super().__init__(**options)
        self.state.binairo = self._state = state
        self._sites = AllowedSites(state.hosts, state.origins)
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
        id = _request_id(header(scope, b"x-request-id"))
        about = scope.setdefault("state", {})
        about.update(
            server=self._state, request_id=id, status=0, client_name="", is_head=method == "HEAD"
        )

        async def send_with_fields(message: Message) -> None:
            if message["type"] == "http.response.start":
                about["status"] = message["status"]
                given = message.get("headers", ())
                own = (_FIELDS if _DATA.isdisjoint(given) else _FIELDS_OF_DATA).copy()
                own[b"x-request-id"] = id.encode()
                for name, _ in given:
                    own.pop(name, None)
                message["headers"] = [*given, *own.items()]
            await send(message)

        self._state.active += 1
        try:
            self._sites.check(scope)
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
        about = scope["state"]
        try:
            self._check_key(scope, about)
            await super().__call__(scope, receive, send)
            return
        except Problem as error:
            problem = error
        except BinairoError as error:
            problem = problems.of_error(error, Request(scope).query_params)
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
            await problems.response(Request(scope), problem)(scope, receive, send)

    def _check_key(self, scope: Scope, about: dict[str, Any]) -> None:
        """Check the key, and set the caller.

        Raises:
            Problem: the key is missing or unknown.
        """
        if not scope["path"].startswith(GUARDED) or scope["method"] == "OPTIONS":
            return
        client = client_of_address(_address(scope))
        if (keys := self._state.keys) is not None:
            about["client_name"] = name = keys.name_of(_key(scope)) or ""
            if not name:
                raise _key_required()
            client = f"key {name}"
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
    problem = Problem(401, "key", detail)
    problem.headers["WWW-Authenticate"] = "Bearer"
    return problem
