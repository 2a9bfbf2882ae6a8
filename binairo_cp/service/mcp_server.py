"""An MCP server: check, solve, hint and other commands as tools for language-model clients.

See https://modelcontextprotocol.io for the protocol. The SDK speaks it; this module adds limits.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any, BinaryIO, cast

from binairo_cp.errors import ServiceError
from binairo_cp.workers.extras import require_extra

with require_extra("mcp", ServiceError):
    import anyio.to_thread
    import uvicorn
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    from binairo_cp.service import mcp_tools
    from binairo_cp.service.mcp_tools import Resources
    from binairo_cp.service.metrics import Metrics
    from binairo_cp.service.worker_pools import WorkerPool

from binairo_cp.service.limits import Limits

MAX_MESSAGE_BYTES = 1 << 20
MAX_GENERATED = 20
MAX_PICTURE_BYTES = 4 << 20
HOST = "127.0.0.1"
_MAX_CONNECTIONS = 100
_MEBI = 1 << 20


def serve(limits: Limits, port: int | None) -> None:
    """Serve until the client closes standard input, or over HTTP until a signal arrives.

    Args:
        limits: the limits of the tools.
        port: the port for streamable HTTP on the loopback address; None for standard input and
            output.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    try:
        asyncio.run(_serve_stdio(limits) if port is None else _serve_http(limits, port))
    finally:
        # A thread may still wait for standard input, and would keep the process alive.
        sys.stderr.flush()
        if port is None:
            os._exit(0)


@asynccontextmanager
async def opened(limits: Limits) -> AsyncIterator[Server[Any]]:
    """The MCP server and its workers."""
    pool = WorkerPool(
        "mcp",
        limits.workers,
        max_waiting=limits.waiting,
        max_wait=limits.waiting_seconds,
        metrics=Metrics().workers,
        low_priority=False,
        memory=limits.memory_mib * _MEBI,
    )
    resources = Resources(pool, limits)
    tools = [tool.described(name) for name, tool in mcp_tools.TOOLS.items()]

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: Any, parameters: types.CallToolRequestParams
    ) -> types.CallToolResult:
        return await mcp_tools.call(resources, parameters.name, parameters.arguments)

    try:
        yield Server(
            "binairo",
            version=version("binairo-cp"),
            instructions=mcp_tools.INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )
    finally:
        pool.close()


def _cancel_at_signals() -> None:
    """Cancel the current task at the signals that end the process, as asyncio does at Ctrl-C.

    The handlers of the command line raise SystemExit. If that happens within a task, asyncio prints
    a traceback.
    """
    task = cast("asyncio.Task[None]", asyncio.current_task())
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:  # nohup has it ignored
            with suppress(NotImplementedError):  # on Windows
                loop.add_signal_handler(number, task.cancel)


async def _serve_stdio(limits: Limits) -> None:
    _cancel_at_signals()
    lines = cast("anyio.AsyncFile[str]", BoundedLines(sys.stdin.buffer))
    async with opened(limits) as server, stdio_server(lines) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _serve_http(limits: Limits, port: int) -> None:
    async with opened(limits) as server:
        app = server.streamable_http_app(
            stateless_http=True,
            json_response=True,
            max_request_body_size=MAX_MESSAGE_BYTES,
            host=HOST,
        )
        config = uvicorn.Config(
            app,
            host=HOST,
            port=port,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=_MAX_CONNECTIONS,
        )
        print(f"binairo: http://{HOST}:{port}/mcp", file=sys.stderr, flush=True)
        await uvicorn.Server(config).serve()


class BoundedLines:
    """The lines of a stream as text. A line that is too long becomes an empty one, an error."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(self._line, abandon_on_cancel=True):
            yield line.decode(errors="replace")

    def _line(self) -> bytes:
        line = self._stream.readline(MAX_MESSAGE_BYTES)
        if line.endswith(b"\n") or len(line) < MAX_MESSAGE_BYTES:
            return line
        while (rest := self._stream.readline(MAX_MESSAGE_BYTES)) and not rest.endswith(b"\n"):
            pass
        return b"\n"
