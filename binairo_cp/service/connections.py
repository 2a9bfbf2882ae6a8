"""Limit the connections of clients in number, size and time.

If there are too many, the oldest idle connection is closed. If an address has too many and none of
them is idle, its oldest connection whose request body is still arriving is closed. So idle and slow
connections can't lock out other clients, and health checks are always answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterator
from typing import Any, Protocol, cast

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from binairo_cp.service import problems
from binairo_cp.service.middleware import HEADERS, request_id
from binairo_cp.service.problems import Problem

MAX_HEAD_BYTES = 1 << 16
"""Limit of a head, and of what is not the body in the rest of a request: chunk sizes, trailers."""

MAX_UNREAD_BYTES = 1 << 20
"""Limit of the rest of a body that arrives after the response."""

STALLED_SECONDS = 60.0
"""Time for a client to continue reading a response."""

_PIECE_BYTES = 1 << 12
_MAX_HELD_BYTES = 1 << 16
_FRAMING_PER_BYTE = 8
"""Bytes of chunk sizes for a byte of the body. A chunk of one byte has five."""

_MAX_PIPELINED = 100
"""Requests that a client may send before it gets the response to the first."""


class Connection(Protocol):
    """A connection of a client."""

    address: str

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""

    @property
    def is_receiving(self) -> bool:
        """Whether the body of a request is still arriving."""

    def drop(self) -> None:
        """Close it."""


class Connections:
    """The open connections: at most `maximum`, and of each address `max_per_address`.

    `proxies` are addresses shared by many clients, for which only `maximum` applies.

    Uvicorn's `limit_concurrency` would also refuse health checks, and clients with few connections
    (`test_many_connections_of_an_address_leave_room_for_health`).
    """

    def __init__(self, maximum: int, max_per_address: int, proxies: Container[str] = ()) -> None:
        self._maximum = maximum
        self._max_per_address = max_per_address
        self._proxies = proxies
        self._count = 0
        # The connections of each address, the oldest first. The dicts serve as ordered sets.
        self._by_address: dict[str, dict[Connection, None]] = {}

    def add(self, connection: Connection) -> None:
        """Register a new connection, and close another one if there are too many."""
        self._by_address.setdefault(connection.address, {})[connection] = None
        self._count += 1
        if (dropped := next(self._droppable(connection), None)) is not None:
            self.remove(dropped)
            dropped.drop()

    def _droppable(self, new: Connection) -> Iterator[Connection]:
        """The connections that can be closed to make room for a new one, the first one first."""
        if self._address_is_over_limit(new.address):
            others = [each for each in self._by_address[new.address] if each is not new]
            yield from (each for each in others if each.is_idle)
            yield from (each for each in others if each.is_receiving)
        elif self._count > self._maximum:
            for group in sorted(self._by_address.values(), key=len, reverse=True):
                yield from (each for each in group if each is not new and each.is_idle)

    def remove(self, connection: Connection) -> None:
        """Unregister a closed connection. May be called more than once."""
        group = self._by_address.get(connection.address, {})
        if connection in group:
            del group[connection]
            self._count -= 1
            if not group:
                del self._by_address[connection.address]

    def is_over_limit(self, connection: Connection) -> bool:
        """Whether there are too many connections, and no other one could be closed."""
        return self._count > self._maximum or self._address_is_over_limit(connection.address)

    def _address_is_over_limit(self, address: str) -> bool:
        count = len(self._by_address.get(address, ()))
        return count > self._max_per_address and address not in self._proxies


class TurnTransport:
    """The transport of a connection, which sends what was written in one turn of the loop together.

    Uvicorn writes the head of a response and its body one after the other. A call of the system
    takes as long as to decide a small puzzle.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held = bytearray()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send data in this turn of the loop; much of it at once."""
        if len(self._held) + len(data) > _MAX_HELD_BYTES:
            self.flush()
            self._transport.write(data)
            return
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held += data

    def close(self) -> None:
        """Close the connection when all is sent."""
        self.flush()
        self._transport.close()

    def flush(self) -> None:
        """Send what was written."""
        held, self._held = self._held, bytearray()
        # The client may have left since.
        if held and not self._transport.is_closing():
            self._transport.write(held)


class TimeoutProtocol(HttpToolsProtocol):
    """The HTTP protocol of uvicorn, with limits of time and size.

    Uvicorn has no limit for what precedes and follows a body, and reports errors as text
    (`test_slow_clients_do_not_lock_out_others`, `test_errors_of_the_protocol_are_problems`,
    `test_an_endless_part_of_a_request_fills_no_memory`).

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
        # Bytes that are neither a body nor the chunk sizes of one, and those that are not read.
        self._framing = self._unread = 0
        self._refusal: Problem | None = None
        # The request that is being answered; `cycle` is the last one that has arrived.
        self._running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Register the connection and wait for the head of a request."""
        super().connection_made(cast("Any", TurnTransport(transport, self.loop)))
        self.address = self.client[0] if self.client else ""
        self.open_connections.add(self)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection and cancel its timers."""
        self.open_connections.remove(self)
        self._cancel_head_timer()
        self.resume_writing()
        self._disconnect()
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Send what was written before the end that the client has sent closes the connection."""
        cast("TurnTransport", self.transport).flush()
        super().eof_received()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request, or several requests."""
        # In pieces, since a callback does not know its place in the data.
        for start in range(0, len(data), _PIECE_BYTES):
            piece = data[start : start + _PIECE_BYTES]
            self._framing += len(piece)
            super().data_received(piece)
            self._check_sizes()
            if self.transport.is_closing():
                return
        if self._head_timer is None and self.is_idle:
            self._start_head_timer()

    def _check_sizes(self) -> None:
        if self._unread > MAX_UNREAD_BYTES:
            self._close()
        elif self._framing > MAX_HEAD_BYTES and not self.transport.is_closing():
            # The parser collects headers and trailers, and each of them until its line ends.
            detail = "expected a head of at most 64 KiB, and as much around the data of the body"
            self._refusal = Problem(431, "head-too-large", detail)
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Start a head."""
        super().on_message_begin()
        self._framing = self._unread = 0

    def on_body(self, body: bytes) -> None:
        """Receive a part of a body."""
        if self.cycle.response_complete:
            self._unread += len(body)
        self._framing = max(0, self._framing - (1 + _FRAMING_PER_BYTE) * len(body))
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """Start the request, or raise the problem that `send_400_response` then sends."""
        self._cancel_head_timer()
        encodings = b",".join(value for name, value in self.headers if name == b"transfer-encoding")
        if encodings and encodings.lower() != b"chunked":
            self._refusal = Problem(
                501, "transfer-encoding", "expected no Transfer-Encoding but chunked"
            )
        if len(self.pipeline) >= _MAX_PIPELINED:
            detail = f"expected at most {_MAX_PIPELINED} requests before the first response"
            self._refusal = Problem(400, "http", detail)
        if self._refusal:
            raise self._refusal
        self.scope["state"]["is_over_limit"] = self.open_connections.is_over_limit(self)
        super().on_headers_complete()
        if not self.pipeline:
            self._running = self.cycle

    def send_400_response(self, msg: str) -> None:
        """Report an error of the protocol, and close the connection."""
        problem = self._refusal or Problem(400, "http", "expected a valid request of HTTP/1.1")
        cycle, names = self.cycle, dict(self.headers or ())
        # It must not be taken for the response to an earlier request.
        is_first = not self.pipeline and (
            self.is_idle or (cycle.more_body and not cycle.response_started)
        )
        if is_first:
            identifier = request_id(names.get(b"x-request-id", b"").decode("latin-1"))
            body = problems.record(problem, "", identifier).model_dump_json(exclude_none=True)
            headers = HEADERS | {
                "content-type": problems.MEDIA_TYPE,
                "content-length": str(len(body)),
                "connection": "close",
                "x-request-id": identifier,
            }
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            self.transport.write(STATUS_LINE[problem.status] + f"{lines}\r\n{body}".encode())
        self._close()

    def _close(self) -> None:
        """Close the connection; what it was answering is cancelled."""
        self._disconnect()
        self.transport.close()

    def _disconnect(self) -> None:
        """Tell the request that is being answered; uvicorn only tells the last one."""
        if self._running is not None:
            self._running.disconnected = True
            self._running.message_event.set()

    def on_response_complete(self) -> None:
        """Start the next request, if it has arrived."""
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()

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
        self._head_timer = self.loop.call_later(self.head_seconds, self.transport.close)

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def protocol_with_timeouts(head_seconds: float, connections: Connections) -> type[TimeoutProtocol]:
    """A subclass of `TimeoutProtocol`, since uvicorn takes a class and no arguments for it."""
    attributes = {"head_seconds": head_seconds, "open_connections": connections}
    return type("TimeoutProtocol", (TimeoutProtocol,), attributes)
