"""The HTTP protocol of the server: that of uvicorn, with limits of time and size for each part."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from binairo_cp.service.connections import Connections
from binairo_cp.service.problems import Problem

MAX_HEAD_BYTES = 1 << 16
"""Limit of a head, and of what is not the body in the rest of a request: chunk sizes, trailers."""

MAX_UNREAD_BYTES = 1 << 20
"""Limit of the rest of a body that arrives after the response, and of requests sent ahead."""

STALLED_SECONDS = 60.0
"""Time for a client to continue reading a response."""

_PIECE_BYTES = 1 << 12
_MAX_HELD_BYTES = 1 << 16
_BODY_FIELDS = (b"content-length", b"transfer-encoding")
_FRAMING_PER_BYTE = 8
"""Bytes of chunk sizes for a byte of the body. A chunk of one byte has five."""

_LINGER_SECONDS = 2.0
"""Time to drop the rest of a request after its response, before the connection is closed."""


class TurnTransport:
    """The transport of a connection, which sends what was written in one turn of the loop together.

    Uvicorn writes the head of a response and its body one after the other. A call of the system
    takes as long as to decide a small puzzle.

    Attributes:
        expects_more: a request has arrived only in part. Then the connection is not closed at once:
            data that is not read would become a reset, and the client might lose the response.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held = bytearray()
        self.expects_more = self._is_lingering = False

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
        """Close the connection when all is sent; the second call does not linger."""
        self.flush()
        if self.expects_more and not self.is_closing():
            self._is_lingering = True
            self._transport.write_eof()
            self._transport.resume_reading()
            self._loop.call_later(_LINGER_SECONDS, self._transport.close)
        else:
            self._transport.close()

    def is_closing(self) -> bool:
        """Whether nothing more can be sent."""
        return self._is_lingering or self._transport.is_closing()

    def flush(self) -> None:
        """Send what was written."""
        held, self._held = self._held, bytearray()
        # The client may have left since.
        if held and not self.is_closing():
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
    transport: TurnTransport  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None
        self._stalled_timer: asyncio.TimerHandle | None = None
        # Bytes that are neither a body nor the chunk sizes of one, and those that are not read.
        self._framing = self._unread = 0
        self._waiting = bytearray()
        self._is_refused = self._is_repeating_head = False
        # The request that is being answered; `cycle` is the last one that has arrived.
        self._running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Register the connection and wait for the head of a request."""
        super().connection_made(cast("Any", TurnTransport(transport, self.loop)))
        self.address = self.open_connections.group_of(self.client[0] if self.client else "")
        self.open_connections.add(self)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection and cancel its timers."""
        self.open_connections.remove(self)
        self._cancel_head_timer()
        self.resume_writing()
        if self._running is not None:
            # Uvicorn only tells the last request.
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Send what was written before the end that the client has sent closes the connection."""
        self.transport.flush()
        super().eof_received()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request, or several requests."""
        if self._is_refused or self.transport.is_closing():
            self._unread += len(data)
        else:
            self._waiting += data
            self._parse()
            if self.pipeline:
                # Or the end of the connection is not noticed while a request is being answered.
                self.flow.resume_reading()
        if max(self._unread, len(self._waiting)) > MAX_UNREAD_BYTES:
            self.transport.close()

    def _parse(self) -> None:
        """Parse what has arrived, but few requests before the first one is answered."""
        # In pieces, since a callback does not know its place in the data.
        while self._waiting and not (self.pipeline or self.transport.is_closing()):
            piece = bytes(self._waiting[:_PIECE_BYTES])
            del self._waiting[:_PIECE_BYTES]
            self._framing += len(piece)
            self._unset_keepalive_if_required()
            self._feed(piece)
            if self._framing > MAX_HEAD_BYTES:
                self._refuse_data()
        if self._head_timer is None and self.is_idle:
            self._start_head_timer()

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._ignore_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refuse_data()

    def _ignore_upgrade(self, rest: bytes) -> None:
        """Go on after a head with `Upgrade`, which curl and Java send, as if it had none.

        The parser leaves the body to another protocol. A new one gets a head with the same body.
        """
        given, cycle = (self.scope, self.headers, self.url), self.cycle
        length = [each for each in self.headers if each[0] in _BODY_FIELDS]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        if length:
            self._is_repeating_head = cycle.more_body = True
            self.scope["state"].pop("has_body", None)
            fields = b"".join(b"%s: %s\r\n" % each for each in length)
            self._feed(b"POST / HTTP/1.1\r\n%s\r\n" % fields)
            self._is_repeating_head = False
            self.scope, self.headers, self.url = given
        self._feed(rest)

    def on_message_begin(self) -> None:
        """Start a head."""
        super().on_message_begin()
        self._framing = self._unread = 0
        self.transport.expects_more = True

    def on_message_complete(self) -> None:
        """End a request."""
        super().on_message_complete()
        self.scope["state"]["has_body"] = True
        self.transport.expects_more = False

    def on_body(self, body: bytes) -> None:
        """Receive a part of a body."""
        if self.cycle.response_complete:
            self._unread += len(body)
        self._framing = max(0, self._framing - (1 + _FRAMING_PER_BYTE) * len(body))
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """Start the request."""
        if self._is_repeating_head:
            return
        self._cancel_head_timer()
        encodings = b",".join(value for name, value in self.headers if name == b"transfer-encoding")
        self.scope["state"]["is_over_limit"] = self.open_connections.is_over_limit(self)
        self.scope["state"]["ask_for_body"] = self._ask_for_body
        super().on_headers_complete()
        if not self.pipeline:
            self._running = self.cycle
        if encodings and encodings.lower() != b"chunked":
            detail = "expected no Transfer-Encoding but chunked"
            self._refuse(Problem(501, "transfer-encoding", detail))

    def _ask_for_body(self) -> None:
        """Let the client send the body of the request that is being answered, if it waits for that.

        Uvicorn does when the body is read, but only if the response has not begun.
        """
        if self._running and self._running.waiting_for_100_continue:
            self._running.waiting_for_100_continue = False
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _refuse_data(self) -> None:
        """Report an error of the protocol."""
        if max(self._framing, len(self.url)) > MAX_HEAD_BYTES:
            # The parser collects headers and trailers, and each of them until its line ends.
            detail = "expected a head of at most 64 KiB, and as much around the data of the body"
            self._refuse(Problem(431, "head-too-large", detail))
        else:
            self._refuse(Problem(400, "http", "expected a valid request of HTTP/1.1"))

    def _refuse(self, problem: Problem) -> None:
        """Let the app report a problem of the last request in its turn; drop what follows."""
        if self._is_refused or self.transport.is_closing():
            return
        self._is_refused = True
        self._waiting.clear()
        if self.cycle is None or self.cycle.scope is not self.scope:
            self.url = b"/"
            self.on_headers_complete()
            self.scope |= {"method": "-", "path": ""}  # perhaps they were not read
        self.scope["state"]["refusal"] = problem
        self.cycle.keep_alive = self.cycle.more_body = False
        self.cycle.message_event.set()
        if self.cycle.response_complete:
            self.transport.close()

    def on_response_complete(self) -> None:
        """Start the next request, if it has arrived."""
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        if self._waiting:
            self._parse()

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
