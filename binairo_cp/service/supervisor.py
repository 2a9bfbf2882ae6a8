"""Run several processes that answer requests on one port.

Each process has its own listening socket, among which the kernel distributes connections. This
process holds the sockets too: a process that dies loses only the requests that it was answering,
and its successor accepts the connections that wait.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from types import FrameType

from prometheus_client import multiprocess

from binairo_cp.service.app_state import Settings
from binairo_cp.workers.executors import starting

_LOG = logging.getLogger("binairo.service")
_MAX_PAUSE, _STABLE_SECONDS = 2.0, 60.0
"""A process that dies soon is replaced after a pause, in which its connections wait."""

_CLOSING_SECONDS = 10.0
"""Time for a process to stop its workers after the grace period, before it is killed."""

STOPPING = (signal.SIGINT, signal.SIGTERM)

Target = Callable[[Settings, socket.socket], None]
"""Serves on a socket until a signal arrives. It must be picklable."""

_MEMORY = Path("/dev/shm")
_METRICS = "PROMETHEUS_MULTIPROC_DIR"


class ServerProcess:
    """One of the processes, and those that replace it.

    Attributes:
        process: the process; None while none runs.
        start_at: when to start the next process.
    """

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self.process: BaseProcess | None = None
        self.start_at = 0.0
        self._settings = settings
        self._listener = listener
        self._started = self._pause = 0.0

    def start(self, target: Target, supervisor: Connection) -> None:
        """Start a process, which stops when the other end of `supervisor` is closed."""
        process = starting.spawning().Process(  # type: ignore[attr-defined]  # as in the library
            target=_serve, args=(target, self._settings, self._listener, supervisor)
        )
        # A signal that comes before `_serve` can handle it waits.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.process, self._started = process, monotonic()

    def join(self) -> None:
        """Report the end of the process, and decide when to start the next."""
        process, self.process = self.process, None
        if process is None or process.pid is None:
            return
        process.join()
        if folder := self._settings.shared:
            # This removes its gauges. Its counters stay.
            multiprocess.mark_process_dead(process.pid, str(folder))  # type: ignore[no-untyped-call]
        was_stable = monotonic() - self._started > _STABLE_SECONDS
        self._pause = 0.0 if was_stable else min(_MAX_PAUSE, 2 * self._pause + 0.5)
        self.start_at = monotonic() + self._pause
        extra = {"front": self._settings.process, "pid": process.pid, "code": process.exitcode}
        # A second signal ends a process that is about to exit.
        if -(process.exitcode or 0) not in (0, *STOPPING):
            _LOG.error("process died", extra=extra)
        else:
            _LOG.info("process ended", extra=extra)

    def send(self, number: int) -> None:
        """Send a signal to the process."""
        if self.process and self.process.pid:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)


class Supervisor:
    """Starts a process for each listener, replaces those that die, and stops them together."""

    def __init__(self, settings: Settings, listeners: list[socket.socket]) -> None:
        self._settings = settings
        self._listeners = listeners
        self._processes: list[ServerProcess] = []
        self._stop_at: float | None = None

    def run(self, target: Target) -> None:
        """Serve until a signal arrives."""
        with ExitStack() as stack:
            settings = replace(self._settings, shared=stack.enter_context(_folder()))
            signals = stack.enter_context(_received_signals())
            child_end, own_end = Pipe(duplex=False)
            stack.callback(own_end.close)
            stack.callback(child_end.close)
            self._processes = [
                ServerProcess(replace(settings, process=number), listener)
                for number, listener in enumerate(self._listeners, 1)
            ]
            while self._stop_at is None or any(each.process for each in self._processes):
                for each in self._due():
                    each.start(target, child_end)
                self._wait(signals)

    def _due(self) -> list[ServerProcess]:
        if self._stop_at is not None:
            return []
        return [
            each for each in self._processes if not each.process and each.start_at <= monotonic()
        ]

    def _wait(self, signals: int) -> None:
        """Wait until a process ends, a signal arrives, or something is due."""
        sentinels = {each.process.sentinel: each for each in self._processes if each.process}
        times = [each.start_at for each in self._processes if not each.process]
        if self._stop_at is not None:
            times = [self._stop_at]
        timeout = max(0.0, min(times) - monotonic()) if times else None
        ready = wait([*sentinels, signals], timeout)
        if signals in ready:
            self._forward(os.read(signals, 1)[0])
        for sentinel, each in sentinels.items():
            if sentinel in ready:
                each.join()
        if self._stop_at is not None and self._stop_at <= monotonic():
            self._forward(signal.SIGKILL)

    def _forward(self, number: int) -> None:
        if self._stop_at is None:
            seconds = self._settings.drain + self._settings.grace + _CLOSING_SECONDS
            self._stop_at = monotonic() + seconds
        for each in self._processes:
            each.send(number)


@contextmanager
def _received_signals() -> Iterator[int]:
    """Yield a file descriptor for reading the numbers of signals that arrive, a byte each."""
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)

    def send(number: int, _: FrameType | None) -> None:
        with suppress(BlockingIOError):
            os.write(sender, bytes([number]))

    for each in STOPPING:
        signal.signal(each, send)
    try:
        yield receiver
    finally:
        for each in STOPPING:
            signal.signal(each, signal.SIG_IGN)  # nothing is left to stop
        os.close(receiver)
        os.close(sender)


def _serve(
    target: Target, settings: Settings, listener: socket.socket, supervisor: Connection
) -> None:
    """The main function of a process."""
    # Signals of the terminal go to the supervisor, which forwards them.
    os.setsid()
    # uvicorn raises the signal again after a graceful shutdown, which is the normal end.
    for each in STOPPING:
        signal.signal(each, lambda *_: sys.exit(0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    threading.Thread(target=_stop_with, args=(supervisor,), daemon=True).start()
    target(settings, listener)


def _stop_with(supervisor: Connection) -> None:
    with suppress(EOFError, OSError):
        supervisor.recv_bytes()
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _folder() -> Iterator[Path]:
    """Create a folder for the files, which child processes of this process use from now on."""
    # A full disk would kill a process that writes to a mapped file.
    parent = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="binairo-", dir=parent) as name:
        # prometheus_client reads it when it is imported.
        os.environ[_METRICS] = name
        try:
            yield Path(name)
        finally:
            del os.environ[_METRICS]
