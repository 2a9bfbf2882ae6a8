"""What operators see: the log (JSON lines, or plain ones in a terminal) and the metrics."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from time import gmtime, localtime, strftime
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from binairo_cp.json_library import orjson
from binairo_cp.service.worker_pools import PoolMetrics
from binairo_cp.workers.terminal import without_controls

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_TRACEBACK = logging.Formatter()
_USUAL = ("info", "debug")

_PIPE_BYTES = 4_096
"""A pipe takes so many bytes as a whole, also if other processes write to it."""

_waiting = bytearray()
"""Lines that the event loop writes in its next turn."""


@lru_cache(maxsize=1)
def is_on_terminal() -> bool:
    """Whether a person reads the log while it is written."""
    return sys.stderr.isatty()


def write_soon(at: float, level: str, logger: str, message: str, fields: dict[str, Any]) -> None:
    """Log from the event loop, which writes what it logged in one turn together.

    A logger would take as long for a request as a search, and so would a system call for each line.
    """
    line = _line(at, level, logger, message, fields)
    if len(_waiting) + len(line) > _PIPE_BYTES:
        _write_waiting()
    if not _waiting:
        asyncio.get_running_loop().call_soon(_write_waiting)
    _waiting.extend(line)


def _write_waiting() -> None:
    _write(bytes(_waiting))
    _waiting.clear()


def _write(lines: bytes) -> None:
    with suppress(OSError):
        os.write(sys.stderr.fileno(), lines)


def _line(at: float, level: str, logger: str, message: str, fields: dict[str, Any]) -> bytes:
    """A record of the log, at a time in seconds of Unix; plain lines leave out the logger."""
    if is_on_terminal():
        return _plain(at, level, message, fields).encode(errors="backslashreplace")
    utc = f"{_second(int(at))}.{int(at % 1 * 1000):03}Z"
    record = {"time": utc, "level": level, "logger": logger, "message": message, **fields}
    return orjson.dumps(record, str, orjson.OPT_APPEND_NEWLINE)


@lru_cache(maxsize=1)
def _second(at: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(at))


def _plain(at: float, level: str, message: str, fields: dict[str, Any]) -> str:
    """A line for people. Requests have control characters of others in their paths."""
    if message == "request":
        milliseconds = f"{1000 * fields['seconds']:.1f} ms"
        words = [fields["method"], fields["path"], fields["status"], milliseconds]
    else:
        facts = (f"{name}={value}" for name, value in fields.items() if name != "error")
        words = [*([] if level in _USUAL else [f"{level}:"]), message, *facts]
        words += [f"\n{fields['error']}"] if "error" in fields else []
    text = " ".join(map(str, words))
    return without_controls(f"{strftime('%H:%M:%S', localtime(at))} {text}") + "\n"


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        others = {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            others["error"] = _TRACEBACK.formatException(record.exc_info)
        level, message = record.levelname.lower(), record.getMessage()
        _write(_line(record.created, level, record.name, message, others))


def configure(level: str) -> None:
    """Make all loggers of this process write to standard error."""
    # No record says where it was logged, and finding that out takes as long as writing it.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None  # as the documentation says
    root = logging.getLogger()
    root.handlers[:] = [_Handler()]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # The middleware logs requests, with their ids.
    logging.getLogger("uvicorn.access").disabled = True
    if level == "info":
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # it tells each phase


_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "binairo_requests",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "binairo_request_seconds",
            "Duration of requests.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.workers = PoolMetrics(self.registry)

    @lru_cache(maxsize=256)  # noqa: B019  # a server has one
    def of_requests(self, method: str, route: str, status: int) -> tuple[Any, Any]:
        """What counts a request, and what notes its seconds.

        `route` is a path pattern, to bound the number of time series.
        """
        number = self._requests.labels(method, route, str(status))
        return number.inc, self._seconds.labels(route).observe

    def text(self, jobs: dict[str, int], *, is_full: bool) -> bytes:
        """All metrics in the text format of Prometheus, with the numbers of jobs by state if known.

        `is_full` says whether jobs wait for space on the disk.
        """
        registry = CollectorRegistry()
        registry.register(self.registry)
        registry.register(_Jobs(jobs, is_full))
        build = {
            "version": version("binairo-cp"),
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "platform": f"{platform.system()}-{platform.machine()}",
            "ortools": version("ortools"),
            "python_sat": version("python-sat"),
        }
        Info("binairo_build", "Versions of the server.", registry=registry).info(build)
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        return generate_latest(registry)


@dataclass(eq=False)
class _Jobs(Collector):
    counts: dict[str, int]
    is_full: bool

    def collect(self) -> Iterator[Metric]:
        gauge = GaugeMetricFamily("binairo_jobs", "Jobs by state.", labels=["state"])
        for state, number in self.counts.items():
            gauge.add_metric([state], number)
        yield gauge
        full = "Whether jobs wait for space on the disk."
        yield GaugeMetricFamily("binairo_disk_full", full, value=float(self.is_full))
