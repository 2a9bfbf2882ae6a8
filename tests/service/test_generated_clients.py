"""Clients that other programs generate from the OpenAPI document compile and work."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import Server

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

TOOLS = Path(sys.prefix) / "clients"
_PYTHON = TOOLS / "bin/openapi-python-client"
_TYPESCRIPT = TOOLS / "node_modules/.bin"
_INSTALL = "make .venv/clients/.installed"


def needs(path: Path, reason: str) -> None:
    if not path.exists():
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, reason
        pytest.skip(reason)


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def document(server: Server, tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_bytes(server.http.get("/openapi.json").content)
    return path


_CALL = f"""
import sys
from generated import AuthenticatedClient
from generated.api.puzzles import check
from generated.api.server import limits
from generated.models import OneResult

client = AuthenticatedClient(base_url=sys.argv[1], token="", prefix="", auth_header_name="X-API-Key")
result = check.sync(client=client, body={{"puzzle": "{UNIQUE}"}})
assert isinstance(result, OneResult), result
print(result.solution, limits.sync(client=client).side)
problem = check.sync(client=client, body={{"puzzle": "01x"}})
print(problem.status, problem.errors[0].pointer)
"""


def test_a_generated_python_client(server: Server, document: Path, tmp_path: Path) -> None:
    needs(_PYTHON, f"openapi-python-client is not installed: {_INSTALL}")
    options = ("--path", document, "--output-path", tmp_path / "generated", "--meta", "none")
    run(_PYTHON, "generate", *options, folder=tmp_path)
    cache = ("--cache-dir", tmp_path / "cache")
    run(sys.executable, "-m", "mypy", *cache, "generated", folder=tmp_path)
    (tmp_path / "call.py").write_text(_CALL)
    printed = run(sys.executable, "call.py", server.url, folder=tmp_path)
    assert printed.splitlines() == [f"{KNOWN} 100", "422 /puzzle"]


_USE = """
import type { components, operations, paths } from "./api";

type Body = paths["/v1/check"]["post"]["requestBody"]["content"]["application/json"];
type Answer = operations["check"]["responses"][200]["content"]["application/json"];
type Problem = components["schemas"]["ProblemRecord"];

const body: Body = { puzzle: "01..", backbone: true };
const solution = (answer: Answer) => ("results" in answer ? answer.results[0] : answer)?.solution;
const status = (problem: Problem): number => problem.status;
// @ts-expect-error There is no such option.
const wrong: components["schemas"]["GenerateRequest"]["size"] = [body, solution, status];
"""


def test_a_generated_typescript_client(document: Path, tmp_path: Path) -> None:
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    needs(_TYPESCRIPT / "tsc", f"openapi-typescript is not installed: {_INSTALL}")
    options = ("-o", "api.d.ts", "--default-non-nullable", "false")
    run(_TYPESCRIPT / "openapi-typescript", document, *options, folder=tmp_path)
    (tmp_path / "use.ts").write_text(_USE)
    run(_TYPESCRIPT / "tsc", "--noEmit", "--strict", "use.ts", folder=tmp_path)
