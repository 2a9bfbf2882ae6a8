"""The executor protocol."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


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
