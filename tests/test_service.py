"""The service through real HTTP: what is asked, what is answered."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from binairo_cp.schema import ResultRecord
from binairo_cp.service import work
from binairo_cp.tasks import Task
from tests.serving import Server, serving
from tests.test_cli import KNOWN, MULTIPLE, NONE, UNIQUE

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "binairo_cp/service/static"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data")) as running:
        yield running


def test_it_lives_and_is_ready(server: Server) -> None:
    assert server.http.get("/healthz").json() == {"status": "ok"}
    assert server.http.get("/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize(
    ("cells", "verdict"), [(UNIQUE, "unique"), (MULTIPLE, "multiple"), (NONE, "none")]
)
def test_check_tells_the_record_of_the_batch(server: Server, cells: str, verdict: str) -> None:
    told = server.post("/v1/check", puzzle=cells).json()
    assert told.pop("limits") == {"time_limit": 5.0, "side": 100}
    record = ResultRecord.model_validate(told)
    assert (record.verdict, record.clues, record.backend) == (verdict, cells, "bitboard")
    assert record.model_dump(exclude_none=True, mode="json") == told
    if verdict == "unique":
        assert record.solution == KNOWN


PAGE = (ROOT / "docs/service.md").read_text()
EXAMPLES = re.findall(r"```http\nPOST (\S+)\n(.*?)```\n```json\n(.*?)```", PAGE, re.DOTALL)


def timeless(value: Any) -> Any:
    """An answer without what is another each time."""
    if isinstance(value, dict):
        kept = value.keys() - {"seconds", "request_id"}
        return {key: timeless(value[key]) for key in kept}
    return [timeless(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("path", "body", "answer"), EXAMPLES)
def test_the_examples_of_the_page_are_true(
    server: Server, path: str, body: str, answer: str
) -> None:
    told = server.http.post(path, content=body, headers={"Content-Type": "application/json"})
    assert timeless(told.json()) == timeless(json.loads(answer))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


def test_without_a_seed_there_are_new_puzzles_each_time(server: Server) -> None:
    made = [server.post("/v1/generate", size=8, grade="easy").json() for _ in range(2)]
    assert made[0]["seed"] != made[1]["seed"]
    assert made[0]["results"][0]["clues"] != made[1]["results"][0]["clues"]
    again = server.post("/v1/generate", size=8, grade="easy", seed=made[0]["seed"]).json()
    assert again["results"] == made[0]["results"]


def test_steps_tell_their_rounds(server: Server) -> None:
    told = server.post("/v1/explain", puzzle="6x6u:CafBAdEAcDaf").json()
    rounds = [step["round"] for step in told["steps"]]
    assert rounds == sorted(rounds)
    assert set(rounds) == set(range(1, told["grade"]["rounds"] + 1))


def test_its_files_are_served_with_their_types_and_a_strict_policy(server: Server) -> None:
    types = {".html": "text/html", ".css": "text/css", ".js": "javascript", ".svg": "image/svg+xml"}
    files = sorted(STATIC.iterdir())
    answers = [server.http.get("/"), *(server.http.get(f"/static/{file.name}") for file in files)]
    assert server.http.head("/").headers["content-type"] == answers[0].headers["content-type"]
    for file, answer in zip([STATIC / "index.html", *files], answers, strict=True):
        assert answer.content == file.read_bytes()
        assert types[file.suffix] in answer.headers["content-type"]
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    assert "style=" not in (STATIC / "index.html").read_text()


def test_its_files_are_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["binairo_cp"]
    for file in STATIC.iterdir():
        path = str(file.relative_to(ROOT / "binairo_cp"))
        assert any(fnmatch(path, pattern) for pattern in patterns)


def test_no_solution_without_a_reason_is_not_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    given = work.Given((NONE,), "auto", None, 1, 100)
    (known,) = work.decide_given(Task("check"), 60, None, given) or []
    monkeypatch.setattr("binairo_cp.contradictions.find_contradiction", lambda *_: None)
    (unknown,) = work.decide_given(Task("check"), 60, None, given) or []
    assert (known.verdict, known.is_final) == ("none", True)
    assert (unknown.verdict, unknown.is_final) == ("none", False)
