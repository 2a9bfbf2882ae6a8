"""Start methods for worker processes that do not import the script that started them.

By default, a new process imports the main module of its parent, in case it has to unpickle
something from there. Workers run only functions of this package. And a script without
``if __name__ == "__main__"`` would start workers again in each worker.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import context, spawn
from typing import Any

_lock = threading.Lock()


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not import the main module."""
    with _lock:
        complete = spawn.get_preparation_data

        def partial(name: str) -> dict[str, Any]:
            data = complete(name)
            return {key: data[key] for key in data if not key.startswith("init_main_from")}

        spawn.get_preparation_data = partial
        try:
            yield
        finally:
            spawn.get_preparation_data = complete


class _SpawnProcess(context.SpawnProcess):
    def start(self) -> None:
        with _without_main():
            super().start()


class _SpawnContext(context.SpawnContext):
    Process = _SpawnProcess


def spawning() -> context.BaseContext:
    """Start each worker as a new Python process."""
    return _SpawnContext()


HAS_FORK_SERVER = "forkserver" in multiprocessing.get_all_start_methods()
"""Whether this platform has a fork server."""

if HAS_FORK_SERVER:

    class _ForkServerProcess(context.ForkServerProcess):
        def start(self) -> None:
            with _without_main():
                super().start()

    class _ForkServerContext(context.ForkServerContext):
        Process = _ForkServerProcess


def fork_serving() -> context.BaseContext:
    """Start each worker as a fork of a process that has imported what all workers need.

    Only call it if there is a fork server.
    """
    return _ForkServerContext()
