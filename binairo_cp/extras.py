"""The libraries that only some files need: what to install where one is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from binairo_cp.errors import BinairoError


@contextmanager
def needing(extra: str, raised: Callable[[str], BinairoError]) -> Iterator[None]:
    """Import the libraries of an extra of this package.

    Args:
        extra: its name.
        raised: makes the error of a message.

    Raises:
        BinairoError: as `raised` makes it: one is not installed; the message says what to do.
    """
    try:
        yield
    except ImportError as error:
        raise raised(
            f"{extra.upper()} needs the library {(error.name or extra).partition('.')[0]}: "
            f"pip install 'binairo-cp[{extra}]'"
        ) from error
