"""The limits of a server: what it takes, how long it works, how much it does at once."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from binairo_cp.puzzle.board import MAX_SIDE

USUAL_SECONDS = 5.0

_MEBI = 1 << 20


class Limits(BaseModel):
    """What a server allows, as ``GET /v1/limits`` tells it. Bytes are counted unpacked too."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time_limit: float = Field(
        default=USUAL_SECONDS,
        gt=0,
        description="Seconds a request may work, where it says nothing.",
    )
    most_time: float = Field(
        default=30.0, gt=0, description="Seconds a request may work at most; more is cut to this."
    )
    body_bytes: int = Field(default=_MEBI, ge=1024, description="The body of a request.")
    upload_bytes: int = Field(default=64 * _MEBI, ge=1024, description="The body of a job.")
    certificate_bytes: int = Field(
        default=16 * _MEBI, ge=1024, description="A certificate to be verified."
    )
    answer_bytes: int = Field(
        default=32 * _MEBI, ge=1024, description="A file that is made for a request."
    )
    side: int = Field(default=100, ge=1, le=MAX_SIDE, description="Cells of a side of a board.")
    puzzles: int = Field(default=1_000, ge=1, description="Puzzles of a request.")
    generated: int = Field(default=100, ge=1, description="Puzzles that a request has made.")
    solutions: int = Field(default=1_000, ge=1, description="Solutions that a request is shown.")
    counted: int = Field(
        default=1_000_000, ge=1, description="Solutions of a puzzle that a request counts."
    )
    workers: int = Field(ge=1, default=2, description="Requests that are worked on at once.")
    fast_workers: int = Field(
        ge=1, default=1, description="Workers kept for small requests, besides those."
    )
    memory_mib: int = Field(default=2_048, ge=512, description="Memory of a worker, in MiB.")
    waiting: int = Field(default=64, ge=0, description="Requests that wait for a worker.")
    waiting_seconds: float = Field(default=10.0, gt=0, description="How long they wait at most.")
    job_puzzles: int = Field(default=1_000_000, ge=1, description="Puzzles that a job makes.")
    job_time_limit: float = Field(
        default=3_600.0, gt=0, description="Seconds a job may spend on a puzzle at most."
    )
    job_hours: float = Field(default=24.0, gt=0, description="Hours a job may work at most.")
    jobs: int = Field(default=1, ge=1, description="Jobs that run at once.")
    jobs_waiting: int = Field(default=100, ge=0, description="Jobs that wait to run.")
    keep_days: float = Field(
        default=7.0, gt=0, description="Days after which a job that ended is forgotten."
    )
    rate: float | None = Field(
        default=None, gt=0, description="Requests a second of a client; null for no bound."
    )
    burst: int = Field(default=20, ge=1, description="Requests of a client at once under `rate`.")
    connections: int = Field(default=1_000, ge=1, description="Connections at once.")
    client_connections: int = Field(
        default=100, ge=1, description="Connections at once of one address."
    )
    head_seconds: float = Field(
        default=10.0, gt=0, description="How long the head of a request may take to come."
    )
    body_seconds: float = Field(
        default=30.0, gt=0, description="How long a body may take to come, a job's ten times that."
    )

    def seconds(self, asked: float | None) -> float:
        """The time limit in force for a request."""
        return min(self.time_limit if asked is None else asked, self.most_time)
