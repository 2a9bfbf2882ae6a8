import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from binairo_cp.batch import reports
from binairo_cp.batch.running import RunOptions, RunState, run_task
from binairo_cp.batch.tasks import Task
from binairo_cp.cli import options
from binairo_cp.formats import Choices
from binairo_cp.workers.executors import WorkerSettings
from tests.support.command_line import (
    KNOWN,
    MULTIPLE,
    NONE,
    PATIENCE,
    UNIQUE,
    binairo,
    call,
    command_line,
    finished,
    invoke,
    run,
)

# Only 29 legal rows of ten cells begin with 01, and 30 have to; no backend proves that in minutes.
HARD = "60x10:" + "01........10........" * 30


@pytest.mark.usefixtures("without_workers")
def test_precedence_of_exit_statuses() -> None:
    hard = ["check", "-", "--backend", "pysat", "--time-limit", "0.1"]
    hard += ["--format", "line", "--to", "line"]
    code, out, _ = call(*hard, input=f"{NONE}\n{HARD}\n")
    assert (code, [line.split()[1] for line in out.splitlines()]) == (3, ["none", "unknown"])
    assert call(*hard, input=f"{NONE}\n{HARD}\nx\n")[0] == 2


@pytest.mark.usefixtures("without_workers")
def test_solved_text_can_be_read_as_text() -> None:
    _, out, _ = call("solve", "-", "-f", "line", input=f"{UNIQUE} a\n{NONE} b\n{MULTIPLE} c\n")
    code, again, _ = call("check", "-", "--to", "line", input=out)
    assert code == 0
    assert again.splitlines()[0] == f"{KNOWN} unique 1"
    assert len(again.splitlines()) == 2


def test_wrong_usage_is_the_exit_status_of_the_process() -> None:
    assert run("frobnicate", check=2).stdout == ""


def test_choices_are_those_of_the_tables() -> None:
    """The command line repeats these, so that its help needs no import."""
    outputs = get_args(get_args(get_args(options.ResultFormat)[0])[0])
    assert {*get_args(reports.Form), "csv"} == set(outputs)


def test_help_loads_no_solver_and_no_validation() -> None:
    code = (
        "import sys, binairo_cp, binairo_cp.cli; "
        "print([m for m in ('ortools', 'pysat', 'pysolvers', 'pydantic', 'numpy', 'pebble', "
        "'clingo', 'mcp', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(("arguments", "unneeded"), [
    (["check", f"6x6:{UNIQUE}"], {"numpy", "pydantic", "ssl"}),
    (["explain", f"6x6:{UNIQUE}", "--to", "ndjson"], {"pydantic", "ssl"}),
    (["generate", "6", "--seed", "1"], {"numpy", "pydantic", "ssl", "pysat"}),
    (["board", "6", "--seed", "1"], {"numpy", "pydantic", "pysat"}),
    (["judge", f"6x6:{UNIQUE}", "--move", "r1c1=1"], {"numpy", "pydantic"}),
    (["render", f"6x6:{UNIQUE}"], {"numpy", "pysat"}),
    (["render", f"6x6:{UNIQUE}", "--to", "svg"], {"numpy", "pysat"}),
    (["lines", "6", "-n", "2"], {"pydantic", "numpy"}),
    (["--version"], {"pydantic", "numpy"}),
])  # fmt: skip
def test_a_small_command_loads_no_library_that_it_does_not_use(
    arguments: list[str], unneeded: set[str]
) -> None:
    """Nor does it start a thread for each core, as OpenBLAS does by default."""
    code = (
        "import atexit, glob, sys; from binairo_cp.cli import main; "
        "atexit.register(lambda: print("
        f"{unneeded | {'pebble', 'asyncio'}!r} & {{*sys.modules}}, glob.glob('/proc/self/task/*')[1:], file=sys.stderr)); "
        "main()"
    )
    done = finished(sys.executable, "-c", code, *arguments, check=True)
    assert done.stderr.splitlines()[-1] == "set() []"


VALUES = [
    None, "", "a", "5", "007", "0", "-1", "1.5", "1e3", "+1", " 1", "1_0", "9" * 10, "9" * 30, "nan",
    "inf", "\u0663", "\udc80", 2, 2.5, float("nan"), True, [], (), ["a", "b"], ("a",), ["\udc80"], [""],
]  # fmt: skip


def _kinds_of_options() -> dict[str, tuple[Any, Any]]:
    """An option of each kind; many commands have the same, apart from its help."""
    found = {}
    for built in command_line().commands.values():
        # Commands keep the option for help that they make here.
        context = built.context_class(built, help_option_names=["-h", "--help"])
        for option in built.get_params(context):
            told = vars(option.type_descriptor.parameter_info) | {"help": "", "rich_help_panel": ""}
            kind = (option.name, option.default, option.type_descriptor.annotation, told)
            found[repr(kind)] = option, context
    return found


def test_values_of_options_are_what_typer_makes_of_them() -> None:
    for option, context in _kinds_of_options().values():
        choices = get_args(option.type_descriptor.annotation)
        words = [word for word in choices if isinstance(word, str)]
        info = option.type_descriptor.parameter_info
        bounds = info.min, info.max
        near = [str(bound + k) for bound in bounds if bound is not None for k in (-1, 0, 1)]
        for value in [*VALUES, *words, *(word.upper() for word in words), *near, option.default]:
            ours = _value_or_error(option.process_value, context, value)
            typers = _value_or_error(partial(type(option).process_value, option), context, value)
            assert ours == typers, (option.name, value)


def _value_or_error(process: Callable[..., object], context: object, value: object) -> str:
    try:
        return repr(process(context, value))
    except Exception as error:
        return f"{type(error)} {error}"


def test_out_is_written_atomically(tmp_path: Path) -> None:
    out = tmp_path / "results.ndjson"
    out.write_text("old")
    code, stdout, _ = call("check", "-", "--to", "ndjson", "--out", str(out), input=UNIQUE)
    assert (code, stdout) == (0, "")
    assert json.loads(out.read_text())["verdict"] == "unique"
    assert os.listdir(tmp_path) == ["results.ndjson"]
    done = invoke("check", "-", "--out", str(tmp_path), input=UNIQUE, check=2)
    assert "can't be written: it is a folder" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["check", "-"], ["lines", "20", "--all"], ["schema"]])
def test_a_full_disk_is_reported(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*binairo, *arguments], input=UNIQUE, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (2, "binairo: can't write: No space left on device\n")


@pytest.mark.parametrize(("closed", "status", "message"), [
    ("<&-", 2, "standard input is closed"),
    (">&-", 2, "standard output is closed"),
    ("2>&-", 0, ""),
])  # fmt: skip
def test_closed_streams(closed: str, status: int, message: str) -> None:
    command = f"{' '.join(binairo)} check - {closed}"
    done = subprocess.run(command, shell=True, input=UNIQUE, capture_output=True, text=True)
    assert done.returncode == status
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    if not status:
        assert done.stdout == "-: unique\n"


def test_workers_need_no_standard_error(tmp_path: Path) -> None:
    puzzles = tmp_path / "puzzles.line"
    puzzles.write_text(f"{UNIQUE}\n" * 2_000)
    command = f"{' '.join(binairo)} check {puzzles} --workers 2 2>&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.count("unique")) == (0, 2_000)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_error_that_can_not_be_printed_has_an_exit_status(tmp_path: Path) -> None:
    command = f"{' '.join(binairo)} verify {tmp_path} 2> /dev/full"
    assert subprocess.run(command, shell=True, timeout=PATIENCE).returncode == 2


def test_invalid_utf8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/bad\xff.line"
    Path(os.fsdecode(name)).write_text(UNIQUE)
    command = [*binairo, "check", name, "--to", "ndjson"]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["source"].endswith("bad\\udcff.line")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    (tmp_path / "ä.line").write_text(UNIQUE)
    command = [*binairo, "check", str(tmp_path / "ä.line")]
    done = subprocess.run(command, capture_output=True, env=ascii_only)
    assert (done.returncode, "ä.line: unique" in done.stdout.decode()) == (0, True)


def test_an_invalid_file_name_affects_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "good.line").write_text(UNIQUE)
    done = invoke("check", str(tmp_path / "good.line"), "a" * 300, "--to", "line", check=2)
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["unique"]
    assert f"{'a' * 300}: can't be opened" in done.stderr


def test_control_characters_in_names_are_escaped() -> None:
    text = json.dumps({"id": "a\nb\x1b[31m", "height": 2, "width": 2, "clues": "0110"})
    for output in ("text", "line"):
        _, out, _ = call("check", "-", "--to", output, input=text)
        assert r"a\nb\x1b[31m" in out
        assert out.count("\n") == 1
    assert "\x1b" not in invoke("check", "no\x1b[31m", check=2).stderr


def test_a_closed_pipe(tmp_path: Path) -> None:
    file = tmp_path / "many.line"
    file.write_text(f"{UNIQUE}\n" * 5_000)
    for given, first in (
        (f"check {file} --to line", f"{KNOWN} unique 1"),
        ("lines 22 --all", "0010010010011011011011"),
    ):
        command = f"{' '.join(binairo)} {given} | head -n 1; echo ${{PIPESTATUS[0]}}"
        done = finished("bash", "-c", command)
        assert done.stdout.splitlines() == [first, "141"]
        assert done.stderr == ""


@pytest.mark.parametrize("given", ["--help", "check --help"])
def test_a_closed_pipe_of_the_help(given: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*binairo, *given.split()], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_likely_mistakes_are_named() -> None:
    def shown(*arguments: str) -> str:
        return " ".join(re.sub("[│╭╮╰╯─]", " ", call(*arguments)[2]).split())

    assert "quote them, as in '..1. ...0 ..10 .0..'" in shown(
        "check", *["..1.", "...0", "..10", ".0.."]
    )
    assert "Did you mean: binairo check puzzle.txt" in shown("puzzle.txt")
    assert "Did you mean: binairo check '..1. ...0 ..10 .0..'" in shown("..1. ...0 ..10 .0..")
    assert "expected one of auto, bitboard" in shown("check", UNIQUE, "--backend", "kisat")


def wait_for_lines(out: Path, number: int) -> None:
    """Wait until a file has `number` lines."""
    for _ in range(10 * PATIENCE):
        if out.exists() and out.read_text().count("\n") >= number:
            return
        time.sleep(0.1)
    pytest.fail(f"{out.name} has fewer than {number} lines")


@pytest.mark.parametrize(("backend", "workers", "number"), [
    ("pysat", "1", signal.SIGINT),
    ("cpsat", "2", signal.SIGTERM),
    pytest.param("backtracking", "2", signal.SIGINT, marks=pytest.mark.slow),
    pytest.param("pysat:cadical153", "1", signal.SIGHUP, marks=pytest.mark.slow),
])  # fmt: skip
def test_signals_that_end_a_run(tmp_path: Path, backend: str, workers: str, number: signal.Signals):
    """One line, no traceback, finished results are kept, no process is left."""
    file, out = tmp_path / "hard.line", tmp_path / "out.txt"
    file.write_text(f"{UNIQUE} first\n{UNIQUE} second\n" + f"{HARD}\n" * 20)
    arguments = ["check", str(file), "--to", "line", "--workers", workers, "-b", backend]
    arguments += ["--time-limit", "3600"]
    with out.open("w") as stdout:
        process = subprocess.Popen(
            [*binairo, *arguments],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        wait_for_lines(out, 2)
        os.killpg(process.pid, number)
        _, err = process.communicate(timeout=PATIENCE)
    why = f"stopped by {'Ctrl-C' if number == signal.SIGINT else number.name}"
    assert (process.returncode, err) == (128 + number, f"binairo: {why}\n")
    expected = [["unique", "first"], ["unique", "second"]]
    assert [line.split()[1:] for line in out.read_text().splitlines()] == expected
    with pytest.raises(ProcessLookupError):
        for _ in range(10 * PATIENCE):
            os.killpg(process.pid, 0)
            time.sleep(0.1)


@pytest.mark.parametrize(("module", "code", "status"), [
    ("typer", "import signal; signal.raise_signal(signal.SIGINT)", 130),
    # Python notes a KeyboardInterrupt that leaves `exec`, and would end with SIGINT.
    ("pebble", "import signal; exec('signal.raise_signal(signal.SIGTERM)')", 143),
])  # fmt: skip
def test_signals_while_modules_load(tmp_path: Path, module: str, code: str, status: int) -> None:
    (tmp_path / f"{module}.py").write_text(code)
    done = subprocess.run(
        [*binairo, "check", UNIQUE, NONE, "--workers", "1", "--backend", "cpsat"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    said = {130: "", 143: "binairo: stopped by SIGTERM\n"}[status]
    assert (done.returncode, done.stderr) == (status, said)


def test_ctrl_c_keeps_finished_results_in_a_partial_file(tmp_path: Path) -> None:
    file, out = (tmp_path / name for name in ("puzzles.line", "out.txt"))
    file.write_text(f"{UNIQUE} first\n" * 2)

    def interrupt(_: RunState) -> None:
        raise KeyboardInterrupt

    options = RunOptions(
        *([str(file)], Choices(), None, WorkerSettings(1), "line", str(out)),
        quiet=True,
        on_progress=interrupt,
    )
    with pytest.raises(KeyboardInterrupt, match=r"out\.txt\.partial"):
        run_task(Task("check"), options)
    assert not out.exists()
    kept = (tmp_path / "out.txt.partial").read_text()
    assert kept.startswith(f"{KNOWN} unique first\n")


@pytest.mark.parametrize(("module", "function", "arguments"), [
    ("counting.census_runs", "run_census", ["census", "4"]),
    ("batch.running", "run_task", ["check", "-"]),
    ("batch.generating", "generate_puzzles", ["generate", "4"]),
])  # fmt: skip
def test_an_interrupted_command_says_so(
    module: str, function: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"binairo_cp.{module}.{function}", interrupted)
    status, _, errors = call(*arguments, input=UNIQUE)
    assert (status, errors) == (130, "binairo: stopped\n")


def test_errors_are_not_repeated_where_both_outputs_are_one() -> None:
    command = f"{' '.join(binairo)} check - 2>&1"
    done = subprocess.run(command, shell=True, input="0a..\n", capture_output=True, text=True)
    assert done.stdout.count("'a' is not a cell") == 1
    assert call("check", "-", input="0a..\n")[2].count("'a' is not a cell") == 1
