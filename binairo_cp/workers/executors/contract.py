"""The executor protocol, and the address of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a cluster.

    Attributes:
        scheduler: ``tcp://host:8786``, or ``tls://host:8786`` for TLS.
        ca: a file with the trusted CA certificates; for TLS.
        cert: a file with the certificate of this client; for TLS.
        key: a file with its key; None if the key is in the file `cert`.
    """

    scheduler: str
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


class Executor(Protocol):
    """Workers, which end with the ``with`` block, immediately if it raises an exception."""

    blame_is_certain: bool
    """Whether a worker that dies was working only on the call that gets the error."""

    @property
    def workers(self) -> int:
        """The current number of workers."""

    def submit(self, work: Callable[[Argument], Result], argument: Argument) -> Future[Result]:
        """Call a function in a worker.

        Args:
            work: the function. It, its argument and its result must be picklable. It may be called
                twice.
            argument: its argument.

        Returns:
            A future of the result. It raises what the function raises, or `SolverCrash`,
            `SolverHang` or `SolverMemory` if the worker died. Cancelling it stops the work.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
