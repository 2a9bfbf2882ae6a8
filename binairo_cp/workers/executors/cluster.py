"""Workers on other machines: the one place that names Dask.

A worker of the cluster that dies of a block is begun anew by its nanny, and the scheduler gives the
block to others, as many as it is set to; then it is told as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from time import monotonic
from types import TracebackType
from typing import Any, Generic, Self

from binairo_cp.errors import BackendError, ClusterError, SolverCrash, SolverMemory
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors.contract import Given, Made
from binairo_cp.workers.extras import require_extra

_SECONDS_TO_CONNECT = 10
_SECONDS_FOR_WORKERS = 30
_SECONDS_A_CENSUS = 2.0
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Address:
    """Where a cluster is.

    Attributes:
        scheduler: as ``tcp://host:8786``, or ``tls://`` where it speaks TLS.
        ca: a file with the certificates of who signs; for TLS.
        cert: a file with the certificate of this client; for TLS.
        key: a file with its key; None if it stands in the same file.
    """

    scheduler: str
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


class Cluster:
    """The workers of a Dask cluster.

    Args:
        address: where it is.
        modules: what all workers will need and take long to load, so that they load it first.

    Raises:
        ClusterError: it can't be reached, or has no workers; or Dask is not installed.
    """

    # The scheduler blames all that a worker had been given, begun or not.
    blame_is_certain = False

    def __init__(self, address: Address, modules: Iterable[str] = ()) -> None:
        with require_extra("cluster", ClusterError):
            from distributed import Client
            from distributed.security import Security
        self._where = address.scheduler
        self._modules = tuple(modules)
        try:
            security = None
            if address.ca:
                security = Security(
                    tls_ca_file=address.ca,
                    tls_client_cert=address.cert,
                    tls_client_key=address.key or address.cert,
                    require_encryption=True,
                )
            self._client = Client(
                self._where,
                security=security,
                timeout=_SECONDS_TO_CONNECT,
                set_as_default=False,
                name="binairo",
            )
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise ClusterError(f"{self._where} can't be reached: {error}") from error
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        except TimeoutError as error:
            self._client.close()
            raise ClusterError(f"{self._where} has no workers") from error
        self._counted = -_SECONDS_A_CENSUS
        self._workers = 1

    @property
    def workers(self) -> int:
        """How many there are now, or were a moment ago; at least 1, since they may come back."""
        if monotonic() - self._counted > _SECONDS_A_CENSUS:
            try:
                self._workers = max(1, sum(self._client.nthreads().values()))
            except OSError as error:
                raise ClusterError(f"{self._where} is gone: {error}") from error
            self._counted = monotonic()
        return self._workers

    def submit(self, work: Callable[[Given], Made], given: Given) -> Future[Made]:
        """Have something done by a worker, as the contract says."""
        job: _Job[Made] = _Job(partial(work, given))
        job.set_running_or_notify_cancel()
        self._start(job)
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()

    def _start(self, job: _Job[Any]) -> None:
        """Give a job to the cluster.

        Raises:
            ClusterError: it is gone.
        """
        needed = version("binairo-cp"), self._modules
        try:
            job.inner = self._client.submit(_run, needed, job.work, pure=False)
        except OSError as error:
            raise ClusterError(f"{self._where} is gone: {error}") from error
        job.inner.add_done_callback(partial(self._finish, job))

    def _finish(self, job: _Job[Any], inner: Any) -> None:
        """Act on what became of a job; called by a thread of Dask's."""
        try:
            if inner.status == "lost":
                # The worker that had the result died; another one makes it again.
                inner.add_done_callback(partial(self._finish, job))
            elif inner.status == "error":
                job.inner = None
                job.set_exception(_told(inner.exception()))
            elif inner.status == "finished":
                found = inner.result()
                # The two know each other, and with them all the bytes of a block would be kept.
                job.inner = None
                job.set_result(found)
            else:
                self._start_again(job)
        except FutureCancelled:
            self._start_again(job)
        except Exception as error:
            job.set_exception(ClusterError(f"{self._where} is gone: {error}"))

    def _start_again(self, job: _Job[Any]) -> None:
        """A cluster that loses a worker may cancel what others could do; it is asked anew."""
        if job.is_unwanted:
            return
        if self._client.status == "running" and job.may_start_again():
            self._start(job)
        else:
            job.set_exception(ClusterError(f"{self._where} is gone, or has cancelled the work"))


class _Job(Future[Made], Generic[Made]):
    def __init__(self, work: Callable[[], Made]) -> None:
        super().__init__()
        self.work = work
        self.inner: Any = None
        self.is_unwanted = False
        self._starts = 0

    def may_start_again(self) -> bool:
        self._starts += 1
        return self._starts <= _TRIES

    def cancel(self) -> bool:
        """Let it not be begun; what runs on a cluster is not ended."""
        self.is_unwanted = True
        if self.inner is not None:
            self.inner.cancel()
        return True


def _told(error: Any) -> BaseException:
    """An error in our words."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        number = error.allowed_failures + 1
        return SolverCrash(f"{number} worker{'s' * (number != 1)} of the cluster died of it")
    if isinstance(error, MemoryError):
        return SolverMemory("a worker of the cluster had no memory for it")
    return error if isinstance(error, BaseException) else ClusterError(str(error))


def _run(needed: tuple[str, tuple[str, ...]], work: Callable[[], Made]) -> Made:
    """What a worker does.

    Raises:
        BackendError: it has another version of this package, so that results might differ.
    """
    wanted, modules = needed
    if (installed := version("binairo-cp")) != wanted:
        raise BackendError(
            f"a worker of the cluster has version {installed} of binairo-cp; expected {wanted}"
        )
    for module in modules:
        import_module(module)
    _guard()
    return work()


def _guard() -> None:
    """The kernel's timer is that of a whole process, so there must be one thread that works."""
    from distributed import get_worker

    if get_worker().state.nthreads == 1:
        resource_limits.begin(None)
