"""Middleware that checks API keys, rate limits and connection limits, and reports errors.

It runs inside the CORS middleware, so that pages of allowed sites can read its error responses.
"""

from __future__ import annotations

import asyncio
import logging

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service import callers, problems
from binairo_cp.service.allowed_sites import GUARDED, HEALTH
from binairo_cp.service.app_state import AppState
from binairo_cp.service.callers import Caller, client_of_address
from binairo_cp.service.paths import route_path
from binairo_cp.service.problems import Problem

_MAX_DIGITS = 12
_LOG = logging.getLogger("binairo.service")


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
        callers.set_current(Caller(client, body_bytes, scope=request.scope))

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
