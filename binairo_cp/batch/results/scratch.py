"""A temporary database: what must be looked up again, in bounded memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from binairo_cp.errors import SourceError

_CACHE_KIB = 64 << 10


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """A database of SQLite that is gone afterwards, whatever ends this.

    Up to 64 MiB of it are in memory; the rest is in a file without a name in the folder for
    temporary files (``SQLITE_TMPDIR``, ``TMPDIR``).

    Raises:
        SourceError: there is no room for it.
    """
    try:
        # The empty name stands for a file that SQLite makes and removes itself.
        with closing(sqlite3.connect("", isolation_level=None)) as opened:
            opened.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            for pragma in ("journal_mode = OFF", "synchronous = OFF"):
                opened.execute(f"PRAGMA {pragma}")
            opened.execute("BEGIN")
            yield opened
    except sqlite3.Error as error:
        raise SourceError("the temporary folder", f"can't be written: {error}") from error
