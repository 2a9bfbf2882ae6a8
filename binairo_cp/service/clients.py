"""Who the clients are, and what they may use: API keys and fair shares.

A client is the owner of an API key, or an address if there is no key. The middleware sets the
caller of a request once, in a context variable, and the worker pools read it: the functions between
them need not pass it on.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from binairo_cp.errors import ServiceError

_LINE = re.compile(r"(?P<name>[A-Za-z0-9._-]{1,64})\s+sha256:(?P<hash>[0-9a-f]{64})")
_EXPECTED = "expected lines as printed by binairo api-key NAME"
_KEY_PREFIX = "binairo_"
_MAX_KEY = 512

MAX_ADDRESS = 64
"""Characters of an address that are kept. A proxy may forward any text as an address."""

_SERVER = "server"

_IPV6_NETWORK = 64

_FULL_WORK = 10_000
_MIN_FRACTION = 0.01
_MIN_SECONDS = 0.001

CALLER: ContextVar[Caller] = ContextVar("caller")
"""The caller of the current request, for its task and the tasks that it starts."""


class ApiKeys(dict[str, bytes]):
    """The hashes of the keys that a server accepts, by the names of their owners."""

    def name_of(self, key: str) -> str | None:
        """The name of the owner; None if the key is unknown. Takes the same time for every key."""
        hashed = _hash(key[:_MAX_KEY])
        owners = [name for name, known in self.items() if hmac.compare_digest(hashed, known)]
        return owners[-1] if owners else None


def read_keys(path: Path) -> ApiKeys:
    """Read a file of keys. Each line has a name and ``sha256:`` with the hash of a key.

    Raises:
        ServiceError: the file can't be read or is not valid.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ServiceError(f"{path} can't be read: {reason}") from error
    hashes = ApiKeys()
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        match = _LINE.fullmatch(text)
        if match and match["name"] not in hashes:
            hashes[match["name"]] = bytes.fromhex(match["hash"])
        elif text:
            reason = "duplicate name" if match else "not a name and a hash"
            raise ServiceError(f"{path}:{number}: {reason}; {_EXPECTED}")
    if not hashes:
        raise ServiceError(f"{path}: the file contains no keys; {_EXPECTED}")
    return hashes


def new_key(name: str) -> tuple[str, str]:
    """Create a random key; returns it, and its line for the file of keys.

    Raises:
        ServiceError: the name is not valid.
    """
    key = _KEY_PREFIX + secrets.token_urlsafe(32)
    line = f"{name} sha256:{_hash(key).hex()}"
    if not _LINE.fullmatch(line):
        raise ServiceError(f"{name[:80]!r}: expected 1 to 64 letters, digits, '.', '_' or '-'")
    return key, line


def _hash(key: str) -> bytes:
    # A key has 256 random bits, so it does not need a slow hash.
    return hashlib.sha256(key.encode(errors="surrogateescape")).digest()


@dataclass(slots=True)
class Caller:
    """The client of a request, and what its request may cost.

    Attributes:
        body_bytes: the size of the request body, as an estimate of the size of the puzzles.
        solutions: how many solutions the request may compute.
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


def current() -> Caller:
    """The caller of the current request; the server itself outside of a request."""
    return CALLER.get(None) or Caller()


@lru_cache(maxsize=1024)
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
