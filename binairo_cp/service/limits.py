"""The limits of a server: sizes, times, and numbers of simultaneous requests and jobs.

The options of `binairo serve`, the record of ``GET /v1/limits`` and its schema are derived from
`Limits`. It is a plain dataclass, because `binairo --help` must not wait for pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from binairo_cp.features.feature import MOST_WORKERS, Option
from binairo_cp.puzzle.board import MAX_SIDE

USUAL_SECONDS = 5.0

_KIBI, _MEBI = 1 << 10, 1 << 20
_LEAST = 0.001
_LIMITS, _ACCESS = "Limits", "Access"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server, as returned by ``GET /v1/limits``.

    Limits on bytes apply both before and after decompression.
    """

    time_limit: Annotated[
        float,
        Option("Default time limit of a request, in seconds.", least=_LEAST, on_command_line=False),
    ] = USUAL_SECONDS
    most_time: Annotated[
        float,
        Option(
            "Maximum time limit of a request. Requests without one get 5 s, or this if it is less.",
            least=0.1,
            most=3600,
            flags=("--time-limit",),
            metavar="SECONDS",
            panel=_LIMITS,
        ),
    ] = 30.0
    body_bytes: Annotated[
        int,
        Option(
            "Maximum size of a request body.",
            least=_KIBI,
            flags=("--body",),
            metavar="KIB",
            unit=_KIBI,
            panel=_LIMITS,
        ),
    ] = _MEBI
    upload_bytes: Annotated[
        int,
        Option(
            "Maximum size of a job's file.",
            least=_KIBI,
            flags=("--upload",),
            metavar="MIB",
            unit=_MEBI,
            panel=_LIMITS,
        ),
    ] = 64 * _MEBI
    certificate_bytes: Annotated[
        int,
        Option("Size of a certificate to verify.", least=_KIBI, on_command_line=False),
    ] = 16 * _MEBI
    answer_bytes: Annotated[
        int,
        Option("Size of a file made for a request.", least=_KIBI, on_command_line=False),
    ] = 32 * _MEBI
    side: Annotated[
        int, Option("Maximum side of a board, in cells.", least=1, most=MAX_SIDE, panel=_LIMITS)
    ] = 100
    puzzles: Annotated[int, Option("Puzzles in a request.", least=1, on_command_line=False)] = 1_000
    generated: Annotated[
        int, Option("Puzzles that a request can generate.", least=1, on_command_line=False)
    ] = 100
    solutions: Annotated[
        int, Option("Solutions that a request can return.", least=1, on_command_line=False)
    ] = 1_000
    counted: Annotated[
        int,
        Option("Solutions that a request can count per puzzle.", least=1, on_command_line=False),
    ] = 1_000_000
    workers: Annotated[
        int,
        Option(
            "Number of worker processes.",
            least=1,
            most=MOST_WORKERS,
            flags=("--workers", "-w"),
            panel=_LIMITS,
        ),
    ] = 2
    fast_workers: Annotated[
        int,
        Option(
            "Additional worker processes for small requests only.",
            least=1,
            most=MOST_WORKERS,
            panel=_LIMITS,
        ),
    ] = 1
    spare_workers: Annotated[
        int,
        Option(
            "Additional worker processes for clients whose requests no worker processes yet.",
            least=0,
            most=MOST_WORKERS,
            panel=_LIMITS,
        ),
    ] = 1
    memory_mib: Annotated[
        int,
        Option(
            "Memory limit per worker.",
            least=512,
            flags=("--memory-limit",),
            metavar="MIB",
            panel=_LIMITS,
        ),
    ] = 2_048
    waiting: Annotated[
        int,
        Option(
            "Maximum number of requests that wait for a worker.",
            least=0,
            flags=("--queue",),
            panel=_LIMITS,
        ),
    ] = 64
    waiting_seconds: Annotated[
        float,
        Option(
            "Maximum time that a request waits, in seconds.", least=_LEAST, on_command_line=False
        ),
    ] = 10.0
    job_puzzles: Annotated[
        int, Option("Puzzles that a job can generate.", least=1, on_command_line=False)
    ] = 1_000_000
    job_time_limit: Annotated[
        float,
        Option(
            "Maximum time of a job per puzzle, in seconds.", least=_LEAST, on_command_line=False
        ),
    ] = 3_600.0
    job_hours: Annotated[
        float, Option("Maximum time of a job, in hours.", least=_LEAST, on_command_line=False)
    ] = 24.0
    jobs: Annotated[
        int, Option("Maximum number of running jobs.", least=1, most=64, panel=_LIMITS)
    ] = 1
    jobs_waiting: Annotated[
        int, Option("Maximum number of waiting jobs.", least=0, panel=_LIMITS)
    ] = 100
    keep_days: Annotated[
        float,
        Option(
            "How long to keep finished jobs.",
            least=_LEAST,
            flags=("--keep",),
            metavar="DAYS",
            panel=_LIMITS,
        ),
    ] = 7.0
    rate: Annotated[
        float | None,
        Option(
            "Maximum requests per second and client.",
            absent="unlimited",
            least=_LEAST,
            metavar="N",
            panel=_ACCESS,
        ),
    ] = None
    burst: Annotated[
        int,
        Option("With --rate: requests that a client may send at once.", least=1, panel=_ACCESS),
    ] = 20
    connections: Annotated[
        int, Option("Simultaneous connections.", least=1, on_command_line=False)
    ] = 1_000
    client_connections: Annotated[
        int,
        Option(
            "Maximum number of open connections per address.", least=1, most=1_000, panel=_LIMITS
        ),
    ] = 100
    head_seconds: Annotated[
        float,
        Option(
            "Time for the head of a request to arrive, in seconds.",
            least=_LEAST,
            on_command_line=False,
        ),
    ] = 10.0
    body_seconds: Annotated[
        float,
        Option(
            "Time for a request body to arrive, in seconds; ten times that for a job.",
            least=_LEAST,
            on_command_line=False,
        ),
    ] = 30.0

    stream_seconds: Annotated[
        float,
        Option(
            "Maximum time of a request whose results are streamed, in seconds.",
            least=_LEAST,
            on_command_line=False,
        ),
    ] = 3_600.0

    def seconds(self, requested: float | None) -> float:
        """The time limit in force for a request, in seconds."""
        return min(self.time_limit if requested is None else requested, self.most_time)
