"""What is told of a job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import orjson
from pydantic import BaseModel, Field

from binairo_cp.formats.schema import ErrorRecord
from binairo_cp.service.jobs.store import ENDED, Row

_DAY = 86_400.0


class Progress(BaseModel):
    """How far a job is; absent is what is not known."""

    records: int = Field(default=0, description="Results that there are.")
    failed: int = Field(default=0, description="Results with an error.")
    verdicts: dict[str, int] = Field(default={}, description="Results by verdict.")
    done: int | None = Field(
        default=None, description="Of `total`: bytes of the input, or puzzles."
    )
    total: int | None = None
    at_least: int | None = Field(default=None, description="Of a single puzzle's fewest clues.")
    at_most: int | None = None


class Links(BaseModel):
    """Where more is told."""

    self: str
    results: str
    events: str


class JobRecord(BaseModel):
    """A job."""

    id: str
    kind: Literal["batch", "generate", "fewest", "count"]
    verb: str | None = Field(default=None, description="Of a batch: what is done with each.")
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    expires: datetime | None = Field(default=None, description="When it will be forgotten.")
    progress: Progress
    error: ErrorRecord | None = None
    links: Links


class JobList(BaseModel):
    """Jobs, the latest first."""

    jobs: list[JobRecord]


def record_of(row: Row, keep_days: float, prefix: str) -> JobRecord:
    """What is told of a job, whose links begin with a prefix."""
    path = f"{prefix}/v1/jobs/{row.id}"
    ends = row.ended + keep_days * _DAY if row.ended and row.state in ENDED else None
    return JobRecord.model_validate(
        {
            "id": row.id,
            "kind": row.kind,
            "verb": row.verb or None,
            "state": row.state,
            "created": _time(row.created),
            "started": _time(row.started),
            "ended": _time(row.ended),
            "expires": _time(ends),
            "progress": orjson.loads(row.progress),
            "error": orjson.loads(row.error) if row.error else None,
            "links": {"self": path, "results": f"{path}/results", "events": f"{path}/events"},
        }
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
