"""The state of a running server: limits, workers, jobs and metrics."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from time import monotonic
from typing import cast

from fastapi import Request

from binairo_cp.errors import ServiceError
from binairo_cp.service import clients
from binairo_cp.service.jobs.folder import user_folder
from binairo_cp.service.jobs.manager import JobManager
from binairo_cp.service.jobs.store import JobStore
from binairo_cp.service.limits import Limits, ServerOptions
from binairo_cp.service.monitoring import Metrics
from binairo_cp.service.worker_pools import WorkerPool

_LOG = logging.getLogger("binairo.service")
_LAST_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Settings(ServerOptions):
    """The options of `binairo serve`."""

    limits: Limits
    cluster: str | None = None


@dataclass
class AppState:
    """The state of a running server.

    Attributes:
        not_ready: why the server is not ready; empty if it is.
        url: the URL of this server; empty until it listens.
        active: number of requests that are being answered.
    """

    settings: Settings
    not_ready: str = "the workers are starting"
    url: str = ""
    active: int = 0
    _loop: asyncio.AbstractEventLoop | None = None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        settings = self.settings
        self.limits = settings.limits
        self.keys = clients.read_keys(settings.api_keys) if settings.api_keys else None
        self.store = JobStore(settings.data or user_folder(), settings.database)
        self.metrics = Metrics()

    def read_keys(self) -> None:
        """Read the file of API keys again. If it is not valid, the keys stay as they were."""
        if path := self.settings.api_keys:
            try:
                self.keys = clients.read_keys(path)
                _LOG.info("keys read", extra={"number": len(self.keys)})
            except ServiceError as error:
                _LOG.error("keys not read", extra={"reason": str(error)})

    def stop(self) -> None:
        """Set `stopping`, so that streams end. Safe to call from a signal handler."""
        if self._loop:
            self._loop.call_soon_threadsafe(self.stopping.set)

    async def open(self) -> None:
        """Start the workers and resume unfinished jobs."""
        self._loop = asyncio.get_running_loop()
        limits = self.limits
        spare = limits.spare_workers
        self.pool = WorkerPool(
            "general", limits, self.metrics.workers, low_priority=True, spare=spare
        )
        self.job_manager = JobManager(self.store, limits, self.settings.cluster)
        await self.job_manager.open()

    async def close(self) -> None:
        """Stop the workers and the jobs. The jobs resume when the server is started again."""
        self.not_ready = "the server is about to stop"
        end = monotonic() + _LAST_SECONDS
        while self.active and monotonic() < end:  # cancelled requests send their responses
            await asyncio.sleep(0.01)
        await self.job_manager.close()
        self.pool.close()
        self._loop = None


def state_of(request: Request) -> AppState:
    """The state of the server that received a request."""
    return cast("AppState", request.scope["state"]["server"])
