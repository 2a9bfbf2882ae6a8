"""Limit the request rate of each client with a token bucket.

The processes of a server share the buckets in a file. A bucket is the time when it will be full
again, as in the generic cell rate algorithm. A slot of the table contains the hash of a client, and
this time. A client without a slot has a full bucket.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import monotonic

_SLOTS = 1 << 16
_ROUNDING = 1e-6
_PROBES = 16
"""A client has one of so many slots. If all are in use, the fullest bucket is forgotten."""

_SLOT = struct.Struct("=8sd")


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left in a client's bucket.

    Attributes:
        remaining: requests that it may send at once.
        reset: seconds until the bucket is full.
        wait: seconds until the next request is allowed; 0 if this one was.
    """

    remaining: int
    reset: int
    wait: float


class RateLimiter:
    """Token buckets of the clients that sent requests most recently.

    Args:
        rate: requests per second; None for no limit.
        burst: capacity of a bucket, in requests.
        shared: a file that all processes of the server use; None if there is only one.
    """

    def __init__(self, rate: float | None, burst: int, shared: Path | None = None) -> None:
        self._rate = rate
        self._burst = burst
        self._file: int | None = None
        if rate is None:
            return
        size = _SLOTS * _SLOT.size
        if shared is None:
            self._table = mmap.mmap(-1, size)
        else:
            self._file = os.open(shared, os.O_RDWR | os.O_CREAT, 0o600)
            os.truncate(self._file, size)
            self._table = mmap.mmap(self._file, size)

    @property
    def policy(self) -> str:
        """The limit as the field RateLimit-Policy; empty without a limit."""
        if self._rate is None:
            return ""
        window = max(1, math.ceil(self._burst / self._rate))
        return f'"client";q={self._burst};w={window}'

    def take(self, client: str) -> Quota | None:
        """Take a token, if there is one. Returns None if there is no limit."""
        if self._rate is None:
            return None
        name = blake2b(client.encode("utf-8", "replace"), digest_size=8).digest()
        with self._locked():
            # The clock of the system, which is the same in all processes.
            now = monotonic()
            offset, full_at = self._find(name, now)
            fills_in = max(full_at - now, 0.0)
            after = fills_in + 1 / self._rate
            wait = max(0.0, after - self._burst / self._rate)
            if not wait:
                fills_in = after
                _SLOT.pack_into(self._table, offset, name, now + after)
            left = max(0, math.floor(self._burst - fills_in * self._rate + _ROUNDING))
            return Quota(left, math.ceil(fills_in), wait)

    def fields(self, quota: Quota) -> dict[str, str]:
        """The response fields that report a quota (IETF draft "RateLimit header fields")."""
        state = f'"client";r={quota.remaining};t={quota.reset}'
        return {"RateLimit-Policy": self.policy, "RateLimit": state}

    def _find(self, name: bytes, now: float) -> tuple[int, float]:
        """The slot of a client, or the best one for it, and when its bucket is full."""
        first, best, earliest = int.from_bytes(name, "little"), 0, float("inf")
        for probe in range(_PROBES):
            offset = (first + probe) % _SLOTS * _SLOT.size
            other, full_at = _SLOT.unpack_from(self._table, offset)
            if other == name:
                return offset, full_at
            if full_at < earliest:
                best, earliest = offset, full_at
        return best, now

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude other processes. The system ends the lock of a process that dies."""
        if self._file is None:
            yield
            return
        import fcntl

        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)
