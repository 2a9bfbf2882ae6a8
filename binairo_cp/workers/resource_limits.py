"""The system ends a worker that takes too long or too much memory, or whose parent is gone.

A solver in C can't be interrupted by Python, and holds the interpreter's lock. So a worker asks the
kernel: for a signal when its time is over, for no more memory than so much, and for a signal when
its parent ends.
"""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

OVERDUE = -getattr(signal, "SIGALRM", 0)
"""The exit code of a process that was ended since its time was over."""

_ORPHANED = 76

_is_on = threading.Event()
_at_begin = [0]


def begin(memory: int | None) -> None:
    """Let this process be guarded from now on.

    Args:
        memory: how many bytes it may have; None for no bound. Where the system has no such limit,
            as on Windows and macOS, there is none.
    """
    _is_on.set()
    _at_begin.append(_resident())
    # Somebody may have set a handler before this process was forked; a thread can't change it.
    with suppress(AttributeError, ValueError):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if memory is None:
        return
    # A limit that was there and is lower stays.
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def end_with_parent() -> None:
    """End this worker as soon as the process that it works for has ended, even by SIGKILL.

    PR_SET_PDEATHSIG would not do: it tells of the end of the fork server, which lives as long as
    its workers. But each worker has a pipe whose other end only the parent holds.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    if not _has_signal_at_end(parent.sentinel):
        args = (parent.sentinel, lambda: os._exit(_ORPHANED))
        threading.Thread(target=_call_at_end, args=args, daemon=True).start()


def _has_signal_at_end(pipe: int) -> bool:
    """Have the kernel end this process when a pipe's other end closes; False if it can't."""
    try:
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
        line = select.poll()
        line.register(pipe, 0)
    except (ImportError, AttributeError, OSError, ValueError):
        return False
    if line.poll(0):
        # It closed before.
        os._exit(_ORPHANED)
    return True


def _call_at_end(pipe: int, end: Callable[[], object]) -> None:
    """Wait until a pipe's other end closes; a solver that holds Python's lock delays this."""
    from multiprocessing.connection import wait  # it takes time to load

    wait([pipe])
    end()


@contextmanager
def kill_after(seconds: float | None) -> Iterator[None]:
    """If this is a guarded process, what takes longer than this ends it."""
    if seconds is None or not _is_on.is_set() or not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _Clock:
    """A clock that can be stopped, by several at once; it goes on when the last one lets it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops = 0
        self._stopped_at = self._stood_still = 0.0

    def time(self) -> float:
        """Seconds since some time in the past, without those that it was stopped."""
        with self._lock:
            now = self._stopped_at if self._stops else monotonic()
            return now - self._stood_still

    def stop(self) -> None:
        with self._lock:
            if not self._stops:
                self._stopped_at = monotonic()
            self._stops += 1

    def go_on(self) -> None:
        with self._lock:
            self._stops -= 1
            if not self._stops:
                self._stood_still += monotonic() - self._stopped_at


_clock = _Clock()


def clock() -> float:
    """The clock of time limits: it stands still while something is `pause_clock`."""
    return _clock.time()


@contextmanager
def pause_clock() -> Iterator[None]:
    """Time limits stand still: for what is loaded once by a process, or made once on a machine."""
    _clock.stop()
    try:
        with _alarm_stopped():
            yield
    finally:
        _clock.go_on()


@contextmanager
def _alarm_stopped() -> Iterator[None]:
    if not _is_on.is_set() or not hasattr(signal, "setitimer"):
        yield
        return
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)


def grown() -> int:
    """By how many bytes of the machine's memory this process has grown since it is guarded.

    0 where that isn't known.
    """
    return _resident() - _at_begin[-1]


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def installed() -> int | None:
    """How many bytes of memory the machine has; None where that isn't known."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
