"""The routes over HTTP, with a real server; response fields; clients behind addresses."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from fastapi import Response
from prometheus_client.parser import text_string_to_metric_families

import binairo_cp as bn
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.errors import BudgetExceeded, RenderError
from binairo_cp.features.feature import feature_of
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.service import deciding, files
from binairo_cp.service.clients import Caller, client_of_address
from binairo_cp.service.limits import USUAL_SECONDS, Limits
from binairo_cp.solving.encodings import TARGETS
from tests.formats.test_pictures import CLUES, saved, third_symbol, two_boards
from tests.support.client import Client, ProblemError
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, invoke
from tests.support.in_process import in_process_app, send_request
from tests.support.serving import PATIENCE, Server

if TYPE_CHECKING:
    import httpx


ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "binairo_cp/service/static"


PAGE = (ROOT / "docs/service.md").read_text()
EXAMPLES = re.findall(r"```http\nPOST (\S+)\n(.*?)```\n```json\n(.*?)```", PAGE, re.DOTALL)
assert len(EXAMPLES) >= 5


def timeless(value: Any, *others: str) -> Any:
    """A response without the fields that change with every request, and without some others."""
    if isinstance(value, dict):
        kept = value.keys() - {"seconds", "request_id", *others}
        return {key: timeless(value[key], *others) for key in kept}
    return [timeless(each, *others) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("path", "body", "answer"), EXAMPLES)
def test_the_examples_in_the_documentation_are_correct(
    server: Server, path: str, body: str, answer: str
) -> None:
    response = server.http.post(path, content=body, headers={"Content-Type": "application/json"})
    expected = json.loads(answer)
    if "limits" in expected:
        assert expected["limits"]["time_limit"] == USUAL_SECONDS
        expected["limits"]["time_limit"] = PATIENCE
    assert timeless(response.json()) == timeless(expected)


def test_the_example_with_httpx_runs(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(example.replace("http://127.0.0.1:8000", server.url), {})
    printed = capsys.readouterr().out.split()
    assert printed == ["unique"] * 4


@pytest.mark.parametrize("move", ["xyz", "r9c9=1"])
def test_errors_about_a_move_point_to_it(server: Server, move: str) -> None:
    answer = server.post("/v1/judge", puzzle=UNIQUE, move=move)
    [fault] = answer.json()["errors"]
    assert (answer.status_code, fault["pointer"], fault["kind"]) == (422, "/move", "move")


def test_without_a_seed_every_puzzle_is_new(server: Server) -> None:
    made = [server.post("/v1/generate", size=8, grade="easy").json() for _ in range(2)]
    assert made[0]["seed"] != made[1]["seed"]
    assert made[0]["results"][0]["clues"] != made[1]["results"][0]["clues"]
    again = server.post("/v1/generate", size=8, grade="easy", seed=made[0]["seed"]).json()
    assert again["results"] == made[0]["results"]


def test_static_files_are_served_with_media_types_and_a_strict_policy(server: Server) -> None:
    types = {
        ".css": "text/css",
        ".html": "text/html",
        ".js": "javascript",
        ".json": "application/json",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".webmanifest": "application/manifest+json",
    }
    files = sorted(STATIC.iterdir())
    answers = [server.http.get(f"/static/{file.name}") for file in files]
    for file, answer in zip(files, answers, strict=True):
        assert answer.content == file.read_bytes()
    answers.append(server.http.get("/"))
    assert server.http.head("/").headers["content-type"] == answers[-1].headers["content-type"]
    for file, answer in zip([*files, STATIC / "index.html"], answers, strict=True):
        assert types[file.suffix] in answer.headers["content-type"]
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    assert "style=" not in (STATIC / "index.html").read_text()


def test_static_files_are_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["binairo_cp"]
    for file in STATIC.iterdir():
        path = str(file.relative_to(ROOT / "binairo_cp"))
        assert any(fnmatch(path, pattern) for pattern in patterns)


@pytest.mark.parametrize("by", [None, "time", "work"])
def test_a_result_says_what_stopped_the_search_for_its_contradiction(
    monkeypatch: pytest.MonkeyPatch, by: str | None
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise BudgetExceeded(by)  # type: ignore[arg-type]

    if by:
        monkeypatch.setattr("binairo_cp.solving.minimal_conflicts.find_conflict", stopped)
    given = deciding.RawPuzzles((NONE,), "auto", None, 1, 100)
    (entry,) = deciding.read(given)
    decided = decide(entry, Task("check", time_limit=60, shares_time=True))
    assert (decided.verdict, decided.contradiction_stopped_by) == ("none", by)


RECORD = PuzzleRecord(id="x", height=6, width=6, clues=UNIQUE)


def test_results_of_several_puzzles_are_in_order(client: Client) -> None:
    given = [UNIQUE, MULTIPLE, NONE, "01x"] * 25
    records = client.request_many("check", given)
    assert [each.verdict for each in records] == ["unique", "multiple", "none", "invalid"] * 25
    with pytest.raises(ProblemError, match="at most 1,000"):
        client.request_many("check", [UNIQUE] * 1_001)


def test_pictures_are_read(client: Client, server: Server) -> None:
    """The records of two boards; of one that is unsure; a problem for what is no picture."""
    first, second = client.request_many("check", saved(two_boards()), reasons="none")
    assert (first.clues, second.clues, first.id, second.id) == (CLUES, CLUES, "1", "2")
    assert first.verdict == "multiple"
    assert first.picture.symbols["0"].shape == "hollow"
    (unsure,) = client.request_many("hint", saved(third_symbol(), "WEBP", lossless=True))
    assert (unsure.verdict, unsure.error.kind) == ("invalid", "unsure")
    assert [0, 0] in unsure.picture.unsure
    types = {"Content-Type": "image/png"}
    for data, path, status in [
        (saved(third_symbol()), "convert?to=line", 422),
        (saved(two_boards())[:900], "check", 422),
        (b"1..0", "check", 422),
        (b"\x89PNG\r\n" + bytes(16 << 20), "check", 413),
        (saved(two_boards()), "check?format=line", 422),
    ]:
        answer = server.http.post(f"/v1/{path}", content=data, headers=types)
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "application/problem+json"


def test_files_are_read_and_jobs_take_ndjson(server: Server) -> None:
    lines = "".join(f'{{"height":6,"width":6,"clues":"{each}"}}\n' for each in (UNIQUE, NONE))
    headers = {"Content-Type": "text/plain"}
    answer = server.http.post("/v1/check?time_limit=3", content=lines, headers=headers)
    assert [record["verdict"] for record in answer.json()["results"]] == ["unique", "none"]
    headers = {"Content-Type": "application/x-ndjson"}
    answer = server.http.post("/v1/check", content=lines, headers=headers)
    assert answer.status_code == 415
    assert answer.json()["detail"].endswith(
        "NDJSON of any length is the body of a job: POST /v1/jobs"
    )


def test_files_equal_those_of_the_command_line(client: Client, tmp_path: Path) -> None:
    (tmp_path / "p.line").write_text(f"{UNIQUE} a\n")
    for target in TARGETS:
        written = invoke("encode", str(tmp_path / "p.line"), "--to", target, "-q").stdout
        record = RECORD.model_copy(update={"id": "a"})
        assert client.file("encode", record, to=target).decode() == written
    assert client.file("convert", UNIQUE, to="unruly").startswith(b"6x6u:")
    verified = bn.verify(client.file("certify", UNIQUE))
    assert (verified.claim, [board.cells for board in verified.solutions]) == ("unique", [KNOWN])


@pytest.mark.parametrize(
    ("to", "head"),
    [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("text", b""), ("html", b"<!DOC")],
)
def test_puzzles_are_drawn(client: Client, to: str, head: bytes) -> None:
    assert client.file("render", UNIQUE, to=to, hint=True).startswith(head)
    both = client.file("render", [UNIQUE, UNIQUE], to=to, hint=True)
    if to not in ("svg", "png"):
        assert both.startswith(head)
        return
    with zipfile.ZipFile(io.BytesIO(both)) as archive:
        assert archive.namelist() == [f"1.{to}", f"2.{to}"]
        assert all(archive.read(name).startswith(head) for name in archive.namelist())


@pytest.mark.parametrize(
    ("form", "library"), [("png", None), ("pdf", None), ("png", "PIL"), ("pdf", "typst")]
)
def test_drawing_errors_have_no_advice_for_the_command_line(
    form: Literal["png", "pdf"], library: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {library, *sys.modules} if library else ():
        if name.partition(".")[0] == library:
            monkeypatch.setitem(sys.modules, name, None)
    given = deciding.RawPuzzles((UNIQUE,), "auto", None, 1, 255)
    options = feature_of(bn.render).completed({"to": form, "title": "数独"})
    with pytest.raises(RenderError) as raised:
        files.draw_puzzles(options, files.FileBounds(PATIENCE, 1 << 20), given)
    if library:
        assert str(raised.value) == f"this server can't make {form.upper()} files"
    else:
        advice = "the font has no '数' for '数独', which a font such as Noto Sans CJK has"
        assert str(raised.value) == advice
        assert raised.value.kind == "font"


def test_limits_are_reported_and_enforced(server: Server) -> None:
    limits = server.http.get("/v1/limits").json()
    assert limits["most_time"] == 3_600
    body = server.post("/v1/count", puzzle=MULTIPLE, time_limit=1e9, limit=10**9).json()
    assert body["limits"]["time_limit"] == 3_600
    assert body["limits"]["limit"] == limits["counted"]
    big = "101x2:" + "." * 202
    assert server.post("/v1/check", puzzle=big).status_code == 422


def test_options_may_be_in_the_body_or_in_the_query(server: Server) -> None:
    body = server.http.post("/v1/solve?limit=3", json={"puzzle": MULTIPLE}).json()
    assert len(body["solutions"]) == 3


def test_metrics_count_requests(server: Server) -> None:
    server.post("/v1/check", puzzle=UNIQUE)
    server.http.get("/v1/jobs/x")
    text = server.http.get("/metrics").text
    assert 'binairo_requests_total{method="GET",route="/v1/jobs/{id}",status="404"}' in text
    assert 'binairo_requests_total{method="POST",route="/v1/check",status="200"}' in text
    assert 'binairo_jobs{state="running"} 0.0' in text
    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"binairo_request_seconds", "binairo_pool_busy", "binairo_workers_died"} <= names


def test_missing_libraries_are_reported_with_the_install_command() -> None:
    code = "import sys; sys.modules['fastapi'] = None; from binairo_cp.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "serve"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "SERVICE needs fastapi, " in done.stderr
    assert "pip install 'fastapi>=" in done.stderr
    assert "in a clone: pip install '.[service]'" in done.stderr


def test_the_dockerfile_follows_good_practice() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    folder = Path(__file__).resolve().parents[2]
    done = subprocess.run([hadolint, "Dockerfile"], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    text = (folder / "Dockerfile").read_text()
    assert "HEALTHCHECK" in text
    assert "\nUSER 10001\n" in text


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Any]:
    created = in_process_app(Limits(), tmp_path)
    yield created
    created.state.binairo.store.close()


def get(app: Any, path: str, **headers: str) -> httpx.Response:
    return send_request(app, "GET", path, headers=headers)


def test_every_response_has_the_version(app: Any) -> None:
    for path in ("/healthz", "/v1/limits", "/nowhere", "/v1/jobs/x"):
        assert get(app, path).headers["binairo-version"] == version("binairo-cp")


def test_responses_keep_their_own_fields_even_twice(app: Any) -> None:
    fields = [(b"link", b"</a>"), (b"link", b"</b>"), (b"cache-control", b"max-age=1")]

    def answer() -> Response:
        response = Response()
        response.raw_headers += fields
        return response

    app.add_api_route("/twice", answer)
    headers = get(app, "/twice").headers
    assert headers.get_list("link") == ["</a>", "</b>"]
    assert headers.get_list("cache-control") == ["max-age=1"]


def test_metrics_have_the_build_and_the_process(app: Any) -> None:
    text = app.state.binairo.metrics.text({}, is_full=False).decode()
    assert f'version="{version("binairo-cp")}"' in text
    assert "process_resident_memory_bytes" in text


@pytest.mark.parametrize(("address", "client"), [
    ("192.0.2.1", "192.0.2.1"),
    ("::ffff:192.0.2.1", "192.0.2.1"),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ("fe80::1%eth0", "fe80::/64"),
    ("x" * 1000, "x" * 64),
    ("", ""),
])  # fmt: skip
def test_clients_of_addresses(address: str, client: str) -> None:
    assert client_of_address(address) == client


def test_the_possible_cost_grows_with_size_solutions_and_time() -> None:
    small = Caller("a", body_bytes=100)
    assert small.possible_cost(5) < Caller("a", body_bytes=1_000).possible_cost(5) < 5
    assert small.possible_cost(5) < small.possible_cost(30)
    assert Caller("a", body_bytes=100, solutions=10**6).possible_cost(5) == 5
    assert Caller("a", body_bytes=0).possible_cost(0) > 0
