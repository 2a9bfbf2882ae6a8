"""Small requests, many to a block: what comes while a worker is busy goes to it together.

Giving work to a process takes longer than a small puzzle, so under load a block has what has come
meanwhile, and alone a request waits for no others.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from time import monotonic

from binairo_cp.batch.tasks import Task
from binairo_cp.errors import SolverCrash
from binairo_cp.service import work
from binairo_cp.service.work import Given, Told
from binairo_cp.service.worker_pools import Lane

SECONDS = 0.1
"""How long a request may keep a worker of the fast lane; what takes longer goes to the other."""

CELLS = 400
"""How large the boards are that the fast lane takes, in all of their cells."""

_BLOCK_SECONDS = 0.25
_MOST_OF_A_BLOCK = 16
_MOST_REMEMBERED = 10_000
_SECONDS_REMEMBERED = 60.0


@dataclass(frozen=True, slots=True)
class Small:
    """A small request.

    Attributes:
        task: what is done.
        given: with which puzzle.
        seconds: how long it may take.
        mark: a hash of all of the request.
    """

    task: Task
    given: Given
    seconds: float
    mark: int


Waiting = tuple[Small, "asyncio.Future[Told | None]"]


class Batches:
    """The way to the fast lane.

    Args:
        lane: its workers.
    """

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._waiting: deque[Waiting] = deque()
        self._running = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._slow: OrderedDict[int, float] = OrderedDict()

    async def decide(self, small: Small) -> Told | None:
        """What becomes of a small request; None if it is not small, or was not soon done.

        Raises:
            Problem: too many wait.
            SolverCrash: a worker died of it.
        """
        if monotonic() - self._slow.get(small.mark, -_SECONDS_REMEMBERED) < _SECONDS_REMEMBERED:
            return None
        self._lane.check_room(len(self._waiting))
        future: asyncio.Future[Told | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((small, future))
        self._start()
        told = await future
        if told is None:
            # Who asks again what takes long does not keep the others waiting again.
            self._slow[small.mark] = monotonic()
            self._slow.move_to_end(small.mark)
            if len(self._slow) > _MOST_REMEMBERED:
                self._slow.popitem(last=False)
        return told

    def _start(self) -> None:
        """Give away what waits, as far as workers are free."""
        while self._waiting and self._running < self._lane.workers:
            number = min(_MOST_OF_A_BLOCK, len(self._waiting))
            block = [self._waiting.popleft() for _ in range(number)]
            self._running += 1
            task = asyncio.create_task(self._run(block))
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running -= 1
        self._start()

    async def _run(self, block: list[Waiting]) -> None:
        smalls = [small for small, _ in block]
        try:
            done = await self._lane.run(decide_block, smalls, _BLOCK_SECONDS)
        except SolverCrash as error:
            if len(block) == 1:
                _end(block[0][1], error)
            for each in block if len(block) > 1 else ():
                # One by one, for one of them is the guilty.
                await self._run([each])
        except Exception as error:
            for _, future in block:
                _end(future, error)
        else:
            for (_, future), told in zip(block, done, strict=False):
                if not future.done():
                    future.set_result(told)
            self._waiting.extendleft(reversed(block[len(done) :]))


def _end(future: asyncio.Future[Told | None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def decide_block(smalls: list[Small]) -> list[Told | None]:
    """What a worker does: as many of a block as it has time for, at least one."""
    end = monotonic() + _BLOCK_SECONDS - SECONDS
    done: list[Told | None] = []
    for small in smalls:
        done.append(_decided(small))
        if monotonic() > end:
            break
    return done


def _decided(small: Small) -> Told | None:
    found = work.decide_given(small.task, small.seconds, CELLS, small.given)
    return found[0] if found and found[0].is_final else None
