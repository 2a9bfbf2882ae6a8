"""Whether a client has company: another client that sent a request a short time ago."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

SECONDS = 10.0
"""How long a client counts after its last request."""


class RecentClients:
    """The two clients that sent requests last.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._times: dict[str, float] = {}

    def note(self, client: str) -> None:
        """Record that a client sends a request now."""
        self._times.pop(client, None)
        self._times[client] = self._clock()
        if len(self._times) > 2:
            del self._times[next(iter(self._times))]

    def has_others(self, client: str) -> bool:
        """Whether another client sent a request a short time ago."""
        since = self._clock() - SECONDS
        return any(name != client and time > since for name, time in self._times.items())
