"""What is known of jobs, in a SQLite file; their inputs and results are files beside it."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Literal

from binairo_cp.errors import ServiceError
from binairo_cp.workers.locking import lock

State = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[State, ...] = ("done", "failed", "cancelled")

_LAYOUT = 1
"""The layout of the file; another one is refused, not guessed at."""

_BASE, _LOCK, _JOBS = "jobs.sqlite", "lock", "jobs"
_OWN = {_LOCK, _JOBS, _BASE, *(f"{_BASE}-{end}" for end in ("wal", "shm", "journal"))}
"""All that this program puts into the folder."""

_LOG = logging.getLogger("binairo.service")


@dataclass
class Row:
    """A job; times are seconds since 1970.

    Attributes:
        id: its name.
        owner: whose key asked for it; empty without keys.
        kind: what is done.
        verb: of a batch, what is done with each puzzle.
        ask: the request as JSON, without puzzles.
        input: the name of the file with the puzzles; empty if there is none.
        version: of this package, when its results were begun.
        state: how far it is.
        created: when it was accepted.
        started: when it was first run.
        ended: when it ended.
        attempts: how often its process died.
        progress: as JSON.
        error: as JSON; empty if there is none.
        key: the Idempotency-Key of the request; None without one.
        digest: of all that was asked, for comparing what comes with the same key.
    """

    id: str
    owner: str
    kind: str
    verb: str
    ask: str
    input: str
    version: str
    created: float
    state: State = "queued"
    started: float | None = None
    ended: float | None = None
    attempts: int = 0
    progress: str = "{}"
    error: str = ""
    key: str | None = None
    digest: str = ""


_COLUMNS = [field.name for field in fields(Row)]


class Store:
    """The folder of a server's jobs, which no other server may use at a time.

    Only its owner can read it: jobs hold the puzzles and the idempotency keys of all clients.

    Args:
        folder: it is made if it is not there.

    Raises:
        ServiceError: it can't be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _make_private(folder)
            with ExitStack() as stack:
                _lock(stack.enter_context(open(folder / _LOCK, "w")), folder)
                base = sqlite3.connect(
                    folder / _BASE, isolation_level=None, check_same_thread=False
                )
                stack.callback(base.close)
                _prepare(base)
                self._base, self._open = base, stack.pop_all()
        except OSError as error:
            raise ServiceError(f"{folder} can't be used: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise ServiceError(f"{folder}/{_BASE} can't be used: {error}") from error

    def close(self) -> None:
        """Let go of the folder."""
        self._open.close()

    def place(self, id: str) -> Path:
        """The folder of a job."""
        return self.folder / _JOBS / id

    def add(self, row: Row) -> bool:
        """Keep a new job; False if its key is known already."""
        marks = ", ".join("?" * len(_COLUMNS))
        try:
            self._base.execute(f"INSERT INTO jobs VALUES ({marks})", list(asdict(row).values()))
        except sqlite3.IntegrityError:
            return False
        return True

    def put(self, row: Row) -> None:
        """Keep what became of a job."""
        told = asdict(row)
        changes = ", ".join(f"{name} = :{name}" for name in _COLUMNS)
        self._base.execute(f"UPDATE jobs SET {changes} WHERE id = :id", told)

    def all(self) -> list[Row]:
        """All jobs, the oldest first."""
        found = self._base.execute(f"SELECT {', '.join(_COLUMNS)} FROM jobs ORDER BY created, id")
        return [Row(*values) for values in found]

    def forget(self, id: str) -> None:
        """Forget a job and its files."""
        self._base.execute("DELETE FROM jobs WHERE id = ?", [id])
        shutil.rmtree(self.place(id), ignore_errors=True)

    def sweep(self) -> None:
        """Remove what was never accepted: the server ended while it came."""
        known = {row.id for row in self.all()}
        for path in (self.folder / _JOBS).iterdir():
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)


def _make_private(folder: Path) -> None:
    """Let nobody but the owner read what is in the folder, whoever made it and whenever."""
    names = {path.name for path in folder.iterdir()}
    if names <= _OWN:
        # A folder with other things in it, such as /tmp, stays open to those who use it.
        _restrict(folder, 0o700)
    (folder / _JOBS).mkdir(exist_ok=True, mode=0o700)
    _restrict(folder / _JOBS, 0o700)
    for name in {_LOCK, _BASE} - names:
        # Made before SQLite opens it, which gives the -wal and -shm files the same permissions.
        os.close(os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600))
    for name in names & _OWN - {_JOBS}:
        _restrict(folder / name, 0o600)


def _restrict(path: Path, mode: int) -> None:
    try:
        if path.stat().st_mode & 0o777 & ~mode:
            path.chmod(mode)
    except OSError as error:  # another's file, or a file system without permissions
        _LOG.warning("%s may be read by others: %s", path, error.strerror or error)


def _prepare(base: sqlite3.Connection) -> None:
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    (layout,) = base.execute("PRAGMA user_version").fetchone()
    if layout not in (0, _LAYOUT):
        raise ServiceError(f"{_BASE} was written by another version of this program")
    base.execute(
        f"CREATE TABLE IF NOT EXISTS jobs ({', '.join(_COLUMNS)}, "
        "PRIMARY KEY (id), UNIQUE (owner, key))"
    )
    base.execute(f"PRAGMA user_version = {_LAYOUT}")


def _lock(file: IO[str], folder: Path) -> None:
    try:
        lock(file)
    except BlockingIOError as error:
        raise ServiceError(
            f"{folder} can't be used: another server uses it; expected another --data"
        ) from error
