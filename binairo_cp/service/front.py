"""What every request passes: it gets an id, and its answer the headers that browsers heed."""

from __future__ import annotations

import logging
import re
import secrets
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service import problems
from binairo_cp.service.problems import Problem

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")

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

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        request.state.request_id = _request_id(request)
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
            await self._app(scope, receive, send_with_headers)
        except Exception:
            _LOG.exception("failed", extra={"request_id": request.state.request_id})
            if status:
                raise
            problem = Problem(500, "internal", "something went wrong here; it has been noted")
            answer = problems.response(request, problem)
            await answer(scope, receive, send_with_headers)
        finally:
            _note(request, status, perf_counter() - started)


def _request_id(request: Request) -> str:
    """The id that came, if it is one, or a new one."""
    given = request.headers.get("x-request-id", "")
    return given if _ID.fullmatch(given) else secrets.token_hex(8)


def _note(request: Request, status: int, seconds: float) -> None:
    """A line in the log; never a puzzle, which is in the body or the query."""
    client = request.client.host if request.client else ""
    _LOG.info(
        "request",
        extra={
            "request_id": request.state.request_id,
            "method": request.method,
            "path": request.url.path[:200],
            "status": status,
            "seconds": round(seconds, 6),
            "client": client,
        },
    )
