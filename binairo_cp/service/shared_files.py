"""Files in memory, with which the processes of a server share counters.

They hold the metrics, by the multiprocess mode of prometheus_client, and the rates of clients.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MEMORY = Path("/dev/shm")
_METRICS = "PROMETHEUS_MULTIPROC_DIR"
_RATES = "rates"


@contextmanager
def folder() -> Iterator[Path]:
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


def forget_process(folder: Path | None, pid: int) -> None:
    """Remove the gauges of a process that has ended. Its counters stay."""
    from prometheus_client import multiprocess

    if folder:
        multiprocess.mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


def rates(folder: Path | None) -> Path | None:
    """The file with the rates of clients; None if there is only one process."""
    return folder / _RATES if folder else None
