"""The MCP server, called by the client of the SDK and by broken clients."""

import asyncio
import base64
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client

from binairo_cp.service import mcp_server
from binairo_cp.service.limits import Limits
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call
from tests.support.serving import PATIENCE

MCP = ["-c", "from binairo_cp import cli; cli.main()", "mcp", f"--time-limit={PATIENCE:g}"]
Call = tuple[str, dict[str, Any]]


def results_of(server: Any, calls: list[Call]) -> list[Any]:
    async def send() -> list[Any]:
        async with Client(server, read_timeout_seconds=PATIENCE) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(send())


def results(*calls: Call) -> list[Any]:
    """The answers of a server in this process."""

    async def send() -> list[Any]:
        most = mcp_server.MAX_GENERATED
        limits = Limits(time_limit=PATIENCE, most_time=PATIENCE, generated=most)
        async with mcp_server.opened(limits) as server, Client(server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(send())


def test_results_are_the_records_of_the_command_line() -> None:
    routes = ["check", "solve", "hint", "explain", "grade"]
    for name, result in zip(
        routes, results(*((name, {"puzzle": UNIQUE}) for name in routes)), strict=True
    ):
        assert not result.is_error
        expected = json.loads(call(name, "-", "--to", "ndjson", input=UNIQUE)[1])
        answer = result.structured_content
        for record in (expected, answer):
            for field in ("seconds", "source", "line", "backend"):
                record.pop(field, None)
        assert answer == expected
        assert answer["solution"] == KNOWN
        (text,) = result.content
        assert text.text


def test_texts_say_what_was_found() -> None:
    unique, multiple, none, solved, hint = results(
        ("check", {"puzzle": UNIQUE}),
        ("check", {"puzzle": MULTIPLE}),
        ("check", {"puzzle": NONE}),
        ("solve", {"puzzle": UNIQUE}),
        ("hint", {"puzzle": UNIQUE, "language": "de"}),
    )
    assert unique.content[0].text == "unique"
    assert multiple.content[0].text.startswith("multiple")
    assert none.content[0].text.startswith("none")
    assert KNOWN[:6] in solved.content[0].text.splitlines()
    assert hint.structured_content["language"] == "de"


def test_puzzles_are_generated_and_drawn() -> None:
    first, second, png, svg, text = results(
        ("generate", {"size": "4x6", "count": 2, "seed": 7}),
        ("generate", {"size": "4x6", "count": 2, "seed": 7}),
        ("render", {"puzzle": UNIQUE}),
        ("render", {"puzzle": UNIQUE, "to": "svg", "solution": True}),
        ("render", {"puzzle": UNIQUE, "to": "text"}),
    )
    assert first.structured_content == second.structured_content
    made = first.structured_content["results"]
    assert [(each["height"], each["width"], each["verdict"]) for each in made] == [
        (4, 6, "unique")
    ] * 2
    assert made[0]["clues"] in first.content[0].text
    (image,) = png.content
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data).startswith(b"\x89PNG")
    assert "<svg" in svg.content[0].text
    assert "┌" in text.content[0].text


WRONG: list[tuple[Call, str]] = [
    (("check", {}), "puzzle is missing"),
    (("check", {"puzzle": "01y"}), "column 3: 'y' is not a cell"),
    (("check", {"puzzle": "/etc/passwd"}), "puzzle: line 1"),
    (("check", {"puzzle": 5}), "puzzle: expected array or object or string"),
    (("check", {"puzzle": {"height": 4, "width": 4, "clues": "01"}}), "puzzle: "),
    (("check", {"puzzle": UNIQUE, "puzzles": [UNIQUE]}), "puzzles: expected puzzle"),
    (("check", {"puzzle": f"{UNIQUE}\n\n{UNIQUE}\n"}), "a text with several puzzles"),
    (("check", {"puzzle": "102x102:" + "." * 102 * 102}), "sides of up to 100"),
    (("check", {"puzzle": UNIQUE, "backend": "external:sh"}), "backend: "),
    (("solve", {"puzzle": UNIQUE, "limit": "many"}), "limit: expected "),
    (("hint", {"puzzle": UNIQUE, "board": "01"}), "board: "),
    (("generate", {}), "size: "),
    (("generate", {"size": 300}), "size: expected sides of at most 100 cells"),
    (("generate", {"size": 6, "count": 1_000}), "count: expected at most 20"),
    (("render", {"puzzle": MULTIPLE, "solution": True}), "puzzle: "),
    (("render", {"puzzle": UNIQUE, "to": "pdf"}), "to: 'pdf'; expected png, svg, text"),
    (("delete", {}), "there is no tool 'delete'"),
]


def test_mistakes_are_reported_as_tool_errors() -> None:
    answers = results(*(sent for sent, _ in WRONG), ("check", {"puzzle": UNIQUE}))
    for answer, (sent, message) in zip(answers[:-1], WRONG, strict=True):
        assert answer.is_error, sent
        assert message in answer.content[0].text, (sent, answer.content)
        assert "Traceback" not in answer.content[0].text
    assert answers[-1].content[0].text == "unique"


def test_a_time_limit_is_reported_as_unknown() -> None:
    (answer,) = results(
        ("check", {"puzzle": "80x80:" + "." * 6_400, "backend": "pysat", "time_limit": 0.01})
    )
    record = answer.structured_content
    assert (record["verdict"], record["stopped_by"]) == ("unknown", "time")


def test_without_the_sdk_the_command_says_what_to_install() -> None:
    hide = "import sys; sys.modules['mcp'] = None; from binairo_cp.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", hide, "mcp"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"binairo: MCP needs .*mcp.*\. Install with: pip install .*\n", done.stderr)


# Broken clients


@contextmanager
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, *MCP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def send(server: subprocess.Popen[bytes], *lines: bytes | dict[str, Any]) -> None:
    assert server.stdin
    for line in lines:
        data = line if isinstance(line, bytes) else json.dumps(line).encode()
        server.stdin.write(data + b"\n")
    server.stdin.flush()


def response(server: subprocess.Popen[bytes], id: int) -> Any:
    assert server.stdout
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == id:
            return message
    raise AssertionError(f"no response to {id}: {server.stderr and server.stderr.read()!r}")


def checking(id: int) -> dict[str, Any]:
    params = {"name": "check", "arguments": {"puzzle": UNIQUE}}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


@pytest.mark.slow
def test_malformed_messages_do_not_stop_the_server() -> None:
    with process() as server:
        send(server, HELLO)
        assert response(server, 1)["result"]["serverInfo"]["name"] == "binairo"
        send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        send(server, b"", b"{", b"[]", b"null", b"\xff\xfe\0", b"[" * 100_000)
        send(server, {"jsonrpc": "1.0", "id": 2, "method": "tools/list"})
        send(server, {"jsonrpc": "2.0", "id": 3, "method": "no/such"})
        send(server, {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {}})
        send(server, {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": [1]})
        send(server, b'{"jsonrpc": "2.0", "id": 6, "pad": "' + b"x" * (8 << 20) + b'"}')
        tail = b', "params": {"x": "' + b"x" * (3 << 20) + b'", "id": 9}'
        send(server, b'{"jsonrpc": "2.0", "method": "no/such"' + tail + b', "id": "seven"}')
        send(server, checking(7))
        assert server.stdout
        answers = {}
        while 7 not in answers:
            message = json.loads(server.stdout.readline())
            answers[message.get("id")] = message
        assert answers[3]["error"]["code"] == -32601
        assert answers[6]["error"]["message"].endswith("at most 1,048,576 bytes")
        assert answers["seven"]["error"]["code"] == -32600
        assert answers[7]["result"]["structuredContent"]["solution"] == KNOWN


@pytest.mark.slow
def test_a_long_line_takes_no_memory() -> None:
    with process() as server:
        send(server, HELLO)
        response(server, 1)
        before = resident(server.pid)
        assert server.stdin
        for _ in range(100):
            server.stdin.write(b"x" * (1 << 20))
        send(server, b"", checking(2))
        assert "result" in response(server, 2)
        assert resident(server.pid) - before < 50 << 20


def resident(pid: int) -> int:
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGINT])
def test_the_server_ends_with_its_client_or_by_a_signal(number: int | None) -> None:
    with process() as server:
        send(server, HELLO)
        response(server, 1)
        assert server.stdin
        assert server.stderr
        if number is None:
            server.stdin.close()
        else:
            server.send_signal(number)
        server.wait(PATIENCE)
        assert b"Traceback" not in server.stderr.read()
