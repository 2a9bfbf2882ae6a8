"""Reverse proxies: what they say of a client, and the path that they put before ours.

Anybody can send these headers, so only those of proxies that the operator named are believed.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from binairo_cp.errors import ServiceError
from binairo_cp.service.paths import A_PREFIX, prefix
from binairo_cp.service.problems import Problem


class Networks:
    """Addresses of machines.

    Args:
        given: addresses and networks, such as 127.0.0.1 and 10.0.0.0/8.

    Raises:
        ServiceError: one of them is something else.
    """

    def __init__(self, given: Iterable[str]) -> None:
        self.names = [*given]
        self._networks = [_network(each) for each in self.names]

    def __contains__(self, address: object) -> bool:
        try:
            found = ipaddress.ip_address(str(address))
        except ValueError:
            return False
        return any(found in each for each in self._networks)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ServiceError(
            f"--trusted-proxies {text[:80]!r}: {error}; expected an address such as 127.0.0.1 or a "
            "network such as 10.0.0.0/8"
        ) from None


class Proxies:
    """The middleware: the client's address, the scheme and the prefix, as trusted proxies say.

    A proxy may remove the prefix from paths or leave it there; both are understood.
    """

    def __init__(self, app: ASGIApp, trusted: Networks, root_path: str) -> None:
        self._app = app
        self._trusted = trusted
        self._root_path = root_path
        self._forwarded = ProxyHeadersMiddleware(self._inner, trusted.names)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        before = self._prefix(scope)
        if before and scope["path"] == before:
            # Links of the page are relative to the slash.
            query = scope["query_string"].decode("latin-1")
            there = f"{before}/?{query}" if query else f"{before}/"
            await RedirectResponse(there, 308)(scope, receive, send)
            return
        if before:
            _put_before(scope, before)
        await self._forwarded(scope, receive, send)  # type: ignore[arg-type]

    async def _inner(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _prefix(self, scope: Scope) -> str:
        client = scope.get("client")
        given = Headers(scope=scope).get("x-forwarded-prefix")
        if given is None or client is None or client[0] not in self._trusted:
            return self._root_path
        found = prefix(given)
        if found is None:
            raise Problem(400, "forwarded", f"X-Forwarded-Prefix: expected {A_PREFIX}", close=True)
        return found


def _put_before(scope: Scope, before: str) -> None:
    scope["root_path"] = before
    if not scope["path"].startswith(f"{before}/"):
        scope["path"] = before + scope["path"]
        if scope.get("raw_path"):
            scope["raw_path"] = before.encode() + scope["raw_path"]
