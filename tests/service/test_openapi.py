"""The contract: a foreign program reads it and asks whatever it allows, and what it does not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.serving import Server, serving

SETTINGS = Path(__file__).parent / "schemathesis.toml"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data"), "--time-limit", "2") as running:
        yield running


def ask_all(server: Server, folder: Path, examples: int, phases: str) -> None:
    done = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(SETTINGS)),
            *("run", f"{server.url}/openapi.json", "--phases", phases, "--seed", "1"),
            *("--max-examples", str(examples), "--workers", "1", "--no-color"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    # Where the program itself fails, as its JSON does in a deep recursion, it says "error".
    assert "failure" not in done.stdout.splitlines()[-1], done.stdout
    assert "found" not in done.stdout.split("Test cases:")[1], done.stdout
    died = [line for line in server.log if line.get("level") == "error"]
    assert not died


@pytest.mark.slow
def test_no_answer_is_a_surprise(server: Server, tmp_path: Path) -> None:
    ask_all(server, tmp_path, 4, "coverage,fuzzing")


@pytest.mark.slow
def test_no_answer_is_a_surprise_however_often(server: Server, tmp_path: Path) -> None:
    ask_all(server, tmp_path, 60, "coverage,fuzzing,stateful")


def test_each_route_tells_its_answers_and_problems(server: Server) -> None:
    paths: dict[str, dict[str, Any]] = server.http.get("/openapi.json").json()["paths"]
    words = "solve check count hint explain grade generate encode certify verify render convert"
    assert {f"/v1/{word}" for word in words.split()} <= paths.keys()
    for path, methods in paths.items():
        for told in methods.values():
            assert any(status.startswith("2") for status in told["responses"])
            for status, answer in told["responses"].items():
                if status >= "400":
                    assert list(answer["content"]) == ["application/problem+json"], path
    assert {"202", "422", "503"} <= paths["/v1/jobs"]["post"]["responses"].keys()
    assert paths["/v1/jobs/{id}"].keys() == {"get", "delete"}


def test_all_references_lead_somewhere(server: Server) -> None:
    told = server.http.get("/openapi.json").json()
    names = set(told["components"]["schemas"])

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"].rpartition("/")[2]
            for each in value.values():
                yield from references(each)
        for each in value if isinstance(value, list) else ():
            yield from references(each)

    assert set(references(told)) <= names
