"""The command line: one thin function per command.

Each command imports what it needs when it runs, so that ``binairo --help`` is quick.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer

from binairo_cp.cli.derived import Commands, PlainGroup, abandon_output
from binairo_cp.errors import BinairoError
from binairo_cp.workers.terminal import ENDING, without_controls

_STDERR = 2

_COMMANDS = Commands(
    {
        "generate": "generate board",
        "convert": "convert filter encode decode",
        "certify": "certify verify census",
        "audit": "audit dataset",
        "render": "render book",
        "serve": "page serve api-key mcp",
        "lines": "lines schema help",
    }
)


class _Group(PlainGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _COMMANDS  # type: ignore[assignment]  # it never changes


app = typer.Typer(
    name="binairo",
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve, check and count Binairo puzzles (Takuzu, Binary Puzzle, Unruly, Tango).\n\n"
    "[bold]binairo check puzzle.txt[/]: does it have exactly one solution?\n\n"
    "[bold]binairo solve puzzles/ -o solved.txt[/]: solve all puzzles of a folder\n\n"
    "[bold]binairo generate 10 --grade hard[/]: a new puzzle",
    epilog="Exit status: 0 yes for all, 1 no for some, 2 an error in usage or input, 3 unknown for "
    "some.",
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[
        bool, typer.Option("--version", "-V", metavar="", help="Show the version.")
    ] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        note = _note_on_kernels()
        typer.echo(f"binairo {installed('binairo-cp')}{note and f' ({note})'}")
        raise typer.Exit
    if sys.stderr.isatty() and (note := _note_on_kernels()):
        typer.echo(f"binairo: {note}", err=True)


def _note_on_kernels() -> str:
    from binairo_cp.kernels import why_uncompiled

    reason = why_uncompiled()
    return f"50 to 200 times slower than compiled code: {reason}" if reason else ""


def main() -> None:
    """The entry point of ``binairo``: no traceback reaches a user."""
    if sys.stderr is None:
        _discard_errors()
    if sys.stdout is None:
        _print_error("standard output is closed")
        sys.exit(2)
    # A name or an id may hold what a terminal's encoding does not.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    # Or OpenBLAS, which numpy loads and nothing here uses, starts a thread for each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Or Python searches all objects for cycles when it ends: a quarter of the time of one `check`.
    atexit.register(gc.freeze)
    try:
        with _ending_in_order():
            app()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if isinstance(error, OSError):
            abandon_output()
        _print_error(_in_words(error))
        sys.exit(2)


def _discard_errors() -> None:
    """Open standard error, which is closed, for this process and the workers that inherit it."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, _STDERR)
    # If `null` got this number, `dup2` did nothing.
    os.set_inheritable(_STDERR, True)
    sys.stderr = open(_STDERR, "w", closefd=False)  # noqa: SIM115  # as long as the process


def _print_error(message: str) -> None:
    # If standard error can't be written either, the exit status has to be enough.
    with suppress(OSError):
        typer.echo(f"binairo: {without_controls(message)}", err=True)


def _in_words(error: Exception) -> str:
    if isinstance(error, BinairoError):
        return str(error)
    if isinstance(error, ImportError):
        from binairo_cp.workers import extras

        return extras.explain_import_error(error)
    if isinstance(error, MemoryError):
        return f"there is not enough memory: {error}".removesuffix(": ")
    if isinstance(error, OSError):
        # Libraries raise the same class, without a number, for what is about no file of ours.
        return f"can't write: {error.strerror}" if error.strerror else " ".join(str(error).split())
    return f"internal error: {type(error).__name__}: {error}"


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Signals that end programs raise KeyboardInterrupt, so that files are kept and workers end.

    Those after the first, and during the exit, do nothing.
    """
    status = 0
    # nohup has one ignored.
    heeded = {end for end in ENDING if signal.getsignal(end) != signal.SIG_IGN}

    def handle(by: Any) -> None:
        for end in heeded:
            signal.signal(end, by)

    def stop(number: int, _: object) -> None:
        nonlocal status
        handle(signal.SIG_IGN)
        status = 128 + number
        name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        raise KeyboardInterrupt(f"stopped by {name}")

    def raise_again(lost: Any) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        # It came in a finalizer or a callback of Python, which can't be left by an exception.
        handle(stop)
        threading.Timer(0.01, os.kill, [os.getpid(), status - 128]).start()

    handle(stop)
    usual_hook, sys.unraisablehook = sys.unraisablehook, raise_again
    try:
        yield
    except BaseException as end:
        # Typer makes 130 of it, and Python a RuntimeError, if it comes in the midst of an import.
        if status and getattr(end, "code", True):
            sys.exit(status)
        raise
    finally:
        handle(signal.SIG_IGN)
        sys.unraisablehook = usual_hook
