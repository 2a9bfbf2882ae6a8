"""The analysis of a puzzle while it is edited: server-sent events, each better than the last."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.service.test_hostile_clients import HARD
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE
from tests.support.serving import PATIENCE, Server

EMPTY = "4x4:" + "." * 16


def parsed(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def analysis(server: Server, **body: Any) -> list[tuple[str, Any]]:
    response = server.post("/v1/analysis", **body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    return list(parsed(response.iter_lines()))


def test_a_unique_puzzle_is_checked_and_graded(server: Server) -> None:
    (check, checked), (grade, graded), (end, limits) = analysis(server, puzzle=UNIQUE)
    assert (check, grade, end) == ("check", "grade", "end")
    assert (checked["verdict"], checked["solution"]) == ("unique", KNOWN)
    assert graded["grade"] == server.post("/v1/grade", puzzle=UNIQUE).json()["grade"]
    assert limits == {"time_limit": PATIENCE, "side": 100, "limit": 1_000}


def test_solutions_are_counted_with_growing_limits(server: Server) -> None:
    names, records = zip(*analysis(server, puzzle=EMPTY), strict=True)
    assert names == ("check", "count", "count", "end")
    assert [record["count"] for record in records[:-1]] == [2, 10, 72]
    assert [record["complete"] for record in records[:-1]] == [False, False, True]
    (_, _, (_, last), _) = analysis(server, puzzle=EMPTY, limit=50)
    assert (last["count"], last["stopped_by"]) == (50, "limit")


def test_conflicting_clues_are_reported(server: Server) -> None:
    (_, checked), (end, _) = analysis(server, puzzle=NONE)
    assert (checked["verdict"], end) == ("none", "end")
    assert checked["contradiction"] == server.post("/v1/check", puzzle=NONE).json()["contradiction"]


def test_a_puzzle_that_is_not_valid_is_reported_as_an_event(server: Server) -> None:
    (name, problem), (end, _) = analysis(server, puzzle="01x")
    assert (name, problem["status"], end) == ("problem", 422, "end")
    assert problem["errors"][0]["pointer"] == "/puzzle"


@pytest.mark.parametrize("body", [{}, {"puzzles": [UNIQUE]}, {"puzzle": UNIQUE, "limit": 1}])
def test_requests_that_are_not_valid_are_refused(server: Server, body: Any) -> None:
    assert server.post("/v1/analysis", **body).status_code == 422


def test_time_limits_are_kept(server: Server) -> None:
    steps = analysis(server, puzzle=HARD["puzzle"], time_limit=0.001)
    assert [name for name, _ in steps] == ["check", "end"]
    assert (steps[0][1]["verdict"], steps[0][1]["stopped_by"]) == ("unknown", "time")


def test_the_first_event_comes_before_the_work_is_done_and_a_disconnect_ends_it(
    server: Server,
) -> None:
    limit = server.http.get("/v1/limits").json()["counted"]
    body = {"puzzle": "14x14:" + "." * 196, "limit": limit, "time_limit": 3_600}
    with httpx.stream("POST", f"{server.url}/v1/analysis", json=body, timeout=PATIENCE) as response:
        assert response.headers["x-accel-buffering"] == "no"
        assert "no-transform" in response.headers["cache-control"]
        events = parsed(response.iter_lines())
        assert next(events)[1]["verdict"] == "multiple"
        assert next(events)[1]["count"] == 10
    while 'binairo_pool_busy{pool="general"} 0.0' not in server.http.get("/metrics").text:
        time.sleep(0.05)


def test_several_solutions_are_known_first(server: Server) -> None:
    (_, checked), *counts, _ = analysis(server, puzzle=MULTIPLE)
    assert checked["verdict"] == "multiple"
    assert [count["count"] for _, count in counts] == [10, 100, 1_000]
    assert counts[-1][1]["stopped_by"] == "limit"
