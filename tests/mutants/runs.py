"""Run tests against a mutant, in a copy of the project and in a separate process.

The process is forked from one that has imported the libraries, because importing takes longer than
the tests of most mutants. Child processes find the copy first on their path, so commands and worker
processes also run the mutant.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mutants.mistakes import Mutant
from tests.mutants.targets import ROOT

_LIBRARIES = [
    "hypothesis",
    "numpy",
    "orjson",
    "pydantic",
    "pysat.solvers",
    "typer.testing",
    "prometheus_client",
    "clingo",
    "rich.console",
    "pebble",
    "ortools.sat.python.cp_model",
    "pyarrow.parquet",
]
_NOT_COPIED = (".git", ".venv*", ".hypothesis", "build", "*.egg-info", ".*_cache")
_TIMEOUT = 900.0
_BYTES = 4 << 30
_DURATIONS = "durations.json"


class Outcome(NamedTuple):
    """The outcome of a run of tests.

    Attributes:
        caught: whether a test failed or did not finish.
        by: the test that failed, or another reason.
        seconds: the duration.
    """

    caught: bool
    by: str
    seconds: float


class QuickTestsFirst:
    """A pytest plugin that runs quick tests first, so that most mutants are caught quickly."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _DURATIONS
        self._taken: dict[str, float] = {}
        self.failed = ""
        if self._file.exists():
            self._taken = json.loads(self._file.read_text())

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._taken.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._taken[report.nodeid] = self._taken.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = f"{report.nodeid} (not collected)"

    def save(self) -> None:
        self._file.write_text(json.dumps(self._taken))


class Copy:
    """A copy of the project, or of another copy, for one run at a time."""

    def __init__(self, folder: Path, source: Path = ROOT) -> None:
        self.folder = folder
        # Compiled code is copied too.
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*_NOT_COPIED), symlinks=True)

    def start(self, tests: Sequence[str], mutant: Mutant | None, cpu_seconds: int) -> TestRun:
        """Start tests in a child process."""
        with suppress(FileNotFoundError):
            (self.folder / "ended").unlink()
        if mutant:
            file = self.folder / mutant.path
            file.write_text(mutant.code())
            for old in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
                old.unlink()
        pid = os.fork()
        if not pid:
            try:
                self._run(tests, cpu_seconds, is_baseline=mutant is None)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(70)
        return TestRun(self, pid, mutant, time.monotonic())

    def restore(self, mutant: Mutant) -> None:
        shutil.copy2(ROOT / mutant.path, self.folder / mutant.path)

    def _run(self, tests: Sequence[str], cpu_seconds: int, is_baseline: bool) -> None:
        """Run the tests; called in the child process."""
        os.setsid()
        os.chdir(self.folder)
        log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(log, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, _BYTES))
        os.environ |= {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        # Use the tests of the copy.
        for name in [each for each in sys.modules if each.split(".")[0] in ("tests", "binairo_cp")]:
            del sys.modules[name]
        sys.path[:] = [str(self.folder), *(each for each in sys.path if each != str(ROOT))]
        order = QuickTestsFirst(self.folder.parent)
        options = ["-m", "not slow", "-q", "-p", "no:cacheprovider", "--tb=short", "-x"]
        options += ["--hypothesis-profile=mutants"]
        # Hypothesis was imported before pytest could rewrite its assertions.
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        status = pytest.main([*options, *tests], plugins=[order])
        if is_baseline:
            order.save()
        Path("ended").write_text(order.failed)
        sys.stdout.flush()
        os._exit(status)


class TestRun(NamedTuple):
    """A running test process."""

    copy: Copy
    pid: int
    mutant: Mutant | None
    started: float

    def poll(self) -> Outcome | None:
        """The outcome of the tests; None while they run."""
        done, status = os.waitpid(self.pid, os.WNOHANG)
        seconds = time.monotonic() - self.started
        if not done and seconds < _TIMEOUT:
            return None
        self.kill()
        if not done:
            os.waitpid(self.pid, 0)
        if self.mutant:
            self.copy.restore(self.mutant)
        if not done or os.WIFSIGNALED(status):
            return Outcome(True, "died" if done else "did not end", seconds)
        try:
            by = (self.copy.folder / "ended").read_text()
        except FileNotFoundError:
            by = "pytest ended early"
        return Outcome(status != 0, by, seconds)

    def kill(self) -> None:
        """Kill the tests and their child processes."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def load_libraries() -> None:
    """Import the libraries that all runs need."""
    for name in _LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
