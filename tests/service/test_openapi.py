"""The OpenAPI specification: Schemathesis sends valid and invalid requests to all routes."""

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
def hurried_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data"), "--time-limit", "2") as running:
        yield running


def run_schemathesis(server: Server, folder: Path, examples: int, phases: str) -> None:
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
    # "error" is ignored: Schemathesis itself fails on some inputs, such as deeply nested JSON.
    assert "failure" not in done.stdout.splitlines()[-1], done.stdout
    assert "found" not in done.stdout.split("Test cases:")[1], done.stdout
    died = [line for line in server.log if line.get("level") == "error"]
    assert not died


@pytest.mark.slow
def test_responses_match_the_specification(hurried_server: Server, tmp_path: Path) -> None:
    run_schemathesis(hurried_server, tmp_path, 4, "coverage,fuzzing")


@pytest.mark.slow
def test_responses_match_the_specification_with_many_examples(
    hurried_server: Server, tmp_path: Path
) -> None:
    run_schemathesis(hurried_server, tmp_path, 60, "coverage,fuzzing,stateful")


def test_each_route_describes_its_responses_and_problems(server: Server) -> None:
    paths: dict[str, dict[str, Any]] = server.http.get("/openapi.json").json()["paths"]
    words = "solve check count hint explain grade generate encode certify verify render convert"
    assert {f"/v1/{word}" for word in words.split()} <= paths.keys()
    for path, methods in paths.items():
        for operation in methods.values():
            assert any(status.startswith("2") for status in operation["responses"])
            for status, answer in operation["responses"].items():
                if status >= "400":
                    assert list(answer["content"]) == ["application/problem+json"], path
    assert {"202", "422", "503"} <= paths["/v1/jobs"]["post"]["responses"].keys()
    assert paths["/v1/jobs/{id}"].keys() == {"get", "delete"}


def test_all_references_exist(server: Server) -> None:
    document = server.http.get("/openapi.json").json()
    names = set(document["components"]["schemas"])

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"].rpartition("/")[2]
            for each in value.values():
                yield from references(each)
        for each in value if isinstance(value, list) else ():
            yield from references(each)

    assert set(references(document)) <= names
