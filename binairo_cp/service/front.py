"""What every request passes: an id, a key, a rate; and headers that browsers heed."""

from __future__ import annotations

import logging
import random
import re
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service import problems
from binairo_cp.service.problems import Problem
from binairo_cp.service.state import State

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")
_LONGEST_PATH = 200
_GUARDED = ("/v1/", "/metrics")
"""Where keys are needed; the page, the contract and the health of a server are for everybody."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Front:
    """The middleware."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        request.state.request_id = _request_id(request)
        request.state.client_name = ""
        started, status = perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request.state.request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(request)
            await self._app(scope, receive, send_with_headers)
        except Problem as problem:
            await problems.response(request, problem)(scope, receive, send_with_headers)
        except Exception:
            _LOG.exception("failed", extra={"request_id": request.state.request_id})
            if status:
                raise
            unknown = Problem(500, "internal", "something went wrong here; it has been noted")
            await problems.response(request, unknown)(scope, receive, send_with_headers)
        finally:
            self._note(request, status, perf_counter() - started)

    def _check(self, request: Request) -> None:
        """Let in who may come in.

        Raises:
            Problem: a key is missing or wrong, or there were too many requests.
        """
        if not request.url.path.startswith(_GUARDED) or request.method == "OPTIONS":
            return
        client = request.client.host if request.client else ""
        keys = self._state.keys
        if keys is not None:
            name = keys.name_of(_key(request))
            if name is None:
                # Who guesses keys is slowed down like who has one.
                self._take(f"address {client}")
                raise _no_key()
            request.state.client_name = name
            client = f"key {name}"
        self._take(client)

    def _take(self, client: str) -> None:
        if wait := self._state.rates.take(client):
            limits = self._state.limits
            detail = f"expected at most {limits.rate:g} requests a second"
            raise Problem(429, "rate", detail, retry_after=wait, close=True)

    def _note(self, request: Request, status: int, seconds: float) -> None:
        """Count a request, and log it; never a puzzle, which is in the body or the query."""
        route = getattr(request.scope.get("route"), "path", "") or "none"
        self._state.metrics.note(request.method, route, status, seconds)
        if not _LOG.isEnabledFor(logging.INFO):
            return
        _LOG.info(
            "request",
            extra={
                "request_id": request.state.request_id,
                "method": request.method,
                "path": request.url.path[:_LONGEST_PATH],
                "status": status,
                "seconds": round(seconds, 6),
                "client": request.state.client_name
                or (request.client.host if request.client else ""),
            },
        )


def _request_id(request: Request) -> str:
    """The id that came, if it is one, or a new one, which is no secret."""
    given = request.headers.get("x-request-id", "")
    return given if _ID.fullmatch(given) else f"{random.getrandbits(64):016x}"


def _key(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return request.headers.get("x-api-key", "")


def _no_key() -> Problem:
    detail = "expected a key: Authorization: Bearer KEY, or X-API-Key: KEY"
    problem = Problem(401, "key", detail, close=True)
    problem.headers["WWW-Authenticate"] = "Bearer"
    return problem
