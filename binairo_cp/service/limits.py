"""The limits of a server: sizes, times, and numbers of simultaneous requests and jobs.

The options of `binairo serve`, the record of ``GET /v1/limits`` and its schema are derived from
`Limits`. It is a plain dataclass, because `binairo --help` must not wait for pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from binairo_cp.features.feature import MOST_WORKERS, Option
from binairo_cp.puzzle.board import MAX_SIDE

USUAL_SECONDS = 5.0

_KIBI, _MEBI = 1 << 10, 1 << 20
_LEAST = 0.001
_LIMITS, _ACCESS = "Limits", "Access"

# What most limits are: a number that only the server's code sets, a time, an option.
_fixed = partial(Option, least=1, on_command_line=False)
_seconds = partial(Option, least=_LEAST, on_command_line=False)
_limit = partial(Option, least=1, panel=_LIMITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server, as returned by ``GET /v1/limits``.

    Limits on bytes apply both before and after decompression.
    """

    time_limit: Annotated[float, _seconds("Default time limit of a request, in seconds.")] = (
        USUAL_SECONDS
    )
    most_time: Annotated[
        float,
        _limit(
            "Maximum time limit of a request. Requests without one get 5 s, or this if it is less.",
            least=0.1,
            most=3600,
            flags=("--time-limit",),
            metavar="SECONDS",
        ),
    ] = 30.0
    body_bytes: Annotated[
        int,
        _limit(
            "Maximum size of a request body.",
            least=_KIBI,
            flags=("--body",),
            metavar="KIB",
            unit=_KIBI,
        ),
    ] = _MEBI
    upload_bytes: Annotated[
        int,
        _limit(
            "Maximum size of a job's file.",
            least=_KIBI,
            flags=("--upload",),
            metavar="MIB",
            unit=_MEBI,
        ),
    ] = 64 * _MEBI
    certificate_bytes: Annotated[int, _fixed("Size of a certificate to verify.", least=_KIBI)] = (
        16 * _MEBI
    )
    picture_bytes: Annotated[int, _fixed("Size of a picture to read.", least=_KIBI)] = 16 * _MEBI
    answer_bytes: Annotated[int, _fixed("Size of a file made for a request.", least=_KIBI)] = (
        32 * _MEBI
    )
    side: Annotated[int, _limit("Maximum side of a board, in cells.", most=MAX_SIDE)] = 100
    puzzles: Annotated[int, _fixed("Puzzles in a request.")] = 1_000
    generated: Annotated[int, _fixed("Puzzles that a request can generate.")] = 100
    solutions: Annotated[int, _fixed("Solutions that a request can return.")] = 1_000
    counted: Annotated[int, _fixed("Solutions that a request can count per puzzle.")] = 1_000_000
    workers: Annotated[
        int, _limit("Number of worker processes.", most=MOST_WORKERS, flags=("--workers", "-w"))
    ] = 2
    fast_workers: Annotated[
        int, _limit("Additional worker processes for small requests only.", most=MOST_WORKERS)
    ] = 1
    spare_workers: Annotated[
        int,
        _limit(
            "Additional worker processes for clients whose requests no worker processes yet.",
            least=0,
            most=MOST_WORKERS,
        ),
    ] = 1
    memory_mib: Annotated[
        int, _limit("Memory limit per worker.", least=512, flags=("--memory-limit",), metavar="MIB")
    ] = 2_048
    waiting: Annotated[
        int,
        _limit("Maximum number of requests that wait for a worker.", least=0, flags=("--queue",)),
    ] = 64
    waiting_seconds: Annotated[
        float, _seconds("Maximum time that a request waits, in seconds.")
    ] = 10.0
    job_puzzles: Annotated[int, _fixed("Puzzles that a job can generate.")] = 1_000_000
    job_time_limit: Annotated[float, _seconds("Maximum time of a job per puzzle, in seconds.")] = (
        3_600.0
    )
    job_hours: Annotated[float, _seconds("Maximum time of a job, in hours.")] = 24.0
    jobs: Annotated[int, _limit("Maximum number of running jobs.", most=64)] = 1
    jobs_waiting: Annotated[int, _limit("Maximum number of waiting jobs.", least=0)] = 100
    keep_days: Annotated[
        float,
        _limit("How long to keep finished jobs.", least=_LEAST, flags=("--keep",), metavar="DAYS"),
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
        int, Option("With --rate: requests that a client may send at once.", least=1, panel=_ACCESS)
    ] = 20
    connections: Annotated[int, _fixed("Simultaneous connections.")] = 1_000
    client_connections: Annotated[
        int, _limit("Maximum number of open connections per address.", most=1_000)
    ] = 100
    head_seconds: Annotated[
        float, _seconds("Time for the head of a request to arrive, in seconds.")
    ] = 10.0
    body_seconds: Annotated[
        float, _seconds("Time for a request body to arrive, in seconds; ten times that for a job.")
    ] = 30.0

    stream_seconds: Annotated[
        float, _seconds("Maximum time of a request whose results are streamed, in seconds.")
    ] = 3_600.0

    def seconds(self, requested: float | None) -> float:
        """The time limit in force for a request, in seconds."""
        return min(self.time_limit if requested is None else requested, self.most_time)
