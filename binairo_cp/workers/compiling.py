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
from multiprocessing import parent_process
from pathlib import Path
from time import monotonic
from typing import Any

from numba import njit
from numba.core.registry import cpu_target

from binairo_cp.workers import progress, resource_limits
from binairo_cp.workers.optimizing_once import Outermost

not_stored: list[str] = []
"""Why code of this process could not be stored, so that every process compiles it again."""

_SECONDS_BEFORE_NOTICE = 0.7
_SECONDS_BETWEEN_UPDATES = 0.2


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
    with resource_limits.pause_clock():
        try:
            dispatcher = _cached(function, folders, allocates)
            dispatcher.compile(signature)
        except (RuntimeError, OSError) as error:
            # No folder is writable, or the disk is full. The code works without a cache too.
            not_stored.append(str(error))
            logging.getLogger(__name__).debug("can't cache machine code: %s", error)
            dispatcher = _dispatcher(function, allocates)
            dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def entry_point(dispatcher: Any) -> Any:
    """The machine code of a function of `compiled`, without the choice by types for each call.

    That choice takes two microseconds. The caller must pass exactly the types of the signature.
    """
    [version] = dispatcher.overloads.values()
    return version.entry_point


def is_stored_for(function: Callable[..., Any], signature: Any, folders: tuple[str, ...]) -> bool:
    """Whether numba's cache has the machine code of a function, with the arguments of `compiled`.

    If there is no cache, loading compiles the code again.
    """
    try:
        cache = _cached(function, folders, allocates=True)._cache
        key = cache._index_key(signature, cpu_target.target_context.codegen())
        return key in cache._cache_file._load_index()
    except (RuntimeError, OSError):
        return False


def _dispatcher(function: Callable[..., Any], allocates: bool) -> Any:
    compile_it = njit(nogil=True, pipeline_class=Outermost, _nrt=allocates)
    return compile_it(getattr(function, "py_func", function))


def _cached(function: Callable[..., Any], folders: tuple[str, ...], allocates: bool) -> Any:
    """A dispatcher with numba's cache, which is stamped with the sources in some folders.

    Raises:
        RuntimeError: no folder is writable.
        OSError: the cache can't be read.
    """
    dispatcher = _dispatcher(function, allocates)
    dispatcher.enable_caching()
    if folders:
        dispatcher._cache._cache_file._source_stamp = _digest(*folders)
    _discard_unreadable_index(dispatcher._cache._cache_file)
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
def notice(what: str, seconds: int) -> Iterator[None]:
    """Show a progress bar on the terminal if compiling takes longer than a moment.

    In a notebook, in a worker, and below another bar, it is a line of text.

    Args:
        what: what is compiled.
        seconds: how long this takes on one quiet core.
    """
    if not (sys.stderr.isatty() or _is_notebook()):
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_announce, args=(what, seconds, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _announce(what: str, seconds: int, done: threading.Event) -> None:
    if done.wait(_SECONDS_BEFORE_NOTICE):
        return
    text = f"compiling {what}, once on this machine (about {seconds} s)"
    if _is_notebook() or parent_process():
        print(f"{_line_start()}binairo: {text}", file=sys.stderr, flush=True)
    elif shown := progress.shown_bar():
        with shown.aside():
            print(f"binairo: {text}", file=sys.stderr, flush=True)
    else:
        with progress.bar(quiet=False) as show:
            started = monotonic()
            while not done.wait(_SECONDS_BETWEEN_UPDATES):
                elapsed = monotonic() - started + _SECONDS_BEFORE_NOTICE
                # On a busy machine it takes longer; how much longer is unknown.
                show(elapsed, seconds if elapsed < seconds else None, text)


def _is_notebook() -> bool:
    """Whether standard error is shown in a notebook, which says that it is no terminal."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def _line_start() -> str:
    """The escape sequence that clears the line, which may show another process's progress bar."""
    is_plain = _is_notebook() or os.environ.get("TERM", "dumb") == "dumb"
    return "" if is_plain else "\r\x1b[2K"
