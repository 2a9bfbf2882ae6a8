"""Files in the current folder that are named like modules don't run, in any process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from tests.service.test_mcp import results_of
from tests.support.command_line import UNIQUE, finished
from tests.support.serving import serving

_MODULES = [*sys.stdlib_module_names, "binairo_cp", "numpy", "pebble", "ortools", "uvicorn"]

# With a limit of memory, the puzzles are not left to threads.
_IN_PROCESSES = ["check", "puzzles.line", "-w2", "--memory-limit", "1000"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with puzzles, and modules that leave a mark and stop the process."""
    folder = tmp_path / "strange"
    folder.mkdir()
    for name in _MODULES:
        text = f"open({str(folder / 'mark')!r}, 'a').write({name!r}); raise SystemExit(99)\n"
        (folder / f"{name}.py").write_text(text)
    (folder / "puzzles.line").write_text("".join(f"{UNIQUE} {k}\n" for k in range(40)))
    return folder


@pytest.fixture
def binairo(tmp_path: Path) -> list[str]:
    """The command as pip installs it: a script in another folder."""
    script = tmp_path / "binairo"
    script.write_text("from binairo_cp.cli import main\n\nmain()\n")
    return [sys.executable, str(script)]


def _run(words: list[str], folder: Path, **environment: str) -> str:
    done = finished(*words, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    assert not (folder / "mark").exists()
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_workers_of_a_fork_server(binairo: list[str], folder: Path) -> None:
    assert _run([*binairo, *_IN_PROCESSES], folder).count("unique") == 40


@pytest.mark.slow
def test_workers_that_are_spawned(binairo: list[str], folder: Path) -> None:
    long = folder / ("x" * 140)
    long.mkdir()
    out = _run([*binairo, *_IN_PROCESSES], folder, TMPDIR=str(long))
    assert out.count("unique") == 40


@pytest.mark.slow
@pytest.mark.parametrize("command", ["count", "explain", "generate 6 -n 4", "certify -o c/"])
def test_commands_with_workers(command: str, binairo: list[str], folder: Path) -> None:
    source = [] if "generate" in command else ["puzzles.line"]
    _run([*binairo, *command.split(), *source, "-w2"], folder)
    if "certify" in command:
        _run([*binairo, "verify", "c/1.zip"], folder)


@pytest.mark.slow
def test_a_server(
    binairo: list[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with serving(tmp_path / "data", program=binairo) as server:
        assert server.post("/v1/check", puzzle=UNIQUE).json()["verdict"] == "unique"
        assert server.post("/v1/generate", size=4).status_code == 200
        job = server.post("/v1/jobs", kind="batch", puzzles=[UNIQUE] * 40).json()
        lines = server.http.get(job["links"]["results"]).text.splitlines()
        assert [json.loads(line)["verdict"] for line in lines] == ["unique"] * 40
    assert not (folder / "mark").exists()


@pytest.mark.slow
def test_workers_of_an_mcp_server(binairo: list[str], folder: Path) -> None:
    program, script = binairo
    server = StdioServerParameters(command=program, args=[script, "mcp"], cwd=folder)
    [result] = results_of(server, [("check", {"puzzle": UNIQUE})])
    assert not result.is_error
    assert not (folder / "mark").exists()
