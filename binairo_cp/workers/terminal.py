"""What a user sees: a progress bar, harmless text, names of options, the exit status."""

from __future__ import annotations

import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""What a terminal obeys: control characters, and those that change the direction of text."""

_BAR_WIDTH, _TIME_WIDTH = 12, len(" 00:00:00 ")
"""What the text of a bar leaves room for, in characters."""

ENDING = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
"""The signals that end a command."""


class Bar:
    """A progress bar of rich, or nothing."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self.is_shown = progress is not None
        self._task = None if progress is None else progress.add_task("", total=None, left="")
        self._begin: tuple[float, float] | None = None

    def __call__(self, done: float, total: float | None, text: str) -> None:
        """Show the work done, the total work (None if unknown), a text, and the time left.

        The first call says how much is done at the start.
        """
        if self._progress is not None and self._task is not None:
            left = self._time_left(done, total, self._progress.get_time())
            self._progress.update(
                self._task, completed=done, total=total, description=text, left=left
            )

    def _time_left(self, done: float, total: float | None, now: float) -> str:
        """The time left at the rate of the whole run. Work ends in bursts, so others jump."""
        started, before = self._begin = self._begin or (now, done)
        if total is None or done <= before:
            return ""
        seconds = max(0.0, total - done) * (now - started) / (done - before)
        return str(timedelta(seconds=round(seconds)))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hide the bar while something else is written to the terminal."""
        if self._progress is None:
            yield
            return
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()


@contextmanager
def bar(quiet: bool) -> Iterator[Bar]:
    """Show a bar on standard error, unless it is no terminal or `quiet` is set."""
    if quiet or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    # A long text is cut, rather than the bar.
    console = Console(stderr=True)
    room = max(console.width - _BAR_WIDTH - _TIME_WIDTH, _BAR_WIDTH)
    columns = (
        TextColumn(
            "{task.description}",
            table_column=Column(no_wrap=True, overflow="ellipsis", max_width=room),
        ),
        BarColumn(),
        TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True)),
    )
    # By default rich redirects standard output to the console of the bar.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        yield Bar(progress)


def without_controls(text: str) -> str:
    """The text with control characters escaped, except line ends and tabs."""
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def is_terminal(out: str | None) -> bool:
    """Whether an output file is a terminal; None means standard output."""
    if out is None:
        return sys.stdout.isatty()
    try:
        if not stat.S_ISCHR(os.stat(out).st_mode):
            return False
        device = os.open(out, os.O_WRONLY | os.O_NOCTTY)
    except (OSError, ValueError):
        return False
    try:
        return os.isatty(device)
    finally:
        os.close(device)


def outputs_are_one() -> bool:
    """Whether standard output and standard error go to the same file or pipe."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError):
        return False


WriteOption = Callable[[str, str], str]
"""Writes the name of an option, and the value that a message suggests for it."""


WRITE_OPTION: ContextVar[WriteOption] = ContextVar(
    "write_option", default=lambda name, value: f"{name}={value!r}" if value else name
)
"""How messages name options: as keywords of Python or, if it is set, as flags."""


def option(name: str, value: str = "") -> str:
    """An option as the caller writes it, for messages: a keyword, unless `WRITE_OPTION` is set.

    >>> option("estimate"), option("out", "FOLDER/")
    ('estimate', "out='FOLDER/'")
    """
    return WRITE_OPTION.get()(name, value)


def exit_status(*, error: object = False, unknown: object = False, no: object = False) -> int:
    """The exit status of a command: 2 for an error, else 3 for unknown, else 1 for a no, else 0."""
    return 2 if error else 3 if unknown else 1 if no else 0
