"""Worker pools with a bounded queue and a hard time limit per request.

The fast pool is reserved for small requests, so they stay fast while expensive ones fill the
general pool.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from binairo_cp.errors import SolverCrash, SolverHang
from binairo_cp.service import callers
from binairo_cp.service.callers import Caller
from binairo_cp.service.fair_queue import FairQueue, Ticket
from binairo_cp.service.pool_metrics import PoolMetrics
from binairo_cp.service.problems import Problem
from binairo_cp.service.recent_clients import RecentClients
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import Pool

Argument = TypeVar("Argument")
Result = TypeVar("Result")

SMALL_BODY_BYTES = 8_192
"""Maximum body size of a request that may use the fast pool."""

_NICE = 10

GRACE = 2.0
"""Seconds after the time limit until a worker is killed. Workers should stop by themselves."""

MIN_COST = 0.001
"""Seconds that each request costs in addition to its work, so that empty requests are not free."""

_RESTART_SECONDS = 0.25
"""Seconds that a request costs in addition if its worker was killed: another one has to start."""

_MODULES = [
    "binairo_cp.solving.backends.bitboard",
    "binairo_cp.certificates.making",
    "binairo_cp.solving.minimal_conflicts",
    "binairo_cp.deduction.grading",
    "binairo_cp.generation.puzzles",
    "binairo_cp.reduction.helpful",
    "binairo_cp.reduction.repair",
    "binairo_cp.batch.drawing",
    "binairo_cp.rendering.svg",
    "binairo_cp.service.files",
]
"""Modules imported once, before the workers are forked, which share their memory."""


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

    Clients share the workers fairly (see `fair_queue`). A running request is not interrupted, so
    some workers are spare: they only take requests of clients that have no worker yet. And while
    other clients send requests, a client leaves one of the usual workers, and so one CPU, to them.

    Args:
        name: for messages and metrics.
        workers: number of processes that one client may use at once if it is the only one.
        max_waiting: number of requests that may wait for a worker.
        max_wait: seconds that a request waits at most.
        metrics: the metrics of the server.
        low_priority: give the workers a lower CPU priority than other processes.
        memory: memory limit of each worker in bytes.
        spare: number of further processes.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        max_waiting: int,
        max_wait: float,
        metrics: PoolMetrics,
        low_priority: bool,
        memory: int | None = None,
        spare: int = 0,
    ) -> None:
        self.name = name
        self.workers = workers
        self.busy = 0
        self._spare = spare
        self._max_wait = max_wait
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue(max_waiting)
        self._recent = RecentClients()
        self._metrics = metrics
        self._nice = _NICE if low_priority else 0
        self._pool = Pool(workers + spare, _MODULES, memory, blocks=0)

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a worker."""
        return len(self._queue)

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
        ticket = await self._start(callers.current(), seconds)
        started, overhead = monotonic(), _RESTART_SECONDS
        try:
            guarded: _Guarded[Argument, Result] = _Guarded(function, seconds + GRACE, self._nice)
            future = self._pool.submit(guarded, argument)
            result = await asyncio.wait_for(asyncio.wrap_future(future), seconds + 2 * GRACE)
            overhead = MIN_COST
            return result
        except TimeoutError:
            # For systems without timers that can end a process.
            error = SolverHang()
            self._metrics.worker_deaths.labels(self.name, error.kind).inc()
            raise error from None
        except SolverCrash as error:
            self._metrics.worker_deaths.labels(self.name, error.kind).inc()
            raise
        finally:
            self._end(ticket, monotonic() - started + overhead)

    async def _start(self, caller: Caller, seconds: float) -> Ticket[asyncio.Future[None]]:
        """Wait for the turn of a request."""
        begin = monotonic()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._recent.note(caller.client)
        ticket = self._queue.push(caller.client, caller.possible_cost(seconds), turn)
        self._start_next()
        if evicted := self._queue.evict():
            _resolve(evicted.item, self._busy())
        try:
            async with asyncio.timeout(self._max_wait):
                await turn
        except BaseException as error:
            self._give_up(ticket)
            if isinstance(error, TimeoutError):
                raise self._busy() from None
            raise
        self._metrics.record_wait(self.name, caller, monotonic() - begin)
        return ticket

    def _give_up(self, ticket: Ticket[asyncio.Future[None]]) -> None:
        """Forget a request that does not wait any longer: it was cancelled, or waited too long."""
        if ticket.is_waiting:
            self._queue.remove(ticket)
        elif ticket.is_started:
            # Its turn came in the same moment.
            self._end(ticket, MIN_COST)

    def _start_next(self) -> None:
        """Start waiting requests while there are workers for them."""
        while ticket := self._queue.pop(self._may_start):
            self.busy += 1
            _resolve(ticket.item)

    def _may_start(self, client: str) -> bool:
        free = self.workers + self._spare - self.busy
        running = self._queue.running(client)
        if not running:
            return free > 0
        left_to_others = 1 if self._recent.has_others(client) else 0
        return free > self._spare and running < self.workers - left_to_others

    def _end(self, ticket: Ticket[asyncio.Future[None]], cost: float) -> None:
        self.busy -= 1
        self._queue.settle(ticket, cost)
        self._start_next()

    def _busy(self) -> Problem:
        return busy(self._max_wait)


def busy(max_wait: float) -> Problem:
    """The problem of a request that can't wait for a worker, or waited too long."""
    detail = "all workers are busy and too many requests are waiting"
    return Problem(503, "busy", detail, retry_after=max_wait / 2)


def _resolve(turn: asyncio.Future[None], error: Exception | None = None) -> None:
    if turn.done():
        # Its request was cancelled, and will notice when its task runs.
        return
    if error:
        turn.set_exception(error)
    else:
        turn.set_result(None)
