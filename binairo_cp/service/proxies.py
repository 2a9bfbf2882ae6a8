"""Headers of reverse proxies: the client's address, the scheme and the path prefix.

Any client can send these headers, so they are trusted only from the addresses given by
`--trusted-proxies`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from binairo_cp.errors import ServiceError
from binairo_cp.service.paths import EXPECTED_PREFIX, parse_prefix
from binairo_cp.service.problems import Problem


class Networks:
    """A set of IP addresses.

    Args:
        texts: addresses and networks, such as 127.0.0.1 and 10.0.0.0/8.

    Raises:
        ServiceError: one of them is not valid.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = [*texts]
        self._networks = [_parse_network(each) for each in self.texts]

    def __contains__(self, address: object) -> bool:
        try:
            parsed = ipaddress.ip_address(str(address))
        except ValueError:
            return False
        return any(parsed in each for each in self._networks)


def _parse_network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ServiceError(
            f"--trusted-proxies {text[:80]!r}: {error}; expected an address such as 127.0.0.1 or a "
            "network such as 10.0.0.0/8"
        ) from None


class ProxyHeaders:
    """Middleware that applies the headers of trusted proxies to the scope of a request.

    A proxy may strip the prefix from the path or keep it.
    """

    def __init__(self, app: ASGIApp, trusted: Networks, root_path: str) -> None:
        self._app = app
        self._trusted = trusted
        self._root_path = root_path
        self._forwarded = ProxyHeadersMiddleware(self._inner, trusted.texts)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        prefix = self._prefix(scope)
        if prefix and scope["path"] == prefix:
            # Links on the page are relative, so its URL must end with a slash.
            query = scope["query_string"].decode("latin-1")
            target = f"{prefix}/?{query}" if query else f"{prefix}/"
            await RedirectResponse(target, 308)(scope, receive, send)
            return
        if prefix:
            _set_prefix(scope, prefix)
        await self._forwarded(scope, receive, send)  # type: ignore[arg-type]

    async def _inner(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _prefix(self, scope: Scope) -> str:
        client = scope.get("client")
        header = Headers(scope=scope).get("x-forwarded-prefix")
        if header is None or client is None or client[0] not in self._trusted:
            return self._root_path
        prefix = parse_prefix(header)
        if prefix is None:
            detail = f"X-Forwarded-Prefix: expected {EXPECTED_PREFIX}"
            raise Problem(400, "forwarded", detail, close=True)
        return prefix


def _set_prefix(scope: Scope, prefix: str) -> None:
    scope["root_path"] = prefix
    if not scope["path"].startswith(f"{prefix}/"):
        scope["path"] = prefix + scope["path"]
        if scope.get("raw_path"):
            scope["raw_path"] = prefix.encode() + scope["raw_path"]
