"""Metrics of worker pools: how long requests wait, and workers that died."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from binairo_cp.service.callers import Caller

_WAITS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class PoolMetrics:
    """The metrics of all worker pools.

    Attributes:
        worker_deaths: counts workers that died, by pool and kind of error.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._waits = Histogram(
            "binairo_pool_wait_seconds",
            "Time that requests waited for a worker.",
            ["pool", "route"],
            buckets=_WAITS,
            registry=registry,
        )
        self.worker_deaths = Counter(
            "binairo_workers_died",
            "Workers that crashed, or were killed at their time limit.",
            ["pool", "kind"],
            registry=registry,
        )

    def record_wait(self, pool: str, caller: Caller, seconds: float) -> None:
        """Record how long a request waited. The server's own work is not counted."""
        if caller.scope:
            self._waits.labels(pool, caller.route).observe(seconds)
