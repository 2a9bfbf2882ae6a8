"""The HTTP app in this process: its workers do their work at once, here."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from binairo_cp.service.app import create_app
from binairo_cp.service.app_state import Settings
from binairo_cp.service.jobs.store import JobRow
from binairo_cp.service.limits import Limits


class InProcessPool:
    """A worker pool that calls functions in the current process."""

    name = "in-process"
    workers = 1
    busy = waiting = 0

    async def run(self, function: Callable[[Any], Any], argument: Any, seconds: float) -> Any:
        return function(argument)


class FakeJobManager:
    def __init__(self, rows: dict[str, JobRow]) -> None:
        self.rows = rows

    async def find(self, id: str, owner: str) -> JobRow:
        return self.rows[id]

    async def counts(self) -> dict[str, int]:
        return {}

    async def reject_if_full(self, owner: str) -> None:
        pass


def in_process_app(limits: Limits, data: Path) -> Any:
    """An app that is ready. The caller closes its store, `app.state.binairo.store`."""
    app = create_app(Settings(limits=limits, data=data))
    state: Any = app.state.binairo
    state.pool = InProcessPool()
    state.job_manager = FakeJobManager({})
    state.not_ready = ""
    return app


def send_request(
    app: Any, method: str, path: str, client: str = "127.0.0.1", **sent: Any
) -> httpx.Response:
    """Send a request to an app from an address, and return its response."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as http:
            return await http.request(method, path, **sent)

    return asyncio.run(send())
