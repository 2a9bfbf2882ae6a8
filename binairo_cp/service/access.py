"""Who may ask, and how often: keys, rates, connections; and whatever goes wrong, as a problem.

This stands inside of CORS, so that pages of allowed sites can read why they were refused.
"""

from __future__ import annotations

import asyncio
import logging

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.service import problems
from binairo_cp.service.allowed_sites import GUARDED, HEALTH
from binairo_cp.service.paths import route_path
from binairo_cp.service.problems import Problem
from binairo_cp.service.state import State

_LOG = logging.getLogger("binairo.service")
_LONGEST_ADDRESS = 64


class Access:
    """The middleware."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        is_crowded, has_begun = _is_crowded(request), False

        async def noting(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if is_crowded and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        try:
            self._check(request)
            await self._app(scope, receive, noting)
            return
        except Problem as error:
            problem = error
        except asyncio.CancelledError:
            # The server can't wait any longer for what still runs.
            if not self._state.stopping.is_set():
                raise
            detail = "the server stopped before this was done"
            problem = Problem(503, "stopping", detail, retry_after=10, close=True)
        except Exception:
            _LOG.exception("failed", extra={"request_id": request.state.request_id})
            if has_begun:
                raise
            problem = Problem(500, "internal", "something went wrong here; it has been noted")
        if not has_begun:
            await problems.response(request, problem)(scope, receive, send)

    def _check(self, request: Request) -> None:
        """Let in who may come in.

        Raises:
            Problem: a key is missing or wrong, or there were too many requests or connections.
        """
        path = route_path(request.scope)
        if _is_crowded(request) and path not in HEALTH:
            detail = "there are too many connections at once"
            raise Problem(429, "connections", detail, retry_after=1, close=True)
        if not path.startswith(GUARDED) or request.method == "OPTIONS":
            return
        # A proxy may hand on anything as an address, and it is kept for a while.
        client = request.client.host[:_LONGEST_ADDRESS] if request.client else ""
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


def _is_crowded(request: Request) -> bool:
    """Whether its connection is one too many."""
    return bool(getattr(request.state, "is_crowded", False))


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
