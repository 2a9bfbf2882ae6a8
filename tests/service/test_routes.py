"""The routes, tested over HTTP with a real server."""

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
from pathlib import Path
from typing import Any, Literal

import pytest
from prometheus_client.parser import text_string_to_metric_families

import binairo_cp as bn
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import BudgetExceeded, RenderError, ServiceError
from binairo_cp.features.feature import feature_of
from binairo_cp.formats.schema import PuzzleRecord, ResultRecord
from binairo_cp.service import deciding, files
from binairo_cp.service.client import Client, ProblemError
from binairo_cp.service.clients import RateLimiter
from binairo_cp.service.limits import USUAL_SECONDS
from binairo_cp.solving.encodings import TARGETS
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, invoke, run
from tests.support.serving import PATIENCE, Server, serving

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "binairo_cp/service/static"


def test_health_and_readiness(server: Server) -> None:
    assert server.http.get("/healthz").json() == {"status": "ok"}
    assert server.http.get("/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize(
    ("cells", "verdict"), [(UNIQUE, "unique"), (MULTIPLE, "multiple"), (NONE, "none")]
)
def test_check_returns_the_record_of_the_command_line(
    server: Server, cells: str, verdict: str
) -> None:
    body = server.post("/v1/check", puzzle=cells).json()
    assert body.pop("limits") == {"time_limit": PATIENCE, "side": 100}
    record = ResultRecord.model_validate(body)
    assert (record.verdict, record.clues, record.backend) == (verdict, cells, "bitboard")
    assert record.model_dump(exclude_none=True, mode="json") == body
    if verdict == "unique":
        assert record.solution == KNOWN


PAGE = (ROOT / "docs/service.md").read_text()
EXAMPLES = re.findall(r"```http\nPOST (\S+)\n(.*?)```\n```json\n(.*?)```", PAGE, re.DOTALL)


def timeless(value: Any) -> Any:
    """A response without the fields that change with every request."""
    if isinstance(value, dict):
        kept = value.keys() - {"seconds", "request_id"}
        return {key: timeless(value[key]) for key in kept}
    return [timeless(each) for each in value] if isinstance(value, list) else value


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


def test_the_documentation_has_examples() -> None:
    assert len(EXAMPLES) >= 5


def test_without_a_seed_every_puzzle_is_new(server: Server) -> None:
    made = [server.post("/v1/generate", size=8, grade="easy").json() for _ in range(2)]
    assert made[0]["seed"] != made[1]["seed"]
    assert made[0]["results"][0]["clues"] != made[1]["results"][0]["clues"]
    again = server.post("/v1/generate", size=8, grade="easy", seed=made[0]["seed"]).json()
    assert again["results"] == made[0]["results"]


def test_steps_have_rounds(server: Server) -> None:
    body = server.post("/v1/explain", puzzle="6x6u:CafBAdEAcDaf").json()
    rounds = [step["round"] for step in body["steps"]]
    assert rounds == sorted(rounds)
    assert set(rounds) == set(range(1, body["grade"]["rounds"] + 1))


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


@pytest.mark.parametrize(("by", "is_final"), [(None, True), ("time", False), ("work", True)])
def test_a_result_without_its_contradiction_is_not_final(
    monkeypatch: pytest.MonkeyPatch, by: str | None, is_final: bool
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise BudgetExceeded(by)  # type: ignore[arg-type]

    if by:
        monkeypatch.setattr("binairo_cp.solving.minimal_conflicts.find_conflict", stopped)
    given = deciding.RawPuzzles((NONE,), "auto", None, 1, 100)
    (decided,) = deciding.decide_raw(Task("check"), 60, given)
    assert (decided.verdict, decided.is_final) == ("none", is_final)
    assert json.loads(decided.text).get("contradiction_stopped_by") == by


@pytest.mark.parametrize(
    ("puzzle", "options", "smallest"),
    [("puzzle", {}, True), ("puzzles", {}, False), ("puzzles", {"reasons": "smallest"}, True),
     ("puzzle", {"reasons": "quick"}, False), ("puzzle", {"reasons": "none"}, None)],
)  # fmt: skip
def test_the_default_reasons_depend_on_the_number_of_puzzles(
    server: Server, puzzle: str, options: dict[str, str], smallest: bool | None
) -> None:
    body = {puzzle: NONE if puzzle == "puzzle" else [NONE], **options}
    content = server.http.post("/v1/check", json=body).json()
    record = content if puzzle == "puzzle" else content["results"][0]
    assert record["verdict"] == "none"
    assert record.get("contradiction_smallest") is smallest


def test_unknown_reasons_are_refused(server: Server) -> None:
    answer = server.http.post("/v1/check", json={"puzzle": NONE, "reasons": "all"})
    assert answer.status_code == 422
    assert "'none', 'quick' or 'smallest'" in answer.text


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as each:
        yield each


RECORD = PuzzleRecord(id="x", height=6, width=6, clues=UNIQUE)


@pytest.mark.parametrize("puzzle", [UNIQUE, f"6x6:{UNIQUE}", RECORD, RECORD.model_dump_json()])
def test_puzzles_in_any_format_are_read(client: Client, puzzle: str | PuzzleRecord) -> None:
    assert client.solve(puzzle).solution == KNOWN


def test_each_route_returns_its_result(client: Client) -> None:
    assert client.count(MULTIPLE).count == 4140
    hint = client.hint(UNIQUE)
    assert hint.steps
    (cell,), value = hint.steps[0].cells[:1], hint.steps[0].values[0]
    assert KNOWN[cell[0] * 6 + cell[1]] == value
    path = client.explain(UNIQUE)
    filled = {tuple(cell) for step in path.steps or [] for cell in step.cells}
    assert len(filled) == UNIQUE.count(".")
    assert path.grade == client.grade(UNIQUE).grade
    fewest = client.request("fewest", UNIQUE, all_cells=True)
    assert fewest.fewest
    assert fewest.fewest.proved
    repaired = client.request("repair", MULTIPLE, solution=KNOWN)
    assert repaired.repair
    assert repaired.repair.solution == KNOWN
    assert client.request("clues", UNIQUE).needs
    both = client.check("0101101001011010", rules="both")
    assert both.readings
    assert [each.verdict for each in both.readings.values()] == ["none", "unique"]
    assert client.check(UNIQUE, backend="pysat", cross_check="backtracking").verdict == "unique"


def test_results_of_several_puzzles_are_in_order(client: Client) -> None:
    given = [UNIQUE, MULTIPLE, NONE, "01x"] * 25
    records = client.request_many("check", given)
    assert [each.verdict for each in records] == ["unique", "multiple", "none", "invalid"] * 25
    with pytest.raises(ProblemError, match="at most 1,000"):
        client.request_many("check", [UNIQUE] * 1_001)


def test_files_and_ndjson_are_read_and_written(server: Server) -> None:
    lines = "".join(f'{{"height":6,"width":6,"clues":"{each}"}}\n' for each in (UNIQUE, NONE))
    for kind in ("application/x-ndjson", "text/plain"):
        headers = {"Content-Type": kind, "Accept": "application/x-ndjson"}
        response = server.http.post("/v1/check?time_limit=3", content=lines, headers=headers)
        assert response.headers["content-type"].startswith("application/x-ndjson")
        records = [ResultRecord.model_validate_json(line) for line in response.text.splitlines()]
        assert [each.verdict for each in records] == ["unique", "none"]


def test_new_puzzles_are_random_unless_there_is_a_seed(client: Client) -> None:
    one, other = client.generate(8)[0], client.generate(8)[0]
    assert one.clues != other.clues
    assert client.generate(8, seed=1)[0] == client.generate(8, seed="1")[0]
    hard = client.generate("6x8", count=3, grade="hard", seed=2)
    assert [each.grade.level for each in hard if each.grade] == ["hard"] * 3
    for each in hard:
        assert each.clues
        sent = PuzzleRecord(height=6, width=8, clues=each.clues)
        assert client.check(sent).solution == each.solution


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"size": 101}, "/size"),
        ({"size": "x"}, "/size"),
        ({"size": 6, "count": 101}, "/count"),
        ({"size": 6, "seed": ""}, "/seed"),
        ({"size": 6, "clues": 37}, ""),
        ({"size": 6, "clues": "many"}, "/clues"),
        ({"size": 3, "odd": "ones", "signs": 100}, ""),
    ],
)
def test_invalid_generation_requests_are_refused(
    server: Server, options: dict[str, Any], pointer: str
) -> None:
    response = server.post("/v1/generate", **options)
    assert response.status_code == 422, response.text
    assert response.json()["errors"][0]["pointer"] == pointer


def test_files_equal_those_of_the_command_line(client: Client, tmp_path: Path) -> None:
    (tmp_path / "p.line").write_text(f"{UNIQUE} a\n")
    for target in TARGETS:
        written = invoke("encode", str(tmp_path / "p.line"), "--to", target, "-q").stdout
        record = RECORD.model_copy(update={"id": "a"})
        assert client.file("encode", record, to=target).decode() == written
    assert client.file("convert", UNIQUE, to="unruly").startswith(b"6x6u:")
    all_boards = client.file("certify", "." * 16, count=True)
    assert client.verify(all_boards).count == 72
    certificate = client.file("certify", UNIQUE)
    verified = client.verify(certificate)
    assert (verified.valid, verified.claim, verified.solutions) == (True, "unique", [KNOWN])
    assert client.verify(b"PK" + certificate[2:-30]).valid is False


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
    ("route", "options", "pointer"),
    [
        ("render", {"to": "svg", "steps": True}, "/steps"),
        ("render", {"to": "svg", "page": "a4"}, "/page"),
        ("render", {"to": "pdf", "page": "round"}, ""),
        ("render", {"to": "html"}, "/to"),
        ("render", {"font": "/etc/passwd"}, "/font"),
        ("encode", {"to": "dzn", "unique": "auto"}, "/unique"),
        ("encode", {"unique": "01"}, "/puzzle"),
        ("hint", {"board": "01"}, "/board"),
        ("certify", {"solver": "external:sh"}, "/solver"),
    ],
)
def test_invalid_options_are_reported(
    server: Server, route: str, options: dict[str, Any], pointer: str
) -> None:
    response = server.post(f"/v1/{route}", puzzle=UNIQUE, **options)
    assert response.status_code == 422, response.text
    assert response.json()["errors"][0]["pointer"] == pointer


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


def test_file_requests_succeed_or_fail_as_a_whole(server: Server) -> None:
    response = server.post("/v1/encode", puzzles=[UNIQUE, "01x"])
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "/puzzles/1"
    response = server.post("/v1/render", puzzles=[UNIQUE, MULTIPLE], solution=True)
    assert response.json()["errors"][0]["pointer"] == "/puzzles/1"


def test_limits_are_reported_and_enforced(server: Server, client: Client) -> None:
    limits = client.limits()
    assert limits["most_time"] == 3_600
    body = server.post("/v1/count", puzzle=MULTIPLE, time_limit=1e9, limit=10**9).json()
    assert body["limits"]["time_limit"] == 3_600
    assert body["limits"]["limit"] == limits["counted"]
    big = "101x2:" + "." * 202
    assert server.post("/v1/check", puzzle=big).status_code == 422


def test_options_may_be_in_the_body_or_in_the_query(server: Server) -> None:
    body = server.http.post("/v1/solve?limit=3", json={"puzzle": MULTIPLE}).json()
    assert len(body["solutions"]) == 3
    response = server.http.post("/v1/solve?limit=3", json={"puzzle": MULTIPLE, "limit": 2})
    assert response.status_code == 422
    body = server.http.post("/v1/solve?limit=no", json={"puzzle": MULTIPLE}).json()
    assert body["errors"][0]["parameter"] == "limit"


def test_metrics_count_requests(server: Server) -> None:
    server.post("/v1/check", puzzle=UNIQUE)
    server.http.get("/v1/jobs/x")
    text = server.http.get("/metrics").text
    assert 'binairo_requests_total{method="GET",route="/v1/jobs/{id}",status="404"}' in text
    assert 'binairo_requests_total{method="POST",route="/v1/check",status="200"}' in text
    assert 'binairo_jobs{state="running"} 0.0' in text
    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"binairo_request_seconds", "binairo_pool_busy", "binairo_workers_died"} <= names


def test_unsupported_methods_are_refused(server: Server) -> None:
    response = server.http.put("/v1/jobs/x")
    assert (response.status_code, response.headers["allow"]) == (405, "DELETE, GET, HEAD, OPTIONS")
    assert server.http.get("/v1/check").headers["allow"] == "OPTIONS, POST"


@pytest.mark.slow
def test_rates_and_origins(tmp_path: Path) -> None:
    options = ("--rate", "0.05", "--burst", "3", "--cors", "https://a.example")
    with serving(tmp_path, *options) as server:
        origin = {"Origin": "https://a.example"}
        responses = [server.http.get("/v1/limits", headers=origin) for _ in range(5)]
        assert [each.status_code for each in responses] == [200, 200, 200, 429, 429]
        assert 1 <= int(responses[-1].headers["retry-after"]) <= 20
        assert responses[0].headers["access-control-allow-origin"] == "https://a.example"
        preflight = {**origin, "Access-Control-Request-Method": "POST"}
        assert server.http.options("/v1/check", headers=preflight).status_code == 200
        other = {"Origin": "https://b.example", "Access-Control-Request-Method": "POST"}
        refused = server.http.options("/v1/check", headers=other)
        assert "access-control-allow-origin" not in refused.headers
        assert server.http.get("/healthz").status_code == 200
        assert server.stop() == 0


def test_token_buckets_refill() -> None:
    rates = RateLimiter(1000.0, 2)
    quotas = [rates.take("a") for _ in range(3)]
    assert [quota is not None and quota.wait > 0 for quota in quotas] == [False, False, True]
    other = rates.take("b")
    assert other is not None
    assert other.wait == 0
    assert RateLimiter(None, 1).take("a") is None


@pytest.mark.slow
def test_invalid_server_options_are_reported(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        port = server.url.rpartition(":")[2]
        done = run("serve", "--port", port, "--data", str(tmp_path / "other"), check=2)
        assert "can't listen on 127.0.0.1 port" in done.stderr
        done = run("serve", "--port", "0", "--data", str(tmp_path / "data"), check=2)
        assert "another server uses it" in done.stderr
    for option, value, expected in (
        ("--cors", "a.example", "expected an origin"),
        ("--host-name", "http://a.example", "expected a name"),
        ("--trusted-proxies", "nginx", "expected an address"),
        ("--root-path", "binairo", "expected a path"),
    ):
        done = run("serve", "--port", "0", "--data", str(tmp_path / "x"), option, value, check=2)
        assert f"{option} {value!r}" in done.stderr
        assert expected in done.stderr
        assert "Traceback" not in done.stderr
    (tmp_path / "keys").write_text("alice: secret\n")
    keys = ("--api-keys", str(tmp_path / "keys"))
    done = run("serve", "--port", "0", "--data", str(tmp_path / "x"), *keys, check=2)
    assert f"{tmp_path}/keys:1: not a name and a hash" in done.stderr
    assert "1 to 64" in run("api-key", "a b", check=2).stderr


def test_missing_libraries_are_reported_with_the_install_command() -> None:
    code = "import sys; sys.modules['fastapi'] = None; from binairo_cp.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "SERVICE needs fastapi, " in done.stderr
    assert "pip install 'fastapi>=" in done.stderr
    assert "in a clone: pip install '.[service]'" in done.stderr


def test_the_client_reports_an_unreachable_server() -> None:
    with (
        Client("http://127.0.0.1:9") as unreachable,
        pytest.raises(ServiceError, match="can't reach"),
    ):
        unreachable.check(UNIQUE)


def test_the_dockerfile_follows_good_practice() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    folder = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [hadolint, "Dockerfile"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "")
    text = (folder / "Dockerfile").read_text()
    assert "HEALTHCHECK" in text
    assert "\nUSER 10001\n" in text


_INVALID = """
from fastapi import Request
from binairo_cp.service import bodies, requests
from binairo_cp.service.problems import Problem

try:
    requests.validate(bodies.GENERATE, Request({"type": "http", "query_string": b""}), {"size": "x"})
except Problem as problem:
    print(__debug__, problem.status, problem.faults[0].pointer)
"""


def test_an_optimized_interpreter_finds_the_same_errors() -> None:
    done = subprocess.check_output([sys.executable, "-O", "-c", _INVALID], text=True)
    assert done == "False 422 /size\n"
