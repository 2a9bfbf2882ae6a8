"""Close connections of clients that are too slow or too many, so they can't lock out others."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from binairo_cp.service.connections import Connections

MAX_HEAD_BYTES = 1 << 16
STALLED_SECONDS = 60.0
"""Time for a client to continue reading a response."""

_PROBLEM = (
    b'{"type":"urn:binairo:problem:head-too-large","title":"Request Header Fields Too Large",'
    b'"status":431,"detail":"expected a head of at most 64 KiB","instance":"","request_id":""}'
)
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: application/problem+json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_PROBLEM), _PROBLEM)
)


class TimeoutProtocol(HttpToolsProtocol):
    """The HTTP protocol of uvicorn, with time limits for slow clients.

    Attributes:
        head_seconds: time for the head of a request to arrive.
        open_connections: all open connections of the server.
    """

    head_seconds: float
    open_connections: Connections

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None
        self._stalled_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Register the connection and wait for the head of a request."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.open_connections.add(self)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection and cancel its timers."""
        self.open_connections.remove(self)
        self._cancel_head_timer()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a head or of a body."""
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._start_head_timer()
        if self._head_timer is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > MAX_HEAD_BYTES:
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def on_headers_complete(self) -> None:
        """Start the request."""
        self._cancel_head_timer()
        self.scope["state"]["is_over_limit"] = self.open_connections.is_over_limit(self)
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
        """Close the connection after sending what is already in the buffer."""
        self.transport.close()

    def pause_writing(self) -> None:
        """The client does not read: give it a limited time to continue."""
        super().pause_writing()
        self._stalled_timer = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._stalled_timer is not None:
            self._stalled_timer.cancel()
            self._stalled_timer = None
            super().resume_writing()

    def _start_head_timer(self) -> None:
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(self.head_seconds, self.transport.close)

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def protocol_with_timeouts(head_seconds: float, connections: Connections) -> type[TimeoutProtocol]:
    """A subclass of `TimeoutProtocol`, since uvicorn takes a class and no arguments for it."""
    attributes = {"head_seconds": head_seconds, "open_connections": connections}
    return type("TimeoutProtocol", (TimeoutProtocol,), attributes)
