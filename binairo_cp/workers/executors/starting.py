"""Start worker processes: within the limits of the system, and apart from the parent's files.

By default, a new process imports the main module of its parent, in case it has to unpickle
something from there. Workers run only functions of this package. And a script without
``if __name__ == "__main__"`` would start workers again in each worker
(tests: test_scripts_need_no_main_guard).

A new process also looks for modules in the current folder first, even if its parent does not. There
may be files of strangers, and a ``random.py`` among them must not run
(tests: test_workers_of_a_fork_server).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import context, resource_tracker, spawn, util
from typing import Any

from binairo_cp.errors import WorkersError
from binairo_cp.workers.terminal import ENDING, option

_lock = threading.RLock()
_FILES_A_WORKER = 6
_SPARE_FILES = 10
_MAX_SOCKET_PATH = 100
_SOCKET_NAME_LENGTH = len("/pymp-12345678/listener-12345678")


@contextmanager
def apart() -> Iterator[None]:
    """Processes that start meanwhile import neither the main module nor the current folder."""
    with _lock:
        # There is no public way to set the flags of a process that multiprocessing starts.
        hooks: Any = util
        complete, usual_flags = spawn.get_preparation_data, hooks._args_from_interpreter_flags

        def data_apart(name: str) -> dict[str, Any]:
            data = complete(name)
            return {key: data[key] for key in data if not key.startswith("init_main_from")}

        def flags_apart() -> list[str]:
            return [*usual_flags(), *([] if sys.flags.safe_path else ["-P"])]

        spawn.get_preparation_data = data_apart
        hooks._args_from_interpreter_flags = flags_apart
        try:
            yield
        finally:
            spawn.get_preparation_data = complete
            hooks._args_from_interpreter_flags = usual_flags


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals that raise an exception wait: half a start of a worker can't be undone."""
    came: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            # Others are left, as processes that are started inherit ignored signals.
            if callable(handler := signal.getsignal(number)):
                before[number] = handler
                signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


class _SpawnProcess(context.SpawnProcess):
    def start(self) -> None:
        with apart():
            super().start()


class _SpawnContext(context.SpawnContext):
    Process = _SpawnProcess


HAS_FORK_SERVER = "forkserver" in multiprocessing.get_all_start_methods()
"""Whether this platform has a fork server."""

if HAS_FORK_SERVER:

    class _ForkServerProcess(context.ForkServerProcess):
        def start(self) -> None:
            with apart():
                super().start()

    class _ForkServerContext(context.ForkServerContext):
        Process = _ForkServerProcess


def new_context(*, has_fork_server: bool) -> context.BaseContext:
    """How each worker is started: as a fork of a process that has imported what all workers need,
    or as a new Python process.

    The process that multiprocessing needs for its locks starts before anything else does it. It is
    quiet: what it cleans up after a kill is no business of the log, whose lines are JSON
    (tests: test_nothing_is_printed_by).
    """
    if os.name == "posix":
        sys.warnoptions.append("ignore")
        try:
            with apart():
                resource_tracker.ensure_running()
        finally:
            sys.warnoptions.remove("ignore")
    return _ForkServerContext() if has_fork_server else _SpawnContext()


def allow_open_files(workers: int) -> None:
    """Raise the soft limit of open files if the pipes to the workers need it.

    Raises:
        WorkersError: the hard limit is too low.
    """
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = len(os.listdir("/dev/fd")) + _FILES_A_WORKER * workers + _SPARE_FILES
        if soft == resource.RLIM_INFINITY or soft >= needed:
            return
        if hard == resource.RLIM_INFINITY or hard >= needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
            return
    except (ImportError, OSError, ValueError):
        # The limit is unknown. If it is too low, starting the workers fails.
        return
    raise WorkersError(
        f"{_needs(workers)} {needed} open files, but the limit is {hard}; "
        f"set ulimit -n {needed} or more{_or_fewer(workers)}"
    )


def has_sockets() -> bool:
    """Whether the path of the temporary folder is short enough for sockets in it."""
    return len(os.fsencode(tempfile.gettempdir())) + _SOCKET_NAME_LENGTH <= _MAX_SOCKET_PATH


@contextmanager
def explain_start_errors(workers: int) -> Iterator[None]:
    """Turn errors of starting workers into one that says what to change.

    Raises:
        WorkersError: the workers can't be started.
    """
    try:
        yield
    except (EOFError, ConnectionError) as error:
        raise WorkersError(
            f"{workers} worker processes can't be started: the process that starts them has ended; "
            "was it killed?"
        ) from error
    # Pebble and multiprocessing raise all of these.
    except (OSError, RuntimeError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise WorkersError(
            f"{_needs(workers)} more than the system allows ({reason}); "
            f"allow more memory, processes or open files (ulimit -v, -u, -n){_or_fewer(workers)}"
        ) from error


def _needs(workers: int) -> str:
    return "a worker process needs" if workers == 1 else f"{workers} worker processes need"


def _or_fewer(workers: int) -> str:
    return f", or use fewer {option('workers')}" if workers > 1 else ""
