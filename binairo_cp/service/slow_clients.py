"""Connections whose clients are slow or too many: they end, so that they keep nobody else out."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from binairo_cp.service.connections import Connections

MOST_HEAD_BYTES = 1 << 16
STALLED_SECONDS = 60.0
"""How long a client may leave an answer unread."""

_PROBLEM = (
    b'{"type":"urn:binairo:problem:head-too-large","title":"Request Header Fields Too Large",'
    b'"status":431,"detail":"expected a head of at most 64 KiB","instance":"","request_id":""}'
)
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: application/problem+json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_PROBLEM), _PROBLEM)
)


class Patient(HttpToolsProtocol):
    """HTTP with patience that ends: for the head of a request, and for an answer to be read."""

    head_seconds: float
    open_connections: Connections

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """A head is expected."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.open_connections.add(self)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is expected any more."""
        self.open_connections.remove(self)
        self._head_came()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a head, or of a body."""
        if self._head is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_head()
        if self._head is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head is not None and self._head_bytes > MOST_HEAD_BYTES:
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._head_came()
        self.scope["state"]["is_crowded"] = self.open_connections.is_crowded(self)
        super().on_headers_complete()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_receiving(self) -> bool:
        """Whether the body of a request is still arriving."""
        return not self.is_idle and self.cycle.more_body

    def drop(self) -> None:
        """Close the connection; what was answered still goes out."""
        self.transport.close()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
            super().resume_writing()

    def _expect_head(self) -> None:
        self._head_bytes = 0
        self._head = self.loop.call_later(self.head_seconds, self.transport.close)

    def _head_came(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None


def patient(head_seconds: float, connections: Connections) -> type[Patient]:
    """The protocol with a time for heads, and the connections that there are."""
    named = {"head_seconds": head_seconds, "open_connections": connections}
    return type("Patient", (Patient,), named)
