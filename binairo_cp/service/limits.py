"""The options of a server, and its limits: sizes, times, numbers of requests and jobs at once.

The options of `binairo serve` are derived from both, and the record of ``GET /v1/limits`` and its
schema from `Limits`. They are plain dataclasses: `binairo --help` must not wait for pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from binairo_cp.features.arguments import MOST_WORKERS
from binairo_cp.features.feature import Option
from binairo_cp.puzzle.board import MAX_SIDE

USUAL_SECONDS = 5.0

_KIBI, _MEBI = 1 << 10, 1 << 20
_LEAST = 0.001

# What most are: a number that only the server's code sets, a time, an option, who has access.
_fixed = partial(Option, least=1, on_command_line=False)
_seconds = partial(Option, least=_LEAST, on_command_line=False)
_limit = partial(Option, least=1, panel="Limits")
_access = partial(Option, panel="Access")
_kib = partial(_limit, least=_KIBI, metavar="KIB", unit=_KIBI)
_mib = partial(_limit, least=_MEBI, metavar="MIB", unit=_MEBI)


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
    body_bytes: Annotated[int, _kib("Maximum size of a request body.", flags=("--body",))] = _MEBI
    upload_bytes: Annotated[
        int, _mib("Maximum size of a job's file.", least=_KIBI, flags=("--upload",))
    ] = 64 * _MEBI
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
    job_bytes: Annotated[
        int,
        _mib("Maximum size of the results of a job, which fails then.", flags=("--job-results",)),
    ] = 1 << 30
    stored_bytes: Annotated[
        int,
        _mib(
            "Maximum size of the files of all jobs; those of an API key get half of it.",
            flags=("--storage",),
        ),
    ] = 4 << 30
    keep_days: Annotated[
        float,
        _limit("How long to keep finished jobs.", least=_LEAST, flags=("--keep",), metavar="DAYS"),
    ] = 7.0
    connections: Annotated[int, _fixed("Simultaneous connections.")] = 1_000
    body_seconds: Annotated[
        float, _seconds("Time for a request body to arrive, in seconds; ten times that for a job.")
    ] = 30.0

    def seconds(self, requested: float | None) -> float:
        """The time limit in force for a request, in seconds."""
        return min(self.time_limit if requested is None else requested, self.most_time)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Where a server listens, what it keeps, who may use it, and how it stops."""

    host: Annotated[str, Option("Address to listen on; 0.0.0.0 for all IPv4 interfaces.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Option("Port to listen on; 0 for any free port.", least=0, most=65535)] = (
        8000
    )
    data: Annotated[
        Path | None,
        Option(
            "Folder for jobs and their results.",
            absent="binairo in the user's data folder",
            metavar="FOLDER",
        ),
    ] = None
    database: Annotated[
        str | None,
        Option(
            "PostgreSQL database for jobs, which several servers can share: "
            "postgresql://USER@HOST/NAME. They also need the same --data folder.",
            absent="SQLite in the folder",
            metavar="URL",
        ),
    ] = None
    api_keys: Annotated[
        Path | None,
        _access(
            "Accept only requests with an API key: a file of lines printed by binairo api-key.",
            absent="no key needed",
            metavar="FILE",
        ),
    ] = None
    origins: Annotated[
        list[str] | None,
        _access(
            "Allow pages of this origin (such as https://example.org) to call the API; may be "
            "repeated.",
            flags=("--cors",),
            metavar="ORIGIN",
        ),
    ] = None
    embed_origins: Annotated[
        list[str] | None,
        _access(
            "Allow pages of this origin (such as https://example.org, or * for all) to show "
            "/embed in a frame; may be repeated.",
            absent="none",
            metavar="ORIGIN",
        ),
    ] = None
    host_names: Annotated[
        list[str] | None,
        _access(
            "A host name of this server, such as binairo.example.org or *.example.org; may be "
            "repeated.",
            absent="localhost; with another --host, IP addresses and local names",
            flags=("--host-name",),
            metavar="NAME",
        ),
    ] = None
    trusted_proxies: Annotated[
        list[str] | None,
        _access(
            "Trust X-Forwarded-For and -Proto from this address or network, such as 127.0.0.1 or "
            "10.0.0.0/8; may be repeated.",
            absent="none",
            metavar="ADDRESS",
        ),
    ] = None
    drain: Annotated[
        float,
        Option(
            "After SIGTERM, keep listening this long while /readyz returns 503, so that load "
            "balancers stop sending requests.",
            least=0,
            most=3600,
            metavar="SECONDS",
        ),
    ] = 1.0
    grace: Annotated[
        float,
        Option(
            "After --drain, how long running requests may take to finish.",
            least=1,
            metavar="SECONDS",
        ),
    ] = 10.0
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Option("Log level.")] = (
        "info"
    )
