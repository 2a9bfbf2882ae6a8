"""Clients that leave: the work that was for them ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from fastapi import Request

from binairo_cp.service.problems import Problem

Made = TypeVar("Made")


async def while_connected(request: Request, work: Coroutine[Any, Any, Made]) -> Made:
    """What some work comes to; it is cancelled if its client goes away.

    Args:
        request: whose body was read to its end.
        work: what is done for it.

    Raises:
        Problem: the client is gone, and nobody will see the answer.
    """
    doing = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise Problem(499, "client-left", "the client closed the connection")
    finally:
        for task in (doing, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
