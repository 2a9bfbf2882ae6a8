"""What worker processes need of the system: open files, memory, a folder for sockets."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from binairo_cp.errors import WorkersError

_FILES_A_WORKER = 6
_SPARE_FILES = 10
_LONGEST_SOCKET = 100
_NAME_OF_SOCKET = len("/pymp-12345678/listener-12345678")


def for_files(workers: int) -> None:
    """See to it that this process may open the pipes to so many workers.

    Raises:
        WorkersError: the system does not allow it.
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
        # Where nobody knows, starting them tells.
        return
    raise WorkersError(
        f"{_called(workers)} {needed} open files, and the limit is {hard}; "
        f"expected ulimit -n {needed} or more{_or_fewer(workers)}"
    )


def has_sockets() -> bool:
    """Whether the folder for temporary files has a name short enough for sockets in it."""
    return len(os.fsencode(tempfile.gettempdir())) + _NAME_OF_SOCKET <= _LONGEST_SOCKET


@contextmanager
def starting(workers: int) -> Iterator[None]:
    """Say what is wrong where workers can't be started.

    Raises:
        WorkersError: they can't.
    """
    try:
        yield
    # Pebble and multiprocessing raise all of these.
    except (OSError, RuntimeError, EOFError, MemoryError) as error:
        raise WorkersError(
            f"{_called(workers)} more than the system gives ({_reason(error)}); "
            f"expected more memory, processes or open files (ulimit -v, -u, -n){_or_fewer(workers)}"
        ) from error


def _called(workers: int) -> str:
    return "a worker process needs" if workers == 1 else f"{workers} worker processes need"


def _or_fewer(workers: int) -> str:
    return ", or fewer --workers" if workers > 1 else ""


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
