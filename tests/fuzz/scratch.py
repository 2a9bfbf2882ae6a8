"""A folder for temporary files of inputs, in memory if the system supports it."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

_MEMORY = Path("/dev/shm")


@cache
def folder() -> Path:
    """The folder of this process, deleted at its end."""
    made = TemporaryDirectory(prefix="binairo-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)
    atexit.register(made.cleanup)
    return Path(made.name)
