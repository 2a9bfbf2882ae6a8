"""Workers on other machines: the only module that imports Dask.

If a worker dies, its nanny restarts it, and the scheduler gives the block to another worker. After
``allowed-failures`` deaths (a setting of Dask) the block fails with `SolverCrash`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future
from functools import partial
from importlib import import_module
from importlib.metadata import version
from time import monotonic
from typing import Any, Generic, Self

from binairo_cp.errors import BackendError, ClusterError, SolverCrash, SolverMemory
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors.block_stream import Argument, Result
from binairo_cp.workers.extras import require_extra

_SECONDS_TO_CONNECT = 10
_SECONDS_FOR_WORKERS = 30
_SECONDS_BETWEEN_COUNTS = 2.0
_MAX_STARTS = 5


class Cluster:
    """The workers of a Dask cluster.

    Args:
        address: the address of its scheduler.
        modules: modules that all workers need and that are slow to import. Workers import them
            first.

    Raises:
        ClusterError: it can't be reached or has no workers, or Dask is not installed.
    """

    # The scheduler blames all tasks of a dead worker, started or not.
    blame_is_certain = False

    def __init__(self, address: str, modules: Iterable[str] = ()) -> None:
        with require_extra("cluster", ClusterError):
            from distributed import Client
        # What is lost with a worker is computed again, and what can't be is an error of this class.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._address = address
        self._modules = tuple(modules)
        try:
            self._client = Client(
                self._address,
                timeout=_SECONDS_TO_CONNECT,
                set_as_default=False,
                name="binairo",
            )
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise ClusterError(f"{self._address} can't be reached: {error}") from error
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        except TimeoutError as error:
            self._client.close()
            raise ClusterError(f"{self._address} has no workers") from error
        self._counted_at = -_SECONDS_BETWEEN_COUNTS
        self._workers = 1

    @property
    def workers(self) -> int:
        """The number of workers, at most 2 seconds old; at least 1, since they may come back."""
        if monotonic() - self._counted_at > _SECONDS_BETWEEN_COUNTS:
            try:
                self._workers = max(1, sum(self._client.nthreads().values()))
            except OSError as error:
                raise ClusterError(f"{self._address} is gone: {error}") from error
            self._counted_at = monotonic()
        return self._workers

    def submit(self, work: Callable[[Argument], Result], argument: Argument) -> Future[Result]:
        """Call a function in a worker, as the protocol says."""
        job: _ClusterJob[Result] = _ClusterJob(partial(work, argument))
        job.set_running_or_notify_cancel()
        self._start(job)
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def _start(self, job: _ClusterJob[Any]) -> None:
        """Submit a job to the cluster.

        Raises:
            ClusterError: the connection is lost.
        """
        required = version("binairo-cp"), self._modules
        try:
            job.inner = self._client.submit(_run_job, required, job.work, pure=False)
        except OSError as error:
            raise ClusterError(f"{self._address} is gone: {error}") from error
        job.inner.add_done_callback(partial(self._finish, job))

    def _finish(self, job: _ClusterJob[Any], inner: Any) -> None:
        """Set the result of a job, or start it again; called by a thread of Dask."""
        try:
            if inner.status == "lost":
                # The worker that held the result died. Another worker computes it again.
                inner.add_done_callback(partial(self._finish, job))
            elif inner.status == "error":
                job.inner = None
                job.set_exception(_translate_error(inner.exception()))
            elif inner.status == "finished":
                result = inner.result()
                # Break the reference cycle: it would keep all bytes of the block in memory.
                job.inner = None
                job.set_result(result)
            else:
                self._start_again(job)
        except FutureCancelled:
            self._start_again(job)
        except Exception as error:
            job.set_exception(ClusterError(f"{self._address} is gone: {error}"))

    def _start_again(self, job: _ClusterJob[Any]) -> None:
        """Resubmit a job: a cluster that loses a worker may cancel jobs that others could do."""
        if job.is_cancelled:
            return
        if self._client.status == "running" and job.may_start_again():
            self._start(job)
        else:
            job.set_exception(ClusterError(f"{self._address} is gone, or has cancelled the work"))


class _ClusterJob(Future[Result], Generic[Result]):
    def __init__(self, work: Callable[[], Result]) -> None:
        super().__init__()
        self.work = work
        self.inner: Any = None
        self.is_cancelled = False
        self._starts = 0

    def may_start_again(self) -> bool:
        self._starts += 1
        return self._starts <= _MAX_STARTS

    def cancel(self) -> bool:
        """Cancel the job unless it has started. Running jobs of a cluster are not stopped."""
        self.is_cancelled = True
        if self.inner is not None:
            self.inner.cancel()
        return True


def _translate_error(error: Any) -> BaseException:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        number = error.allowed_failures + 1
        workers = "1 worker" if number == 1 else f"{number} workers"
        return SolverCrash(f"{workers} of the cluster died while working on it")
    if isinstance(error, MemoryError):
        return SolverMemory("a worker of the cluster ran out of memory")
    return error if isinstance(error, BaseException) else ClusterError(str(error))


def _run_job(required: tuple[str, tuple[str, ...]], work: Callable[[], Result]) -> Result:
    """Run a job in a worker.

    Raises:
        BackendError: the worker has another version of this package, so results might differ.
    """
    expected, modules = required
    if (installed := version("binairo-cp")) != expected:
        raise BackendError(
            f"a worker of the cluster has version {installed} of binairo-cp; expected {expected}"
        )
    for module in modules:
        import_module(module)
    from distributed import get_worker

    # The kernel's timer is per process.
    if get_worker().state.nthreads == 1:
        resource_limits.enable(None)
    return work()
