"""A temporary database for lookups in bounded memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from binairo_cp.errors import SourceError

_CACHE_KIB = 64 << 10


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """An SQLite database that is always removed in the end.

    Up to 64 MiB are kept in memory. The rest is in an unnamed file in the folder for temporary
    files (``SQLITE_TMPDIR``, ``TMPDIR``).

    Raises:
        SourceError: the temporary folder is full.
    """
    try:
        # With an empty name, SQLite creates a temporary file and removes it.
        with closing(sqlite3.connect("", isolation_level=None)) as opened:
            opened.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            for pragma in ("journal_mode = OFF", "synchronous = OFF"):
                opened.execute(f"PRAGMA {pragma}")
            opened.execute("BEGIN")
            yield opened
    except sqlite3.Error as error:
        raise SourceError("the temporary folder", f"can't be written: {error}") from error
