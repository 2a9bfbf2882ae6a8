"""Group small requests into micro-batches for the fast worker pool.

Sending work to a process takes longer than solving a small puzzle. Requests that arrive while all
workers are busy are therefore sent together. A request that finds a free worker is sent at once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from time import monotonic

from binairo_cp.batch.tasks import Task
from binairo_cp.errors import SolverCrash
from binairo_cp.service import deciding
from binairo_cp.service.deciding import RawPuzzles, SerializedResult
from binairo_cp.service.worker_pools import WorkerPool

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


Waiting = tuple[SmallRequest, "asyncio.Future[SerializedResult | None]"]


class MicroBatcher:
    """Send small requests to the fast worker pool, in batches.

    Args:
        pool: the fast pool.
    """

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._waiting: deque[Waiting] = deque()
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
        self._pool.reject_if_full(len(self._waiting))
        future: asyncio.Future[SerializedResult | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        self._start()
        result = await future
        if result is None:
            # A client that repeats a slow request must not delay the others again.
            self._slow[request.fingerprint] = monotonic()
            self._slow.move_to_end(request.fingerprint)
            if len(self._slow) > _MAX_REMEMBERED:
                self._slow.popitem(last=False)
        return result

    def _start(self) -> None:
        """Send waiting requests to the free workers."""
        while self._waiting and self._running < self._pool.workers:
            size = min(_MAX_BATCH, len(self._waiting))
            batch = [self._waiting.popleft() for _ in range(size)]
            self._running += 1
            task = asyncio.create_task(self._run(batch))
            self._tasks.add(task)
            task.add_done_callback(self._batch_done)

    def _batch_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running -= 1
        self._start()

    async def _run(self, batch: list[Waiting]) -> None:
        requests = [request for request, _ in batch]
        try:
            results = await self._pool.run(decide_batch, requests, _BATCH_SECONDS)
        except SolverCrash as error:
            if len(batch) == 1:
                _fail(batch[0][1], error)
            for each in batch if len(batch) > 1 else ():
                # One of them killed the worker: run them one by one to find out which.
                await self._run([each])
        except Exception as error:
            for _, future in batch:
                _fail(future, error)
        else:
            for (_, future), result in zip(batch, results, strict=False):
                if not future.done():
                    future.set_result(result)
            self._waiting.extendleft(reversed(batch[len(results) :]))


def _fail(future: asyncio.Future[SerializedResult | None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def decide_batch(requests: list[SmallRequest]) -> list[SerializedResult | None]:
    """Decide the first requests of a batch, at least one, until the time is up. Runs in a worker.

    Returns:
        The results of the requests that were tried; None for a request that is too large or ran
        out of time.
    """
    end = monotonic() + _BATCH_SECONDS - SECONDS
    results: list[SerializedResult | None] = []
    for request in requests:
        results.append(_decide(request))
        if monotonic() > end:
            break
    return results


def _decide(request: SmallRequest) -> SerializedResult | None:
    results = deciding.decide_raw(request.task, request.seconds, CELLS, request.puzzles)
    return results[0] if results and results[0].is_final else None
