"""A folder for files that are written anew for each input: in memory, where the system has that."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

_MEMORY = Path("/dev/shm")


@cache
def folder() -> Path:
    """The folder of this process, which goes away with it."""
    made = TemporaryDirectory(prefix="binairo-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)
    atexit.register(made.cleanup)
    return Path(made.name)
