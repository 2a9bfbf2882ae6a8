"""Helpers that call the command line, and three small puzzles with known verdicts."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

from typer.main import get_command
from typer.testing import CliRunner

from binairo_cp import cli
from binairo_cp.batch import running
from binairo_cp.batch.pipeline import BlockSizer
from binairo_cp.errors import BinairoError
from binairo_cp.workers import executors

KNOWN = "101100011010010101100101101010010011"
UNIQUE = KNOWN[:-4] + "...."
MULTIPLE = "." * 36
NONE = "000" + "." * 33

PATIENCE = 300
"""Seconds that a test waits for an expected event; generous because the machine may be busy."""

binairo = [sys.executable, "-m", "binairo_cp"]


def finished(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, words)], capture_output=True, text=True, **options)


def run(
    *arguments: str, input: str = "", check: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process, as users do."""
    done = finished(*binairo, *arguments, input=input)
    assert "Traceback" not in done.stderr
    if check is not None:
        assert done.returncode == check, done.stdout + done.stderr
    return done


@cache
def command_line() -> Any:
    """The command line, built once: that takes four times as long as a small command itself."""
    return get_command(cli.app)


def invoke(
    *arguments: str, input: str = "", check: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, with the results of `run`.

    A new process takes a second of processor time to import everything. Tests need one only for
    what happens outside the command: signals, closed streams, files as standard output.
    """
    status, reported = 0, ""
    with CliRunner().isolation(input) as (out, err, _):
        try:
            command_line().main(arguments, prog_name="binairo")
        except SystemExit as end:
            status = int(end.code or 0)
        except BinairoError as error:
            status, reported = 2, f"binairo: {error}\n"
        sys.stdout.flush()
        sys.stderr.flush()
        output, errors = (each.getvalue().decode().replace("\r\n", "\n") for each in (out, err))
    errors += reported
    if check is not None:
        assert status == check, output + errors
    return subprocess.CompletedProcess(arguments, status, output, errors)


@contextmanager
def without_workers() -> Iterator[None]:
    """Commands decide several puzzles in this process: starting workers takes 0.3 s."""
    with (
        mock.patch.object(executors, "cores", return_value=0),
        mock.patch.object(running, "BlockSizer", lambda _, *rest: BlockSizer(1, *rest)),
    ):
        yield


def call(*arguments: str, input: str = "") -> tuple[int, str, str]:
    done = invoke(*arguments, input=input)
    return done.returncode, done.stdout, done.stderr


def records(*arguments: str, input: str) -> list[dict[str, object]]:
    _, out, _ = call(*arguments, "--to", "ndjson", input=input)
    return [json.loads(line) for line in out.splitlines()]
