"""The OpenAPI specification: Schemathesis sends valid and invalid requests to all routes."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from binairo_cp.service import clients
from binairo_cp.service.app import create_app
from binairo_cp.service.app_state import Settings
from binairo_cp.service.jobs.descriptions import JobList, JobRecord
from binairo_cp.service.limits import Limits
from binairo_cp.service.openapi import EXAMPLES
from tests.service.test_routes import timeless
from tests.support.command_line import finished
from tests.support.pages import chromium
from tests.support.serving import Server, serving

SETTINGS = Path(__file__).parent / "schemathesis.toml"
PARTS = 10
"""A landing tries the routes of one of them."""


@pytest.fixture(scope="module")
def hurried_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data"), "--time-limit", "0.5") as running:
        yield running


def run_schemathesis(server: Server, folder: Path, *options: str) -> None:
    done = finished(
        *(str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(SETTINGS)),
        *("run", f"{server.url}/openapi.json", "--seed", "1", "--workers", "1", "--no-color"),
        *options,
        cwd=folder,
    )
    # "error" is ignored: Schemathesis itself fails on some inputs, such as deeply nested JSON.
    assert "failure" not in done.stdout.split("Test cases:")[1], done.stdout
    died = [line for line in server.log if line.get("level") == "error"]
    assert not died


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_responses_match_the_specification(hurried_server: Server, tmp_path: Path, part: int):
    try_part(hurried_server, tmp_path, part, examples=4)


def try_part(server: Server, folder: Path, part: int, examples: int) -> None:
    paths = sorted(server.http.get("/openapi.json").json()["paths"])[part::PARTS]
    chosen = [word for path in paths for word in ("--include-path", path)]
    phases = ("--phases", "coverage,fuzzing", "--max-examples", str(examples))
    run_schemathesis(server, folder, *phases, *chosen)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("part", range(PARTS))
def test_responses_match_the_specification_with_many_examples(
    hurried_server: Server, tmp_path: Path, part: int
) -> None:
    try_part(hurried_server, tmp_path, part, examples=60)


@pytest.mark.slow
@pytest.mark.nightly
def test_responses_to_requests_that_follow_links_match_the_specification(
    hurried_server: Server, tmp_path: Path
) -> None:
    run_schemathesis(hurried_server, tmp_path, "--phases", "stateful", "--max-examples", "60")


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_with_keys_routes_require_one(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text(clients.new_key("alice")[1])
    app = create_app(Settings(limits=Limits(), data=tmp_path, api_keys=path))
    app.state.binairo.store.close()
    check = app.openapi()["paths"]["/v1/check"]["post"]
    assert check["security"] == [{"bearer": []}, {"apiKey": []}]


def test_every_request_and_response_has_an_example(server: Server) -> None:
    document = server.http.get("/openapi.json").json()
    without = []
    for path, method, operation in operations(document):
        contents = [operation.get("requestBody", {}), *operation["responses"].values()]
        for each in contents:
            for media_type, content in each.get("content", {}).items():
                is_binary = content["schema"].get("format") == "binary"
                is_list = media_type == "application/x-ndjson" and path != "/v1/jobs/{id}/results"
                if "example" not in content and not (is_binary or is_list):
                    without.append((method, path, media_type))
    # Numbers that differ between servers.
    assert set(without) <= {
        ("get", "/v1/limits", "application/json"),
        ("get", "/metrics", "text/plain"),
    }


@pytest.mark.parametrize(
    "name", [n for n, e in EXAMPLES.items() if "request" in e and n != "submit_job"]
)
def test_examples_are_what_the_server_returns(server: Server, name: str) -> None:
    example = EXAMPLES[name]
    response = server.post(f"/v1/{name}", **example["request"])
    assert response.status_code == 200
    media_type = response.headers["content-type"].partition(";")[0]
    if not example.get("response"):
        assert media_type == "application/zip"
        return
    expected = example["response"][media_type]
    if isinstance(expected, dict):
        others = ("time_limit", "backend")  # those of other servers may differ
        assert timeless(response.json(), *others) == timeless(expected, *others)
    else:
        assert timeless_text(response.text) == timeless_text(expected)


def timeless_text(text: str) -> str:
    return re.sub(r'"(seconds|time_limit)":[0-9.e-]+|"backend":"\w+"', "", text)


def test_examples_of_jobs_are_records_of_jobs(server: Server) -> None:
    for name in ("submit_job", "get_job", "delete_job"):
        JobRecord.model_validate(EXAMPLES[name]["response"]["application/json"])
    JobList.model_validate(EXAMPLES["list_jobs"]["response"]["application/json"])
    job = server.post("/v1/jobs", **EXAMPLES["submit_job"]["request"]).json()
    results = server.http.get(job["links"]["results"]).text
    server.http.delete(job["links"]["self"])
    expected = EXAMPLES["job_results"]["response"]["application/x-ndjson"]
    place = re.compile(r'"source":"[^"]*",("line":\d+,)?')
    assert place.sub("", timeless_text(results)) == place.sub("", timeless_text(expected))


@pytest.mark.slow
def test_the_documentation_page_works_under_the_policy(server: Server) -> None:
    complaints = []
    with chromium() as running:
        page = running.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on(
            "request",
            lambda sent: complaints.append(sent.url) if foreign(sent.url, server) else None,
        )
        page.goto(f"{server.url}/docs")
        page.locator("#operations-puzzles-check .opblock-summary-control").click()
        page.get_by_role("button", name="Execute").click()
        page.locator(".live-responses-table td.response-col_status", has_text="200").wait_for()
    assert complaints == []


def foreign(url: str, server: Server) -> bool:
    return not url.startswith((f"{server.url}/", "data:"))
