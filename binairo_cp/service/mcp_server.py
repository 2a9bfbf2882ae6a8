"""An MCP server: check, solve, hint and other commands as tools for language-model clients.

See https://modelcontextprotocol.io for the protocol. The SDK speaks it; this module adds limits.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, BinaryIO, cast

from pydantic import BaseModel, ValidationError

import binairo_cp as bn
from binairo_cp.batch import reports
from binairo_cp.errors import BinairoError, ServiceError, SolverCrash
from binairo_cp.features.feature import feature_of, record_features
from binairo_cp.formats.results import ResultRecord
from binairo_cp.json_library import orjson
from binairo_cp.service.limits import Limits
from binairo_cp.workers.extras import require_extra
from binairo_cp.workers.resource_limits import end_process

with require_extra("mcp", ServiceError):
    import anyio.to_thread
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    from binairo_cp.service import deciding, files, making_routes, problems, puzzle_routes
    from binairo_cp.service.bodies import (
        GENERATE,
        RENDER,
        TASKS,
        GenerateBody,
        PuzzleBody,
        TaskBody,
    )
    from binairo_cp.service.deciding import RawPuzzles
    from binairo_cp.service.files import FileBounds
    from binairo_cp.service.monitoring import Metrics
    from binairo_cp.service.problems import Problem
    from binairo_cp.service.requests import check_number, check_types
    from binairo_cp.service.worker_pools import WorkerPool

_LOG = logging.getLogger("binairo.mcp")
_PICTURES = ("png", "svg", "text")

PUZZLE = (
    "The puzzle as text: one line per row with 0, 1 and . for an empty cell; or rows x columns, a "
    "colon and all cells on one line (4x4:1..0.......1....); or an object with height, width, "
    "clues and signs."
)
INSTRUCTIONS = (
    "Binairo (Takuzu, binary puzzle): fill a grid with 0 and 1 so that no three equal symbols are "
    "adjacent in a row or column, each row and column has as many 0s as 1s, and (classic rules) no "
    "two rows and no two columns are equal. Use these tools instead of solving by hand: their "
    "results are proved or checked. The verdict `unknown` means that time ran out; it never means "
    "that there is no solution. Cells are named r1c1 in the top left corner."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: the model of its arguments, and what runs it, by a pool and within limits."""

    description: str
    model: type[BaseModel]
    call: Callable[[WorkerPool, Limits, Any], Awaitable[types.CallToolResult]]

    def described(self, name: str) -> types.Tool:
        """The description that clients get."""
        notes = types.ToolAnnotations(
            read_only_hint=True, idempotent_hint=name != "generate", open_world_hint=False
        )
        schema, text = _input_schema(self.model), self.description
        return types.Tool(name=name, description=text, input_schema=schema, annotations=notes)


def _input_schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = cast("dict[str, Any]", _untitled(model.model_json_schema()))
    schema.pop("oneOf", None)
    properties = schema["properties"]
    properties.pop("puzzles", None)
    if "puzzle" in properties:
        properties["puzzle"]["description"] = PUZZLE
        schema["required"] = ["puzzle"]
    if model is RENDER:
        properties["to"] = {
            "enum": list(_PICTURES),
            "default": _PICTURES[0],
            "description": "An image (png), the text of an SVG image, or plain text.",
        }
    return schema


def _untitled(schema: Any) -> Any:
    """A schema without the titles that pydantic derives from the names."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    is_title = isinstance(schema.get("title"), str)
    return {
        name: _untitled(part) for name, part in schema.items() if name != "title" or not is_title
    }


async def call(
    pool: WorkerPool, limits: Limits, name: str, arguments: dict[str, Any] | None
) -> types.CallToolResult:
    """Call a tool. Wrong arguments and failures become results that are marked as errors."""
    tool = TOOLS.get(name)
    if tool is None:
        return _error(f"there is no tool {name[:80]!r}; expected one of {', '.join(TOOLS)}")
    try:
        return await tool.call(pool, limits, _validated(tool.model, arguments or {}))
    except ValidationError as error:
        return _error(problems.from_validation(error).detail)
    except Problem as problem:
        return _error(_sentence(problem))
    except SolverCrash as error:
        return _error(f"{error.kind}: the worker failed; the others go on")
    except BinairoError as error:
        return _error(str(error))
    except Exception:
        _LOG.exception("the tool %s failed", name)
        return _error("internal error; see the log of the server")


def _validated(model: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    if "puzzles" in arguments:
        raise problems.invalid("puzzles: expected puzzle, one for each call")
    if issubclass(model, PuzzleBody) and arguments.get("puzzle") is None:
        raise problems.invalid("puzzle is missing; expected the puzzle as text or as an object")
    check_number(arguments)
    check_types(model, arguments)
    body = model.model_validate(arguments)
    _ = cast("Any", body).request  # refuses options that can't be combined
    return body


def _sentence(problem: Problem) -> str:
    fault = problem.faults[0] if problem.faults else None
    if fault is None:
        return problem.detail
    place = [f"line {fault.line}"] if fault.line else []
    place += [f"column {fault.column}"] if fault.column else []
    option = fault.pointer.strip("/")
    detail = problem.detail.removeprefix(f"{option}: ")
    return ": ".join(filter(None, (option, ", ".join(place), detail)))


def _result(
    text: str, structured: dict[str, Any] | None = None, *, is_error: bool = False
) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=structured,
        is_error=is_error,
    )


_error = partial(_result, is_error=True)


def _raw(body: PuzzleBody, limits: Limits) -> RawPuzzles:
    items = () if body.puzzle is None else (body.puzzle,)
    return RawPuzzles(items, body.stated, body.requested_rules, 1, limits.side)


async def _decide(pool: WorkerPool, limits: Limits, body: TaskBody) -> types.CallToolResult:
    task = puzzle_routes.limited_task(body, limits)
    puzzles, seconds = _raw(body, limits), limits.seconds(body.time_limit)
    result = deciding.decide_at_once(task, seconds, puzzles) if body.is_small else None
    if result is None:
        result = await puzzle_routes.decide_one(pool, task, puzzles, seconds)
    fields = orjson.loads(puzzle_routes.record_of(result))
    anonymous = replace(ResultRecord.of(fields), id="", source="", line=None)
    text = reports.written(anonymous, "text", task.verb)
    return _result(text.rstrip("\n"), fields)


async def _generate(pool: WorkerPool, limits: Limits, body: GenerateBody) -> types.CallToolResult:
    making_routes.check_limits(body, limits, limits.generated)
    seconds = limits.seconds(body.time_limit)
    work = partial(files.generate_records, seconds)
    records, shortfall = await pool.run(work, body.order(), seconds)
    results = [orjson.loads(record) for record in records]
    boards = [f"{result['height']}x{result['width']}:{result['clues']}" for result in results]
    note = {"note": shortfall} if shortfall else {}
    structured = {"results": results, "seed": body.seed, "complete": not shortfall, **note}
    return _result("\n".join([*boards, *note.values(), f"seed {body.seed}"]), structured)


async def _render(pool: WorkerPool, limits: Limits, body: PuzzleBody) -> types.CallToolResult:
    options = body.request
    form = options["to"] if "to" in body.model_fields_set else _PICTURES[0]
    if form not in _PICTURES:
        raise problems.invalid(f"{form!r}; expected {', '.join(_PICTURES)}", "/to")
    options = feature_of(bn.render).completed(options | {"to": form})
    seconds = limits.seconds(body.time_limit)
    draw = partial(files.draw_puzzles, options, FileBounds(seconds, limits.answer_bytes))
    drawn = await pool.run(draw, _raw(body, limits), seconds)
    if isinstance(drawn, list):
        raise making_routes.refused(drawn, lambda _: "/puzzle")
    if form != "png":
        return _result(drawn.content.decode())
    data = base64.b64encode(drawn.content).decode()
    image = types.ImageContent(type="image", data=data, mime_type=drawn.media_type)
    return types.CallToolResult(content=[image])


TOOLS: dict[str, Tool] = {
    **{
        name: Tool(feature.tool, TASKS[name], _decide)
        for name, feature in record_features().items()
        if feature.tool
    },
    "generate": Tool(
        "Generate new puzzles with exactly one solution, by size, rules and difficulty. The same "
        "seed gives the same puzzles.",
        GENERATE,
        _generate,
    ),
    "render": Tool(
        "Draw a puzzle, optionally with its solution or a hint, as an image or as text.",
        RENDER,
        _render,
    ),
}
"""The tools by name."""


MAX_MESSAGE_BYTES = 1 << 20
MAX_GENERATED = 20
MAX_PICTURE_BYTES = 4 << 20


def serve(limits: Limits) -> None:
    """Serve on standard input and output until the client closes them, or a signal arrives."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    try:
        asyncio.run(_serve_stdio(limits))
    finally:
        # A thread may still wait for standard input, and would keep the process alive.
        sys.stderr.flush()
        end_process(0)


@asynccontextmanager
async def opened(limits: Limits) -> AsyncIterator[Server[Any]]:
    """The MCP server and its workers."""
    pool = WorkerPool("mcp", limits, Metrics().workers, low_priority=False)
    tools = [tool.described(name) for name, tool in TOOLS.items()]

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: Any, parameters: types.CallToolRequestParams
    ) -> types.CallToolResult:
        return await call(pool, limits, parameters.name, parameters.arguments)

    try:
        yield Server(
            "binairo",
            version=version("binairo-cp"),
            instructions=INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )
    finally:
        pool.close()


def _cancel_at_signals() -> None:
    """Cancel the current task at the signals that end the process.

    The handlers of the command line raise KeyboardInterrupt. If that happens within a task, asyncio
    prints a traceback. asyncio replaces only Python's own handler of Ctrl-C.
    """
    task = cast("asyncio.Task[None]", asyncio.current_task())
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:  # nohup has it ignored
            with suppress(NotImplementedError):  # on Windows
                loop.add_signal_handler(number, task.cancel)


async def _serve_stdio(limits: Limits) -> None:
    _cancel_at_signals()
    lines = BoundedLines(sys.stdin.buffer)
    stdin = cast("anyio.AsyncFile[str]", lines)
    async with opened(limits) as server, stdio_server(stdin) as (incoming, outgoing):
        lines.answers = outgoing
        await server.run(incoming, outgoing, server.create_initialization_options())


_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


class BoundedLines:
    """The lines of a stream as text. A message that is too long is answered with an error.

    Attributes:
        answers: where answers go.
    """

    answers: Any

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(self._line, abandon_on_cancel=True):
            if isinstance(line, types.JSONRPCError):
                await self.answers.send(SessionMessage(line))
            else:
                yield line.decode(errors="replace")

    def _line(self) -> bytes | types.JSONRPCError:
        line = self._stream.readline(MAX_MESSAGE_BYTES)
        if line.endswith(b"\n") or len(line) < MAX_MESSAGE_BYTES:
            return line
        last = line
        while (rest := self._stream.readline(MAX_MESSAGE_BYTES)) and not rest.endswith(b"\n"):
            last = rest
        # The id stands before the parameters, or after them.
        head, tail = line.partition(b'"params"')[0], (last + rest).rpartition(b"}")[0]
        found = _ID.search(head[:200]) or _ID.search(tail[-200:].rpartition(b"}")[2])
        detail = f"expected a message of at most {MAX_MESSAGE_BYTES:,} bytes"
        error = types.ErrorData(code=types.INVALID_REQUEST, message=detail)
        id = orjson.loads(found[1]) if found else None
        return types.JSONRPCError(jsonrpc="2.0", id=id, error=error)
