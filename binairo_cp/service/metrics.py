"""Metrics for Prometheus."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from fastapi import Request, Response
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
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from binairo_cp.service import openapi
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import PoolMetrics

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TEXT = "text/plain"


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

    def record_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. `route` is a path pattern, to bound the number of time series."""
        count, observe = self._of_requests(method, route, status)
        count()
        observe(seconds)

    @lru_cache(maxsize=256)  # noqa: B019  # a server has one
    def _of_requests(self, method: str, route: str, status: int) -> tuple[Any, Any]:
        number = self._requests.labels(method, route, str(status))
        return number.inc, self._seconds.labels(route).observe

    def text(self, jobs: dict[str, int], *, is_full: bool) -> bytes:
        """All metrics in the text format of Prometheus.

        Args:
            jobs: numbers of jobs by state, if known.
            is_full: whether jobs wait for space on the disk.
        """
        registry = CollectorRegistry()
        registry.register(self.registry)
        registry.register(_Jobs(jobs, is_full))
        Info("binairo_build", "Versions of the server.", registry=registry).info(_build())
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        return generate_latest(registry)


def _build() -> dict[str, str]:
    return {
        "version": version("binairo-cp"),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "ortools": version("ortools"),
        "python_sat": version("python-sat"),
    }


class _Jobs(Collector):
    """The number of jobs in each state, and whether the disk is full."""

    def __init__(self, counts: dict[str, int], is_full: bool) -> None:
        self._counts = counts
        self._is_full = is_full

    def collect(self) -> Iterator[Metric]:
        gauge = GaugeMetricFamily("binairo_jobs", "Jobs by state.", labels=["state"])
        for state, number in self._counts.items():
            gauge.add_metric([state], number)
        yield gauge
        full = "Whether jobs wait for space on the disk."
        yield GaugeMetricFamily("binairo_disk_full", full, value=float(self._is_full))


router = openapi.router()


@router.get(
    "/metrics",
    **openapi.route({_TEXT: {"type": "string"}}, openapi.ALWAYS, summary="Metrics for Prometheus."),
)
async def metrics(request: Request) -> Response:
    """Returns metrics of requests, worker pools and jobs."""
    state = request.app.state.binairo
    jobs: dict[str, int] = {}
    with suppress(Problem):  # without the database, the other metrics matter even more
        jobs = await state.job_manager.in_thread(state.store.counts)
    return Response(
        state.metrics.text(jobs, is_full=state.store.folder.is_full()),
        media_type=CONTENT_TYPE_LATEST,
    )
