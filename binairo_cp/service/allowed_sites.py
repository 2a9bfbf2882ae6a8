"""Which sites may use the server: the names that it answers to, and the pages that may ask it.

A page of any site can send requests to a server that its reader's browser can reach, and a name
that resolves to this machine makes such a page look like ours (DNS rebinding). Browsers say where a
request comes from; other clients say nothing, and are let in.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from binairo_cp.errors import ServiceError
from binairo_cp.service.paths import route_path
from binairo_cp.service.problems import Problem

HEALTH = ("/healthz", "/readyz")
GUARDED = ("/v1/", "/metrics")
"""Where keys are needed, and other sites refused; the page and the contract are for everybody."""

ANY = "*"
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/@\[\]]{1,253})(?::[0-9]{0,5})?")
_NAME = re.compile(r"(?:\*\.)?[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^\s:/?#@\[\]]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_LOCAL = (".localhost", ".local", ".internal", ".home.arpa", ".lan")
"""Endings that nobody can register, so that no name below them leads here from outside."""


class Hosts:
    """The names that a server answers to.

    On a loopback address these are the names of loopback. Elsewhere they are all addresses, this
    machine's name, and names that only a local network has.

    Args:
        bound: the address that is listened on.
        names: further names; ``*.example.org`` is all below that, and ``*`` is all.

    Raises:
        ServiceError: one of them is no name.
    """

    def __init__(self, bound: str, names: Iterable[str] = ()) -> None:
        self._names = {bound.lower(), *map(_checked, names)}
        self._endings = tuple(name[1:] for name in self._names if name.startswith("*."))
        self._is_local = not _is_loopback(bound)
        if self._is_local:
            self._names.add(socket.gethostname().lower())
            self._endings += _LOCAL

    def __contains__(self, name: str) -> bool:
        if {ANY, name} & self._names or _is_loopback(name) or name.endswith(self._endings):
            return True
        return self._is_local and (_is_address(name) or "." not in name)


def origins(given: Iterable[str]) -> tuple[str, ...]:
    """The origins that the operator gave.

    Raises:
        ServiceError: one of them is something else.
    """
    found = tuple(each.lower() for each in given)
    for each in found:
        if each != ANY and not _ORIGIN.fullmatch(each):
            raise ServiceError(
                f"--cors {each[:80]!r}: expected an origin such as https://example.org or "
                "http://localhost:3000, without a path, or *"
            )
    return found


class Sites:
    """The middleware: refuses requests for other names, and from pages of other sites."""

    def __init__(self, app: ASGIApp, hosts: Hosts, origins: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = route_path(scope)
            if path not in HEALTH:
                self._check_host(Request(scope))
            if path.startswith(GUARDED):
                self._check_origin(Request(scope))
        await self._app(scope, receive, send)

    def _check_host(self, request: Request) -> None:
        given = request.headers.getlist("host")
        if not given and request.scope.get("http_version") == "1.0":
            return
        match = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        if match is None:
            detail = "expected one Host header with a name or an address"
            raise Problem(400, "host", detail, close=True)
        name = match[1].strip("[]").lower().removesuffix(".")
        if name not in self._hosts:
            detail = (
                f"this server does not answer to the name {name[:100]!r}; binairo serve "
                "--host-name lets it"
            )
            raise Problem(421, "host", detail, close=True)

    def _check_origin(self, request: Request) -> None:
        """Refuse what a browser says to come from a page of another site.

        ``Sec-Fetch-Site`` decides where there is one: only `same-origin` and `none` (the user
        asked, by the address bar say) are let in, for a page of the same site is still another's.
        Browsers leave it out on plain HTTP, and then `Origin` must be our own.
        """
        headers = request.headers
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if ANY in self._origins or (origin and origin.lower() in self._origins):
            return
        if site is None:
            is_ours = origin is None or _authority(origin) == headers.get("host", "").lower()
        else:
            is_ours = site in ("same-origin", "none") or _is_followed_link(request)
        if not is_ours:
            whose = f"of {origin[:100]}" if origin else "of other sites"
            detail = f"pages {whose} may not use this server; binairo serve --cors ORIGIN lets them"
            raise Problem(403, "origin", detail, close=True)


def _is_followed_link(request: Request) -> bool:
    headers = request.headers
    return (
        request.method in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def _authority(origin: str) -> str:
    # Without the scheme, which a proxy before us may have changed.
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _checked(name: str) -> str:
    lower = name.lower().removesuffix(".")
    if lower != ANY and not _NAME.fullmatch(lower) and not _is_address(lower.strip("[]")):
        raise ServiceError(
            f"--host-name {name[:80]!r}: expected a name such as binairo.example.org, without "
            "a scheme or a port, or *.example.org, or *"
        )
    return lower.strip("[]")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    if _is_address(name):
        return ipaddress.ip_address(name).is_loopback
    return name == "localhost" or name.endswith(".localhost")
