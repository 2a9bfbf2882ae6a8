"""Group small requests into micro-batches for the fast worker pool.

Sending work to a process takes longer than solving a small puzzle. Requests that arrive while all
workers are busy are therefore sent together. A request that finds a free worker is sent at once.
The requests of a batch are chosen fairly: a client with many requests does not delay the others.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextvars import Context
from dataclasses import dataclass
from time import monotonic

from binairo_cp.batch.tasks import Task
from binairo_cp.errors import SolverCrash
from binairo_cp.service import callers, deciding
from binairo_cp.service.callers import Caller
from binairo_cp.service.deciding import RawPuzzles, SerializedResult
from binairo_cp.service.fair_queue import FairQueue, Ticket
from binairo_cp.service.limits import Limits
from binairo_cp.service.pool_metrics import PoolMetrics
from binairo_cp.service.worker_pools import MIN_COST, WorkerPool, busy

SECONDS = 0.1
"""Time limit of a request in the fast pool. A slower request continues in the general pool."""

CELLS = 400
"""Maximum number of cells, over all boards of a request, in the fast pool."""

_BATCH_SECONDS = 0.25
_MAX_BATCH = 16
_MAX_REMEMBERED = 10_000
_REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SmallRequest:
    """A request that is probably fast.

    Attributes:
        task: what to do with the puzzle.
        puzzles: the puzzle.
        seconds: the time limit.
        fingerprint: a hash of the whole request.
    """

    task: Task
    puzzles: RawPuzzles
    seconds: float
    fingerprint: int


_Decided = tuple[SerializedResult | None, float]
_Future = asyncio.Future[SerializedResult | None]


@dataclass(frozen=True, slots=True)
class _Waiting:
    request: SmallRequest
    caller: Caller
    future: _Future
    since: float


class MicroBatcher:
    """Send small requests to the fast worker pool, in batches.

    Args:
        pool: the fast pool.
        limits: the limits of the server, for its queue.
        metrics: the metrics of the server.
    """

    def __init__(self, pool: WorkerPool, limits: Limits, metrics: PoolMetrics) -> None:
        self._pool = pool
        self._max_wait = limits.waiting_seconds
        self._metrics = metrics
        self._queue: FairQueue[_Waiting] = FairQueue(limits.connections)
        self._running = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._slow: OrderedDict[int, float] = OrderedDict()

    async def decide(self, request: SmallRequest) -> SerializedResult | None:
        """The result of a small request; None if it is too large or ran out of time.

        Raises:
            Problem: too many requests are waiting.
            SolverCrash: the request killed its worker.
        """
        failed_at = self._slow.get(request.fingerprint, -_REMEMBERED_SECONDS)
        if monotonic() - failed_at < _REMEMBERED_SECONDS:
            return None
        future: _Future = asyncio.get_running_loop().create_future()
        caller = callers.current()
        waiting = _Waiting(request, caller, future, monotonic())
        ticket = self._queue.push(caller.client, caller.possible_cost(request.seconds), waiting)
        self._start()
        if evicted := self._queue.evict():
            _fail(evicted.item.future, busy(self._max_wait))
        try:
            result = await future
        finally:
            if ticket.is_waiting:
                # The client has disconnected.
                self._queue.remove(ticket)
        if result is None:
            # A client that repeats a slow request must not delay the others again.
            self._slow[request.fingerprint] = monotonic()
            self._slow.move_to_end(request.fingerprint)
            if len(self._slow) > _MAX_REMEMBERED:
                self._slow.popitem(last=False)
        return result

    def _start(self) -> None:
        """Send waiting requests to the free workers."""
        while self._queue and self._running < self._pool.workers:
            batch: list[Ticket[_Waiting]] = []
            while len(batch) < _MAX_BATCH and (ticket := self._queue.pop()):
                batch.append(ticket)
            self._running += 1
            # A batch belongs to the server, not to the client whose request started it.
            task = asyncio.create_task(self._run(batch), context=Context())
            self._tasks.add(task)
            task.add_done_callback(self._batch_done)

    def _batch_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running -= 1
        self._start()

    async def _run(self, batch: list[Ticket[_Waiting]]) -> None:
        started = monotonic()
        results: list[_Decided] = []
        try:
            requests = [ticket.item.request for ticket in batch]
            results = await self._pool.run(decide_batch, requests, _BATCH_SECONDS)
        except SolverCrash as error:
            if len(batch) == 1:
                self._end(batch[0], error, monotonic() - started)
            for each in batch if len(batch) > 1 else ():
                # One of them killed the worker: run them one by one to find out which.
                await self._run([each])
        except BaseException as error:
            for ticket in batch:
                self._end(ticket, error, MIN_COST)
            if not isinstance(error, Exception):
                raise
        else:
            for ticket, (result, seconds) in zip(batch, results, strict=False):
                waited = monotonic() - ticket.item.since - seconds
                self._metrics.record_wait(self._pool.name, ticket.item.caller, max(0.0, waited))
                self._end(ticket, result, seconds)
            for ticket in reversed(batch[len(results) :]):
                self._queue.put_back(ticket)

    def _end(
        self,
        ticket: Ticket[_Waiting],
        outcome: SerializedResult | BaseException | None,
        seconds: float,
    ) -> None:
        self._queue.settle(ticket, max(MIN_COST, seconds))
        future = ticket.item.future
        if isinstance(outcome, BaseException):
            _fail(future, outcome)
        elif not future.done():
            future.set_result(outcome)


def _fail(future: _Future, error: BaseException) -> None:
    if future.done():
        return
    if isinstance(error, asyncio.CancelledError):
        future.cancel()
    else:
        future.set_exception(error)


def decide_batch(requests: list[SmallRequest]) -> list[_Decided]:
    """Decide the first requests of a batch, at least one, until the time is up. Runs in a worker.

    Returns:
        The results of the requests that were tried, with the seconds that each took; None for a
        request that is too large or ran out of time.
    """
    last = started = monotonic()
    results: list[_Decided] = []
    for request in requests:
        result = _decide(request)
        now = monotonic()
        results.append((result, now - last))
        last = now
        if now > started + _BATCH_SECONDS - SECONDS:
            break
    return results


def _decide(request: SmallRequest) -> SerializedResult | None:
    results = deciding.decide_raw(request.task, request.seconds, CELLS, request.puzzles)
    return results[0] if results and results[0].is_final else None
