"""Worker processes with a bounded, fair queue and a hard time limit per request."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TypeVar

from prometheus_client import CollectorRegistry, Gauge, Histogram
from prometheus_client import Counter as EventCounter

from binairo_cp.batch.tasks import without_puzzle
from binairo_cp.errors import SolverCrash, SolverHang
from binairo_cp.service import clients
from binairo_cp.service.clients import Caller
from binairo_cp.service.fair_queue import FairQueue, RecentClients, Ticket
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import Pool

_LOG = logging.getLogger("binairo.service")

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_NICE = 10
_WAITS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

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


class PoolMetrics:
    """The metrics of worker pools.

    Attributes:
        worker_deaths: counts workers that died, by pool and kind of error.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._waits = Histogram(
            "binairo_pool_wait_seconds",
            "Time that requests waited for a worker.",
            ["pool", "route"],
            buckets=_WAITS,
            registry=registry,
        )
        self._busy, self._waiting = (
            Gauge(f"binairo_pool_{name}", help_text, ["pool"], registry=registry)
            for name, help_text in (("busy", "Busy workers."), ("waiting", "Waiting requests."))
        )
        self.worker_deaths = EventCounter(
            "binairo_workers_died",
            "Workers that crashed, or were killed at their time limit.",
            ["pool", "kind"],
            registry=registry,
        )

    def record_load(self, pool: WorkerPool) -> None:
        """Record how many workers of a pool are busy, and how many requests wait for one."""
        self._busy.labels(pool.name).set(pool.busy)
        self._waiting.labels(pool.name).set(pool.waiting)

    def record_wait(self, pool: str, caller: Caller, seconds: float) -> None:
        """Record how long a request waited. The server's own work is not counted."""
        if caller.scope:
            self._waits.labels(pool, caller.route).observe(seconds)


Turn = asyncio.Future[None]
"""Done when a request has a worker, or can't get one."""


def _guarded(
    function: Callable[[Argument], Result], seconds: float, nice: int, argument: Argument
) -> Result:
    """Call a function in a worker, which the operating system ends after a time limit."""
    if nice and hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    with resource_limits.kill_after(seconds):
        return function(argument)


class WorkerPool:
    """Worker processes and the queue of requests that wait for them.

    Clients share the workers fairly (see `fair_queue`). A running request is not interrupted, so
    some workers are spare: they only take requests of clients that have no worker yet. And while
    other clients send requests, a client leaves one of the usual workers, and so one CPU, to them.

    Args:
        name: for messages and metrics.
        limits: of the server. One client may use all `workers` if it is the only one.
        metrics: the metrics of the server.
        low_priority: give the workers a lower CPU priority than other processes.
        spare: number of further processes for clients that have no worker yet.
    """

    def __init__(
        self, name: str, limits: Limits, metrics: PoolMetrics, *, low_priority: bool, spare: int = 0
    ) -> None:
        self.name = name
        self.workers = limits.workers
        self._spare = spare
        self.busy = 0
        self._max_wait = limits.waiting_seconds
        self._queue: FairQueue[Turn] = FairQueue(limits.waiting)
        self._recent = RecentClients()
        self._metrics = metrics
        self._nice = _NICE if low_priority else 0
        self._pool = Pool(limits.workers + spare, _MODULES, limits.memory_mib << 20, blocks=0)
        metrics.record_load(self)

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
        """Call a function in a worker. It, its argument and its result must be picklable.

        The function must return within so many seconds by itself: the worker is killed `GRACE`
        seconds later.

        Raises:
            Problem: too many requests are waiting.
            SolverCrash: the worker died or was killed.
        """
        ticket = await self._start(clients.current(), seconds)
        started, overhead = monotonic(), _RESTART_SECONDS
        try:
            guarded = partial(_guarded, function, seconds + GRACE, self._nice)
            future = self._pool.submit(guarded, argument)
            result = await asyncio.wait_for(asyncio.wrap_future(future), seconds + 2 * GRACE)
            overhead = MIN_COST
            return result
        except TimeoutError:
            # For systems without timers that can end a process.
            raise self._noted(SolverHang()) from None
        except SolverCrash as error:
            raise self._noted(error) from None
        finally:
            self._end(ticket, monotonic() - started + overhead)

    def _noted(self, error: SolverCrash) -> SolverCrash:
        self._metrics.worker_deaths.labels(self.name, error.kind).inc()
        state = clients.current().scope.get("state", {})
        reason = without_puzzle(str(error))
        _LOG.warning("worker died", extra={"request_id": state.get("request_id"), "reason": reason})
        return error

    async def _start(self, caller: Caller, seconds: float) -> Ticket[Turn]:
        begin = monotonic()
        turn = asyncio.get_running_loop().create_future()
        if caller.scope:  # or the server's first trial would halve the share of the first client
            self._recent.note(caller.client)
        ticket = self._queue.push(caller.client, caller.possible_cost(seconds), turn)
        self._start_next()
        if (evicted := self._queue.evict()) and not evicted.item.done():
            evicted.item.set_exception(self._busy_problem())
        try:
            async with asyncio.timeout(self._max_wait):
                await turn
        except BaseException as error:
            if ticket.is_waiting:
                self._queue.remove(ticket)
            elif ticket.is_started:
                self._end(ticket, MIN_COST)  # its turn came in the same moment
            self._metrics.record_load(self)
            if isinstance(error, TimeoutError):
                raise self._busy_problem() from None
            raise
        self._metrics.record_wait(self.name, caller, monotonic() - begin)
        return ticket

    def _start_next(self) -> None:
        while ticket := self._queue.pop(self._may_start):
            self.busy += 1
            if not ticket.item.done():  # or its request was cancelled, and notices in its task
                ticket.item.set_result(None)
        self._metrics.record_load(self)

    def _may_start(self, ticket: Ticket[Turn]) -> bool:
        free = self.workers + self._spare - self.busy
        running = self._queue.running(ticket.client)
        if not running:
            return free > 0
        left_to_others = 1 if self._recent.has_others(ticket.client) else 0
        return free > self._spare and running < self.workers - left_to_others

    def _end(self, ticket: Ticket[Turn], cost: float) -> None:
        self.busy -= 1
        self._queue.settle(ticket, cost)
        self._start_next()

    def _busy_problem(self) -> Problem:
        detail = "all workers are busy and too many requests are waiting"
        return Problem(503, "busy", detail, retry_after=self._max_wait / 2)
