"""Start and kill the processes of jobs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import orjson

import binairo_cp
from binairo_cp.service.jobs import runner
from binairo_cp.service.jobs.folder import DataFolder
from binairo_cp.service.jobs.runner import JobSpec
from binairo_cp.service.jobs.table import JobRow
from binairo_cp.service.limits import Limits
from binairo_cp.workers.executors import Address

_BATCH_TIME_LIMIT = 60.0
"""Default time limit per puzzle of a batch, in seconds. The command line has the same default."""

_MAX_LINE = 1 << 20


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
