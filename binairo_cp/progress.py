"""How far a run is: a line on the terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[float, float | None, str], object]
"""Takes what is done, all there is to do (None if nobody knows), and a text."""


@contextmanager
def bar(quiet: bool) -> Iterator[Tell]:
    """A bar on the standard error output, if that is a terminal and nobody asked for quiet."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)
        yield lambda done, total, text: shown.update(
            task, completed=done, total=total, description=text
        )
