"""What each request passes before FastAPI sees it: ids, access control, logs, headers, errors.

A page of any site can send requests to a server that its visitor's browser can reach. A foreign
name that resolves to this machine makes such a page look like our own (DNS rebinding). Browsers
send the origin of a request. Other clients send no such header and are allowed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import random
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from time import perf_counter, time
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from binairo_cp.errors import BinairoError, ServiceError
from binairo_cp.service import clients, problems, requests
from binairo_cp.service.app_state import AppState
from binairo_cp.service.clients import MAX_ADDRESS, Caller, client_of_address
from binairo_cp.service.limits import ServerOptions
from binairo_cp.service.monitoring import write_soon
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

_LOG = logging.getLogger("binairo.service")
_ID = re.compile(r"[A-Za-z0-9._:@/+=-]{1,128}")
_MAX_PATH, _MAX_DIGITS = 200, 12
_EXPOSED = [
    *("Binairo-Version", "Content-Disposition", "Link", "Location", "Retry-After"),
    *("X-Request-ID", "X-Time-Limit"),
]

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

_FIELDS = {name.encode(): value.encode() for name, value in HEADERS.items()}

_FIELDS_OF_DATA = {
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    **{
        name: _FIELDS[name]
        for name in (b"x-content-type-options", b"cache-control", b"binairo-version")
    },
}
"""Browsers run nothing in JSON, and uvicorn takes long to write the fields for documents."""

_DATA = frozenset((b"content-type", kind.encode()) for kind in (requests.JSON, problems.MEDIA_TYPE))


class App(FastAPI):
    """FastAPI, with what each request passes before, and each response after.

    Each request gets an id. Requests of unknown sites or without a key are refused. What a route
    raises becomes a problem. Responses get headers for security, and requests are logged and
    counted.

    The `state` in the scope of a request has the state of the server, the id of the request, and
    the status of its response (0 before that has begun).
    """

    def __init__(self, state: AppState, sites: AllowedSites, **options: Any) -> None:
        super().__init__(**options)
        self.state.binairo = self._state = state
        self._sites = sites
        self._served: ASGIApp = self._serve
        if sites.origins:
            self._served = CORSMiddleware(
                self._serve,
                allow_origins=list(sites.origins),
                allow_methods=["GET", "HEAD", "POST", "DELETE"],
                allow_headers=["*"],
                expose_headers=_EXPOSED,
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        method, started = scope["method"], perf_counter()
        if method == "HEAD":
            # Routes handle HEAD as GET. Uvicorn omits the body of the response.
            scope = {**scope, "method": "GET"}
        given = header(scope, b"x-request-id")  # ids are not secret
        id = given if _ID.fullmatch(given) else f"{random.getrandbits(64):016x}"
        about = scope.setdefault("state", {})
        about.update(server=self._state, request_id=id, status=0, is_head=method == "HEAD")
        about.update(client_name="", address=scope["client"][0] if scope.get("client") else "")

        async def send_with_fields(message: Message) -> None:
            if message["type"] == "http.response.start":
                about["status"] = message["status"]
                given = message.get("headers", ())
                own = (_FIELDS if _DATA.isdisjoint(given) else _FIELDS_OF_DATA).copy()
                own[b"x-request-id"] = id.encode()
                for name, _ in given:
                    own.pop(name, None)
                message["headers"] = [*given, *own.items()]
            await send(message)

        self._state.active += 1
        try:
            self._sites.check(scope)
            await self._served(scope, receive, send_with_fields)
        except Problem as problem:
            await problems.response(Request(scope), problem)(scope, receive, send_with_fields)
        finally:
            self._state.active -= 1
            self._record(scope, method, perf_counter() - started)

    def _record(self, scope: Scope, method: str, seconds: float) -> None:
        """Count and log a request. The body and the query are not logged: they contain puzzles."""
        about = scope["state"]
        route = getattr(scope.get("route"), "path", "") or "none"
        count, observe = self._state.metrics.of_requests(method, route, about["status"])
        count()
        observe(seconds)
        if _LOG.isEnabledFor(logging.INFO):
            fields = {
                "request_id": about["request_id"],
                "method": method,
                "path": scope["path"][:_MAX_PATH],
                "status": about["status"],
                "seconds": round(seconds, 6),
                "client": about["client_name"] or about["address"][:MAX_ADDRESS],
            }
            write_soon(time(), "info", _LOG.name, "request", fields)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check who sends a request, and answer it."""
        about = scope["state"]
        try:
            self._check_key(scope, about)
            await super().__call__(scope, receive, send)
            return
        except Problem as error:
            problem = error
        except BinairoError as error:
            problem = problems.of_error(error, Request(scope).query_params)
        except asyncio.CancelledError:
            # On shutdown, uvicorn cancels the requests that still run after the grace period.
            if not self._state.stopping.is_set():
                raise
            detail = "the server stopped before the request was finished"
            problem = Problem(503, "stopping", detail, retry_after=10, close=True)
        except Exception:
            _LOG.exception("failed", extra={"request_id": about["request_id"]})
            if about["status"]:
                raise
            problem = Problem(500, "internal", "internal error; see the log of the server")
        if not about["status"]:
            await problems.response(Request(scope), problem)(scope, receive, send)

    def _check_key(self, scope: Scope, about: dict[str, Any]) -> None:
        if not scope["path"].startswith(GUARDED) or scope["method"] == "OPTIONS":
            return
        client = client_of_address(about["address"])
        if (keys := self._state.keys) is not None:
            scheme, _, token = header(scope, b"authorization").partition(" ")
            key = token.strip() if scheme.lower() == "bearer" else header(scope, b"x-api-key")
            about["client_name"] = name = keys.name_of(key) or ""
            if not name:
                detail = "expected an API key: Authorization: Bearer KEY, or X-API-Key: KEY"
                problem = Problem(401, "key", detail)
                problem.headers["WWW-Authenticate"] = "Bearer"
                raise problem
            client = f"key {name}"
        size = header(scope, b"content-length")
        is_known = size.isascii() and size.isdigit() and len(size) <= _MAX_DIGITS
        body_bytes = int(size) if is_known else self._state.limits.body_bytes
        clients.CALLER.set(Caller(client, body_bytes, scope=scope))


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
        return self._is_local and (_parsed_address(name) is not None or "." not in name)


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

    def __init__(self, options: ServerOptions) -> None:
        hosts = Hosts(options.host, options.host_names or ())
        self._accepts = lru_cache(maxsize=256)(hosts.__contains__)
        self.origins = parse_origins(options.origins or ())

    def check(self, scope: Scope) -> None:
        """Check which host a request is for, and where it comes from.

        Raises:
            Problem: the request is refused.
        """
        values = [value for name, value in scope["headers"] if name == b"host"]
        is_named = values or scope.get("http_version") != "1.0"
        if is_named and scope["path"] not in HEALTH:
            name = _host_name(values[0]) if len(values) == 1 else None
            if name is None:
                raise Problem(400, "host", "expected one Host header with a name or an address")
            if not self._accepts(name):
                detail = f"this server does not accept the host name {name[:100]!r}"
                raise Problem(421, "host", f"{detail}; allow it with binairo serve --host-name")
        if scope["path"].startswith(GUARDED):
            self._check_origin(scope)

    def _check_origin(self, scope: Scope) -> None:
        """Refuse requests from pages of other sites.

        If the browser sends ``Sec-Fetch-Site``, it must be `same-origin` or `none` (the user typed
        the address). `same-site` is not enough, because another port or subdomain may belong to
        someone else. Browsers omit the header on plain HTTP; then `Origin` must be our own.
        """
        origin, site = header(scope, b"origin"), header(scope, b"sec-fetch-site")
        if not (origin or site):
            return
        if ANY in self.origins or (origin and origin.lower() in self.origins):
            return
        if site:
            is_link = header(scope, b"sec-fetch-mode") == "navigate" and scope["method"] == "GET"
            is_followed = is_link and header(scope, b"sec-fetch-dest") == "document"
            is_allowed = site in ("same-origin", "none") or is_followed
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


def _authority(origin: str) -> str:
    # The scheme is ignored: a proxy may have changed it.
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _parse_name(text: str) -> str:
    name = text.lower().removesuffix(".").strip("[]")
    if name != ANY and not _NAME.fullmatch(name) and not _parsed_address(name):
        raise ServiceError(
            f"--host-name {text[:80]!r}: expected a name such as binairo.example.org, without "
            "a scheme or a port, or *.example.org, or *"
        )
    return name


def _parsed_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(text)
    return None


def is_loopback(name: str) -> bool:
    """Whether a name or an address stands for this machine only."""
    if address := _parsed_address(name):
        return address.is_loopback
    return name == "localhost" or name.endswith(".localhost")
