"""How often a client may ask: a bucket of tokens for each, which fills by itself."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic

_MOST_CLIENTS = 10_000


class Rates:
    """The buckets of the clients that were seen last.

    Args:
        rate: tokens a second, each good for a request; None for no bound.
        burst: how many a bucket holds.
    """

    def __init__(self, rate: float | None, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take a token; if there is none, the seconds until there is one, else 0."""
        if self._rate is None:
            return 0.0
        now = monotonic()
        tokens, at = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / self._rate
        self._buckets[client] = (tokens if wait else tokens - 1, now)
        if len(self._buckets) > _MOST_CLIENTS:
            # Who was not seen for longest has a full bucket again anyway, or soon.
            self._buckets.popitem(last=False)
        return wait
