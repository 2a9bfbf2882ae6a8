"""Cancel the work for a request when its client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from fastapi import Request

from binairo_cp.service.problems import Problem

Result = TypeVar("Result")


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Await `work`, but cancel it if the client disconnects.

    Args:
        request: the request, whose body must have been read completely.
        work: the coroutine to await.

    Raises:
        Problem: the client has disconnected and will not see the response.
    """
    working = asyncio.create_task(work)
    disconnect = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, disconnect), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Problem(499, "client-left", "the client closed the connection")
    finally:
        for task in (working, disconnect):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
