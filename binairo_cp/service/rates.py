"""Limit the request rate of each client with a token bucket."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic

_MAX_CLIENTS = 10_000


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

    def take(self, client: str) -> float:
        """Take a token. Returns 0, or the seconds to wait if the bucket is empty."""
        if self._rate is None:
            return 0.0
        now = monotonic()
        tokens, at = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / self._rate
        self._buckets[client] = (tokens if wait else tokens - 1, now)
        if len(self._buckets) > _MAX_CLIENTS:
            # The bucket that was not used for the longest time is the most likely to be full.
            self._buckets.popitem(last=False)
        return wait
