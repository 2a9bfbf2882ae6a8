"""The app under uvicorn: a socket, signals, an end in order."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from contextlib import suppress
from time import monotonic
from types import FrameType

from binairo_cp.errors import ServiceError
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    import uvicorn

    from binairo_cp.service import logs
    from binairo_cp.service.app import create_app
    from binairo_cp.service.connections import Connections
    from binairo_cp.service.slow_clients import patient
    from binairo_cp.service.state import Settings, State

_LOG = logging.getLogger("binairo.service")
_BACKLOG = 1_024
_SWITCH_SECONDS = 0.0005
_LOOK_SECONDS = 0.05
_OTHER_FILES = 256
"""How many open files are kept for workers, jobs and the rest."""


def run(settings: Settings, port: int, level: str) -> None:
    """Serve until a signal comes.

    Args:
        settings: how.
        port: 0 for any that is free; the log says which.
        level: what is logged.

    Raises:
        ServiceError: it can't be served so.
    """
    app = create_app(settings)
    state: State = app.state.binairo
    # The threads that talk with workers give way soon to the one that answers.
    sys.setswitchinterval(_SWITCH_SECONDS)
    with _listening(settings.host, port) as listener:
        logs.begin(level)
        config = uvicorn.Config(
            app,
            http=patient(settings.limits.head_seconds, _connections(state)),
            ws="none",
            # The app reads these headers, and only from proxies that the operator named.
            proxy_headers=False,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=max(1, round(settings.grace)),
        )
        # What ends the server in order is no error.
        with suppress(KeyboardInterrupt, SystemExit):
            _Server(config, state, _url(listener)).run([listener])
    if state.failure:
        raise ServiceError(state.failure)


class _Server(uvicorn.Server):
    """A server that says where it is, and tells the app at once when it is to stop."""

    def __init__(self, config: uvicorn.Config, state: State, url: str) -> None:
        super().__init__(config)
        self._state = state
        self._url = url
        self._is_hurried = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            _LOG.info("listening", extra={"url": self._url})
            if sys.stderr.isatty():
                print(f"binairo: {self._url}", file=sys.stderr)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen a little longer, so that load balancers see what ``/readyz`` says; then stop."""
        end = monotonic() + self._state.settings.drain
        while monotonic() < end and not self._is_hurried:
            await asyncio.sleep(min(_LOOK_SECONDS, end - monotonic()))
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; at once if it is Ctrl-C, or the second signal."""
        self._is_hurried = self.should_exit or sig == signal.SIGINT
        self._state.stop()
        super().handle_exit(sig, frame)


def _connections(state: State) -> Connections:
    """As many connections as allowed, or as the system has files for."""
    limits = state.limits
    most = limits.connections
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < most + _OTHER_FILES:
            wanted = most + _OTHER_FILES
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            most = min(most, max(1, soft - _OTHER_FILES))
    return Connections(most, limits.client_connections, state.proxies)


def _listening(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        told = getattr(error, "strerror", None) or error
        raise ServiceError(f"can't listen on {host} port {port}: {told}") from error


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
