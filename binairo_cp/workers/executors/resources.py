"""Check the system's limits for worker processes: open files, memory, socket paths."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from binairo_cp.errors import WorkersError
from binairo_cp.option_names import option

_MEMORIES_A_WORKER = 3
_SPARE_MEMORIES = 4
_FILES_A_MEMORY = 2
_FILES_A_WORKER = 6 + _MEMORIES_A_WORKER * _FILES_A_MEMORY
_SPARE_FILES = 10 + _SPARE_MEMORIES * _FILES_A_MEMORY
_MAX_SOCKET_PATH = 100
_SOCKET_NAME_LENGTH = len("/pymp-12345678/listener-12345678")


def memories(workers: int) -> int:
    """How many shared memories a pool uses: for running calls, and for results that wait."""
    return _MEMORIES_A_WORKER * workers + _SPARE_MEMORIES


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
    # Pebble and multiprocessing raise all of these.
    except (OSError, RuntimeError, EOFError, MemoryError) as error:
        raise WorkersError(
            f"{_needs(workers)} more than the system allows ({_reason(error)}); "
            f"allow more memory, processes or open files (ulimit -v, -u, -n){_or_fewer(workers)}"
        ) from error


def _needs(workers: int) -> str:
    return "a worker process needs" if workers == 1 else f"{workers} worker processes need"


def _or_fewer(workers: int) -> str:
    return f", or use fewer {option('workers')}" if workers > 1 else ""


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
