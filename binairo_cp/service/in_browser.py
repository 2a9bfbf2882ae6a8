"""Answer the page's requests in the browser, where the package runs as WebAssembly.

`static/solver.js` calls `respond` in a worker of the browser. What it takes and returns is that of
the routes of the server. It needs neither FastAPI nor worker processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Any, NamedTuple

from pydantic import ValidationError

from binairo_cp.errors import BinairoError
from binairo_cp.json_library import orjson
from binairo_cp.service import bodies, deciding, files
from binairo_cp.service.bodies import GenerateBody, PuzzleBody, TaskBody
from binairo_cp.service.deciding import Items, PuzzleFault, RawPuzzles
from binairo_cp.service.files import FileBounds

_SECONDS = 30.0
"""The time of a request without a limit."""

_MOST_BYTES = 64 << 20
_MOST_PUZZLES, _MOST_SIDE = 10_000, 100
_FILES = {
    "encode": (bodies.ENCODE, files.encode_puzzles),
    "convert": (bodies.CONVERT, files.convert_puzzles),
    "render": (bodies.RENDER, files.draw_puzzles),
    "certify": (bodies.CERTIFY, files.certify_puzzles),
}
_JSON = "application/json"


class Response(NamedTuple):
    """What a server would send."""

    status: int
    media_type: str
    name: str
    content: bytes


def respond(word: str, options: str, puzzles: bytes | memoryview | None = None) -> Response:
    """The response to a request: a word such as "check", and its options as JSON.

    `puzzles` is a file with puzzles; without one, the options have them.
    """
    try:
        content = None if puzzles is None else bytes(puzzles)
        return _respond(word, orjson.loads(options), content)
    except ImportError as error:
        return _problem(PuzzleFault("option", f"this site can't do it without {error.name}"), 501)
    except ValidationError as error:
        first = error.errors()[0]
        return _problem(PuzzleFault("option", f"{first['loc']}: {first['msg']}"))
    except BinairoError as error:
        return _problem(files.fault_of(error))


def _respond(word: str, options: dict[str, Any], puzzles: bytes | None) -> Response:
    if puzzles is not None:
        options["puzzles"] = ""
    if word == "read":
        entries = deciding.read(_raw(bodies.TASKS["check"].model_validate(options), puzzles))
        return _lines(map(deciding.line_of, entries))
    if word == "generate":
        return _generated(bodies.GENERATE.model_validate(options))
    if word in bodies.TASKS:
        return _decided(bodies.TASKS[word].model_validate(options), puzzles)
    if word not in _FILES:
        return _problem(PuzzleFault("option", f"this site can't do {word}"), 501)
    model, make = _FILES[word]
    body = model.model_validate(options)
    bounds = FileBounds(body.time_limit or _SECONDS, _MOST_BYTES)
    file = make(body.request, bounds, _raw(body, puzzles))
    if isinstance(file, list):
        return _problem(file[0][1])
    return Response(200, file.media_type, file.name, file.content)


def _raw(body: PuzzleBody, puzzles: bytes | None) -> RawPuzzles:
    items: Items
    if puzzles is not None or body.puzzle is None:
        items = puzzles or str(body.puzzles).encode()
    else:
        items = (body.puzzle,)
    return RawPuzzles(items, body.stated, body.requested_rules, _MOST_PUZZLES, _MOST_SIDE)


def _decided(body: TaskBody, puzzles: bytes | None) -> Response:
    raw, seconds = _raw(body, puzzles), body.time_limit or _SECONDS
    if body.puzzle is None:
        records = deciding.decide_all(body.task, monotonic() + seconds, deciding.read(raw))
        return _lines(f"{record}\n" for record in records)
    answer = deciding.decide_one(body.task, seconds, raw)
    if isinstance(answer, PuzzleFault):
        return _problem(answer)
    return Response(200, _JSON, "", answer.encode())


def _lines(lines: Iterable[str]) -> Response:
    return Response(200, "application/x-ndjson", "", "".join(lines).encode())


def _generated(body: GenerateBody) -> Response:
    records, shortfall = files.generate_records(body.time_limit or _SECONDS, body.order())
    note = f',"note":{orjson.dumps(shortfall).decode()}' if shortfall else ""
    text = f'{{"results":[{",".join(records)}]{note}}}'
    return Response(200, _JSON, "", text.encode())


def _problem(fault: PuzzleFault, status: int = 422) -> Response:
    error = {name: value for name, value in fault._asdict().items() if value is not None}
    body = {"type": "urn:binairo:problem:invalid", "detail": fault.detail, "errors": [error]}
    return Response(status, _JSON, "", orjson.dumps(body))
