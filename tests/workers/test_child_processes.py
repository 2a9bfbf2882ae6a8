"""Programs end with all that they started, and what they print is bounded."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from binairo_cp.errors import BackendError, BudgetExceeded
from binairo_cp.workers import child_processes
from binairo_cp.workers.child_processes import CompletedProgram, run_program
from tests.support.command_line import PATIENCE


def run(code: str, seconds: float | None = None) -> CompletedProgram:
    return run_program([sys.executable, "-c", f"import os, sys, time\n{code}"], seconds)


def _has_ended(pid: str) -> bool:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Child:
    """A process that a program starts by the code `start`, and that would run for hours."""

    def __init__(self, folder: Path, first: str = "", **pipes: str) -> None:
        self._file = folder / "child.pid"
        code = f"""
import os, time
{first}
with open({f"{self._file}.new"!r}, 'w') as file:
    file.write(str(os.getpid()))
os.rename({f"{self._file}.new"!r}, {str(self._file)!r})
time.sleep(10_000)"""
        given = "".join(f", {name}={value}" for name, value in pipes.items())
        self.start = f"""
import subprocess
subprocess.Popen([sys.executable, '-c', {code!r}]{given})
while not os.path.exists({str(self._file)!r}):
    time.sleep(0.01)
"""

    @property
    def has_begun(self) -> bool:
        return self._file.exists()

    def wait(self) -> None:
        number = self._file.read_text()
        for _ in range(10 * PATIENCE):
            if _has_ended(number):
                self._file.unlink()
                return
            time.sleep(0.1)
        pytest.fail("the program ended, and what it started goes on")


@pytest.fixture
def until_begun(monkeypatch: pytest.MonkeyPatch) -> Callable[[Child], None]:
    """Make the time limit of a program expire as soon as its child runs, and not before."""

    def use(child: Child) -> None:
        monkeypatch.setattr(child_processes, "monotonic", lambda: 1e9 if child.has_begun else 0.0)

    return use


def test_the_time_limit_kills_a_program_and_its_children(
    tmp_path: Path, until_begun: Callable[[Child], None]
) -> None:
    child = Child(tmp_path)
    until_begun(child)
    with pytest.raises(BudgetExceeded):
        run(f"{child.start}time.sleep(10_000)", 1_000)
    child.wait()


@pytest.mark.slow
def test_programs_in_other_process_groups_are_killed(
    tmp_path: Path, until_begun: Callable[[Child], None]
) -> None:
    """timeout(1) creates such a group. A process that keeps the output open is not waited for."""
    child = Child(tmp_path, "os.setpgid(0, 0)")
    assert run(f"{child.start}print('done', flush=True)").output == b"done\n"
    child.wait()
    until_begun(child)
    with pytest.raises(BudgetExceeded):
        run(f"{child.start}time.sleep(10_000)", 1_000)
    child.wait()


def test_leftover_children_are_killed(tmp_path: Path) -> None:
    child = Child(tmp_path, stdout="subprocess.DEVNULL")
    assert run(child.start).status == 0
    child.wait()


@pytest.mark.parametrize(("code", "reason"), [
    ("", "exit status 0"),
    ("sys.exit('out of luck')", "exit status 1: out of luck"),
    ("os.abort()", "signal 6"),
])  # fmt: skip
def test_how_a_program_ended(code: str, reason: str) -> None:
    assert run(code).reason == reason


def test_output_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_processes, "MAX_OUTPUT_BYTES", 1 << 20)
    with pytest.raises(BackendError, match="printed more than 1,048,576 bytes"):
        run("while True: print('1 ' * 9999)")
    reason = run("for _ in range(10**5): sys.stderr.write('x' * 99)\nsys.exit('the end')").reason
    assert reason.endswith("the end")
    assert len(reason) < 400
