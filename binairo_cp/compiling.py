"""Machine code by numba, kept between processes where a folder can be written.

numba compiles on first use, which takes some seconds, and keeps the result beside the source, or in
the user's cache folder, or where ``NUMBA_CACHE_DIR`` says; where none of them can be written, each
process compiles for itself. What is kept is for this machine's processor and these very sources.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

from binairo_cp import guards

_PATIENCE = 0.7


def compiled(function: Callable[..., Any], signature: Any) -> Any:
    """A function as machine code for arguments of certain types."""
    with guards.unhurried():
        try:
            return njit(signature, cache=True, nogil=True)(function)
        except (RuntimeError, OSError) as error:
            # No folder can be written, or none of it is left: the code is as good without.
            logging.getLogger(__name__).debug("machine code is not kept: %s", error)
            return njit(signature, nogil=True)(function)


@cache
def digest(*folders: str) -> int:
    """A number for the sources in folders of this package.

    Machine code is found again by the function's own bytes and by what it encloses, and it is
    looked whether its own file changed. A function that calls those of other files encloses this.
    """
    package = Path(__file__).parent
    sources = [
        file.read_bytes() for folder in folders for file in sorted((package / folder).glob("*.py"))
    ]
    return int(hashlib.sha256(b"\0".join(sources)).hexdigest()[:15], 16)


@contextmanager
def notice(what: str) -> Iterator[None]:
    """A word on the terminal if compiling takes its time."""
    if not sys.stderr.isatty():
        yield
        return
    text = f"binairo: compiling {what}, once on this machine (10 to 30 s)"
    timer = threading.Timer(_PATIENCE, print, [text], {"file": sys.stderr, "flush": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
