"""No request takes more of the server's own time and memory than is bounded; what it decides."""

import asyncio
import gc
import gzip
import json
import re
from pathlib import Path
from time import thread_time
from typing import Any

import orjson
import pytest
from fastapi import Request
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.service import deciding, requests
from binairo_cp.service.bodies import TASKS
from binairo_cp.service.deciding import Items, RawPuzzles
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import MAX_FAULTS, Problem
from binairo_cp.solving import solutions
from tests.support.command_line import MULTIPLE, NONE, UNIQUE
from tests.support.in_process import in_process_app, send_request
from tests.support.serving import Server
from tests.support.strategies import examples, puzzles

MANY = 346_000
RECORD = {"height": 6, "width": 6, "clues": UNIQUE}


def listed(item: str, number: int) -> bytes:
    """A list of many equal puzzles, compressed to about a thousand bytes."""
    return gzip.compress(b'{"puzzles":[' + b",".join([item.encode()] * number) + b"]}", mtime=0)


def packed(value: object) -> bytes:
    return gzip.compress(json.dumps(value).encode(), mtime=0)


FIELDS = dict.fromkeys(map(str, range(70_000)), 1)
HOSTILE = {
    "objects": listed("{}", MANY),
    "numbers": listed("1", 510_000),
    "extra fields": packed(FIELDS),
    "rules": packed({"puzzle": RECORD | {"rules": FIELDS}}),
    "rules in a list": packed({"puzzles": [RECORD | {"rules": FIELDS}]}),
    "signs": packed({"puzzle": RECORD | {"signs": [1] * 300_000}}),
    "an option": packed({"puzzle": UNIQUE, "size": [1] * 300_000}),
}


@pytest.fixture
def validated(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The puzzles of lists that are validated."""
    seen: list[object] = []
    adapter = requests._ITEM

    class Counting:
        def validate_python(self, value: object) -> Any:
            seen.append(value)
            return adapter.validate_python(value)

    monkeypatch.setattr(requests, "_ITEM", Counting())
    return seen


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("path", ["/v1/check", "/v1/jobs?kind=batch"])
def test_validation_stops_at_the_first_few_errors(
    tmp_path: Path, validated: list[object], path: str, name: str
) -> None:
    app = in_process_app(Limits(), tmp_path)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = send_request(app, "POST", path, content=HOSTILE[name], headers=headers)
    app.state.binairo.store.close()
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) <= MAX_FAULTS
    assert len(validated) <= MAX_FAULTS


SIGNED = {"height": 100, "width": 100, "clues": "." * 10_000}
LARGE = {
    "lists": b'{"puzzle":[' + b"[]," * 349_000 + b"[]]}",
    "objects": b'{"puzzles":[' + b"{}," * 49_000 + b"{}]}",
    "signs": json.dumps({"puzzle": SIGNED | {"signs": [[0, 0, "R", "="]] * 19_800}}).encode(),
    "too many signs": json.dumps(
        {"puzzle": SIGNED | {"signs": [[0, 0, "R", "="]] * 40_000}}
    ).encode(),
    "puzzles": json.dumps(
        {"puzzles": [SIGNED | {"signs": [[0, 0, "R", "="]] * 240}] * 60}
    ).encode(),
    "texts": json.dumps({"puzzles": ["01"] * 149_000}).encode(),
    "a text": json.dumps({"puzzle": "0" * 1_000_000}).encode(),
}


def work_of(app: Any, path: str, content: bytes) -> float:
    """The CPU time of the longest turn of the loop during a request."""
    longest, run = 0.0, asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        nonlocal longest
        begin = thread_time()
        run(handle)
        longest = max(longest, thread_time() - begin)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", measured)
        headers = {"Content-Type": "application/json"}
        assert send_request(app, "POST", path, content=content, headers=headers).status_code in (
            422,
            503,
        )
    return longest


@pytest.mark.parametrize("name", LARGE)
def test_a_large_body_leaves_turns_to_others(tmp_path: Path, name: str) -> None:
    """At most what 20 ms are on a quiet machine, in the CPU time of this one."""
    app = in_process_app(Limits(), tmp_path)

    class Full:
        """A pool without room: what workers do is not the server's own work."""

        workers = 1

        async def run(self, *_: Any, **__: Any) -> None:
            raise Problem(503, "busy", "no room")

    app.state.binairo.pool = Full()
    gc.collect()
    gc.freeze()  # as the server does
    try:
        for path in ("/v1/check", "/v1/jobs?kind=batch"):
            times = []
            for _ in range(5):
                begin = thread_time()
                sum(range(2_000_000))
                allowed = thread_time() - begin
                times.append(work_of(app, path, LARGE[name]) / allowed)
            assert min(times) < 1, path
    finally:
        gc.unfreeze()
        app.state.binairo.store.close()


def test_a_long_list_is_validated_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_TURN_SECONDS", 0)

    async def others_turns() -> int:
        turns, work = 0, asyncio.create_task(requests._validated_items([RECORD] * 500))
        while not work.done():
            await asyncio.sleep(0)
            turns += 1
        assert len(await work) == 500
        return turns

    assert asyncio.run(others_turns()) >= 500


def test_a_packed_body_is_read_in_turns() -> None:
    """A few packed bytes of a job are 64 MiB, which would take a tenth of a second at once."""
    packed_body = {"body": gzip.compress(bytes(1 << 24)), "type": "http.request"}

    async def others_turns() -> int:
        async def receive() -> dict[str, Any]:
            return packed_body

        scope = {"type": "http", "headers": [(b"content-encoding", b"gzip")]}
        reading = requests.read(Request(scope, receive), 1 << 24, 60)
        turns, work = 0, asyncio.create_task(reading)
        while not work.done():
            await asyncio.sleep(0)
            turns += 1
        assert len(await work) == 1 << 24
        return turns

    assert asyncio.run(others_turns()) >= 256


def test_errors_in_a_list_say_where() -> None:
    with pytest.raises(Problem) as raised:
        asyncio.run(requests._validated_items([UNIQUE, {"height": 6}, RECORD, 5]))
    pointers = [fault.pointer for fault in raised.value.faults or ()]
    assert pointers == ["/puzzles/1/width", "/puzzles/1/clues", "/puzzles/3"]


def test_hostile_bodies_take_little_memory_of_the_server(server: Server) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    for path in ("/v1/check", "/v1/jobs?kind=batch", "/v1/book"):
        for content in HOSTILE.values():
            answer = server.http.post(path, content=content, headers=headers)
            assert answer.status_code in (413, 422), answer.text[:200]
    status = Path("/proc", str(server.process.pid), "status")
    if status.exists():
        peak = int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0])
        assert peak < 400 << 10


def test_a_list_of_results_is_bounded(tmp_path: Path) -> None:
    app = in_process_app(Limits(answer_bytes=100_000), tmp_path)
    for number, status in ((1, 200), (4, 413)):
        asked = {"puzzles": [RECORD | {"clues": "." * 36}] * number, "limit": 1_000}
        assert send_request(app, "POST", "/v1/solve", json=asked).status_code == status
    app.state.binairo.store.close()


ROUTES = ("solve", "check", "count", "hint", "grade")
HARD = "." * 143 + "1" + "." * 256
"""Its solutions can't be counted with a few hundred nodes."""


def raw(*items: PuzzleRecord | str) -> RawPuzzles:
    return RawPuzzles(items, "auto", None, 10, 255)


def task_of(route: str, **options: Any) -> Any:
    return TASKS[route].model_validate({"puzzle": UNIQUE, **options}).task


def fields(answer: deciding.Answer | None) -> object:
    if not isinstance(answer, str):
        return answer
    return {name: value for name, value in orjson.loads(answer).items() if name != "seconds"}


def is_long(puzzle: Puzzle, route: str) -> bool:
    """Whether the search of a request exceeds its nodes, as some open boards make it."""
    search = solutions.solve if route == "solve" else solutions.check
    return search(puzzle, backend=deciding._CheapSearch()).stopped_by == "work"


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take as long as it needs."""
    monkeypatch.setattr(deciding, "_CHEAP_SECONDS", 60.0)


@pytest.mark.usefixtures("unhurried")
@given(puzzles(), st.sampled_from(ROUTES))
@examples(1)
def test_results_are_those_of_a_worker(puzzle: Puzzle, route: str) -> None:
    given_puzzles, task = raw(PuzzleRecord.of(puzzle, "a")), task_of(route)
    expected = deciding.decide_one(task, 60, given_puzzles)
    made = deciding.decide_at_once(task, 60, given_puzzles)
    if made is None:
        is_none = '"verdict":"none"' in str(expected)
        assert route == "count" or is_none or is_long(puzzle, route)
    else:
        assert fields(made) == fields(expected)


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("text", [UNIQUE, MULTIPLE, "01x", "6x6u:CafBAdEAcDaf", "1....a"])
def test_texts_are_read_as_by_a_worker(text: str) -> None:
    task = task_of("check")
    expected = deciding.decide_one(task, 60, raw(text))
    made = deciding.decide_at_once(task, 60, raw(text))
    assert made is not None
    assert fields(made) == fields(expected)


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(("items", "route", "options"), [
    ((NONE,), "check", {}),
    ((HARD,), "count", {}),
    (("." * 441,), "solve", {}),
    (("21x20:" + "z" * 16 + "d",), "solve", {}),
    ((UNIQUE + " " * deciding.CHEAP_CHARACTERS,), "solve", {}),
    (("\n" * deciding.CHEAP_LINES + UNIQUE,), "solve", {}),
    ((UNIQUE, UNIQUE), "solve", {}),
    (UNIQUE.encode(), "solve", {}),
    ((UNIQUE,), "check", {"backend": "pysat"}),
    ((UNIQUE,), "check", {"cross_check": "pysat"}),
    ((UNIQUE,), "check", {"rules": "both"}),
])  # fmt: skip
def test_what_is_not_cheap_is_left_to_a_worker(items: Items, route: str, options: dict[str, Any]):
    given_puzzles = raw()._replace(items=items)
    assert deciding.decide_at_once(task_of(route, **options), 60, given_puzzles) is None


@pytest.mark.parametrize("route", ["hint", "grade"])
def test_what_takes_long_is_left_to_a_worker(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "_CHEAP_SECONDS", 0.0)
    assert deciding.decide_at_once(task_of(route), 60, raw(UNIQUE)) is None
    assert deciding.decide_at_once(task_of("check"), 60, raw(UNIQUE)), "its work is limited"
