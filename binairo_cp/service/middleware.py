"""The outermost middleware: request ids, the access log, metrics and security headers."""

from __future__ import annotations

import logging
import random
import re
from importlib.metadata import version
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service import problems
from binairo_cp.service.app_state import AppState
from binairo_cp.service.callers import MAX_ADDRESS
from binairo_cp.service.problems import Problem

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")
_MAX_PATH = 200
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
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request.state.request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
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
                "path": request.url.path[:_MAX_PATH],
                "status": status,
                "seconds": round(seconds, 6),
                "client": request.state.client_name
                or (request.client.host[:MAX_ADDRESS] if request.client else ""),
            },
        )


def request_id(given: str) -> str:
    """The id that a client sent if it is valid, else a new one. Ids are not secret."""
    return given if _ID.fullmatch(given) else f"{random.getrandbits(64):016x}"
