"""The runs of jobs: their state in this process, and their processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

import binairo_cp
from binairo_cp.service.jobs import runner
from binairo_cp.service.jobs.database import JobRow
from binairo_cp.service.jobs.folder import DataFolder
from binairo_cp.service.jobs.runner import JobSpec
from binairo_cp.service.limits import Limits
from binairo_cp.workers.executors import Address

_BATCH_TIME_LIMIT = 60.0
"""Default time limit per puzzle of a batch, in seconds. The command line has the same default."""

_MAX_LINE = 1 << 20


class JobView:
    """A job that this process runs, or that a client asks for.

    Attributes:
        row: the state of the job when it was last read.
        changed: set at the next change of `row`; then replaced by a new event.
    """

    def __init__(self, row: JobRow) -> None:
        self.row = row
        self.changed = asyncio.Event()

    def notify(self) -> None:
        """Wake all tasks that wait for a change."""
        event, self.changed = self.changed, asyncio.Event()
        event.set()

    def update(self, row: JobRow) -> None:
        """Take over what the database says."""
        if row != self.row:
            self.row = row
            self.notify()


@dataclass
class JobRun:
    """A job that this process runs.

    Attributes:
        job: the job. Its row in the database belongs to this process as long as `has_lease`.
        row: the state of the job, as this process knows it.
        process: its process, once it has started.
        has_lease: no other process has taken or cancelled the job.
        renewed: when the lease was last renewed.
        saved: the progress that was last saved.
    """

    job: JobView
    row: JobRow
    process: asyncio.subprocess.Process | None = None
    has_lease: bool = True
    renewed: float = 0.0
    saved: str = ""

    def lose(self) -> None:
        self.has_lease = False
        kill(self.process)


async def start(
    row: JobRow, folder: DataFolder, limits: Limits, cluster: Address | None
) -> asyncio.subprocess.Process:
    """Start the process of a run of a job. It resumes from the results in the folder of the run.

    Args:
        row: the job.
        folder: the data folder.
        limits: the limits of the server.
        cluster: a cluster that does the work; None for worker processes of this machine.
    """
    options = orjson.loads(row.ask)
    default = _BATCH_TIME_LIMIT if row.kind == "batch" else limits.job_time_limit
    seconds = min(options.get("time_limit") or default, limits.job_time_limit)
    spec = JobSpec(
        kind=row.kind,
        verb=row.verb,
        options=options,
        input=row.input,
        workers=limits.workers,
        time_limit=seconds,
        memory=limits.memory_mib << 20,
        cluster=cluster,
    )
    run = folder.run(row.id, row.run)
    (run / runner.SPEC).write_text(spec.model_dump_json())
    # The process must import the same package as this one, in whatever folder it is started.
    package = str(Path(binairo_cp.__file__).parent.parent)
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        runner.__name__,
        run.name,
        cwd=folder.job(row.id),
        env={**os.environ, "PYTHONPATH": paths},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        limit=_MAX_LINE,
    )


def kill(process: asyncio.subprocess.Process | None) -> None:
    """Kill a process and its children. At most the last line of its output is incomplete."""
    if process is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
