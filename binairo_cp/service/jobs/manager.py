"""The keeper of jobs: starts their processes, hears how far they are, ends them for good."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import version
from typing import Any, ParamSpec, TypeVar

import orjson

from binairo_cp.service.jobs import processes, runner
from binairo_cp.service.jobs.store import ENDED, Row, State, Store
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem

_LOG = logging.getLogger("binairo.service")
_MOST_ATTEMPTS = 3
_DAY, _HOUR = 86_400.0, 3_600.0

P = ParamSpec("P")
T = TypeVar("T")


class Job:
    """A job while the server runs.

    Attributes:
        row: what is known of it.
        changed: is set, and then another one, when more is known.
        process: what runs it.
    """

    def __init__(self, row: Row) -> None:
        self.row = row
        self.changed = asyncio.Event()
        self.process: asyncio.subprocess.Process | None = None

    @property
    def is_ended(self) -> bool:
        return self.row.state in ENDED

    def tell(self) -> None:
        """Wake all who wait for news."""
        told, self.changed = self.changed, asyncio.Event()
        told.set()


class Keeper:
    """All jobs of a server.

    Args:
        store: where they are kept.
        limits: how many, how long.
    """

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # One thread: what is said to the store is done in that order, and not while others wait.
        self._thread = ThreadPoolExecutor(1, "jobs")
        self._stopping = False

    async def open(self) -> None:
        """Go on with what was not ended."""
        await self.do(self.store.sweep)
        for row in await self.do(self.store.all):
            self._jobs[row.id] = job = Job(row)
            if row.state == "running":
                row.state = "queued"
            if not job.is_ended and row.version != version("binairo-cp"):
                # Other versions may tell other things: its results are begun anew.
                row.version = version("binairo-cp")
                for path in self.store.place(row.id).glob(f"{runner.RESULTS}*"):
                    path.unlink()
            await self.do(self.store.put, row)
        self._spawn(self._expire())
        self._pump()

    async def close(self) -> None:
        """End all processes; their jobs will go on when the server is started again."""
        self._stopping = True
        for job in self._jobs.values():
            processes.kill(job.process)
        for task in list(self._tasks):
            if task.get_name() != "job":
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.do(self.store.close)
        self._thread.shutdown()

    async def do(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Let the store do something, without anybody waiting who need not."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: work(*given, **named))

    def find(self, id: str, owner: str) -> Job:
        """A job.

        Raises:
            Problem: there is none, or it is another's.
        """
        job = self._jobs.get(id)
        if job is None or job.row.owner != owner:
            raise Problem(404, "not-found", "there is no such job")
        return job

    def all(self, owner: str) -> list[Job]:
        """The jobs of an owner, the latest first."""
        return [job for job in reversed(self._jobs.values()) if job.row.owner == owner]

    def known(self, owner: str, key: str) -> Job | None:
        """The job that came with an Idempotency-Key."""
        return next((job for job in self.all(owner) if job.row.key == key), None)

    def check_room(self) -> None:
        """Refuse more jobs than may wait.

        Raises:
            Problem: so many wait.
        """
        waiting = sum(job.row.state == "queued" for job in self._jobs.values())
        if waiting >= self._limits.jobs_waiting + max(0, self._limits.jobs - self._running):
            raise Problem(503, "busy", "too many jobs wait", retry_after=60)

    async def add(self, row: Row) -> Job | None:
        """Accept a job, whose files are in its place; None if its key is known already."""
        if not await self.do(self.store.add, row):
            return None
        self._jobs[row.id] = job = Job(row)
        _LOG.info("job accepted", extra={"job": row.id, "kind": row.kind})
        self._pump()
        return job

    async def cancel(self, job: Job) -> None:
        """End a job, and its process at once."""
        if not job.is_ended:
            processes.kill(job.process)
            await self._end(job, "cancelled")

    async def forget(self, job: Job) -> None:
        """Remove a job that has ended, with its results."""
        self._jobs.pop(job.row.id, None)
        await self.do(self.store.forget, job.row.id)

    @property
    def _running(self) -> int:
        return sum(job.row.state == "running" for job in self._jobs.values())

    def counts(self) -> dict[str, int]:
        """How many jobs are in each state."""
        states = [job.row.state for job in self._jobs.values()]
        return {state: states.count(state) for state in ("queued", "running", *ENDED)}

    def _pump(self) -> None:
        """Start what waits, as far as it may run."""
        for job in self._jobs.values():
            if self._stopping or self._running >= self._limits.jobs:
                return
            if job.row.state == "queued":
                job.row.state = "running"
                job.row.started = job.row.started or time.time()
                self._spawn(self._run(job), "job")

    def _spawn(self, work: Any, name: str = "") -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, job: Job) -> None:
        """A job from its start to its end, or until the server stops."""
        row = job.row
        await self.do(self.store.put, row)
        job.tell()
        error: dict[str, str] | None = None
        try:
            # From here on: what the server did not live through is not the job's time.
            async with asyncio.timeout(self._limits.job_hours * _HOUR):
                error, code = await self._hear(job)
        except TimeoutError:
            error, code = _error("time", f"not done in {self._limits.job_hours:g} hours"), 1
        except OSError as fault:
            error, code = _error("internal", f"can't be run: {fault.strerror}"), 1
        finally:
            processes.kill(job.process)
            job.process = None
        if row.state != "running":
            return
        if code == 0:
            await self._end(job, "done")
        elif error:
            await self._end(job, "failed", error)
        elif self._stopping:
            await self._park(job)
        else:
            await self._try_again(job, code)
        self._pump()

    async def _hear(self, job: Job) -> tuple[dict[str, str] | None, int]:
        """Run the process of a job; the error that it told, and its exit status."""
        error = None
        job.process = process = await processes.start(
            job.row, self.store.place(job.row.id), self._limits
        )
        if job.row.state != "running" or self._stopping:
            processes.kill(job.process)
        if process.stdout is None:
            raise RuntimeError("nothing can be heard")
        async for line in process.stdout:
            with suppress(orjson.JSONDecodeError):
                told = orjson.loads(line)
                error = told.get("error", error)
                if not error:
                    job.row.progress = line.decode().strip()
                    job.tell()
        return error, await process.wait()

    async def _try_again(self, job: Job, code: int) -> None:
        """A job whose process died: it goes on from its results, but not for ever."""
        job.row.attempts += 1
        _LOG.warning("job died", extra={"job": job.row.id, "code": code})
        if job.row.attempts >= _MOST_ATTEMPTS:
            told = f"its process died {job.row.attempts} times, last with {code}"
            await self._end(job, "failed", _error("crash", told))
        else:
            await self._park(job)

    async def _park(self, job: Job) -> None:
        job.row.state = "queued"
        await self.do(self.store.put, job.row)
        job.tell()

    async def _end(self, job: Job, state: State, error: dict[str, str] | None = None) -> None:
        row = job.row
        row.state, row.ended = state, time.time()
        row.error = orjson.dumps(error).decode() if error else ""
        await self.do(self.store.put, row)
        job.tell()
        _LOG.info("job ended", extra={"job": row.id, "state": state})
        self._pump()

    async def _expire(self) -> None:
        while True:
            oldest = time.time() - self._limits.keep_days * _DAY
            for job in list(self._jobs.values()):
                if job.is_ended and (job.row.ended or 0) < oldest:
                    await self.forget(job)
            await asyncio.sleep(_HOUR)


def _error(kind: str, message: str) -> dict[str, str]:
    return {"kind": kind, "message": message}
