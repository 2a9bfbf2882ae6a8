"""Who sent the current request, for fair shares of the workers and for metrics.

A client is the owner of an API key, or an address if there is no key. The middleware sets the
caller of a request once, in a context variable, and the worker pools read it: the functions between
them need not pass it on.
"""

from __future__ import annotations

import ipaddress
from collections.abc import MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

MAX_ADDRESS = 64
"""Characters of an address that are kept. A proxy may forward any text as an address."""

_SERVER = "server"
_IPV6_NETWORK = 64
_FULL_WORK = 10_000
_MIN_FRACTION = 0.01
_MIN_SECONDS = 0.001


@dataclass(slots=True)
class Caller:
    """The client of a request, and what its request may cost.

    Attributes:
        client: the client.
        body_bytes: the size of the request body, as an estimate of the size of the puzzles.
        solutions: how many solutions the request may compute.
        scope: the ASGI scope of the request.
    """

    client: str = _SERVER
    body_bytes: int = _FULL_WORK
    solutions: int = 1
    scope: MutableMapping[str, Any] = field(default_factory=dict)

    @property
    def route(self) -> str:
        """The path pattern of the request; ``none`` if it has none."""
        return getattr(self.scope.get("route"), "path", "") or "none"

    def possible_cost(self, seconds: float) -> float:
        """Seconds of a worker that the request may take: from its time limit, size and limit.

        A request with few bytes and few solutions rarely reaches its time limit. The estimate only
        counts until the real time is known.
        """
        fraction = self.body_bytes * self.solutions / _FULL_WORK
        return max(_MIN_SECONDS, seconds * min(1.0, max(_MIN_FRACTION, fraction)))


_current: ContextVar[Caller] = ContextVar("caller")


def current() -> Caller:
    """The caller of the current request; the server itself outside of a request."""
    return _current.get(None) or Caller()


def set_current(caller: Caller) -> None:
    """Set the caller for the current task and the tasks that it starts."""
    _current.set(caller)


def client_of_address(host: str) -> str:
    """The client behind an address. One IPv6 client usually has a whole network of addresses."""
    host = host[:MAX_ADDRESS]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_NETWORK), strict=False))
