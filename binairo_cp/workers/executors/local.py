"""Worker processes of this machine: the one place that names Pebble.

Each worker has a pool of its own. Workers of one pool share locks, and one that is killed while it
holds them would stop the others for good (https://github.com/noxdafox/pebble/issues/163); so what
one dies of is thrown away with it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self

from pebble import CONSTS, ProcessExpired, ProcessFuture, ProcessPool

from binairo_cp.errors import SolverCrash, SolverHang, SolverMemory
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import resources
from binairo_cp.workers.executors.contract import Given, Made

_BLOCKS_PER_PROCESS = 2_000
_MOST_GROWN = 1 << 30
_TRIES_TO_START = 3
_RECYCLED = 75
_PRELOADED = ["binairo_cp.batch.pipeline", "binairo_cp.solving.backends.pysat"]

# A worker in a solver does not hear that it is to end: it is killed after so many seconds.
CONSTS.term_timeout = 0.5


class Pool:
    """Worker processes.

    Args:
        workers: how many, at least 1.
        modules: what all of them will need and take long to load, so that it is loaded once.
        memory: how many bytes each may have; None for no bound.
        blocks: after how many blocks a worker leaves the work to its successor, which takes some
            tenths of a second; 0 for never, but when it has grown.
    """

    blame_is_certain = True

    def __init__(
        self,
        workers: int,
        modules: Iterable[str] = (),
        memory: int | None = None,
        blocks: int = _BLOCKS_PER_PROCESS,
    ) -> None:
        self.workers = workers
        self._lock = threading.RLock()
        self._waiting: deque[_Job[Any]] = deque()
        resources.for_files(workers)
        with resources.starting(workers):
            context = _context(modules)
        self._places = [_Place(context, memory, blocks) for _ in range(workers)]
        self._idle = [*self._places]

    def submit(self, work: Callable[[Given], Made], given: Given) -> Future[Made]:
        """Have something done by a worker, as the contract says."""
        job: _Job[Made] = _Job(partial(work, given))
        with self._lock, resources.starting(self.workers):
            self._waiting.append(job)
            self._start_next()
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, at once."""
        with self._lock:
            self._waiting.clear()
            self._idle.clear()
            places, self._places = self._places, []
        for place in places:
            place.stop()
        for place in places:
            place.join()

    def _start_next(self) -> None:
        while self._waiting and self._idle:
            job = self._waiting.popleft()
            if job.begin():
                self._start(self._idle.pop(), job)

    def _start(self, place: _Place, job: _Job[Any]) -> None:
        inner = place.schedule(job.work)
        job.inner = inner
        inner.add_done_callback(partial(self._finish, place, job))

    def _finish(self, place: _Place, job: _Job[Any], inner: ProcessFuture[Any]) -> None:
        """Act on what became of a job; called by a thread of Pebble's."""
        # The two know each other, and with them all the bytes of a block would be kept.
        job.inner = None
        error = _error(inner)
        with self._lock:
            if place not in self._places:
                error = error or CancelledError()
            elif isinstance(error, ProcessExpired | BrokenProcessPool | MemoryError):
                place.renew()
                if _has_not_begun(error) and job.may_start_again():
                    self._start(place, job)
                    return
            if place in self._places:
                self._idle.append(place)
                self._start_next()
        # Whoever waits for it may use this pool again.
        if error is None:
            job.set_result(inner.result())
        else:
            job.set_exception(_told(error, job))


class _Job(Future[Made], Generic[Made]):
    """Something to be done, which ends with its worker when it is cancelled."""

    def __init__(self, work: Callable[[], Made]) -> None:
        super().__init__()
        self.work = work
        self.inner: ProcessFuture[Made] | None = None
        self._starts = 0

    def begin(self) -> bool:
        """Whether it is still wanted."""
        return self.set_running_or_notify_cancel()

    def may_start_again(self) -> bool:
        self._starts += 1
        return self._starts <= _TRIES_TO_START

    def cancel(self) -> bool:
        return super().cancel() or (self.inner is not None and self.inner.cancel())


class _Place:
    """Where a worker is, and after its death the next one."""

    def __init__(
        self, context: multiprocessing.context.BaseContext, memory: int | None, blocks: int
    ) -> None:
        self._context = context
        self._memory = memory
        self._blocks = blocks
        self._pool = self._opened()

    def schedule(self, work: Callable[[], Made]) -> ProcessFuture[Made]:
        try:
            return self._pool.schedule(_work, args=[work, self._memory])
        except RuntimeError:
            # Its worker died while it had nothing to do.
            self.renew()
            return self._pool.schedule(_work, args=[work, self._memory])

    def renew(self) -> None:
        """Begin with a new worker."""
        old, self._pool = self._pool, self._opened()
        old.stop()
        # It is a thread of the old one that has told of the death: another one must wait for it.
        threading.Thread(target=old.join, daemon=True).start()

    def stop(self) -> None:
        self._pool.stop()

    def join(self) -> None:
        self._pool.join()

    def _opened(self) -> ProcessPool:
        return ProcessPool(
            max_workers=1,
            max_tasks=self._blocks,
            initializer=_begin,
            initargs=[self._memory],
            context=self._context,
        )


def _error(inner: ProcessFuture[Any]) -> BaseException | None:
    try:
        return inner.exception()
    except CancelledError as error:
        return error


def _has_not_begun(error: BaseException) -> bool:
    if isinstance(error, ProcessExpired):
        return bool(error.exitcode == _RECYCLED)
    return isinstance(error, BrokenProcessPool)


def _told(error: BaseException, job: _Job[Any]) -> BaseException:
    """An error in our words."""
    if isinstance(error, ProcessExpired):
        if error.exitcode == resource_limits.OVERDUE:
            return SolverHang()
        return SolverCrash(f"the solver's process died ({_cause(error.exitcode)})")
    if isinstance(error, MemoryError):
        return SolverMemory("the solver's process took all the memory that it may have")
    if isinstance(error, BrokenProcessPool):
        return SolverCrash("no process for the solver could be started")
    return error


def _cause(code: int) -> str:
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit status {code}"


def _context(modules: Iterable[str]) -> multiprocessing.context.BaseContext:
    """Processes that start clean: a fork of a process with threads may inherit their locks."""
    if "forkserver" not in multiprocessing.get_all_start_methods() or not resources.has_sockets():
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


def _begin(memory: int | None) -> None:
    """Ctrl-C is left to the parent; when that ends a worker, programs that it runs end with it."""
    resource_limits.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    resource_limits.begin(memory)


class _Ended(BaseException):
    """This worker is to end."""


_is_working = threading.Event()


def _end(*_: object) -> None:
    if _is_working.is_set():
        raise _Ended
    os._exit(128 + signal.SIGTERM)


def _work(work: Callable[[], Made], memory: int | None) -> Made:
    """What a worker does; when it is to end, it takes nothing more, as Pebble would let it.

    Libraries lose memory; a worker that has grown leaves the work to its successor.
    """
    if memory is not None and resource_limits.grown() > min(_MOST_GROWN, memory // 2):
        os._exit(_RECYCLED)
    _is_working.set()
    try:
        return work()
    except _Ended:
        os._exit(128 + signal.SIGTERM)
    finally:
        _is_working.clear()
