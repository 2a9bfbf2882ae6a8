"""Which names and pages may use a server: against DNS rebinding and cross-site requests.

A page of any site can send requests to a server that its visitor's browser can reach. A foreign
name that resolves to this machine makes such a page look like our own (DNS rebinding). Browsers
send the origin of a request. Other clients send no such header and are allowed.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.types import Scope

from binairo_cp.errors import ServiceError
from binairo_cp.service.problems import Problem, header

HEALTH = ("/healthz", "/readyz")

GUARDED = ("/v1/", "/metrics")
"""Paths that require a key and refuse other sites. The page and the specification are public."""

ANY = "*"

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/@\[\]]{1,253})(?::[0-9]{0,5})?")
_NAME = re.compile(r"(?:\*\.)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_ORIGIN = re.compile(
    r"[a-z][a-z0-9+.-]*://(?:[^\s:/?#@\[\];,'\"]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
)
_LOCAL = (".localhost", ".local", ".internal", ".home.arpa", ".lan")
"""Suffixes that can't be registered, so they can't be used for DNS rebinding."""


class Hosts:
    """The host names that a server accepts.

    If the server listens on a loopback address, these are the names of loopback. Otherwise these
    are all IP addresses, the machine's own name, and names that exist only in a local network.
    Starlette's middleware for hosts knows no addresses and no local names (`test_host_names`).

    Args:
        bound: the address that the server listens on.
        names: further names. ``*.example.org`` stands for all subdomains, and ``*`` for any name.

    Raises:
        ServiceError: one of the names is not valid.
    """

    def __init__(self, bound: str, names: Iterable[str] = ()) -> None:
        self._names = {bound.lower(), *map(_parse_name, names)}
        self._suffixes = tuple(name[1:] for name in self._names if name.startswith("*."))
        self._is_local = not is_loopback(bound)
        if self._is_local:
            self._names.add(socket.gethostname().lower())
            self._suffixes += _LOCAL

    def __contains__(self, name: str) -> bool:
        if {ANY, name} & self._names or is_loopback(name) or name.endswith(self._suffixes):
            return True
        return self._is_local and (_address(name) is not None or "." not in name)


def parse_origins(
    texts: Iterable[str],
    option: str = "--cors",
    examples: str = "https://example.org or http://localhost:3000",
) -> tuple[str, ...]:
    """Parse the values of an option for origins; its name and the examples are for error messages.

    Raises:
        ServiceError: one of them is not an origin.
    """
    origins = tuple(text.lower() for text in texts)
    for origin in origins:
        if origin != ANY and not _ORIGIN.fullmatch(origin):
            raise ServiceError(
                f"{option} {origin[:80]!r}: expected an origin such as {examples}, without a path, "
                "or *"
            )
    return origins


class AllowedSites:
    """Refuses requests for unknown host names and from pages of other sites.

    Starlette's middleware for CORS lets requests of other sites pass
    (`test_pages_of_other_sites_are_refused`).
    """

    def __init__(self, hosts: Hosts, origins: tuple[str, ...]) -> None:
        self._accepts = lru_cache(maxsize=256)(hosts.__contains__)
        self._origins = origins

    def check(self, scope: Scope) -> None:
        """Check where a request comes from.

        Raises:
            Problem: the request is refused.
        """
        path = scope["path"]
        if path not in HEALTH:
            self._check_host(scope)
        if path.startswith(GUARDED):
            self._check_origin(scope)

    def _check_host(self, scope: Scope) -> None:
        values = [value for name, value in scope["headers"] if name == b"host"]
        if not values and scope.get("http_version") == "1.0":
            return
        name = _host_name(values[0]) if len(values) == 1 else None
        if name is None:
            raise Problem(400, "host", "expected one Host header with a name or an address")
        if not self._accepts(name):
            detail = (
                f"this server does not accept the host name {name[:100]!r}; allow it with "
                "binairo serve --host-name"
            )
            raise Problem(421, "host", detail)

    def _check_origin(self, scope: Scope) -> None:
        """Refuse requests from pages of other sites.

        If the browser sends ``Sec-Fetch-Site``, it must be `same-origin` or `none` (the user typed
        the address). `same-site` is not enough, because another port or subdomain may belong to
        someone else. Browsers omit the header on plain HTTP; then `Origin` must be our own.
        """
        origin, site = header(scope, b"origin"), header(scope, b"sec-fetch-site")
        if not (origin or site):
            return
        if ANY in self._origins or (origin and origin.lower() in self._origins):
            return
        if site:
            is_allowed = site in ("same-origin", "none") or _is_followed_link(scope)
        else:
            is_allowed = _authority(origin) == header(scope, b"host").lower()
        if not is_allowed:
            source = origin[:100] if origin else "other sites"
            detail = (
                f"pages of {source} may not use this server; allow them with "
                "binairo serve --cors ORIGIN"
            )
            raise Problem(403, "origin", detail)


@lru_cache(maxsize=256)
def _host_name(value: bytes) -> str | None:
    """The name or address in a `Host` header, without its port; None if it is not valid."""
    match = _HOST.fullmatch(str(value, "latin-1"))
    return match[1].strip("[]").lower().removesuffix(".") if match else None


def _is_followed_link(scope: Scope) -> bool:
    return (
        scope["method"] in ("GET", "HEAD")
        and header(scope, b"sec-fetch-mode") == "navigate"
        and header(scope, b"sec-fetch-dest") == "document"
    )


def _authority(origin: str) -> str:
    # The scheme is ignored: a proxy may have changed it.
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _parse_name(text: str) -> str:
    name = text.lower().removesuffix(".").strip("[]")
    if name != ANY and not _NAME.fullmatch(name) and not _address(name):
        raise ServiceError(
            f"--host-name {text[:80]!r}: expected a name such as binairo.example.org, without "
            "a scheme or a port, or *.example.org, or *"
        )
    return name


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(text)
    return None


def is_loopback(name: str) -> bool:
    """Whether a name or an address stands for this machine only."""
    if address := _address(name):
        return address.is_loopback
    return name == "localhost" or name.endswith(".localhost")
