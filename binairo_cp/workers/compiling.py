"""Machine code by numba, kept between processes where a folder can be written.

numba compiles on first use, which takes some seconds, and keeps the result beside the source, or in
the user's cache folder, or where ``NUMBA_CACHE_DIR`` says; where none of them can be written, each
process compiles for itself. What is kept is for this machine's processor and these very sources.
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

_PATIENCE = 0.7


def compiled(function: Callable[..., Any], signature: Any, folders: tuple[str, ...] = ()) -> Any:
    """Compile a function for arguments of certain types, or load it from numba's cache.

    Args:
        function: a Python function, or one decorated with `njit`.
        signature: numba's type of it.
        folders: the folders of this package whose code it calls. A change of any file in them
            makes the cached code stale. Numba by itself looks only at the function's own file.
    """
    function = getattr(function, "py_func", function)
    with resource_limits.pause_clock():
        try:
            dispatcher = njit(nogil=True)(function)
            dispatcher.enable_caching()
            if folders:
                dispatcher._cache._cache_file._source_stamp = _digest(*folders)
            _discard_unreadable_index(dispatcher._cache._cache_file)
            dispatcher.compile(signature)
        except (RuntimeError, OSError) as error:
            # No folder is writable, or none is left: the code works as well without a cache.
            logging.getLogger(__name__).debug("machine code is not cached: %s", error)
            dispatcher = njit(nogil=True)(function)
            dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def _discard_unreadable_index(file: Any) -> None:
    """Empty the index of a cache that other sources wrote, if Python can't read it any more.

    The index names the classes of arguments. Numba reads it before it compares the sources, and
    fails if such a class has moved since.
    """
    try:
        file._load_index()
    except OSError:
        raise
    except Exception as error:
        logging.getLogger(__name__).debug("a cache of machine code is discarded: %s", error)
        file.flush()


@cache
def _digest(*folders: str) -> str:
    """A hash of all sources in some folders of this package."""
    package = Path(__file__).parent.parent
    sources = [
        file.read_bytes() for folder in folders for file in sorted((package / folder).glob("*.py"))
    ]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()


@contextmanager
def notice(what: str) -> Iterator[None]:
    """A word on the terminal if compiling takes its time."""
    if not sys.stderr.isatty():
        yield
        return
    text = f"{_line_start()}binairo: compiling {what}, once on this machine (10 to 30 s)"
    timer = threading.Timer(_PATIENCE, print, [text], {"file": sys.stderr, "flush": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _line_start() -> str:
    """Clears the line of the terminal, where the progress bar of another process may be."""
    return "" if os.environ.get("TERM", "dumb") == "dumb" else "\r\x1b[2K"
