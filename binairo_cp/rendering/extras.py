"""The libraries that only some pictures need: what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from binairo_cp.errors import RenderError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Import the libraries of an extra of this package.

    Raises:
        RenderError: one is not installed; the message says what to do.
    """
    try:
        yield
    except ImportError as error:
        raise RenderError(
            f"{extra.upper()} needs the library {(error.name or extra).partition('.')[0]}: "
            f"pip install 'binairo-cp[{extra}]'"
        ) from error
