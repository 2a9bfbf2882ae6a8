"""Names of options in messages, as the caller writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WriteOption = Callable[[str, str], str]
"""Writes the name of an option, and the value that a message suggests for it."""


def _keyword(name: str, value: str) -> str:
    return f"{name}={value!r}" if value else name


_write_option: ContextVar[WriteOption] = ContextVar("write_option", default=_keyword)


def option(name: str, value: str = "") -> str:
    """An option as the caller writes it, for messages: a keyword, unless `writing_options` is set.

    >>> option("estimate"), option("out", "FOLDER/")
    ('estimate', "out='FOLDER/'")
    """
    return _write_option.get()(name, value)


@contextmanager
def writing_options(write: WriteOption) -> Iterator[None]:
    """Let messages name options in another way: as flags on the command line."""
    token = _write_option.set(write)
    try:
        yield
    finally:
        _write_option.reset(token)
