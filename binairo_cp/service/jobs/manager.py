"""Manage the jobs of a server: start their processes, save their progress, and stop them.

The database holds the truth about jobs, which other servers change too. So the server polls it: it
renews the leases of its own jobs, takes jobs that are free, and reads those that it runs or that
clients follow.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import ParamSpec, TypeVar

from sqlalchemy.exc import DBAPIError

import binairo_cp
from binairo_cp.errors import ServiceError
from binairo_cp.json_library import orjson
from binairo_cp.service.jobs import runner
from binairo_cp.service.jobs.folder import DataFolder
from binairo_cp.service.jobs.store import (
    LEASE_SECONDS,
    JobRow,
    JobState,
    JobStore,
    StorageError,
    reason,
)
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem

_BATCH_TIME_LIMIT = 60.0
"""Default time limit per puzzle of a batch, in seconds. The command line has the same default."""

_MAX_LINE = 1 << 20


@dataclass
class JobRun:
    """A job that this process runs.

    Attributes:
        row: the state of the job, as this process knows it.
        renewed: when the lease was last renewed.
        saved: the progress that was last saved.
        has_lease: no other process has taken or cancelled the job.
        is_stopped: its process was killed, or is to be killed as soon as it has started.
        error: the error that its process reported.
    """

    row: JobRow
    renewed: float
    saved: str = ""
    has_lease: bool = True
    is_stopped: bool = False
    error: dict[str, str] | None = None
    _process: asyncio.subprocess.Process | None = None

    async def work(self, folder: DataFolder, limits: Limits, cluster: str | None) -> int:
        """Run the process of the job, which resumes from the results so far; return its status."""
        row = self.row
        run = await asyncio.to_thread(folder.start_run, row.id, row.run, version("binairo-cp"))
        (run / runner.SPEC).write_text(_spec(row, limits, cluster).model_dump_json())
        self._process = process = await _start(run)
        if self.is_stopped:
            self.kill()
        if process.stdout is None:
            raise RuntimeError("the process has no standard output")
        async for line in process.stdout:
            # A process that is killed may leave an incomplete line.
            with suppress(orjson.JSONDecodeError):
                self.error = orjson.loads(line).get("error")
                if not self.error:
                    row.progress = line.decode().strip()
        return await process.wait()

    def lose(self) -> None:
        """Stop the job: it belongs to another process, or was cancelled."""
        self.has_lease = False
        self.kill()

    def kill(self) -> None:
        """Kill the process and its children."""
        self.is_stopped = True
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


def _spec(row: JobRow, limits: Limits, cluster: str | None) -> runner.JobSpec:
    options = orjson.loads(row.ask)
    default = _BATCH_TIME_LIMIT if row.kind == "batch" else limits.job_time_limit
    return runner.JobSpec(
        kind=row.kind,
        verb=row.verb,
        options=options,
        input=row.input,
        workers=limits.workers,
        time_limit=min(options.get("time_limit") or default, limits.job_time_limit),
        memory=limits.memory_mib << 20,
        most_bytes=limits.job_bytes,
        cluster=cluster,
    )


async def _start(run: Path) -> asyncio.subprocess.Process:
    # The process must import the same package as this one, in whatever folder it is started.
    package = str(Path(binairo_cp.__file__).parent.parent)
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", runner.__name__, run.name),
        cwd=run.parent,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        limit=_MAX_LINE,
    )


_LOG = logging.getLogger("binairo.service")
_MAX_ATTEMPTS = 3
_DAY, _HOUR = 86_400.0, 3_600.0
_POLL_SECONDS = 0.5
_FULL_SECONDS = 10.0
"""How long no job starts after one that found the disk full."""

_QUOTA = "the files of {whose} take the {most} MiB that they may take; delete some jobs"

P = ParamSpec("P")
T = TypeVar("T")


class JobManager:
    """The jobs of a server. Without a cluster, they run on its machine."""

    def __init__(self, store: JobStore, limits: Limits, cluster: str | None) -> None:
        self.store = store
        self._limits = limits
        self._worker = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._cluster = cluster
        self._runs: dict[str, JobRun] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._followed: Counter[str] = Counter()
        self._seen: dict[str, JobRow | None] = {}
        """The followed jobs as they were at the last poll; None for those that are deleted."""
        self._polled = asyncio.Event()
        self._wake = asyncio.Event()
        # A single thread, so that statements never block the event loop and stay in order.
        self._thread = ThreadPoolExecutor(1, "jobs")
        self._stopping = False
        self._failure = ""
        self._paused_until = 0.0

    async def open(self) -> None:
        """Start to run jobs, also those that were interrupted."""
        self._loops = [asyncio.create_task(task) for task in (self._poll(), self._clean())]

    async def close(self) -> None:
        """Kill all processes. Other servers, or this one when it starts again, resume the jobs."""
        self._stopping = True
        for run in self._runs.values():
            run.kill()
        for task in self._loops:
            task.cancel()
        await asyncio.gather(*self._loops, *self._tasks.values(), return_exceptions=True)
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
            raise self._storage_problem(reason(error)) from error
        except (StorageError, ServiceError, OSError) as error:
            raise self._storage_problem(str(error)) from error
        if self._failure:
            self._failure = ""
            _LOG.info("database works again")
        return result

    def _storage_problem(self, reason: str) -> Problem:
        if reason != self._failure:  # so that the log has it once, not at each poll
            self._failure = reason
            _LOG.warning("database failed", extra={"reason": reason})
        detail = "the database of jobs can't be used now"
        return Problem(503, "storage", detail, retry_after=LEASE_SECONDS)

    async def find(self, id: str, owner: str) -> JobRow:
        """Look up a job by its id.

        Raises:
            Problem: there is no such job, or it has another owner.
        """
        rows = await self.in_thread(self.store.find, [id])
        if not rows or rows[0].owner != owner:
            raise Problem(404, "not-found", "there is no such job")
        return rows[0]

    async def reject_if_full(self, owner: str) -> None:
        """Refuse another job if the queue is full, or half of it has jobs of this API key.

        The same holds for the space on the disk that jobs may use.

        Raises:
            Problem: the queue or the space is full.
        """
        counts = await self.in_thread(self.store.counts)
        free = max(0, self._limits.jobs - counts["running"])
        if counts["queued"] >= self._limits.jobs_waiting + free:
            raise Problem(503, "busy", "too many jobs are waiting", retry_after=60)
        share = -(-self._limits.jobs_waiting // 2) + free
        if owner and await self.in_thread(self.store.waiting, owner) >= share:
            detail = "too many jobs of this API key are waiting"
            raise Problem(503, "busy", detail, retry_after=60)
        most = self._limits.stored_bytes
        if await asyncio.to_thread(self.store.folder.size) >= most:
            raise Problem(507, "quota", _QUOTA.format(whose="all jobs", most=most >> 20))
        ids = await self.in_thread(self.store.ids, owner) if owner else []
        if await asyncio.to_thread(self.store.folder.size, ids) >= most // 2:
            whose = "the jobs of this API key"
            raise Problem(507, "quota", _QUOTA.format(whose=whose, most=most >> 21))

    async def add(self, row: JobRow) -> bool:
        """Accept a job, whose files are already in its folder; False if its key is in use."""
        is_new = await self.in_thread(self.store.add, row)
        if is_new:
            _LOG.info("job accepted", extra={"job": row.id, "kind": row.kind})
            self._wake.set()
        return is_new

    async def cancel(self, row: JobRow) -> JobRow:
        """Cancel a job. The process that runs it is killed, on another server within a second."""
        if is_cancelled := await self.in_thread(self.store.cancel, row.id):
            _LOG.info("job cancelled", extra={"job": row.id})
        if run := self._runs.get(row.id):
            run.lose()
            await asyncio.wait((self._tasks[row.id],))  # until its results are counted
        self._wake.set()
        row = await self.find(row.id, row.owner)
        if is_cancelled and not run:  # its process may be gone
            await asyncio.to_thread(runner.count_results, self.store.folder, row)
            await self.in_thread(self.store.save_cancelled, row)
        return row

    async def wait(self, row: JobRow, seconds: float) -> JobRow:
        """The job after its next change, within so many seconds; cancelled if it was deleted."""
        self._followed[row.id] += 1
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self._polled.wait()
                    latest = self._seen.get(row.id, row)
                    if latest != row:
                        return latest or replace(row, state="cancelled")
        except TimeoutError:
            return row
        finally:
            self._followed -= Counter((row.id,))  # which drops the id of the last follower

    async def _poll(self) -> None:
        while True:
            with suppress(Problem):  # which is in the log; the database may come back
                await self._renew()
                await self._claim()
                await self._look()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _POLL_SECONDS)
            self._wake.clear()

    async def _renew(self) -> None:
        for run in list(self._runs.values()):
            progress = run.row.progress
            is_due = monotonic() > run.renewed + LEASE_SECONDS / 4
            if run.has_lease and (is_due or progress != run.saved):
                if await self.in_thread(self.store.renew, run.row):
                    run.renewed, run.saved = monotonic(), progress
                elif run.row.id in self._runs:
                    run.lose()

    async def _claim(self) -> None:
        while len(self._runs) < self._limits.jobs:
            if monotonic() < self._paused_until or self.store.folder.is_full():
                return
            row = await self.in_thread(self.store.claim, self._worker)
            if row is None:
                return
            run = self._runs[row.id] = JobRun(row, renewed=monotonic())
            self._tasks[row.id] = asyncio.create_task(self._run(run))

    async def _look(self) -> None:
        """Read the jobs that clients follow, and own ones, which others may have cancelled."""
        ids = {*self._followed, *self._runs}
        rows = {row.id: row for row in await self.in_thread(self.store.find, ids)} if ids else {}
        self._seen = {id: rows.get(id) for id in ids}
        for id, run in self._runs.items():
            row = self._seen.get(id, run.row)
            if row is None or row.is_ended:
                run.lose()
        polled, self._polled = self._polled, asyncio.Event()
        polled.set()

    async def _run(self, run: JobRun) -> None:
        """Run a job until it ends, the server stops, or the lease is lost."""
        code = 1
        hours = self._limits.job_hours
        try:
            # When another process takes over, the time starts again.
            async with asyncio.timeout(hours * _HOUR):
                code = await run.work(self.store.folder, self._limits, self._cluster)
        except TimeoutError:
            run.error = {"kind": "time", "message": f"not finished within {hours:g} h"}
        except OSError as error:
            run.error = {"kind": "internal", "message": f"can't start: {error.strerror}"}
        finally:
            run.kill()
        try:
            await self._finish(run, code)
        finally:
            del self._runs[run.row.id], self._tasks[run.row.id]
            self._wake.set()

    async def _finish(self, run: JobRun, code: int) -> None:
        row = run.row
        if code and not self._stopping:
            # A process that was killed has not reported its last results.
            await asyncio.to_thread(runner.count_results, self.store.folder, row)
        if not run.has_lease:
            with suppress(Problem):
                if not await self.in_thread(self.store.save_cancelled, row):
                    reason = "another process runs it, or it was deleted"
                    _LOG.info("job left", extra={"job": row.id, "reason": reason})
        elif run.error and self.store.folder.is_full():
            self._paused_until = monotonic() + _FULL_SECONDS
            _LOG.warning("job waits", extra={"job": row.id, "reason": "the disk is full"})
            await self._insist(self.store.release, row)
        elif code == 0 or run.error:
            await self._end(run, "failed" if run.error else "done")
        elif self._stopping:
            await self._insist(self.store.release, row)
        else:
            row.attempts += 1
            is_last = row.attempts == _MAX_ATTEMPTS
            how = signal.Signals(-code).name if code < 0 else f"status {code}"
            next = "it fails" if is_last else "it resumes from its results"
            reason = f"its process ended with {how}"
            _LOG.warning("job died", extra={"job": row.id, "reason": reason, "next": next})
            if is_last:
                times = f"the process of the job died {row.attempts} times, last with {how}"
                run.error = {"kind": "crash", "message": times}
                await self._end(run, "failed")
            else:
                await self._insist(self.store.release, row)

    async def _end(self, run: JobRun, state: JobState) -> None:
        error = orjson.dumps(run.error).decode() if run.error else ""
        if await self._insist(self.store.end, run.row, state, error):
            why = {"reason": run.error["message"]} if run.error else {}
            _LOG.info("job ended", extra={"job": run.row.id, "state": state, **why})

    async def _insist(self, function: Callable[P, bool], *args: P.args, **kwargs: P.kwargs) -> bool:
        """Call a function of the store until the database can be used, or the server stops."""
        while True:
            with suppress(Problem):
                return await self.in_thread(function, *args, **kwargs)
            if self._stopping:
                return False  # the lease expires, and another process resumes the job
            await asyncio.sleep(_POLL_SECONDS)

    async def _clean(self) -> None:
        while True:
            with suppress(Problem):
                await self.in_thread(self.store.clean, self._limits.keep_days * _DAY)
            await asyncio.sleep(_HOUR)
