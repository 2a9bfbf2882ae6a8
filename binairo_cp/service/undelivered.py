"""Bound the results that clients have not read, in bytes, for each stream and each client."""

from __future__ import annotations

import asyncio
from collections import Counter

STREAM_BYTES, CLIENT_BYTES = 1 << 20, 1 << 24
"""No more is decided for a stream, and for all streams of a client, while so much waits."""


class Undelivered:
    """The bytes of all streams of a server, by client."""

    def __init__(self) -> None:
        self._by_client: Counter[str] = Counter()
        self._changed = asyncio.Event()

    def total(self, client: str) -> int:
        """The bytes that wait for a client."""
        return self._by_client[client]

    def change(self, client: str, number: int) -> None:
        """Note that so many bytes more wait for a client, or fewer."""
        self._by_client[client] += number
        if not self._by_client[client]:
            del self._by_client[client]
        self.wake()

    def wake(self) -> None:
        """Let streams look again whether they may go on."""
        self._changed.set()

    async def changed(self) -> None:
        """Wait for a change."""
        self._changed.clear()
        await self._changed.wait()


class StreamBytes:
    """The bytes of one stream that its client has not read."""

    def __init__(self, all_streams: Undelivered, client: str) -> None:
        self._all, self._client = all_streams, client
        self._held = 0

    async def room(self, is_next: asyncio.Event) -> None:
        """Wait until more may be decided: there is room, or the client waits for what is next."""
        while not is_next.is_set() and self._is_full:
            await self._all.changed()

    @property
    def _is_full(self) -> bool:
        return self._held >= STREAM_BYTES or self._all.total(self._client) >= CLIENT_BYTES

    def add(self, number: int) -> None:
        """Bytes wait for the client; or with a number below 0, wait no longer."""
        self._held += number
        self._all.change(self._client, number)

    def wake(self) -> None:
        """The client waits for something else now."""
        self._all.wake()

    def close(self) -> None:
        """The stream has ended."""
        self.add(-self._held)
