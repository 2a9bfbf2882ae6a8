"""Host names, origins, path prefixes and proxies: against cross-site requests and DNS rebinding.

A page of any site can send requests to a server that its visitor's browser can reach. A foreign
name that resolves to this machine makes such a page look like our own (DNS rebinding). Browsers
send the origin of a request. Other clients send no such header and are allowed. Any client can send
the headers of a proxy, so they are trusted only from the addresses given by `--trusted-proxies`.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from binairo_cp.errors import ServiceError
from binairo_cp.service.problems import Problem, header

EXPECTED_PREFIX = "a path such as /binairo"

_PATH_PREFIX = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8}")
_MAX_LENGTH = 200
_ROUTES = ("/v1/", "/static/")

HEALTH = ("/healthz", "/readyz")

GUARDED = ("/v1/", "/metrics")
"""Paths that require a key and refuse other sites. The page and the specification are public."""

ANY = "*"

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/@\[\]]{1,253})(?::[0-9]{0,5})?")
_NAME = re.compile(r"(?:\*\.)?[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^\s:/?#@\[\]]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_LOCAL = (".localhost", ".local", ".internal", ".home.arpa", ".lan")
"""Suffixes that can't be registered, so they can't be used for DNS rebinding."""


def parse_prefix(text: str) -> str | None:
    """Parse a path prefix and remove the slash at its end; None if it is not valid."""
    path = text.removesuffix("/")
    if not path:
        return ""
    # With the prefix /v1, it would not be clear whether /v1/check already contains the prefix.
    is_route = f"{path}/".startswith(_ROUTES)
    is_valid = len(path) <= _MAX_LENGTH and _PATH_PREFIX.fullmatch(path) and not is_route
    return path if is_valid else None


def root_path(text: str) -> str:
    """Parse the value of `--root-path`.

    Raises:
        ServiceError: it is not valid.
    """
    prefix = parse_prefix(text)
    if prefix is None:
        raise ServiceError(f"--root-path {text[:80]!r}: expected {EXPECTED_PREFIX}")
    return prefix


class Hosts:
    """The host names that a server accepts.

    If the server listens on a loopback address, these are the names of loopback. Otherwise these
    are all IP addresses, the machine's own name, and names that exist only in a local network.

    Args:
        bound: the address that the server listens on.
        names: further names. ``*.example.org`` stands for all subdomains, and ``*`` for any name.

    Raises:
        ServiceError: one of the names is not valid.
    """

    def __init__(self, bound: str, names: Iterable[str] = ()) -> None:
        self._names = {bound.lower(), *map(_parse_name, names)}
        self._suffixes = tuple(name[1:] for name in self._names if name.startswith("*."))
        self._is_local = not _is_loopback(bound)
        if self._is_local:
            self._names.add(socket.gethostname().lower())
            self._suffixes += _LOCAL

    def __contains__(self, name: str) -> bool:
        if {ANY, name} & self._names or _is_loopback(name) or name.endswith(self._suffixes):
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
    origins = tuple(each.lower() for each in texts)
    for each in origins:
        if each != ANY and not is_origin(each):
            raise ServiceError(
                f"{option} {each[:80]!r}: expected an origin such as {examples}, without a path, "
                "or *"
            )
    return origins


def is_origin(text: str) -> bool:
    """Whether a text is an origin in lower case, such as ``https://example.org``."""
    # These characters would end a value in a header.
    return bool(_ORIGIN.fullmatch(text)) and not set(text) & set(";,'\"")


class AllowedSites:
    """Refuses requests for unknown host names and from pages of other sites.

    Starlette's middleware for hosts knows no addresses and no local names (`test_host_names`), and
    the one for CORS lets requests of other sites pass (`test_pages_of_other_sites_are_refused`).
    """

    def __init__(self, hosts: Hosts, origins: tuple[str, ...]) -> None:
        self._accepts = lru_cache(maxsize=256)(hosts.__contains__)
        self._origins = origins

    def check(self, scope: Scope, path: str) -> None:
        """Check where a request for a path comes from.

        Raises:
            Problem: the request is refused.
        """
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
            detail = "expected one Host header with a name or an address"
            raise Problem(400, "host", detail, close=True)
        if not self._accepts(name):
            detail = (
                f"this server does not accept the host name {name[:100]!r}; allow it with "
                "binairo serve --host-name"
            )
            raise Problem(421, "host", detail, close=True)

    def _check_origin(self, scope: Scope) -> None:
        """Refuse requests from pages of other sites.

        If the browser sends ``Sec-Fetch-Site``, it must be `same-origin` or `none` (the user typed
        the address). `same-site` is not enough, because another port or subdomain may belong to
        someone else. Browsers omit the header on plain HTTP; then `Origin` must be our own.
        """
        origin, site = header(scope, b"origin"), header(scope, b"sec-fetch-site")
        if ANY in self._origins or (origin and origin.lower() in self._origins):
            return
        if site:
            is_allowed = site in ("same-origin", "none") or _is_followed_link(scope)
        else:
            is_allowed = not origin or _authority(origin) == header(scope, b"host").lower()
        if not is_allowed:
            source = origin[:100] if origin else "other sites"
            detail = (
                f"pages of {source} may not use this server; allow them with "
                "binairo serve --cors ORIGIN"
            )
            raise Problem(403, "origin", detail, close=True)


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


def _parse_name(name: str) -> str:
    lower = name.lower().removesuffix(".")
    if lower != ANY and not _NAME.fullmatch(lower) and not _address(lower.strip("[]")):
        raise ServiceError(
            f"--host-name {name[:80]!r}: expected a name such as binairo.example.org, without "
            "a scheme or a port, or *.example.org, or *"
        )
    return lower.strip("[]")


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(text)
    return None


def _is_loopback(name: str) -> bool:
    if address := _address(name):
        return address.is_loopback
    return name == "localhost" or name.endswith(".localhost")


class Networks:
    """A set of IP addresses: addresses and networks, such as 127.0.0.1 and 10.0.0.0/8.

    Raises:
        ServiceError: one of them is not valid.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = [*texts]
        self._networks = [_parse_network(each) for each in self.texts]

    def __contains__(self, address: object) -> bool:
        parsed = _address(str(address))
        return parsed is not None and any(parsed in each for each in self._networks)


def _parse_network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ServiceError(
            f"--trusted-proxies {text[:80]!r}: {error}; expected an address such as 127.0.0.1 or a "
            "network such as 10.0.0.0/8"
        ) from None


class ProxyHeaders:
    """Applies the headers of trusted proxies to the scope of a request.

    Uvicorn's own does all but the prefix (`test_a_prefix_applies_to_links_and_the_page`).
    A proxy may strip the prefix from the path or keep it.
    """

    def __init__(self, trusted: Networks, root_path: str) -> None:
        self._trusted = trusted
        self._root_path = root_path
        self._forward = ProxyHeadersMiddleware(_nothing, trusted.texts)

    async def apply(self, scope: Scope) -> Response | None:
        """Apply the headers; returns a redirect to the page if its slash is missing.

        Raises:
            Problem: the prefix is not valid.
        """
        prefix = self._prefix(scope)
        if prefix and scope["path"] == prefix:
            # Links on the page are relative, so its URL must end with a slash.
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"{prefix}/?{query}" if query else f"{prefix}/", 308)
        if prefix:
            _set_prefix(scope, prefix)
        await self._forward(scope, _nothing, _nothing)  # type: ignore[arg-type]
        return None

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


async def _nothing(*_: object) -> None:
    """The app behind the middleware of uvicorn, which is only used to change the scope."""


def _set_prefix(scope: Scope, prefix: str) -> None:
    scope["root_path"] = prefix
    if not scope["path"].startswith(f"{prefix}/"):
        scope["path"] = prefix + scope["path"]
        if scope.get("raw_path"):
            scope["raw_path"] = prefix.encode() + scope["raw_path"]
