"""The package without compiled code, OR-Tools, orjson and numpy, in WebAssembly."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.contract import snapshots

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
MODULES = Path(sys.prefix) / "clients/node_modules"
PLATFORM = "pyemscripten_2026_0_wasm32"
MARKERS = {"sys_platform": "emscripten", "python_version": "3.14", "python_full_version": "3.14.2"}
# Pyodide's own distribution has numpy; the package index has no wheel of it.
ABSENT = {"numpy"}
UNDER_TEST = re.compile(
    r"bn\.(backbone|board|certify|check|clues|convert|count|decode|encode|enumerate_solutions|explain"
    r"|fewest|generate|grade|hint|judge|render|repair|solve|verify)\("
)

# Arrays, lists of results, extras, and programs of this machine.
_NEEDS_MORE = re.compile(r"np\.|\[bn\.check|to=\"pdf\"|backend=\"minisat\"")


def _needed(name: str) -> Iterator[str]:
    """What a distribution needs in a browser, in the versions that are installed here."""
    for requirement in map(Requirement, requires(name) or ()):
        applies = not requirement.marker or requirement.marker.evaluate(MARKERS | {"extra": ""})
        if applies and requirement.name not in ABSENT:
            yield f"{requirement.name}=={version(requirement.name)}"
            yield from _needed(requirement.name)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    shutil.copytree(
        ROOT, source, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "build", "*.so")
    )
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)]
    subprocess.run([*pip, *build], check=True, env=os.environ | {"BINAIRO_BUILD": "none"})
    needed(folder, *sorted(set(_needed("binairo-cp"))), more=("--no-deps",))
    return folder


def needed(folder: Path, *names: str, more: tuple[str, ...] = ()) -> None:
    """Download wheels that run in a browser."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", *more]
    tags = ["--python-version=3.14", "--implementation=cp", "--abi=cp314", "--abi=none"]
    platforms = [f"--platform={PLATFORM}", "--platform=any", "--only-binary=:all:"]
    subprocess.run([*pip, *tags, *platforms, "-d", str(folder), *names], check=True)


@pytest.mark.slow
@pytest.mark.skipif(
    not (MODULES / "pyodide").exists(),
    reason="pyodide is not installed (make .venv/clients/.installed, with npm)",
)
def test_the_functions_of_a_puzzle_answer_the_same(wheels: Path, tmp_path: Path) -> None:
    transcript = snapshots.path("python").read_text()
    calls = [
        line[2:]
        for line in transcript.splitlines()
        if line.startswith("$ ") and UNDER_TEST.search(line)
    ]
    (tmp_path / "inputs").write_text("\0".join(calls))
    command = ["node", "pyodide.mjs", MODULES, wheels, "in_pyodide.py", tmp_path / "inputs"]
    done = subprocess.run(
        list(map(str, command)), cwd=HERE, check=True, capture_output=True, text=True
    )
    answers = dict(pair.split("\1") for pair in done.stdout.rstrip("\n").split("\0"))
    assert len(answers) == len(set(calls)) > 20
    differing = {
        call: answer
        for call, answer in answers.items()
        if f"$ {call}\n{answer}" not in transcript and not _NEEDS_MORE.search(call + answer)
    }
    assert not differing, "\n".join(f"{k} -> {v[:150]}" for k, v in differing.items())
