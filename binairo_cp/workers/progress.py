"""How far a run is: a line on the terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar:
    """A bar, or nothing at all.

    Args:
        shown: the bar; None for nothing.
    """

    def __init__(self, shown: Progress | None = None) -> None:
        self._shown = shown
        self._task = None if shown is None else shown.add_task("", total=None)

    def __call__(self, done: float, total: float | None, text: str) -> None:
        """Show what is done, all there is to do (None if nobody knows), and a text."""
        if self._shown is not None and self._task is not None:
            self._shown.update(self._task, completed=done, total=total, description=text)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar off the terminal while something else is written there."""
        if self._shown is None:
            yield
            return
        self._shown.stop()
        try:
            yield
        finally:
            self._shown.start()


@contextmanager
def bar(quiet: bool) -> Iterator[Bar]:
    """A bar on the standard error output, if that is a terminal and nobody asked for quiet."""
    if quiet or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    # What is printed must not go to standard error, where the bar is.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as shown:
        yield Bar(shown)


def is_terminal(out: str | None) -> bool:
    """Whether results appear on a terminal, by the name of their file; None: standard output."""
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
