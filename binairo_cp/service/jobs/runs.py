"""A job that this process runs: its lease, and the process that does the work."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import orjson

import binairo_cp
from binairo_cp.service.jobs import runner
from binairo_cp.service.jobs.database import JobRow
from binairo_cp.service.jobs.folder import DataFolder
from binairo_cp.service.limits import Limits
from binairo_cp.workers.executors import Address

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

    async def work(self, folder: DataFolder, limits: Limits, cluster: Address | None) -> int:
        """Run the process of the job, which resumes from the results so far.

        Args:
            folder: the data folder.
            limits: the limits of the server.
            cluster: a cluster that does the work; None for worker processes of this machine.

        Returns:
            The exit status of the process.
        """
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


def _spec(row: JobRow, limits: Limits, cluster: Address | None) -> runner.JobSpec:
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
