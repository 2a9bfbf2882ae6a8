"""Worker processes of this machine: the only module that imports Pebble.

Each worker has its own Pebble pool. Workers of one pool share locks, and a worker that is killed
while it holds a lock would block the others forever
(https://github.com/noxdafox/pebble/issues/163). So a dead worker is discarded with its pool.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from multiprocessing.context import BaseContext
from typing import Any, Generic, Self

from pebble import CONSTS, ProcessExpired, ProcessFuture, ProcessPool

from binairo_cp.errors import SolverCrash, SolverHang, SolverMemory
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import starting
from binairo_cp.workers.executors.block_stream import Argument, Result

_BLOCKS_PER_PROCESS = 2_000
_MAX_GROWTH = 1 << 30
_MAX_STARTS = 3
_REPLACED = 75
_PRELOADED = [
    "binairo_cp.batch.pipeline",
    "binairo_cp.solving.backends.pysat",
    "binairo_cp.workers.executors.late_starts",
]

# Seconds from SIGTERM to SIGKILL: a worker inside a solver does not handle SIGTERM. No test shows
# that a command ends in 0.5 s and not in the 3 s of Pebble, since none reads the clock.
CONSTS.term_timeout = 0.5


class Pool:
    """Worker processes.

    Args:
        workers: their number, at least 1.
        modules: modules that all workers need and that are slow to import. The fork server imports
            them once.
        memory: limit per worker in bytes; None for no limit.
        blocks: replace a worker by a new process after this number of blocks, which takes some
            tenths of a second; 0 to replace it only if its memory has grown.
    """

    blame_is_certain = True

    @starting.uninterrupted()
    def __init__(
        self,
        workers: int,
        modules: Iterable[str] = (),
        memory: int | None = None,
        blocks: int = _BLOCKS_PER_PROCESS,
    ) -> None:
        self.workers = workers
        self._lock = threading.RLock()
        self._waiting: deque[_PoolJob[Any]] = deque()
        self._running: set[_PoolJob[Any]] = set()
        starting.allow_open_files(workers)
        with starting.explain_start_errors(workers):
            context = _context(modules)
        self._slots = [_Slot(context, memory, blocks) for _ in range(workers)]
        self._idle = [*self._slots]

    @starting.uninterrupted()
    def submit(self, work: Callable[[Argument], Result], argument: Argument) -> Future[Result]:
        """Call a function in a worker, as the protocol says."""
        job: _PoolJob[Result] = _PoolJob(partial(work, argument))
        with self._lock, starting.explain_start_errors(self.workers):
            if not self._slots:
                raise CancelledError
            self._waiting.append(job)
            self._start_next()
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @starting.uninterrupted()
    def close(self) -> None:
        """End the workers immediately."""
        with self._lock:
            unfinished = [*self._waiting, *self._running]
            self._waiting.clear()
            self._idle.clear()
            slots, self._slots = self._slots, []
        for slot in slots:
            slot.pool.stop()
        for slot in slots:
            slot.pool.join()
        # Pebble leaves them as they are, and a thread may wait for one.
        for job in unfinished:
            with suppress(InvalidStateError):
                job.set_exception(CancelledError())

    def _start_next(self) -> None:
        while self._waiting and self._idle:
            job = self._waiting.popleft()
            if job.set_running_or_notify_cancel():
                self._start(self._idle.pop(), job)

    def _start(self, slot: _Slot, job: _PoolJob[Any]) -> None:
        self._running.add(job)
        inner = slot.schedule(job.work)
        job.inner = inner
        inner.add_done_callback(partial(self._finish, slot, job))

    def _finish(self, slot: _Slot, job: _PoolJob[Any], inner: ProcessFuture[Any]) -> None:
        """Set the result of a job, or start it again; called by a thread of Pebble."""
        # Break the reference cycle: it would keep all bytes of the block in memory.
        job.inner = None
        result: Any = None
        error: BaseException | None = None
        try:
            result = inner.result()
        except (CancelledError, Exception) as failure:
            error = failure
        with self._lock:
            if slot not in self._slots:
                error = error or CancelledError()
            elif isinstance(error, ProcessExpired | BrokenProcessPool | MemoryError):
                slot.renew()
                was_started = isinstance(error, MemoryError) or (
                    isinstance(error, ProcessExpired) and error.exitcode != _REPLACED
                )
                if not was_started and job.may_start_again():
                    self._start(slot, job)
                    return
            self._running.discard(job)
            if slot in self._slots:
                self._idle.append(slot)
                self._start_next()
        # Last, because callbacks of the job may use this pool. It may have been closed meanwhile.
        with suppress(InvalidStateError):
            if error is None:
                job.set_result(result)
            else:
                job.set_exception(_translate_error(error, job))


class _PoolJob(Future[Result], Generic[Result]):
    """A submitted call. Cancelling it ends its worker."""

    def __init__(self, work: Callable[[], Result]) -> None:
        super().__init__()
        self.work = work
        self.inner: ProcessFuture[Result] | None = None
        self._starts = 0

    def may_start_again(self) -> bool:
        self._starts += 1
        return self._starts <= _MAX_STARTS

    def cancel(self) -> bool:
        return super().cancel() or (self.inner is not None and self.inner.cancel())


class _Slot:
    """A worker process, which is replaced when it dies."""

    def __init__(self, context: BaseContext, memory: int | None, blocks: int) -> None:
        self._context = context
        self._memory = memory
        self._blocks = blocks
        self.pool = self._new_pool()

    def schedule(self, work: Callable[[], Result]) -> ProcessFuture[Result]:
        try:
            return self.pool.schedule(_run_job, args=[work, self._memory])
        except RuntimeError:
            # The worker died while it was idle.
            self.renew()
            return self.pool.schedule(_run_job, args=[work, self._memory])

    def renew(self) -> None:
        """Replace the worker."""
        old, self.pool = self.pool, self._new_pool()
        old.stop()
        # A thread of the old pool may be calling this, and it can't join itself.
        threading.Thread(target=old.join, daemon=True).start()

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=1,
            max_tasks=self._blocks,
            initializer=_initialize,
            initargs=[self._memory],
            context=self._context,
        )


def _translate_error(error: BaseException, job: _PoolJob[Any]) -> BaseException:
    if isinstance(error, ProcessExpired):
        if error.exitcode == resource_limits.TIMED_OUT:
            return SolverHang()
        code = error.exitcode
        cause = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return SolverCrash(f"the solver's process died ({cause})")
    if isinstance(error, MemoryError):
        return SolverMemory("the solver's process reached its memory limit")
    if isinstance(error, BrokenProcessPool):
        return SolverCrash("no process for the solver could be started")
    return error


def _context(modules: Iterable[str]) -> BaseContext:
    """The start method: a fork server or spawn, since forking threads may copy held locks."""
    if not (starting.HAS_FORK_SERVER and starting.has_sockets()):
        return starting.new_context(has_fork_server=False)
    from multiprocessing import forkserver  # not on every platform

    # Both processes inherit the blocked signals: only this one acts on Ctrl-C.
    terminals = {signal.SIGINT, signal.SIGHUP}
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, terminals)
        context = starting.new_context(has_fork_server=True)
        context.set_forkserver_preload([*_PRELOADED, *modules])
        # Starting the resource tracker has unblocked them.
        signal.pthread_sigmask(signal.SIG_BLOCK, terminals)
        with starting.apart():
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, terminals)
    return context


def _initialize(memory: int | None) -> None:
    """Set the signals and limits of a worker.

    The parent handles Ctrl-C. SIGTERM raises an exception, which also ends child processes.
    """
    resource_limits.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    resource_limits.keep_freed_memory()
    resource_limits.enable(memory)


class _Terminated(BaseException):
    """The worker received SIGTERM."""


_is_working = threading.Event()


def _terminate(*_: object) -> None:
    if _is_working.is_set():
        raise _Terminated
    resource_limits.end_process(128 + signal.SIGTERM)


def _run_job(work: Callable[[], Result], memory: int | None) -> Result:
    """Run a job in a worker.

    Libraries leak memory: a worker that has grown exits, and a new one runs the job. After SIGTERM
    the worker exits at once; Pebble would let it start another job.
    """
    if memory is not None and resource_limits.memory_growth() > min(_MAX_GROWTH, memory // 2):
        resource_limits.end_process(_REPLACED)
    _is_working.set()
    try:
        return work()
    except _Terminated:
        resource_limits.end_process(128 + signal.SIGTERM)
    finally:
        _is_working.clear()
