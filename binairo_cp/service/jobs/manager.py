"""Manage the jobs of a server: start their processes, follow their progress, and stop them."""

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
from binairo_cp.service.jobs.store import ENDED, JobRow, JobState, JobStore
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem

_LOG = logging.getLogger("binairo.service")
_MAX_ATTEMPTS = 3
_DAY, _HOUR = 86_400.0, 3_600.0

P = ParamSpec("P")
T = TypeVar("T")


class Job:
    """A job in the memory of the server.

    Attributes:
        row: the state of the job, as in the store.
        changed: set at the next change of `row`; then replaced by a new event.
        process: the process of a running job.
    """

    def __init__(self, row: JobRow) -> None:
        self.row = row
        self.changed = asyncio.Event()
        self.process: asyncio.subprocess.Process | None = None

    @property
    def is_ended(self) -> bool:
        return self.row.state in ENDED

    def notify(self) -> None:
        """Wake all tasks that wait for a change."""
        event, self.changed = self.changed, asyncio.Event()
        event.set()


class JobManager:
    """All jobs of a server.

    Args:
        store: where the jobs are saved.
        limits: the limits of the server.
    """

    def __init__(self, store: JobStore, limits: Limits) -> None:
        self.store = store
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # A single thread, so that the store is updated in order and never blocks the event loop.
        self._thread = ThreadPoolExecutor(1, "jobs")
        self._stopping = False

    async def open(self) -> None:
        """Load the jobs and resume those that have not ended."""
        await self.in_thread(self.store.sweep)
        for row in await self.in_thread(self.store.all):
            self._jobs[row.id] = job = Job(row)
            if row.state == "running":
                row.state = "queued"
            if not job.is_ended and row.version != version("binairo-cp"):
                # Another version may write other results, so the job starts again.
                row.version = version("binairo-cp")
                for path in self.store.job_folder(row.id).glob(f"{runner.RESULTS}*"):
                    path.unlink()
            await self.in_thread(self.store.update, row)
        self._spawn(self._expire())
        self._start_queued()

    async def close(self) -> None:
        """Kill all processes. The jobs resume when the server is started again."""
        self._stopping = True
        for job in self._jobs.values():
            processes.kill(job.process)
        for task in list(self._tasks):
            if task.get_name() != "job":
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.in_thread(self.store.close)
        self._thread.shutdown()

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function of the store without blocking the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: function(*args, **kwargs))

    def find(self, id: str, owner: str) -> Job:
        """Look up a job by its id.

        Raises:
            Problem: there is no such job, or it has another owner.
        """
        job = self._jobs.get(id)
        if job is None or job.row.owner != owner:
            raise Problem(404, "not-found", "there is no such job")
        return job

    def all(self, owner: str) -> list[Job]:
        """The jobs of an owner, the latest first."""
        return [job for job in reversed(self._jobs.values()) if job.row.owner == owner]

    def find_by_key(self, owner: str, key: str) -> Job | None:
        """The job that was submitted with an Idempotency-Key."""
        return next((job for job in self.all(owner) if job.row.key == key), None)

    def reject_if_full(self) -> None:
        """Refuse another job if the queue is full.

        Raises:
            Problem: the queue is full.
        """
        waiting = sum(job.row.state == "queued" for job in self._jobs.values())
        if waiting >= self._limits.jobs_waiting + max(0, self._limits.jobs - self._running):
            raise Problem(503, "busy", "too many jobs are waiting", retry_after=60)

    async def add(self, row: JobRow) -> Job | None:
        """Accept a job, whose files are already in its folder; None if its key is in use."""
        if not await self.in_thread(self.store.add, row):
            return None
        self._jobs[row.id] = job = Job(row)
        _LOG.info("job accepted", extra={"job": row.id, "kind": row.kind})
        self._start_queued()
        return job

    async def cancel(self, job: Job) -> None:
        """Cancel a job and kill its process."""
        if not job.is_ended:
            processes.kill(job.process)
            await self._end(job, "cancelled")

    async def delete(self, job: Job) -> None:
        """Delete a job that has ended, with its results."""
        self._jobs.pop(job.row.id, None)
        await self.in_thread(self.store.delete, job.row.id)

    @property
    def _running(self) -> int:
        return sum(job.row.state == "running" for job in self._jobs.values())

    def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        states = [job.row.state for job in self._jobs.values()]
        return {state: states.count(state) for state in ("queued", "running", *ENDED)}

    def _start_queued(self) -> None:
        """Start queued jobs, up to the limit of running jobs."""
        for job in self._jobs.values():
            if self._stopping or self._running >= self._limits.jobs:
                return
            if job.row.state == "queued":
                job.row.state = "running"
                job.row.started = job.row.started or time.time()
                self._spawn(self._run(job), "job")

    def _spawn(self, coroutine: Any, name: str = "") -> None:
        task = asyncio.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, job: Job) -> None:
        """Run a job until it ends or the server stops."""
        row = job.row
        await self.in_thread(self.store.update, row)
        job.notify()
        error: dict[str, str] | None = None
        try:
            # After a restart of the server the time starts again.
            async with asyncio.timeout(self._limits.job_hours * _HOUR):
                error, code = await self._follow(job)
        except TimeoutError:
            error, code = _error("time", f"not finished in {self._limits.job_hours:g} hours"), 1
        except OSError as exception:
            error, code = _error("internal", f"can't start: {exception.strerror}"), 1
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
            await self._requeue(job)
        else:
            await self._retry(job, code)
        self._start_queued()

    async def _follow(self, job: Job) -> tuple[dict[str, str] | None, int]:
        """Run the process of a job and follow its progress.

        Returns:
            The error that the process reported, and its exit status.
        """
        error = None
        job.process = process = await processes.start(
            job.row, self.store.job_folder(job.row.id), self._limits
        )
        if job.row.state != "running" or self._stopping:
            processes.kill(job.process)
        if process.stdout is None:
            raise RuntimeError("the process has no standard output")
        async for line in process.stdout:
            with suppress(orjson.JSONDecodeError):
                message = orjson.loads(line)
                error = message.get("error", error)
                if not error:
                    job.row.progress = line.decode().strip()
                    job.notify()
        return error, await process.wait()

    async def _retry(self, job: Job, code: int) -> None:
        """Resume a job whose process died, unless it has died too often."""
        job.row.attempts += 1
        _LOG.warning("job died", extra={"job": job.row.id, "code": code})
        if job.row.attempts >= _MAX_ATTEMPTS:
            message = (
                f"the process of the job died {job.row.attempts} times, last with status {code}"
            )
            await self._end(job, "failed", _error("crash", message))
        else:
            await self._requeue(job)

    async def _requeue(self, job: Job) -> None:
        job.row.state = "queued"
        await self.in_thread(self.store.update, job.row)
        job.notify()

    async def _end(self, job: Job, state: JobState, error: dict[str, str] | None = None) -> None:
        row = job.row
        row.state, row.ended = state, time.time()
        row.error = orjson.dumps(error).decode() if error else ""
        await self.in_thread(self.store.update, row)
        job.notify()
        _LOG.info("job ended", extra={"job": row.id, "state": state})
        self._start_queued()

    async def _expire(self) -> None:
        while True:
            oldest = time.time() - self._limits.keep_days * _DAY
            for job in list(self._jobs.values()):
                if job.is_ended and (job.row.ended or 0) < oldest:
                    await self.delete(job)
            await asyncio.sleep(_HOUR)


def _error(kind: str, message: str) -> dict[str, str]:
    return {"kind": kind, "message": message}
