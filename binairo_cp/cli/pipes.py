"""A reader that closes the pipe early, as ``head`` does, is no fault."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def may_be_closed() -> Iterator[None]:
    """End with 141 where the output takes nothing more, as programs that SIGPIPE ends do.

    The command framework would end with 1, which means that some puzzle has no solution.
    """
    try:
        yield
    except BrokenPipeError as error:
        abandon_output()
        raise typer.Exit(141) from error


def abandon_output() -> None:
    """The interpreter must not trip over an output that takes nothing once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
