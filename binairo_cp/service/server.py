"""Run the app under uvicorn: listen on a socket, write logs, handle signals, stop gracefully."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Iterable
from dataclasses import replace
from time import monotonic
from types import FrameType

from binairo_cp.errors import ServiceError
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    import uvicorn
    from fastapi import FastAPI

    from binairo_cp.service import monitoring
    from binairo_cp.service.app import create_app
    from binairo_cp.service.app_state import AppState, Settings
    from binairo_cp.service.middleware import is_loopback

STOPPING = (signal.SIGINT, signal.SIGTERM)

_LOG = logging.getLogger("binairo.service")
_SWITCH_SECONDS = 0.0005
_POLL_SECONDS = 0.05
_BACKLOG = 1_024
_OTHER_FILES = 200
"""Files that a server needs besides connections: of workers, jobs, and answers that are read."""

_UNPROTECTED = (
    "anyone who reaches this address can read along, hold connections open with slow requests, and "
    "send any number of requests; docs/deployment.md shows nginx in front"
)


def serve(settings: Settings) -> None:
    """Serve until a signal arrives. If the port is 0, the log reports which one it is.

    Raises:
        ServiceError: the server can't be started with these settings.
    """
    # Until `_run` handles signals, they end the process.
    before = {number: signal.signal(number, lambda *_: sys.exit(0)) for number in STOPPING}
    try:
        _check_proxies(settings.trusted_proxies or ())
        connections = _allowed_connections(settings.limits.connections)
        settings = replace(settings, limits=replace(settings.limits, connections=connections))
        app = create_app(settings)
        with _listen(settings.host, settings.port) as listener:
            monitoring.configure(settings.log_level)
            _report_exposure(settings)
            _run(app, listener)
    except ServiceError:
        for number, handler in before.items():
            signal.signal(number, handler)
        raise


def _run(app: FastAPI, listener: socket.socket) -> None:
    state: AppState = app.state.binairo
    settings = state.settings
    host, port = listener.getsockname()[:2]
    state.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    # Threads that talk to workers should yield quickly to the thread that answers requests.
    sys.setswitchinterval(_SWITCH_SECONDS)
    config = uvicorn.Config(
        app,
        ws="none",
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        limit_concurrency=settings.limits.connections,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.grace)),
    )
    server = _Server(config, state)
    for number in STOPPING:
        signal.signal(number, server.handle_exit)  # before uvicorn does, and when it raises them
    server.run([listener])
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)  # nothing is left to stop


class _Server(uvicorn.Server):
    """Notifies the app as soon as it is about to stop. Reports the URL."""

    def __init__(self, config: uvicorn.Config, state: AppState) -> None:
        super().__init__(config)
        self._state = state
        self._skip_drain = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._state.keys is not None and hasattr(signal, "SIGHUP"):
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGHUP, self._state.read_keys)
        # In a terminal, the URL comes when the server is ready, below all else.
        if self.started and not monitoring.is_on_terminal():
            _LOG.info("listening", extra={"url": self._state.url})

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Keep listening for `drain` seconds, so that load balancers notice; then stop."""
        names = " and ".join(signal.Signals(number).name for number in self._captured_signals)
        _LOG.info("stopping", extra={"reason": f"{names} arrived"})
        end = monotonic() + self._state.settings.drain
        while monotonic() < end and not self._skip_drain:
            await asyncio.sleep(min(_POLL_SECONDS, end - monotonic()))
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()  # which uvicorn leaves out
        _LOG.info("stopped")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal. Ctrl-C and a second signal skip the `drain` phase."""
        self._skip_drain = self.should_exit or sig == signal.SIGINT
        self._state.stop()
        super().handle_exit(sig, frame)


def _report_exposure(settings: Settings) -> None:
    if not (is_loopback(settings.host) or settings.trusted_proxies):
        _LOG.warning("without a proxy", extra={"unprotected": _UNPROTECTED})


def _check_proxies(texts: Iterable[str]) -> None:
    """Refuse what is no address and no network. Uvicorn would take it for the name of a socket."""
    for text in texts:
        try:
            ipaddress.ip_network(text)
        except ValueError as error:
            raise ServiceError(
                f"--trusted-proxies {text[:80]!r}: {error}; expected an address such as 127.0.0.1 "
                "or a network such as 10.0.0.0/8"
            ) from None


def _allowed_connections(wanted: int) -> int:
    """As many connections as wanted, or fewer if this process may not open so many files.

    Raises the soft limit of the system if that helps. A server without files left can't even refuse
    a connection.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        wanted = max(1, soft - _OTHER_FILES)
    return wanted


def _listen(host: str, port: int) -> socket.socket:
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = addresses[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ServiceError(f"can't listen on {host} port {port}: {reason}") from error
