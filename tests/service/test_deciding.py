"""Cheap puzzles are decided in the server, with the results of a worker; others are left to it."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.service import deciding
from binairo_cp.service.bodies import TASKS
from binairo_cp.service.deciding import Items, RawPuzzles
from binairo_cp.solving import solutions
from tests.support.command_line import MULTIPLE, NONE, UNIQUE
from tests.support.strategies import examples, puzzles

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
@pytest.mark.parametrize(
    ("items", "route", "options"),
    [
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
    ],
)
def test_what_is_not_cheap_is_left_to_a_worker(
    items: Items, route: str, options: dict[str, Any]
) -> None:
    given_puzzles = raw()._replace(items=items)
    assert deciding.decide_at_once(task_of(route, **options), 60, given_puzzles) is None


@pytest.mark.parametrize("route", ["hint", "grade"])
def test_what_takes_long_is_left_to_a_worker(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "_CHEAP_SECONDS", 0.0)
    assert deciding.decide_at_once(task_of(route), 60, raw(UNIQUE)) is None
    assert deciding.decide_at_once(task_of("check"), 60, raw(UNIQUE)), "its work is limited"
