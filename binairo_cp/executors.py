"""Opens a pool of workers: the one place that names Pebble.

A worker that dies takes only its own block of work with it; the others go on.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Self, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from binairo_cp.errors import SolverCrash

Given = TypeVar("Given")
Made = TypeVar("Made")

_BLOCKS_AHEAD = 3
_BLOCKS_PER_PROCESS = 2_000
_PRELOADED = ["binairo_cp.batch", "binairo_cp.backends.pysat"]


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Worker processes, which end with the ``with`` block: at once if it ends by an exception.

    Args:
        workers: how many, at least 1.
        modules: what all of them will need and take long to load, so that it is loaded once.
    """

    def __init__(self, workers: int, modules: Iterable[str] = ()) -> None:
        self.workers = workers
        self._pool = ProcessPool(
            max_workers=workers,
            max_tasks=_BLOCKS_PER_PROCESS,
            initializer=_begin,
            context=_context(modules),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self._pool.close()
        self._pool.stop()
        self._pool.join()

    def submit(self, work: Callable[[Given], Made], given: Given) -> Future[Made]:
        """Let a worker apply a function; a worker that dies is a `SolverCrash`.

        Cancelling the future ends the work, even while it is being done.
        """
        inner = self._pool.schedule(_work, args=[work, given])
        outer: Future[Made] = Future()

        def pass_on(done: Future[Made]) -> None:
            if done.cancelled():
                return
            error = done.exception()
            with suppress(InvalidStateError):
                if isinstance(error, ProcessExpired):
                    cause = _cause(error.exitcode)
                    outer.set_exception(SolverCrash(f"the solver's process died ({cause})"))
                elif error:
                    outer.set_exception(error)
                else:
                    outer.set_result(done.result())

        inner.add_done_callback(pass_on)
        outer.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        return outer

    def map(
        self, work: Callable[[Given], Made], blocks: Iterable[Given]
    ) -> Generator[tuple[Given, Made | SolverCrash], None, None]:
        """Apply a function to blocks, with the results in the order of the blocks.

        Only a few blocks are taken ahead, so that a long input is never in memory as a whole. When
        the generator is closed, what was not begun is not done.

        Args:
            work: what is done with a block; it and all that passes must be picklable.
            blocks: the work.

        Yields:
            Each block with what became of it: its result, or that the process died of it.
        """
        waiting: deque[tuple[Given, ProcessFuture[Made]]] = deque()

        def next_finished() -> tuple[Given, Made | SolverCrash]:
            block, future = waiting.popleft()
            try:
                return block, future.result()
            except ProcessExpired as error:
                return block, SolverCrash(f"the solver's process died ({_cause(error.exitcode)})")

        try:
            for block in blocks:
                waiting.append((block, self._pool.schedule(_work, args=[work, block])))
                if len(waiting) >= self.workers * _BLOCKS_AHEAD:
                    yield next_finished()
            while waiting:
                yield next_finished()
        finally:
            for _, future in waiting:
                future.cancel()


def _cause(code: int) -> str:
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit status {code}"


def _context(modules: Iterable[str]) -> multiprocessing.context.BaseContext:
    """Processes that start clean: a fork of a process with threads may inherit their locks."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver  # not on every platform

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_PRELOADED, *modules])
    # What is started now inherits that SIGINT waits: Ctrl-C is for this process to act on.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    return context


def _begin() -> None:
    """Ctrl-C is left to the parent; when that ends a worker, programs that it runs end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)


class _Ended(BaseException):
    """This worker is to end."""


_is_working = threading.Event()


def _end(*_: object) -> None:
    if _is_working.is_set():
        raise _Ended
    os._exit(128 + signal.SIGTERM)


def _work(work: Callable[[Given], Made], given: Given) -> Made:
    """What a worker does; when it is to end, it takes nothing more, as Pebble would let it."""
    _is_working.set()
    try:
        return work(given)
    except _Ended:
        os._exit(128 + signal.SIGTERM)
    finally:
        _is_working.clear()
