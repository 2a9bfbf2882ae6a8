"""Fuzz HTTP requests to the app in this process, without workers."""

from __future__ import annotations

import asyncio
import atexit
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import orjson

from binairo_cp import is_solution
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.service.bodies import BODIES, TASKS
from binairo_cp.service.limits import Limits
from tests.fuzz.targets import Target, temporary_folder
from tests.support.in_process import in_process_app

_FILES = tuple(name for name in BODIES if name not in (*TASKS, "generate"))
ROUTES = (*TASKS, *_FILES, "generate", "nothing")
_TYPES = ("application/json", "application/x-ndjson", "text/plain", "application/zip", "a/b")
_EXPECTED = {200, 400, 404, 408, 413, 415, 422, 503, 504}
_LIMITS = Limits(
    time_limit=0.2,
    most_time=0.3,
    body_bytes=4096,
    answer_bytes=1 << 20,
    side=8,
    puzzles=4,
    generated=2,
    solutions=20,
    counted=1_000,
)
_WORDS = (
    '"puzzle":', '"puzzles":', '"format":"line"', '"rules":"both"', '"time_limit":0.1',
    '"size":"4x6"', '"seed":7', '"clues":"fewest"', '"title":"<b>"', '"page":"a4"',
    '"height":4', '"width":4', '"clues":"', '"id":', "null", "1e400", '"\\ud800"', "[", "{",
    "?format=line&rules=unruly", "?time_limit=nan", "?limit=99999999999999999999", "\n",
    '"margin":1e9', '"per_page":2',
)  # fmt: skip
_RECORD = '{"height":4,"width":4,"clues":"0......1.1....1.","signs":[[0,0,"R","="]]}'
_OPTIONS = {
    "solve": ('"limit":3,"backend":"cpsat"',),
    "hint": (f'"board":"{"." * 16}"', f'"board":"{"01" * 8}"'),
    "explain": (f'"board":"{"." * 15}1"',),
    "repair": ('"solution":"0110100101011010"',),
    "encode": ('"to":"lp","unique":"auto"',),
    "render": (
        *tuple(f'"to":"{each}","solution":true' for each in ("svg", "png", "pdf", "html")),
        '"to":"text","steps":true,"not_unique":"mark"',
        '"ids":true,"title":"a & b"',
    ),
}
"""Options that need values of their own, or one another."""
_GENERATE = (
    '"size":4', '"size":"4x6","count":2,"seed":"a"', '"size":6,"clues":"fewest"',
    '"size":4,"symmetry":"rotate2","rules":"tango"',
    '"size":5,"odd":"ones","grade":"easy"',
)  # fmt: skip


def target(_: str) -> Target:
    """The app; an input has a route, a content type, a line with the query, and a body."""
    seeds = [_seed("generate", f"{{{words}}}") for words in _GENERATE]
    puzzles = ('"0......1.1....1."', _RECORD, '"0..."', '"01\\n10"')
    for route in (*TASKS, *_FILES):
        for words in ("", *(f",{each}" for each in _OPTIONS.get(route, ()))):
            seeds += [_seed(route, f'{{"puzzle":{each}{words}}}') for each in puzzles[:2]]
        seeds += [_seed(route, f'{{"puzzle":{_RECORD},{each}}}') for each in _values(route)]
        seeds.append(_seed(route, '{{"puzzles":[{}]}}'.format(",".join(puzzles))))
        seeds.append(_seed(route, "0......1.1....1.\n0... a\n", type=2, query="format=line"))
        seeds.append(_seed(route, _RECORD + "\n", type=1, query="rules=plus&time_limit=0.1"))
    words = (*_WORDS, *sorted({each for name in BODIES for each in _values(name)}))
    return Target(check, tuple(seeds), tuple(map(str.encode, words)), 4096)


def _values(name: str) -> Iterator[str]:
    """Each option of a request with some values: choices, true, and the smallest number."""
    for field, schema in BODIES[name].model_json_schema()["properties"].items():
        for each in (schema, *schema.get("anyOf", ())):
            if each.get("type") == "boolean":
                yield f'"{field}":true'
            elif each.get("type") in ("integer", "number"):
                yield f'"{field}":{each.get("minimum", 1)}'
            else:
                yield from (f'"{field}":{json.dumps(value)}' for value in each.get("enum", ()))


def _seed(route: str, body: str, type: int = 0, query: str = "") -> bytes:
    return bytes([ROUTES.index(route), type]) + f"{query}\n{body}".encode()


@cache
def _app() -> tuple[Any, asyncio.Runner]:
    app = in_process_app(_LIMITS, temporary_folder() / "jobs")
    atexit.register(app.state.binairo.store.close)
    return app, asyncio.Runner()


def check(data: bytes) -> None:
    """Send a request and check the response.

    The response must be a success, or a problem with the request but never with the server. A
    solution in a record must be correct.
    """
    route, kind = (*data[:2], 0, 0)[:2]
    query, _, body = data[2:].partition(b"\n")
    # The HTTP parser refuses all other bytes.
    query = bytes(each for each in query if 32 < each < 127)
    path = ROUTES[route % len(ROUTES)]
    app, runner = _app()
    status, headers, answer = runner.run(
        _send(app, f"/v1/{path}", query, _TYPES[kind % len(_TYPES)], body, gzip=kind >= 0x80)
    )
    assert status in _EXPECTED, (status, answer)
    if status != 200:
        assert headers[b"content-type"] == b"application/problem+json"
        problem = orjson.loads(answer)
        assert problem["status"] == status
        assert problem["detail"]
    elif path in TASKS:
        whole = orjson.loads(answer)
        for record in whole.get("results", [whole]):
            _check_record(record)


def _check_record(record: dict[str, Any]) -> None:
    error = record.get("error")
    assert not error or error["kind"] not in ("internal", "crash", "wrong-answer", "disagreement")
    if not error and record.get("solution"):
        puzzle_record = PuzzleRecord.model_validate(record)
        rules = puzzle_record.stated_rules()
        assert rules
        puzzle = Puzzle(puzzle_record.board(), rules, puzzle_record.sign_values())
        assert is_solution(
            puzzle, Board(puzzle_record.height, puzzle_record.width, record["solution"])
        )


async def _send(
    app: Any, path: str, query: bytes, type: str, body: bytes, *, gzip: bool
) -> tuple[int, dict[bytes, bytes], bytes]:
    headers = [(b"host", b"localhost"), (b"content-type", type.encode())]
    headers += [(b"content-encoding", b"gzip")] if gzip else []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("x", 80),
    }
    half = len(body) // 2
    parts = [
        {"type": "http.request", "body": body[:half], "more_body": True},
        {"type": "http.request", "body": body[half:], "more_body": False},
    ]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop(0)
        await asyncio.Event().wait()
        raise AssertionError("there is no further message")

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    answer = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], dict(sent[0]["headers"]), answer
