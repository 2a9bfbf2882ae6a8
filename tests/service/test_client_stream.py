"""The client's stream: any number of puzzles, results in order, in blocks that fit the server."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from binairo_cp.errors import ArgumentError, ServiceError
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.service import client as client_module
from binairo_cp.service.client import Client, ProblemError
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE


def record(clues: str, **more: Any) -> PuzzleRecord:
    return PuzzleRecord(height=6, width=6, clues=clues, **more)


def test_all_kinds_of_puzzles_and_their_errors_in_order(client: Client) -> None:
    puzzles: list[PuzzleRecord | str] = [
        UNIQUE,
        f"{UNIQUE} named\n",
        record(MULTIPLE),
        "01y",
        record(NONE, id="r"),
        record(UNIQUE, id=17),
        record("x" * 36),
        "0..1\n1...\n....\n....\n\n0..1\n1...\n....\n....\n",
        "",
        "6x6u:CafBAdEAcDaf",
        "\ud800",
    ]
    results = list(client.stream("check", iter(puzzles)))
    assert [each.verdict for each in results] == [
        *("unique", "unique", "multiple", "invalid", "none", "unique", "invalid", "invalid"),
        *("invalid", "unique", "invalid"),
    ]
    names = ["1", "named", "3", "4", "r", "17", "7", "8", "9", "10", "11"]
    assert [each.id for each in results] == names
    assert [each.line for each in results] == [*range(1, 12)]
    assert results[0].solution == KNOWN
    assert results[3].error
    assert "'y' is not a cell" in results[3].error.message
    assert results[6].error
    assert results[6].error.line in (None, 7)


def test_options_are_those_of_the_route(client: Client) -> None:
    (one,) = client.stream("solve", [MULTIPLE], limit=3, backend=None)
    assert len(one.solutions or []) == 3
    repeats = "0101101001011010"
    for rules, verdict in (("classic", "none"), ("unruly", "unique"), (None, "none")):
        (text,) = client.stream("check", [repeats], rules=rules)
        (given,) = client.stream(
            "check", [PuzzleRecord(height=4, width=4, clues=repeats)], rules=rules
        )
        assert (text.verdict, given.verdict) == (verdict, verdict)
    (both,) = client.stream("check", [repeats], rules="both")
    assert {name: each.verdict for name, each in (both.readings or {}).items()} == {
        "classic": "none",
        "unruly": "unique",
    }
    with pytest.raises(ProblemError, match="422 invalid"):
        list(client.stream("check", [UNIQUE], backend="external:sh"))


def test_many_puzzles_have_their_results(client: Client) -> None:
    results = client.stream("solve", (record(UNIQUE) for _ in range(3_000)))
    assert [int(each.id) for each in results] == [*range(1, 3_001)]


def test_puzzles_are_taken_as_results_are_taken(client: Client) -> None:
    taken = 0

    def endless() -> Iterator[PuzzleRecord]:
        nonlocal taken
        while True:
            taken += 1
            yield record(UNIQUE)

    results = client.stream("check", endless())
    assert taken == 0
    for number in range(1, 200):
        next(results)
        # A block is at most as large as all before it, and one puzzle.
        assert taken <= 2 * number + 1
    results.close()  # type: ignore[attr-defined]  # it is a generator
    # The connection is free for the next request.
    assert client.check(UNIQUE).verdict == "unique"


def test_an_error_of_the_callers_puzzles_is_raised(client: Client) -> None:
    def broken() -> Iterator[Any]:
        yield UNIQUE
        yield UNIQUE
        raise KeyError("mine")

    results = client.stream("check", broken())
    assert next(results).verdict == "unique"
    with pytest.raises(KeyError, match="mine"):
        list(results)
    with pytest.raises(ArgumentError, match="expected records or text, not int"):
        list(client.stream("check", [UNIQUE, 5]))  # type: ignore[list-item]
    for one in (UNIQUE, record(UNIQUE)):
        with pytest.raises(ArgumentError, match="expected an iterable"):
            client.stream("check", one)  # type: ignore[arg-type]
    assert list(client.stream("check", [])) == []


# With a server that is busy, stops or breaks the protocol, which a real one does only rarely


def answer_of(body: bytes, number: int | None = None) -> bytes:
    lines = body.splitlines()[:number]
    results = [
        ResultRecord(id=json.loads(line)["id"], source="request", verdict="unique")  # type: ignore[arg-type]
        for line in lines
    ]
    return "".join(f"{each.to_json()}\n" for each in results).encode()


PROBLEM = b'{"type":"urn:binairo:problem:stopping","title":"x","status":503,"detail":"bye"}\n'


class Unsteady(httpx.BaseTransport):
    """A server that answers with what the test says, and then as it should."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.blocks: list[int] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = request.read()
        self.blocks.append(body.count(b"\n"))
        answer = self.answers.pop(0) if self.answers else answer_of
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        return httpx.Response(200, content=answer(body))


def busy(status: int, seconds: str = "3") -> httpx.Response:
    return httpx.Response(
        status,
        json={"type": "urn:binairo:problem:busy", "status": status, "detail": "later"},
        headers={"Retry-After": seconds},
    )


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    clock = SimpleNamespace(sleep=found.append, monotonic=time.monotonic)
    monkeypatch.setattr(client_module, "time", clock)
    return found


def streamed(transport: Unsteady, number: int = 6) -> list[str]:
    with Client(transport=transport) as client:
        return [each.id for each in client.stream("check", [UNIQUE] * number)]


def test_a_busy_server_is_asked_again(waits: list[float]) -> None:
    transport = Unsteady(busy(503), busy(429, "7"), answer_of, busy(503))
    assert streamed(transport) == [str(number) for number in range(1, 7)]
    assert waits == [3, 7, 3]
    assert transport.blocks[:3] == [1, 1, 1]


def test_a_server_that_stays_busy_is_given_up(waits: list[float]) -> None:
    with pytest.raises(ProblemError, match="503 busy"):
        streamed(Unsteady(*(busy(503) for _ in range(50))))
    assert len(waits) == client_module.MOST_WAITS


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda body: answer_of(body, 1) + PROBLEM, ProblemError, "503 stopping: bye"),
        (lambda body: answer_of(body, 1), ServiceError, "number of results: 1, not 2"),
        (lambda body: answer_of(body) * 2, ServiceError, "number of results: 4, not 2"),
        (lambda body: b"", ServiceError, "number of results: 0, not 2"),
        (httpx.ReadError("gone"), ServiceError, "was lost: gone"),
        (httpx.Response(422, json={"detail": "no"}), ProblemError, "422"),
        (httpx.Response(503, json={"detail": "no"}), ProblemError, "503"),
    ],
)
def test_other_failures_end_the_stream_after_the_results_before(
    answer: Any, error: type[Exception], message: str, waits: list[float]
) -> None:
    with Client(transport=Unsteady(answer_of, answer)) as client:
        results = client.stream("check", [UNIQUE] * 6)
        assert next(results).id == "1"
        with pytest.raises(error, match=message):
            next(results)
    assert waits == []


def test_blocks_are_bounded_in_puzzles_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "time", SimpleNamespace(monotonic=lambda: 0.0))
    transport = Unsteady()
    streamed(transport, 5_000)
    assert sum(transport.blocks) == 5_000
    assert max(transport.blocks) == client_module.MOST_PUZZLES
    large = PuzzleRecord(height=255, width=255, clues="." * 255 * 255)
    transport = Unsteady()
    with Client(transport=transport) as client:
        assert len(list(client.stream("check", [large] * 40))) == 40
    assert max(transport.blocks) <= client_module.MOST_BYTES // (255 * 255) + 1


def test_slow_puzzles_are_sent_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: float(next(seconds)))
    monkeypatch.setattr(client_module, "time", clock)
    transport = Unsteady()
    streamed(transport, 5)
    assert transport.blocks == [1] * 5
