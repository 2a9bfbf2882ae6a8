"""External solvers as backends: correct ones, and ones with all kinds of errors."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory

import pytest

from binairo_cp import Board, Outcome, Puzzle, check, count, solve
from binairo_cp.errors import BackendError, BackendNameError, BudgetExceeded
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Budget
from binairo_cp.workers import child_processes
from tests.solving.test_backends import oracle
from tests.support.command_line import KNOWN, NONE, PATIENCE, UNIQUE, binairo, invoke
from tests.support.programs import NAMES, needed


@pytest.mark.parametrize("program", NAMES)
def test_a_solver_solves_checks_and_counts(program: str) -> None:
    backend = f"external:{needed(program)}"
    outcome = check(Puzzle(Board(6, 6, UNIQUE)), backend=backend)
    assert (outcome.verdict, outcome.solution) == ("unique", Board(6, 6, KNOWN))
    assert check(Puzzle(Board(6, 6, NONE)), backend=backend).verdict == "none"
    puzzle = Puzzle(Board.parse("0... .... .... ...1"))
    counted: Outcome = count(puzzle, backend=backend)
    assert (counted.count, counted.complete) == (len(oracle(puzzle)), True)


def program(tmp_path: Path, code: str) -> str:
    """The name of a backend that runs Python code; sys.argv[1] is the file with the clauses."""
    file = tmp_path / "solver.py"
    file.write_text(f"import os, sys, time\n{code}\n")
    return f"external:{sys.executable} {file}"


EMPTY = Puzzle(Board.empty(4, 4))
CONTRADICTORY = Puzzle(Board(6, 6, NONE))

BROKEN = {
    "says nothing": ("", "printed no answer (exit status 0)"),
    "fails": ("sys.exit('out of luck')", "printed no answer (exit status 1: out of luck)"),
    "crashes": ("os.abort()", "printed no answer (signal 6)"),
    "unsatisfiable by its exit status": ("sys.exit(20)", "printed no answer (exit status 20)"),
    "prints garbage": ("print('s SATISFIABLE'); print('v one 0')", "can't be read: "),
    "a wrong board": (
        "print('s SATISFIABLE'); print('v 1 2 3 0')",
        "returned a board that is not a sol",
    ),
    "values and none": ("print('v 1 0'); print('s UNSATISFIABLE')", "can't be read: "),
    "prints for ever": ("while True: print('v', '1 ' * 9999)", "printed more than"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_failures_are_reported(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binairo_cp.workers.child_processes.MAX_OUTPUT_BYTES", 1 << 20)
    code, message = BROKEN[name]
    with pytest.raises(BackendError) as error:
        solve(EMPTY, backend=program(tmp_path, code), time_limit=60)
    assert message in str(error.value)


def test_the_output_counts_and_not_the_exit_status(tmp_path: Path) -> None:
    code = "print('s INDETERMINATE'); sys.stderr.write('time'); sys.exit(15)"
    assert check(EMPTY, backend=program(tmp_path, code)).stopped_by == "work"


@pytest.mark.parametrize("verb", ["check", "solve", "count"])
@pytest.mark.parametrize("output", ["ndjson", "line"])
def test_no_solution_of_a_puzzle_that_has_one_is_a_wrong_answer(
    tmp_path: Path, verb: str, output: str
) -> None:
    liar = program(tmp_path, "print('s UNSATISFIABLE')")
    done = invoke(verb, "--backend", liar, "--to", output, "-q", input=f"6x6:{UNIQUE} x", check=2)
    if output == "line":
        assert done.stdout.startswith("- unknown x -:1: wrong-answer: external:")
        return
    record = json.loads(done.stdout)
    assert (record["verdict"], record["error"]["kind"]) == ("unknown", "wrong-answer")
    message = record["error"]["message"]
    assert message.startswith(f"{backends.get(liar).name} found no solution of\nrules: classic")
    assert message.endswith(f"but this is one:\n{Board(6, 6, KNOWN)}")


def test_a_correct_unsatisfiable_is_accepted(tmp_path: Path) -> None:
    backend = program(tmp_path, "print('s UNSATISFIABLE')")
    assert check(CONTRADICTORY, backend=backend).verdict == "none"


@pytest.mark.parametrize("said", ["s UNKNOWN", "c UNKNOWN", "s INDETERMINATE", "INDETERMINATE"])
def test_a_solver_that_gives_up_is_unknown(tmp_path: Path, said: str) -> None:
    outcome = check(EMPTY, backend=program(tmp_path, f"print({said!r})"))
    assert (outcome.verdict, outcome.stopped_by) == ("unknown", "work")


def _has_ended(pid: str) -> bool:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Child:
    """A process that a solver starts, and that would run for hours.

    Attributes:
        start: Python code that starts it; afterwards it is running.
    """

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
        """Wait until the process has ended."""
        number = self._file.read_text()
        for _ in range(10 * PATIENCE):
            if _has_ended(number):
                self._file.unlink()
                return
            time.sleep(0.1)
        pytest.fail("the solver ended, and what it started goes on")


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
    backend = program(tmp_path, child.start + "time.sleep(10_000)")
    outcome = check(EMPTY, backend=backend, time_limit=1_000)
    assert (outcome.verdict, outcome.stopped_by) == ("unknown", "time")
    child.wait()


@pytest.mark.slow
def test_programs_in_other_process_groups_are_killed(
    tmp_path: Path, until_begun: Callable[[Child], None]
) -> None:
    """timeout(1) creates such a group. A process that keeps the output open is not waited for."""
    child = Child(tmp_path, "os.setpgid(0, 0)")
    said = "print('s UNSATISFIABLE', flush=True)"
    assert check(CONTRADICTORY, backend=program(tmp_path, child.start + said)).verdict == "none"
    child.wait()
    until_begun(child)
    backend = program(tmp_path, child.start + "time.sleep(10_000)")
    assert check(EMPTY, backend=backend, time_limit=1_000).count == 0
    child.wait()


def test_standard_error_is_truncated(tmp_path: Path) -> None:
    code = "\n".join(["for k in range(10**5): sys.stderr.write('x' * 99)", "sys.exit('the end')"])
    with pytest.raises(BackendError, match="the end"):
        solve(EMPTY, backend=program(tmp_path, code))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_leaves_nothing_behind(tmp_path: Path, workers: int, number: int) -> None:
    code = f"open({str(tmp_path)!r} + f'/{{os.getpid()}}.pid', 'w'); time.sleep(100)"
    command = [*binairo, "check", "-", "-b", program(tmp_path, code), "-w", str(workers)]
    # It also contains sockets of worker processes, whose paths must be short.
    with (
        TemporaryDirectory() as temporary,
        Popen(
            command, stdin=PIPE, stdout=DEVNULL, stderr=PIPE, env=os.environ | {"TMPDIR": temporary}
        ) as process,
    ):
        assert process.stdin
        assert process.stderr
        process.stdin.write(f"{UNIQUE}\n{UNIQUE}\n{UNIQUE}\n".encode())
        process.stdin.close()
        while len(list(tmp_path.glob("*.pid"))) < workers:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 128 + number
        assert b"Traceback" not in process.stderr.read()
        assert not list(Path(temporary).glob("binairo-*"))
    # A killed process may need a moment to end.
    left = {Path("/proc", file.stem) for file in tmp_path.glob("*.pid")}
    end = time.monotonic() + PATIENCE
    while left := {each for each in left if each.exists()}:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_leftover_children_are_killed(tmp_path: Path) -> None:
    child = Child(tmp_path, stdout="subprocess.DEVNULL")
    backend = program(tmp_path, child.start + "print('s UNSATISFIABLE')")
    assert check(CONTRADICTORY, backend=backend).verdict == "none"
    child.wait()


def test_the_command_can_contain_the_file_name(tmp_path: Path) -> None:
    code = "open(sys.argv[3], 'w').write('UNSAT'); assert open(sys.argv[2]).read(5) == 'p cnf'"
    backend = f"{program(tmp_path, code)} x {{cnf}} {{result}}"
    assert check(CONTRADICTORY, backend=backend).verdict == "none"


def test_a_run_is_a_unit_of_work() -> None:
    backend = backends.get(f"external:{needed('picosat')}")
    with pytest.raises(BudgetExceeded):
        list(backend.solutions(EMPTY, budget=Budget(work=5)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("external", "expected a command"),
        ("external:", "expected a command"),
        ("external:no-such-program -q", "there is no program 'no-such-program'"),
        ("external:'", "No closing quotation"),
    ],
)
def test_invalid_commands(name: str, message: str) -> None:
    with pytest.raises(BackendNameError, match=message):
        backends.get(name)
    assert message in invoke("check", "-b", name, input=UNIQUE, check=2).stderr.replace("│\n│", "")


def test_colons_are_part_of_a_command() -> None:
    with pytest.raises(BackendNameError, match="'a:b'"):
        backends.get("external:a:b")
