"""What every request passes first: an id, a line in the log, and headers that browsers heed."""

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
_LONGEST_ADDRESS = 64
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
    """The middleware; all others and the routes are inside."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, status, started = scope["method"], 0, perf_counter()
        if method == "HEAD":
            # Whatever answers GET answers HEAD, and the server leaves out the body.
            scope = {**scope, "method": "GET"}
        request = Request(scope, receive)
        request.state.request_id = _request_id(request)
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
            self._note(request, method, status, perf_counter() - started)

    def _note(self, request: Request, method: str, status: int, seconds: float) -> None:
        """Count a request, and log it; never a puzzle, which is in the body or the query."""
        route = getattr(request.scope.get("route"), "path", "") or "none"
        self._state.metrics.note(method, route, status, seconds)
        if not _LOG.isEnabledFor(logging.INFO):
            return
        _LOG.info(
            "request",
            extra={
                "request_id": request.state.request_id,
                "method": method,
                "path": request.url.path[:_LONGEST_PATH],
                "status": status,
                "seconds": round(seconds, 6),
                "client": request.state.client_name
                or (request.client.host[:_LONGEST_ADDRESS] if request.client else ""),
            },
        )


def _request_id(request: Request) -> str:
    """The id that came, if it is one, or a new one, which is no secret."""
    given = request.headers.get("x-request-id", "")
    return given if _ID.fullmatch(given) else f"{random.getrandbits(64):016x}"
