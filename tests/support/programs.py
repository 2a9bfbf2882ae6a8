"""External programs, optional but in continuous integration; scripts that are no modules."""

import importlib.util
import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

NAMES = ("cadical", "kissat", "minisat", "cryptominisat5", "clasp", "picosat")


def find(name: str) -> str | None:
    wheel = Path(sysconfig.get_path("purelib"), "sage_wheels/bin", name)
    return str(wheel) if wheel.exists() else shutil.which(name)


def needed(name: str) -> str:
    """Return the path of a program, or skip the test if it is not installed."""
    path = find(name)
    if path is None:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, f"{name} is not installed"
        pytest.skip(f"{name} is not installed")
    return path


def loaded(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_node(folder: Path, script: str, requests: Any, **environment: str) -> list[Any]:
    """Send requests to a script of a folder, as JSON, and return its answers."""
    done = subprocess.run(
        ["node", script],
        input=json.dumps(requests),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
