"""Limits of processes: the CPUs of this one, and what the kernel enforces on a worker.

Python can't interrupt a solver written in C that holds the interpreter lock. So a worker sets a
timer signal for its time limit, a memory limit, and a signal for the end of its parent.

A container with a quota of 2 CPUs on a machine with 64 sees 64 CPUs. Linux limits the time that its
control group gets, in version 2 of control groups by ``cpu.max``, and in version 1 by
``cpu.cfs_quota_us``. The limits of all groups above apply too.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from math import ceil
from pathlib import Path
from typing import NoReturn

TIMED_OUT = -getattr(signal, "SIGALRM", 0)
"""The exit code of a process that was killed at its time limit."""

_ORPHANED = 76

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""Numbers of options in glibc's ``malloc.h``."""

_KEPT_BYTES = 64 << 20

_is_enabled = threading.Event()
_initial_memory = [0]
_GROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def enable(memory: int | None) -> None:
    """Enable the limits in this process.

    Args:
        memory: limit in bytes; None for no limit. Ignored where the system has no such limit, as
            on Windows and macOS.
    """
    _is_enabled.set()
    _initial_memory.append(_resident())
    # The process may have inherited a handler. Only the main thread can reset it.
    with suppress(AttributeError, ValueError):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if memory is None:
        return
    # An existing lower hard limit can't be raised and stays.
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def end_process(status: int) -> NoReturn:
    """End this process at once, without waiting for its threads."""
    os._exit(status)


def end_with_parent() -> None:
    """End this worker as soon as its parent process ends, even by SIGKILL.

    PR_SET_PDEATHSIG would watch the fork server, which lives as long as its workers. Each worker
    also has a pipe whose other end only the parent holds, so this function watches that pipe.
    """
    # Imported here, because only workers need it.
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is None:
        return
    if not _has_signal_at_end(parent.sentinel):
        args = (parent.sentinel, partial(end_process, _ORPHANED))
        threading.Thread(target=_call_at_end, args=args, daemon=True).start()


def _has_signal_at_end(pipe: int) -> bool:
    """Let the kernel kill this process when a pipe's other end closes; False if unsupported."""
    try:
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
        poll = select.poll()
        poll.register(pipe, 0)
    except (ImportError, AttributeError, OSError, ValueError):
        return False
    if poll.poll(0):
        # The pipe was closed before the signal was set up.
        end_process(_ORPHANED)
    return True


def _call_at_end(pipe: int, end: Callable[[], object]) -> None:
    """Call `end` when a pipe's other end closes. A solver that holds the GIL delays this."""
    from multiprocessing.connection import wait  # slow to import

    wait([pipe])
    end()


@contextmanager
def kill_after(seconds: float | None) -> Iterator[None]:
    """Kill this process if the ``with`` block takes longer; no effect unless limits are enabled."""
    if seconds is None or not _is_enabled.is_set() or not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def keep_freed_memory() -> None:
    """Let the allocator of this process keep freed memory for later, where it is that of glibc.

    It would return the arrays of each block to the system, and get them back page by page, which
    takes as long as a third of the work on a block.
    """
    # Imported here, because most commands need no arrays.
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        set_option = ctypes.CDLL(None).mallopt
        set_option(_M_MMAP_THRESHOLD, _KEPT_BYTES // 2)
        set_option(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        # What one thread frees is for the others too.
        set_option(_M_ARENA_MAX, 1)


def memory_growth() -> int:
    """Growth of the resident memory in bytes since `enable`; 0 if unknown."""
    return _resident() - _initial_memory[-1]


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def installed_memory() -> int | None:
    """The memory of the machine in bytes; None if unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


@cache
def cores() -> int:
    """The number of cores that this process may use."""
    count = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    quota = cpu_quota()
    return count if quota is None else max(1, min(count, ceil(quota)))


def cpu_quota(groups: Path = _GROUPS, membership: Path = _MEMBERSHIP) -> float | None:
    """The CPU time per second that the control groups of this process allow; None if any.

    `groups` is the folder with the groups, and `membership` the file with those of this process.
    """
    quotas = []
    with suppress(OSError, ValueError):
        for line in membership.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            top, files = groups, ["cpu.max"]  # version 2
            if controllers:
                if "cpu" not in controllers.split(","):
                    continue
                top, files = groups / "cpu", ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
            folder = top / path.lstrip("/")
            # In a container, the path may be that on the host. Then only the top exists.
            parents = [parent for parent in (folder, *folder.parents) if top in parent.parents]
            for group in (*parents, top):
                # Where there is no limit, the quota is `max` or negative.
                with suppress(OSError, ValueError):
                    texts = " ".join((group / file).read_text() for file in files)
                    quota, period = map(int, texts.split())
                    if quota > 0 and period > 0:
                        quotas.append(quota / period)
    return min(quotas, default=None)
