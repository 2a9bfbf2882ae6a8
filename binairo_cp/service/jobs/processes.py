"""The process of a job: started in its folder, and ended with all that it started."""

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
from binairo_cp.service.jobs.runner import JobOrder
from binairo_cp.service.jobs.store import Row
from binairo_cp.service.limits import Limits

_SECONDS_OF_MANY = 60.0
"""How long a puzzle of a batch may take, where the request says nothing, as on the command line."""

_LONGEST_LINE = 1 << 20


async def start(row: Row, place: Path, limits: Limits) -> asyncio.subprocess.Process:
    """Begin a job, or go on with its results, in its folder."""
    ask = orjson.loads(row.ask)
    usual = _SECONDS_OF_MANY if row.kind == "batch" else limits.job_time_limit
    seconds = min(ask.get("time_limit") or usual, limits.job_time_limit)
    order = JobOrder(
        kind=row.kind,
        verb=row.verb,
        ask=ask,
        input=row.input,
        workers=limits.workers,
        time_limit=seconds,
        memory=limits.memory_mib << 20,
    )
    (place / runner.ORDER).write_text(order.model_dump_json())
    # The same package as this process has, wherever it was started.
    package = str(Path(binairo_cp.__file__).parent.parent)
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        runner.__name__,
        cwd=place,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        limit=_LONGEST_LINE,
    )


def kill(process: asyncio.subprocess.Process | None) -> None:
    """End a process and all that it started; what it has written is whole up to a line."""
    if process is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
