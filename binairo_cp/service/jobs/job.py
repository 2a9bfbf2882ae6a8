"""A job as one process of a server sees it: its state, and its run if it runs here."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from binairo_cp.service.jobs import processes
from binairo_cp.service.jobs.table import JobRow


class Job:
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
class Run:
    """A job that this process runs.

    Attributes:
        job: the job. Its row in the database belongs to this process as long as `has_lease`.
        row: the state of the job, as this process knows it.
        process: its process, once it has started.
        has_lease: no other process has taken or cancelled the job.
        renewed: when the lease was last renewed.
        saved: the progress that was last saved.
    """

    job: Job
    row: JobRow
    process: asyncio.subprocess.Process | None = None
    has_lease: bool = True
    renewed: float = 0.0
    saved: str = ""

    def lose(self) -> None:
        self.has_lease = False
        processes.kill(self.process)
