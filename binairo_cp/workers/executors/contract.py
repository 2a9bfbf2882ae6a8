"""What an executor does."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class Executor(Protocol):
    """Workers, which end with the ``with`` block: at once if it ends by an exception."""

    blame_is_certain: bool
    """Whether a worker that died had nothing else to do than what it is told to have died of."""

    @property
    def workers(self) -> int:
        """How many there are now."""

    def submit(self, work: Callable[[Given], Made], given: Given) -> Future[Made]:
        """Have something done by a worker.

        Args:
            work: what is done; it and all that passes must be picklable. It may be done twice.
            given: with what.

        Returns:
            What is raised by the work, or what became of the worker: `SolverCrash`, `SolverHang`
            or `SolverMemory`. To cancel it ends the work.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
