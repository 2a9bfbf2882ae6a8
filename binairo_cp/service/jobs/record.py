"""The JSON records of jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import orjson
from pydantic import BaseModel, Field

from binairo_cp.formats.schema import ErrorRecord
from binairo_cp.service.jobs.models import Kind
from binairo_cp.service.jobs.table import JobRow

_DAY = 86_400.0


class Progress(BaseModel):
    """The progress of a job. Unknown values are absent."""

    records: int = Field(default=0, description="Number of results.")
    failed: int = Field(default=0, description="Number of results with an error.")
    verdicts: dict[str, int] = Field(default={}, description="Number of results by verdict.")
    done: int | None = Field(
        default=None, description="Progress towards `total`: bytes of the input, or puzzles."
    )
    total: int | None = None
    at_least: int | None = Field(
        default=None, description="Lower bound on the fewest clues of a single puzzle."
    )
    at_most: int | None = Field(
        default=None, description="Upper bound on the fewest clues of a single puzzle."
    )


class Links(BaseModel):
    """Paths of the routes of a job."""

    self: str
    results: str
    events: str
    file: str | None = Field(default=None, description="Of a book that is done: its file.")


class JobRecord(BaseModel):
    """A job."""

    id: str
    kind: Kind
    verb: str | None = Field(default=None, description="The route that a batch applies.")
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    expires: datetime | None = Field(default=None, description="When it will be deleted.")
    progress: Progress
    error: ErrorRecord | None = None
    links: Links


class JobList(BaseModel):
    """Jobs, the latest first."""

    jobs: list[JobRecord]
    next: str | None = Field(
        default=None, description="The `cursor` of the next page; absent on the last page."
    )


def record_of(row: JobRow, keep_days: float, prefix: str) -> JobRecord:
    """The record of a job.

    Args:
        row: the job.
        keep_days: number of days until a finished job is deleted.
        prefix: the path prefix of the server, for links.
    """
    path = f"{prefix}/v1/jobs/{row.id}"
    expires = row.ended + keep_days * _DAY if row.ended and row.is_ended else None
    links = {"self": path, "results": f"{path}/results", "events": f"{path}/events"}
    if row.kind == "book" and row.state == "done":
        links["file"] = f"{path}/file"
    return JobRecord.model_validate(
        {
            "id": row.id,
            "kind": row.kind,
            "verb": row.verb or None,
            "state": row.state,
            "created": _time(row.created),
            "started": _time(row.started),
            "ended": _time(row.ended),
            "expires": _time(expires),
            "progress": orjson.loads(row.progress),
            "error": orjson.loads(row.error) if row.error else None,
            "links": links,
        }
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
