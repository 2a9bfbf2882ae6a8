"""The limits of a server: sizes, times, and numbers of simultaneous requests and jobs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from binairo_cp.puzzle.board import MAX_SIDE

USUAL_SECONDS = 5.0

_MEBI = 1 << 20


class Limits(BaseModel):
    """The limits of a server, as returned by ``GET /v1/limits``.

    Limits on bytes apply both before and after decompression.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    time_limit: float = Field(
        default=USUAL_SECONDS,
        gt=0,
        description="Default time limit of a request, in seconds.",
    )
    most_time: float = Field(
        default=30.0, gt=0, description="Maximum time limit that a request can set, in seconds."
    )
    body_bytes: int = Field(default=_MEBI, ge=1024, description="Size of a request body.")
    upload_bytes: int = Field(default=64 * _MEBI, ge=1024, description="Size of a job's file.")
    certificate_bytes: int = Field(
        default=16 * _MEBI, ge=1024, description="Size of a certificate to verify."
    )
    answer_bytes: int = Field(
        default=32 * _MEBI, ge=1024, description="Size of a file made for a request."
    )
    side: int = Field(default=100, ge=1, le=MAX_SIDE, description="Side of a board, in cells.")
    puzzles: int = Field(default=1_000, ge=1, description="Puzzles in a request.")
    generated: int = Field(default=100, ge=1, description="Puzzles that a request can generate.")
    solutions: int = Field(default=1_000, ge=1, description="Solutions that a request can return.")
    counted: int = Field(
        default=1_000_000, ge=1, description="Solutions that a request can count per puzzle."
    )
    workers: int = Field(ge=1, default=2, description="Requests processed at once.")
    fast_workers: int = Field(ge=1, default=1, description="Additional workers for small requests.")
    memory_mib: int = Field(default=2_048, ge=512, description="Memory of a worker, in MiB.")
    waiting: int = Field(default=64, ge=0, description="Requests that wait for a worker.")
    waiting_seconds: float = Field(
        default=10.0, gt=0, description="Maximum time that a request waits, in seconds."
    )
    job_puzzles: int = Field(
        default=1_000_000, ge=1, description="Puzzles that a job can generate."
    )
    job_time_limit: float = Field(
        default=3_600.0, gt=0, description="Maximum time of a job per puzzle, in seconds."
    )
    job_hours: float = Field(default=24.0, gt=0, description="Maximum time of a job, in hours.")
    jobs: int = Field(default=1, ge=1, description="Jobs that run at once.")
    jobs_waiting: int = Field(default=100, ge=0, description="Jobs in the queue.")
    keep_days: float = Field(default=7.0, gt=0, description="Days until a finished job is deleted.")
    rate: float | None = Field(
        default=None, gt=0, description="Requests per second of a client; null for no limit."
    )
    burst: int = Field(
        default=20, ge=1, description="Requests that a client can send at once under `rate`."
    )
    connections: int = Field(default=1_000, ge=1, description="Simultaneous connections.")
    client_connections: int = Field(
        default=100, ge=1, description="Simultaneous connections from one address."
    )
    head_seconds: float = Field(
        default=10.0, gt=0, description="Time for the head of a request to arrive, in seconds."
    )
    body_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Time for a request body to arrive, in seconds; ten times that for a job.",
    )

    def seconds(self, requested: float | None) -> float:
        """The time limit in force for a request, in seconds."""
        return min(self.time_limit if requested is None else requested, self.most_time)
