"""The libraries that only some tasks need: what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from binairo_cp.errors import BinairoError, RenderError


@contextmanager
def needing(extra: str, raised: type[BinairoError] = RenderError) -> Iterator[None]:
    """Import the libraries of an extra of this package.

    Raises:
        BinairoError: of the class given, one is not installed; the message says what to do.
    """
    try:
        yield
    except ImportError as error:
        called = extra.upper() if raised is RenderError else f"the {extra}"
        raise raised(
            f"{called} needs the library {(error.name or extra).partition('.')[0]}: "
            f"pip install 'binairo-cp[{extra}]'"
        ) from error
