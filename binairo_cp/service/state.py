"""What a running server has: its limits, its lanes, its jobs, its numbers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import cast

from fastapi import Request

from binairo_cp.service import allowed_sites, keys, paths
from binairo_cp.service.allowed_sites import Hosts
from binairo_cp.service.batches import Batches
from binairo_cp.service.jobs.manager import Keeper
from binairo_cp.service.jobs.store import Store
from binairo_cp.service.limits import Limits
from binairo_cp.service.metrics import Metrics
from binairo_cp.service.proxies import Networks
from binairo_cp.service.rates import Rates
from binairo_cp.service.worker_pools import Lane

_MEBI = 1 << 20
_LAST_SECONDS = 1.0


@dataclass(frozen=True)
class Settings:
    """How a server is started.

    Attributes:
        limits: what it allows.
        data: the folder of its jobs.
        api_keys: a file of keys; None if everybody may ask.
        origins: the sites whose pages may ask (CORS).
        host: the address that is listened on.
        host_names: names that it answers to, besides those of that address.
        trusted_proxies: addresses whose X-Forwarded headers are believed.
        root_path: the path that a proxy puts before ours.
        drain: seconds from the signal to stop until it no longer listens.
        grace: seconds after that for what still runs.
    """

    limits: Limits
    data: Path
    api_keys: Path | None = None
    origins: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    host_names: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    root_path: str = ""
    drain: float = 0.0
    grace: float = 10.0


@dataclass
class State:
    """A server while it runs.

    Attributes:
        settings: how it was started.
        is_ready: the workers are warm.
        warming: what they load now, until they are warm.
        failed_steps: what they could not load, with the reasons.
        active: how many requests are being answered.
        failure: why the server had to end.
        stopping: is set when it is about to stop.
    """

    settings: Settings
    is_ready: bool = False
    warming: str = "starting"
    failed_steps: list[str] = field(default_factory=list)
    active: int = 0
    failure: str = ""
    _loop: asyncio.AbstractEventLoop | None = None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        path = self.settings.api_keys
        self.keys = keys.read(path) if path else None
        self.hosts = Hosts(self.settings.host, self.settings.host_names)
        self.origins = allowed_sites.origins(self.settings.origins)
        self.proxies = Networks(self.settings.trusted_proxies)
        self.root_path = paths.root_path(self.settings.root_path)
        self.store = Store(self.settings.data)
        self.rates = Rates(self.limits.rate, self.limits.burst)
        self.metrics = Metrics()

    @property
    def limits(self) -> Limits:
        return self.settings.limits

    def stop(self) -> None:
        """Let what goes on and on come to its end; may be called by a signal."""
        if self._loop:
            self._loop.call_soon_threadsafe(self.stopping.set)

    async def open(self) -> None:
        """Start the workers, and go on with jobs."""
        self._loop = asyncio.get_running_loop()
        limits = self.limits
        memory = limits.memory_mib * _MEBI
        wait = limits.waiting, limits.waiting_seconds
        died = self.metrics.died
        many = limits.connections, limits.waiting_seconds
        self.fast = Lane("fast", limits.fast_workers, *many, died, polite=False, memory=memory)
        self.general = Lane("general", limits.workers, *wait, died, polite=True, memory=memory)
        self.batches = Batches(self.fast)
        self.keeper = Keeper(self.store, limits)
        self.metrics.watch((self.fast, self.general), self.keeper)
        await self.keeper.open()

    async def close(self) -> None:
        """End the workers, and park jobs."""
        self.is_ready = False
        await self._answer_rest()
        await self.keeper.close()
        self.fast.close()
        self.general.close()

    async def _answer_rest(self) -> None:
        """Let requests whose time is up be answered, while there are workers to be called off."""
        end = monotonic() + _LAST_SECONDS
        while self.active and monotonic() < end:
            await asyncio.sleep(0.01)


def state_of(request: Request) -> State:
    """The server that a request came to."""
    return cast("State", request.app.state.binairo)
