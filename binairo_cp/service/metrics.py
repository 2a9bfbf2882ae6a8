"""Metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from binairo_cp.service import openapi
from binairo_cp.service.problems import Problem
from binairo_cp.service.worker_pools import WorkerPool

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TEXT = "text/plain"


class Metrics:
    """The metrics of one server.

    Attributes:
        registry: the registry of all metrics.
        worker_deaths: counts workers that died, by pool and kind of error.
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
        self.worker_deaths = Counter(
            "binairo_workers_died",
            "Workers that crashed, or were killed at their time limit.",
            ["pool", "kind"],
            registry=self.registry,
        )

    def record_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. `route` is a path pattern, to bound the number of time series."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def watch(self, pools: Iterable[WorkerPool]) -> None:
        """Add the current state of worker pools to the metrics."""
        self.registry.register(_Gauges(list(pools)))

    def text(self, jobs: dict[str, int]) -> bytes:
        """All metrics in the text format of Prometheus.

        Args:
            jobs: the number of jobs in each state; empty if it is not known.
        """
        registry = CollectorRegistry()
        gauge = Gauge("binairo_jobs", "Jobs by state.", ["state"], registry=registry)
        for state, number in jobs.items():
            gauge.labels(state).set(number)
        return generate_latest(self.registry) + generate_latest(registry)


class _Gauges(Collector):
    """The current state of worker pools, read when the metrics are requested."""

    def __init__(self, pools: list[WorkerPool]) -> None:
        self._pools = pools

    def collect(self) -> Iterator[Metric]:
        for name, help_text in (("busy", "Busy workers."), ("waiting", "Waiting requests.")):
            gauge = GaugeMetricFamily(f"binairo_pool_{name}", help_text, labels=["pool"])
            for pool in self._pools:
                gauge.add_metric([pool.name], getattr(pool, name))
            yield gauge


router = APIRouter()


@router.get(
    "/metrics",
    summary="Metrics for Prometheus.",
    response_class=Response,
    responses=openapi.responses({_TEXT: {"type": "string"}}, openapi.ALWAYS),
)
async def metrics(request: Request) -> Response:
    """Returns metrics of requests, worker pools and jobs."""
    state = request.app.state.binairo
    jobs: dict[str, int] = {}
    with suppress(Problem):  # without the database, the other metrics matter even more
        jobs = await state.job_manager.counts()
    return Response(state.metrics.text(jobs), media_type=CONTENT_TYPE_LATEST)
