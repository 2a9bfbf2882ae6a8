"""Compile functions with numba, and cache the machine code on disk.

Numba compiles on first use, which takes some seconds. It caches the result next to the source, in
the user's cache folder, or in ``NUMBA_CACHE_DIR``. If none of them is writable, each process
compiles for itself. A cache entry is valid only for this processor and these exact sources.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

from binairo_cp.workers import resource_limits

not_stored: list[str] = []
"""Why code of this process could not be stored, so that every process compiles it again."""

_SECONDS_BEFORE_NOTICE = 0.7


def compiled(
    function: Callable[..., Any],
    signature: Any,
    folders: tuple[str, ...] = (),
    *,
    allocates: bool = True,
) -> Any:
    """Compile a function for arguments of certain types, or load it from numba's cache.

    Args:
        function: a Python function, or one decorated with `njit`.
        signature: its numba signature.
        folders: the folders of this package whose code the function calls. A change of any file
            in them invalidates the cached code. Numba itself checks only the function's own file.
        allocates: whether it creates arrays. Otherwise it gets all arrays as arguments, and numba
            counts no references to them, which would take up to four fifths of the time.
    """
    function = getattr(function, "py_func", function)
    options = {"nogil": True, "_nrt": allocates}
    with resource_limits.pause_clock():
        try:
            dispatcher = njit(**options)(function)
            dispatcher.enable_caching()
            if folders:
                dispatcher._cache._cache_file._source_stamp = _digest(*folders)
            _discard_unreadable_index(dispatcher._cache._cache_file)
            dispatcher.compile(signature)
        except (RuntimeError, OSError) as error:
            # No folder is writable, or the disk is full. The code works without a cache too.
            not_stored.append(str(error))
            logging.getLogger(__name__).debug("can't cache machine code: %s", error)
            dispatcher = njit(**options)(function)
            dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def _discard_unreadable_index(file: Any) -> None:
    """Empty the index of a cache that an older version wrote, if it can't be unpickled.

    The index names the classes of arguments. Numba reads it before it compares the sources, and
    fails if such a class has moved since.
    """
    try:
        file._load_index()
    except OSError:
        raise
    except Exception as error:
        logging.getLogger(__name__).debug("discarding an unreadable cache: %s", error)
        file.flush()


@cache
def _digest(*folders: str) -> str:
    """Hash all sources in some folders of this package."""
    package = Path(__file__).parent.parent
    sources = [
        file.read_bytes() for folder in folders for file in sorted((package / folder).glob("*.py"))
    ]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()


@contextmanager
def notice(what: str) -> Iterator[None]:
    """Print a notice on the terminal or in the notebook if compiling takes longer than a moment."""
    if not (sys.stderr.isatty() or _is_notebook()):
        yield
        return
    text = f"{_line_start()}binairo: compiling {what}, once on this machine (10 to 30 s)"
    timer = threading.Timer(
        _SECONDS_BEFORE_NOTICE, print, [text], {"file": sys.stderr, "flush": True}
    )
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_notebook() -> bool:
    """Whether standard error is shown in a notebook, which says that it is no terminal."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def _line_start() -> str:
    """The escape sequence that clears the line, which may show another process's progress bar."""
    is_plain = _is_notebook() or os.environ.get("TERM", "dumb") == "dumb"
    return "" if is_plain else "\r\x1b[2K"
