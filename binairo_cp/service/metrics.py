"""Metrics for Prometheus."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version

from fastapi import APIRouter, Request, Response
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
from binairo_cp.service.jobs.manager import JobManager
from binairo_cp.service.pool_metrics import PoolMetrics
from binairo_cp.service.worker_pools import WorkerPool

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TEXT = "text/plain"


class Metrics:
    """The metrics of one server.

    Attributes:
        registry: the registry of all metrics.
        pools: the metrics of the worker pools.
    """

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
        self.pools = PoolMetrics(self.registry)
        build = Info("binairo_build", "Version of the server.", registry=self.registry)
        build.info(_build())
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def record_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. `route` is a path pattern, to bound the number of time series."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def watch(self, pools: Iterable[WorkerPool], job_manager: JobManager) -> None:
        """Add the current state of worker pools and jobs to the metrics."""
        self.registry.register(_Gauges(list(pools), job_manager))

    def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return generate_latest(self.registry)


def _build() -> dict[str, str]:
    return {
        "version": version("binairo-cp"),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "ortools": version("ortools"),
        "python_sat": version("python-sat"),
    }


class _Gauges(Collector):
    """The current state of worker pools and jobs, read when the metrics are requested."""

    def __init__(self, pools: list[WorkerPool], job_manager: JobManager) -> None:
        self._pools = pools
        self._job_manager = job_manager

    def collect(self) -> Iterator[Metric]:
        for name, help_text in (("busy", "Busy workers."), ("waiting", "Waiting requests.")):
            gauge = GaugeMetricFamily(f"binairo_pool_{name}", help_text, labels=["pool"])
            for pool in self._pools:
                gauge.add_metric([pool.name], getattr(pool, name))
            yield gauge
        jobs = GaugeMetricFamily("binairo_jobs", "Jobs by state.", labels=["state"])
        for state, number in self._job_manager.counts().items():
            jobs.add_metric([state], number)
        yield jobs


router = APIRouter()


@router.get(
    "/metrics",
    summary="Metrics for Prometheus.",
    response_class=Response,
    responses=openapi.responses({_TEXT: {"type": "string"}}, openapi.ALWAYS),
)
async def metrics(request: Request) -> Response:
    """Returns metrics of requests, worker pools and jobs."""
    server_metrics: Metrics = request.app.state.binairo.metrics
    return Response(server_metrics.text(), media_type=CONTENT_TYPE_LATEST)
