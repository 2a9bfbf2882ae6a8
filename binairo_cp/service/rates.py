"""Limit the request rate of each client with a token bucket."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic

_MAX_CLIENTS = 10_000


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
    """

    def __init__(self, rate: float | None, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    @property
    def policy(self) -> str:
        """The limit as the field RateLimit-Policy; empty without a limit."""
        if self._rate is None:
            return ""
        window = max(1, math.ceil(self._burst / self._rate))
        return f'"client";q={self._burst:.0f};w={window}'

    def take(self, client: str) -> Quota | None:
        """Take a token, if there is one. Returns None if there is no limit."""
        if self._rate is None:
            return None
        now = monotonic()
        tokens, at = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / self._rate
        left = tokens if wait else tokens - 1
        self._buckets[client] = (left, now)
        if len(self._buckets) > _MAX_CLIENTS:
            # The bucket that was not used for the longest time is the most likely to be full.
            self._buckets.popitem(last=False)
        return Quota(int(left), math.ceil((self._burst - left) / self._rate), wait)

    def fields(self, quota: Quota) -> dict[str, str]:
        """The response fields that report a quota (IETF draft "RateLimit header fields")."""
        state = f'"client";r={quota.remaining};t={quota.reset}'
        return {"RateLimit-Policy": self.policy, "RateLimit": state}
