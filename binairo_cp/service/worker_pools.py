"""Lanes: pools of workers with a bounded queue before them, and a hard end of each work.

The fast lane has workers that are kept for small requests, so that these are answered at once
while large ones fill the other.
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

Given = TypeVar("Given")
Made = TypeVar("Made")

_NICE = 10

GRACE = 2.0
"""Seconds after which a worker that should have ended its work by itself is killed."""

_MODULES = [
    "binairo_cp.solving.backends.bitboard.loaded",
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
"""What workers have from their beginning; compiled code is loaded, or compiled, once for all."""


@dataclass(frozen=True, slots=True)
class _Guarded(Generic[Given, Made]):
    """Work that the system ends."""

    work: Callable[[Given], Made]
    seconds: float
    nice: int

    def __call__(self, given: Given) -> Made:
        if self.nice and hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, 0, self.nice)
        with resource_limits.kill_after(self.seconds):
            return self.work(given)


class Lane:
    """Workers and those who wait for them.

    Args:
        name: for messages and metrics.
        workers: how many.
        waiting: how many requests may wait.
        seconds: how long they wait at most.
        polite: they give way to other processes of the machine.
        died: counts workers that died, by lane and kind of error.
        memory: bytes that each worker may have.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        waiting: int,
        seconds: float,
        died: Counter,
        polite: bool,
        memory: int | None = None,
    ) -> None:
        self.name = name
        self.workers = workers
        self.busy = self.waiting = 0
        self._most_waiting = waiting
        self._seconds = seconds
        self._free = asyncio.Semaphore(workers)
        self._died = died
        self._nice = _NICE if polite else 0
        self._pool = Pool(workers, _MODULES, memory, blocks=0)

    def close(self) -> None:
        """End the workers at once."""
        self._pool.close()

    async def run(self, work: Callable[[Given], Made], given: Given, seconds: float) -> Made:
        """Let a worker do some work.

        Args:
            work: a function that ends within the time by itself; it and the rest are picklable.
            given: what it is done with.
            seconds: how long it may take; `GRACE` later its worker is killed.

        Raises:
            Problem: too many wait.
            SolverCrash: its worker died, or was killed.
        """
        await self._admit()
        self.busy += 1
        try:
            guarded: _Guarded[Given, Made] = _Guarded(work, seconds + GRACE, self._nice)
            future = self._pool.submit(guarded, given)
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds + 2 * GRACE)
        except TimeoutError:
            # Where the system has no timers that end a process.
            error = SolverHang()
            self._died.labels(self.name, error.kind).inc()
            raise error from None
        except SolverCrash as error:
            self._died.labels(self.name, error.kind).inc()
            raise
        finally:
            self.busy -= 1
            self._free.release()

    async def _admit(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        self.check_room(self.waiting)
        self.waiting += 1
        try:
            await asyncio.wait_for(self._free.acquire(), self._seconds)
        except TimeoutError:
            raise self._full() from None
        finally:
            self.waiting -= 1

    def check_room(self, waiting: int) -> None:
        """Refuse one more to wait, if so many do.

        Raises:
            Problem: they are too many.
        """
        if waiting >= self._most_waiting:
            raise self._full()

    def _full(self) -> Problem:
        return Problem(
            503, "busy", "all workers are busy and too many wait", retry_after=self._seconds / 2
        )
