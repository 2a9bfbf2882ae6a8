"""Workers on other machines: the one place that names Dask.

A worker of the cluster that dies of a block is begun anew by its nanny, and the scheduler gives the
block to others, as many as it is set to; then it is told as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from time import monotonic
from types import TracebackType
from typing import Any, Generic, Self

from binairo_cp import guards
from binairo_cp.errors import BackendError, ClusterError, SolverCrash, SolverMemory
from binairo_cp.executors.contract import Given, Made

_SECONDS_TO_CONNECT = 10
_SECONDS_FOR_WORKERS = 30
_SECONDS_A_CENSUS = 2.0


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

    def __init__(self, address: Address, modules: Iterable[str] = ()) -> None:
        try:
            from distributed import Client
            from distributed.security import Security
        except ImportError as error:
            raise ClusterError(
                "needs Dask, which is not installed; expected: pip install 'binairo-cp[cluster]'"
            ) from error
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
        try:
            needed = version("binairo-cp"), self._modules
            inner = self._client.submit(_run, needed, work, given, pure=False)
        except OSError as error:
            raise ClusterError(f"{self._where} is gone: {error}") from error
        job: _Job[Made] = _Job(inner)
        job.set_running_or_notify_cancel()
        inner.add_done_callback(partial(self._finish, job))
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

    def _finish(self, job: _Job[Any], inner: Any) -> None:
        """Act on what became of a job; called by a thread of Dask's."""
        try:
            if inner.status == "finished":
                job.set_result(inner.result())
            else:
                job.set_exception(self._told(inner))
        except Exception as error:
            job.set_exception(ClusterError(f"{self._where} is gone: {error}"))

    def _told(self, inner: Any) -> BaseException:
        """An error in our words."""
        from distributed import KilledWorker

        if inner.status in ("cancelled", "lost"):
            return ClusterError(f"{self._where} is gone, or has cancelled the work")
        error = inner.exception()
        if isinstance(error, KilledWorker):
            return SolverCrash(f"{error.allowed_failures + 1} workers of the cluster died of it")
        if isinstance(error, MemoryError):
            return SolverMemory("a worker of the cluster had no memory for it")
        return error if isinstance(error, BaseException) else CancelledError()


class _Job(Future[Made], Generic[Made]):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self._inner = inner

    def cancel(self) -> bool:
        """Let it not be begun; what runs on a cluster is not ended."""
        self._inner.cancel()
        return True


def _run(needed: tuple[str, tuple[str, ...]], work: Callable[[Given], Made], given: Given) -> Made:
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
    return work(given)


def _guard() -> None:
    """The kernel's timer is that of a whole process, so there must be one thread that works."""
    from distributed import get_worker

    if get_worker().state.nthreads == 1:
        guards.begin(None)
