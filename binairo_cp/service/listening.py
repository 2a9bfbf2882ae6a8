"""Listen on a port, with one socket or with one for each process."""

from __future__ import annotations

import socket

from binairo_cp.errors import ServiceError

_BACKLOG = 1_024


def listen(host: str, port: int, shared: bool = False) -> socket.socket:
    """Listen on a port.

    Args:
        host: the address.
        port: the port; 0 for any free port.
        shared: allow further sockets on the port.

    Raises:
        ServiceError: it is not possible.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = addresses[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG, reuse_port=shared)
    except (OSError, UnicodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ServiceError(f"can't listen on {host} port {port}: {reason}") from error


def listen_together(host: str, port: int, count: int) -> list[socket.socket]:
    """Listen with several sockets on one port. The kernel distributes connections among them.

    Raises:
        ServiceError: it is not possible.
    """
    # Without `shared`, it is an error if another server uses the port.
    with listen(host, port) as first:
        port = first.getsockname()[1]
    return [listen(host, port, shared=True) for _ in range(count)]


def url(listener: socket.socket) -> str:
    """The URL of a server that listens on a socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
