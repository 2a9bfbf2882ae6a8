"""Threads of this process, for work in compiled code that releases the interpreter lock.

They share the memory of the process, so nothing is copied to them or back, and they start at once.
But a thread can't be killed. So what may crash, or take long, is left to worker processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from queue import SimpleQueue
from typing import Any, Self

from binairo_cp.workers.executors.block_stream import Argument, Executor, Result

_SECONDS_TO_END = 1.0
"""How long a stopped run waits for a thread. A later one ends with its block, or the process."""


class Threads:
    """Threads, and worker processes that start when the first is needed.

    Args:
        workers: the number of threads.
        open_pool: starts the worker processes.
    """

    blame_is_certain = True

    def __init__(self, workers: int, open_pool: Callable[[], Executor]) -> None:
        self.workers = workers
        self._open_pool = open_pool
        self._pool: Executor | None = None
        self._lock = threading.Lock()
        self._jobs = SimpleQueue[Callable[[], None] | None]()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    @property
    def pool(self) -> Executor:
        """The worker processes, for the threads."""
        with self._lock:
            if self._is_closed:
                raise CancelledError
            self._pool = self._pool or self._open_pool()
            return self._pool

    def submit(self, work: Callable[[Argument], Result], argument: Argument) -> Future[Result]:
        """Call a function in a thread, as the protocol says; but a call that runs goes on."""
        future = Future[Result]()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work(argument))
                except BaseException as error:
                    future.set_exception(error)

        self._jobs.put(run)
        if len(self._threads) < self.workers:
            # Daemons, because the process must not wait for them when it ends.
            self._threads.append(threading.Thread(target=self._run, daemon=True))
            self._threads[-1].start()
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        with self._lock:
            self._is_closed = True
            if self._pool:
                self._pool.__exit__(*error)
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(_SECONDS_TO_END)

    def _run(self) -> None:
        while run := self._jobs.get():
            run()
            # It holds the block and its result.
            del run
