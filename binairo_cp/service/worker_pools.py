"""Worker processes with a bounded, fair queue and a hard time limit per request."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
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
from binairo_cp.service.problems import Problem
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import Pool

_LOG = logging.getLogger("binairo.service")

Argument = TypeVar("Argument")
Result = TypeVar("Result")

SMALL_BODY_BYTES = 8_192
"""Maximum body size of a small request."""

SMALL_SECONDS = 0.1
"""Time limit of a small request. One that needs longer starts again as a usual one."""

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


@dataclass(slots=True, eq=False)
class _Turn:
    """When a request gets a worker.

    Attributes:
        begins: done when it has one, or can't get one.
        is_small: whether it may use the workers that are reserved for small requests.
        is_reserved: whether it uses one of them.
    """

    begins: asyncio.Future[None]
    is_small: bool
    is_reserved: bool = False

    def resolve(self, error: Exception | None = None) -> None:
        if self.begins.done():
            # Its request was cancelled, and will notice when its task runs.
            return
        if error:
            self.begins.set_exception(error)
        else:
            self.begins.set_result(None)


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
    Further workers only take small requests, which are never queued behind large ones.

    Args:
        name: for messages and metrics.
        workers: number of processes that one client may use at once if it is the only one.
        max_waiting: number of requests that may wait for a worker.
        max_wait: seconds that a request waits at most.
        metrics: the metrics of the server.
        low_priority: give the workers a lower CPU priority than other processes.
        memory: memory limit of each worker in bytes.
        spare: number of further processes for clients that have no worker yet.
        reserved: number of further processes for small requests.
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
        reserved: int = 0,
    ) -> None:
        self.name = name
        self.workers = workers
        self._spare, self._reserved = spare, reserved
        self._busy = 0
        # The clients that use the reserved workers.
        self._small: Counter[str] = Counter()
        self._max_wait = max_wait
        self._queue: FairQueue[_Turn] = FairQueue(max_waiting)
        self._recent = RecentClients()
        self._metrics = metrics
        self._nice = _NICE if low_priority else 0
        self._pool = Pool(workers + spare + reserved, _MODULES, memory, blocks=0)
        metrics.record_load(self)

    @property
    def busy(self) -> int:
        """The number of busy workers."""
        return self._busy + self._small.total()

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a worker."""
        return len(self._queue)

    def close(self) -> None:
        """Kill the workers."""
        self._pool.close()

    async def run(
        self,
        function: Callable[[Argument], Result],
        argument: Argument,
        seconds: float,
        *,
        is_small: bool = False,
    ) -> Result:
        """Call a function in a worker. It, its argument and its result must be picklable.

        The function must return within so many seconds by itself: the worker is killed `GRACE`
        seconds later. A small call takes at most `SMALL_SECONDS`, so it may use any worker.

        Raises:
            Problem: too many requests are waiting.
            SolverCrash: the worker died or was killed.
        """
        ticket = await self._start(clients.current(), seconds, is_small)
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
        """The death of a worker, which is logged and counted."""
        self._metrics.worker_deaths.labels(self.name, error.kind).inc()
        state = clients.current().scope.get("state", {})
        reason = without_puzzle(str(error))
        _LOG.warning("worker died", extra={"request_id": state.get("request_id"), "reason": reason})
        return error

    async def _start(self, caller: Caller, seconds: float, is_small: bool) -> Ticket[_Turn]:
        """Wait for the turn of a request."""
        begin = monotonic()
        turn = _Turn(asyncio.get_running_loop().create_future(), is_small)
        if caller.scope:  # or the server's first trial would halve the share of the first client
            self._recent.note(caller.client)
        ticket = self._queue.push(caller.client, caller.possible_cost(seconds), turn)
        self._start_next()
        # Small requests are bounded by the number of connections, and soon done.
        if not is_small and (evicted := self._queue.evict()):
            evicted.item.resolve(self._busy_problem())
        try:
            async with asyncio.timeout(self._max_wait):
                await turn.begins
        except BaseException as error:
            self._give_up(ticket)
            if isinstance(error, TimeoutError):
                raise self._busy_problem() from None
            raise
        self._metrics.record_wait(self.name, caller, monotonic() - begin)
        return ticket

    def _give_up(self, ticket: Ticket[_Turn]) -> None:
        """Forget a request that does not wait any longer: it was cancelled, or waited too long."""
        if ticket.is_waiting:
            self._queue.remove(ticket)
        elif ticket.is_started:
            # Its turn came in the same moment.
            self._end(ticket, MIN_COST)
        self._metrics.record_load(self)

    def _start_next(self) -> None:
        """Start waiting requests while there are workers for them."""
        while ticket := self._queue.pop(self._may_start):
            turn = ticket.item
            turn.is_reserved = turn.is_small and self._has_reserved
            if turn.is_reserved:
                self._small[ticket.client] += 1
            else:
                self._busy += 1
            turn.resolve()
        self._metrics.record_load(self)

    @property
    def _has_reserved(self) -> bool:
        return self._small.total() < self._reserved

    def _may_start(self, ticket: Ticket[_Turn]) -> bool:
        if ticket.item.is_small and self._has_reserved:
            return True
        client = ticket.client
        free = self.workers + self._spare - self._busy
        running = self._queue.running(client) - self._small[client]
        if not running:
            return free > 0
        left_to_others = 1 if self._recent.has_others(client) else 0
        return free > self._spare and running < self.workers - left_to_others

    def _end(self, ticket: Ticket[_Turn], cost: float) -> None:
        if ticket.item.is_reserved:
            self._small[ticket.client] -= 1
            self._small += Counter()  # forgets clients without requests
        else:
            self._busy -= 1
        self._queue.settle(ticket, cost)
        self._start_next()

    def _busy_problem(self) -> Problem:
        """The problem of a request that can't wait for a worker, or waited too long."""
        detail = "all workers are busy and too many requests are waiting"
        return Problem(503, "busy", detail, retry_after=self._max_wait / 2)
