"""Worker pools with a bounded queue and a hard time limit per request.

The fast pool is reserved for small requests, so they stay fast while expensive ones fill the
general pool.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from prometheus_client import Counter

from binairo_cp.errors import SolverCrash, SolverHang
from binairo_cp.service.problems import Problem
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import Pool

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_NICE = 10

GRACE = 2.0
"""Seconds after the time limit until a worker is killed. Workers should stop by themselves."""

_MODULES = [
    "binairo_cp.solving.loaded_if_stored",
    "binairo_cp.certificates.making",
    "binairo_cp.solving.minimal_conflicts",
    "binairo_cp.deduction.grading",
    "binairo_cp.generation.puzzles",
    "binairo_cp.reduction.helpful",
    "binairo_cp.reduction.repair",
    "binairo_cp.commands.render_options",
    "binairo_cp.rendering.svg",
    "binairo_cp.service.files",
]
"""Modules imported once, before the workers are forked. Compiled code is shared in this way."""


@dataclass(frozen=True, slots=True)
class _Guarded(Generic[Argument, Result]):
    """A function call that the operating system ends after a time limit."""

    function: Callable[[Argument], Result]
    seconds: float
    nice: int

    def __call__(self, argument: Argument) -> Result:
        if self.nice and hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, 0, self.nice)
        with resource_limits.kill_after(self.seconds):
            return self.function(argument)


class WorkerPool:
    """Worker processes and the queue of requests that wait for them.

    Args:
        name: for messages and metrics.
        workers: number of processes.
        max_waiting: number of requests that may wait for a worker.
        max_wait: seconds that a request waits at most.
        worker_deaths: counts workers that died, by pool and kind of error.
        low_priority: give the workers a lower CPU priority than other processes.
        memory: memory limit of each worker in bytes.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        max_waiting: int,
        max_wait: float,
        worker_deaths: Counter,
        low_priority: bool,
        memory: int | None = None,
    ) -> None:
        self.name = name
        self.workers = workers
        self.busy = self.waiting = 0
        self._max_waiting = max_waiting
        self._max_wait = max_wait
        self._slots = asyncio.Semaphore(workers)
        self._worker_deaths = worker_deaths
        self._nice = _NICE if low_priority else 0
        self._pool = Pool(workers, _MODULES, memory, blocks=0)

    def close(self) -> None:
        """Kill the workers."""
        self._pool.close()

    async def run(
        self, function: Callable[[Argument], Result], argument: Argument, seconds: float
    ) -> Result:
        """Call a function in a worker.

        Args:
            function: must return within the time limit by itself. The function, its argument and
                its result must be picklable.
            argument: what the function is called with.
            seconds: the time limit. The worker is killed `GRACE` seconds later.

        Raises:
            Problem: too many requests are waiting.
            SolverCrash: the worker died or was killed.
        """
        await self._acquire_slot()
        self.busy += 1
        try:
            guarded: _Guarded[Argument, Result] = _Guarded(function, seconds + GRACE, self._nice)
            future = self._pool.submit(guarded, argument)
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds + 2 * GRACE)
        except TimeoutError:
            # For systems without timers that can end a process.
            error = SolverHang()
            self._worker_deaths.labels(self.name, error.kind).inc()
            raise error from None
        except SolverCrash as error:
            self._worker_deaths.labels(self.name, error.kind).inc()
            raise
        finally:
            self.busy -= 1
            self._slots.release()

    async def _acquire_slot(self) -> None:
        if not self._slots.locked():
            await self._slots.acquire()
            return
        self.reject_if_full(self.waiting)
        self.waiting += 1
        try:
            await asyncio.wait_for(self._slots.acquire(), self._max_wait)
        except TimeoutError:
            raise self._busy() from None
        finally:
            self.waiting -= 1

    def reject_if_full(self, waiting: int) -> None:
        """Refuse another request if the queue is full.

        Args:
            waiting: number of requests that are already waiting.

        Raises:
            Problem: the queue is full.
        """
        if waiting >= self._max_waiting:
            raise self._busy()

    def _busy(self) -> Problem:
        detail = "all workers are busy and too many requests are waiting"
        return Problem(503, "busy", detail, retry_after=self._max_wait / 2)
