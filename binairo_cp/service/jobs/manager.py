"""Manage the jobs of a server: start their processes, follow their progress, and stop them.

The database holds the truth about jobs, which other processes and servers change too. So this
process polls it: it renews the leases of its own jobs, takes jobs that are free, and reads those
that clients follow.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import version
from time import monotonic
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import orjson
from sqlalchemy.exc import DBAPIError

from binairo_cp.errors import ServiceError
from binairo_cp.service.jobs import database, runs
from binairo_cp.service.jobs.database import JobRow, JobState
from binairo_cp.service.jobs.records import ListPlace
from binairo_cp.service.jobs.runs import JobRun, JobView
from binairo_cp.service.jobs.store import LEASE_SECONDS, JobStore, StorageError
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.workers.executors import Address

_LOG = logging.getLogger("binairo.service")
_MAX_ATTEMPTS = 3
_DAY, _HOUR = 86_400.0, 3_600.0
_POLL_SECONDS = 0.5

P = ParamSpec("P")
T = TypeVar("T")


class JobManager:
    """The jobs of a server, seen from one of its processes.

    Args:
        store: where the jobs are saved.
        limits: the limits of the server.
        server: the id of the server, which all its processes share.
        cluster: a cluster that runs the jobs; None for this machine.
    """

    def __init__(
        self, store: JobStore, limits: Limits, server: str, cluster: Address | None
    ) -> None:
        self.store = store
        self._limits = limits
        self._server = server
        self._worker = f"{server}-{os.getpid()}-{secrets.token_hex(4)}"
        self._cluster = cluster
        self._runs: dict[str, JobRun] = {}
        self._known: WeakValueDictionary[str, JobView] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()
        # A single thread, so that statements never block the event loop and stay in order.
        self._thread = ThreadPoolExecutor(1, "jobs")
        self._stopping = False
        self._failure = ""
        self._wake = asyncio.Event()

    async def open(self) -> None:
        """Start to run jobs, also those that were interrupted."""
        self._spawn(self._expire())
        self._spawn(self._poll())

    async def close(self) -> None:
        """Kill all processes. Other servers, or this one when it starts again, resume the jobs."""
        self._stopping = True
        for run in self._runs.values():
            runs.kill(run.process)
        for task in list(self._tasks):
            if task.get_name() != "job":
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._thread.shutdown()
        self.store.close()

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function of the store without blocking the event loop.

        Raises:
            Problem: the database can't be used.
        """
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(self._thread, lambda: function(*args, **kwargs))
        except DBAPIError as error:
            self._note_failure(database.reason(error))
            raise _no_storage() from error
        except (StorageError, ServiceError, OSError) as error:
            self._note_failure(str(error))
            raise _no_storage() from error
        else:
            self._note_failure("")
            return result

    def _note_failure(self, reason: str) -> None:
        """Log that the database can't be used, or can be used again; once, not at each poll."""
        if reason != self._failure:
            self._failure = reason
            if reason:
                _LOG.warning("database failed", extra={"reason": reason})
            else:
                _LOG.info("database works again")

    async def find(self, id: str, owner: str) -> JobView:
        """Look up a job by its id.

        Raises:
            Problem: there is no such job, or it has another owner.
        """
        rows = await self.in_thread(self.store.find, [id])
        if not rows or rows[0].owner != owner:
            raise Problem(404, "not-found", "there is no such job")
        return self._job(rows[0])

    async def all(self, owner: str, limit: int, after: ListPlace | None = None) -> list[JobRow]:
        """The jobs of an owner, the latest first; `after` is the place where to begin."""
        rows = await self.in_thread(self.store.all, owner, limit, after)
        return [self._job(row).row for row in rows]

    async def find_by_key(self, owner: str, key: str) -> JobView | None:
        """The job that was submitted with an Idempotency-Key."""
        row = await self.in_thread(self.store.find_by_key, owner, key)
        return self._job(row) if row else None

    async def reject_if_full(self) -> None:
        """Refuse another job if the queue is full.

        Raises:
            Problem: the queue is full.
        """
        counts = await self.counts()
        free = max(0, self._limits.jobs - counts["running"])
        if counts["queued"] >= self._limits.jobs_waiting + free:
            raise Problem(503, "busy", "too many jobs are waiting", retry_after=60)

    async def add(self, row: JobRow) -> JobView | None:
        """Accept a job, whose files are already in its folder; None if its key is in use."""
        if not await self.in_thread(self.store.add, row):
            return None
        _LOG.info("job accepted", extra={"job": row.id, "kind": row.kind})
        self._wake.set()
        return self._job(row)

    async def cancel(self, job: JobView) -> None:
        """Cancel a job. The process that runs it is killed, on another server within a second."""
        await self.in_thread(self.store.cancel, job.row.id)
        if run := self._runs.get(job.row.id):
            run.lose()
        await self._refresh([job])

    async def delete(self, id: str) -> None:
        """Delete a job that has ended, with its results."""
        await self.in_thread(self.store.delete, id)

    async def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        return await self.in_thread(self.store.counts)

    def _job(self, row: JobRow) -> JobView:
        """The job of a row that was just read."""
        job = self._known.get(row.id)
        if job is None:
            self._known[row.id] = job = JobView(row)
        elif not self._is_own(row):
            job.update(row)
        return job

    def _is_own(self, row: JobRow) -> bool:
        """Whether this process knows more about a job than the database."""
        run = self._runs.get(row.id)
        return bool(run and run.has_lease and row.state == "running")

    async def _refresh(self, jobs: list[JobView]) -> None:
        """Read jobs again. A job that another process deleted looks cancelled."""
        rows = {
            row.id: row for row in await self.in_thread(self.store.find, [j.row.id for j in jobs])
        }
        for job in jobs:
            row = rows.get(job.row.id)
            if row:
                self._job(row)
            elif not job.row.is_ended:
                job.row.state = "cancelled"
                job.notify()

    async def _poll(self) -> None:
        while not self._stopping:
            with suppress(Problem):  # which is in the log; the database may come back
                await self._renew()
                await self._claim()
                watched = [job for id, job in self._known.items() if id not in self._runs]
                if jobs := [job for job in watched if not job.row.is_ended]:
                    await self._refresh(jobs)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _POLL_SECONDS)
            self._wake.clear()

    async def _renew(self) -> None:
        """Save the progress of the jobs of this process, and renew their leases."""
        for run in list(self._runs.values()):
            is_due = monotonic() > run.renewed + LEASE_SECONDS / 4
            if run.has_lease and (is_due or run.row.progress != run.saved):
                saved = run.row.progress
                if await self.in_thread(self.store.renew, run.row):
                    run.renewed, run.saved = monotonic(), saved
                elif run.row.id in self._runs:
                    run.lose()

    async def _claim(self) -> None:
        """Start free jobs, up to the limit of running jobs."""
        while not self._stopping and len(self._runs) < self._limits.jobs:
            row = await self.in_thread(
                self.store.claim, self._server, self._worker, self._limits.jobs
            )
            if row is None:
                return
            run = JobRun(self._known.get(row.id) or JobView(row), row, renewed=monotonic())
            self._known[row.id] = run.job
            run.job.update(row)
            self._runs[row.id] = run
            self._spawn(self._run(run), "job")

    def _spawn(self, coroutine: Any, name: str = "") -> None:
        task = asyncio.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, run: JobRun) -> None:
        """Run a job until it ends, the server stops, or the lease is lost."""
        error: dict[str, str] | None = None
        try:
            # When another process takes over, the time starts again.
            async with asyncio.timeout(self._limits.job_hours * _HOUR):
                error, code = await self._follow(run)
        except TimeoutError:
            error, code = _error("time", f"not finished in {self._limits.job_hours:g} hours"), 1
        except OSError as exception:
            error, code = _error("internal", f"can't start: {exception.strerror}"), 1
        finally:
            runs.kill(run.process)
        try:
            await self._finish(run, error, code)
        finally:
            del self._runs[run.row.id]
            self._wake.set()

    async def _follow(self, run: JobRun) -> tuple[dict[str, str] | None, int]:
        """Run the process of a job and follow its progress.

        Returns:
            The error that the process reported, and its exit status.
        """
        row, error = run.row, None
        # Another version may write other results, so the job starts again.
        is_same = row.version == version("binairo-cp")
        if not is_same:
            row.version = version("binairo-cp")
            await self._insist(self.store.set_version, row)
        await asyncio.to_thread(self.store.folder.start_run, row.id, row.run, is_same)
        run.process = process = await runs.start(
            row, self.store.folder, self._limits, self._cluster
        )
        if self._stopping or not run.has_lease:
            runs.kill(process)
        if process.stdout is None:
            raise RuntimeError("the process has no standard output")
        async for line in process.stdout:
            with suppress(orjson.JSONDecodeError):
                message = orjson.loads(line)
                error = message.get("error", error)
                if not error:
                    row.progress = line.decode().strip()
                    run.job.notify()
        return error, await process.wait()

    async def _finish(self, run: JobRun, error: dict[str, str] | None, code: int) -> None:
        """Save how a run has ended."""
        row = run.row
        if not run.has_lease:
            _LOG.info("job left", extra={"job": row.id, "run": row.run})
        elif code == 0:
            await self._end(run, "done")
        elif error:
            await self._end(run, "failed", error)
        elif self._stopping:
            await self._insist(self.store.release, row)
        else:
            await self._retry(run, code)

    async def _retry(self, run: JobRun, code: int) -> None:
        """Resume a job whose process died, unless it has died too often."""
        row = run.row
        row.attempts += 1
        _LOG.warning("job died", extra={"job": row.id, "code": code})
        if row.attempts >= _MAX_ATTEMPTS:
            message = f"the process of the job died {row.attempts} times, last with status {code}"
            await self._end(run, "failed", _error("crash", message))
        else:
            await self._insist(self.store.release, row)

    async def _end(self, run: JobRun, state: JobState, error: dict[str, str] | None = None) -> None:
        text = orjson.dumps(error).decode() if error else ""
        is_saved = await self._insist(self.store.end, run.row, state, text)
        run.has_lease = False
        if is_saved:
            _LOG.info("job ended", extra={"job": run.row.id, "state": state})
        with suppress(Problem):
            await self._refresh([run.job])

    async def _insist(self, function: Callable[P, bool], *args: P.args, **kwargs: P.kwargs) -> bool:
        """Call a function of the store until the database can be used, or the server stops."""
        while True:
            with suppress(Problem):
                return await self.in_thread(function, *args, **kwargs)
            if self._stopping:
                return False  # the lease expires, and another process resumes the job
            await asyncio.sleep(_POLL_SECONDS)

    async def _expire(self) -> None:
        while True:
            with suppress(Problem):
                await self.in_thread(self.store.sweep)
                for row in await self.in_thread(self.store.expired, self._limits.keep_days * _DAY):
                    await self.delete(row.id)
            await asyncio.sleep(_HOUR)


def _no_storage() -> Problem:
    detail = "the database of jobs can't be used now"
    return Problem(503, "storage", detail, retry_after=LEASE_SECONDS)


def _error(kind: str, message: str) -> dict[str, str]:
    return {"kind": kind, "message": message}
