"""What a server has done and does, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from binairo_cp.service import openapi
from binairo_cp.service.jobs.manager import Keeper
from binairo_cp.service.worker_pools import Lane

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TEXT = "text/plain"


class Metrics:
    """The numbers of one server."""

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
            "How long requests took.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.died = Counter(
            "binairo_workers_died",
            "Workers that died of their work, or were killed since it did not end.",
            ["lane", "kind"],
            registry=self.registry,
        )

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; its route is a pattern, so that there are few."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def watch(self, lanes: Iterable[Lane], keeper: Keeper) -> None:
        """Tell what lanes and jobs are at whenever somebody asks."""
        self.registry.register(_Now(list(lanes), keeper))

    def text(self) -> bytes:
        """All of it."""
        return generate_latest(self.registry)


class _Now(Collector):
    """What is the case now."""

    def __init__(self, lanes: list[Lane], keeper: Keeper) -> None:
        self._lanes = lanes
        self._keeper = keeper

    def collect(self) -> Iterator[Metric]:
        for name, what in (("busy", "Workers that work."), ("waiting", "Requests that wait.")):
            gauge = GaugeMetricFamily(f"binairo_lane_{name}", what, labels=["lane"])
            for lane in self._lanes:
                gauge.add_metric([lane.name], getattr(lane, name))
            yield gauge
        jobs = GaugeMetricFamily("binairo_jobs", "Jobs by state.", labels=["state"])
        for state, number in self._keeper.counts().items():
            jobs.add_metric([state], number)
        yield jobs


router = APIRouter()


@router.get(
    "/metrics",
    summary="Numbers for Prometheus.",
    response_class=Response,
    responses=openapi.gives({_TEXT: {"type": "string"}}, openapi.ALWAYS),
)
async def metrics(request: Request) -> Response:
    """Requests, lanes, jobs."""
    told: Metrics = request.app.state.binairo.metrics
    return Response(told.text(), media_type=CONTENT_TYPE_LATEST)
