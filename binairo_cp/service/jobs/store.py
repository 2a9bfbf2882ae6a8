"""Save jobs in a SQLite database. Their inputs and results are files next to it."""

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

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")

_SCHEMA_VERSION = 1
"""Version of the database schema. A database with another version is refused."""

_DATABASE, _LOCK, _JOBS = "jobs.sqlite", "lock", "jobs"
_OWN_FILES = {_LOCK, _JOBS, _DATABASE, *(f"{_DATABASE}-{end}" for end in ("wal", "shm", "journal"))}
"""Names of all files and folders that this module creates."""

_LOG = logging.getLogger("binairo.service")


@dataclass
class JobRow:
    """A job, as a row of the database. The attributes are its columns.

    Times are seconds since 1970.

    Attributes:
        id: the id of the job.
        owner: the name of the API key that submitted the job; empty without keys.
        kind: the kind of job.
        verb: the verb of a batch, else empty.
        ask: the request as JSON, without puzzles.
        input: name of the file with the puzzles; empty if there is none.
        version: version of this package that started the results.
        state: the state of the job.
        created: when the job was accepted.
        started: when the job was first run.
        ended: when the job ended.
        attempts: how often the process of the job died.
        progress: the progress as JSON.
        error: the error as JSON; empty if there is none.
        key: the Idempotency-Key of the request; None without a key.
        digest: hash of the request, to compare requests with the same key.
    """

    id: str
    owner: str
    kind: str
    verb: str
    ask: str
    input: str
    version: str
    created: float
    state: JobState = "queued"
    started: float | None = None
    ended: float | None = None
    attempts: int = 0
    progress: str = "{}"
    error: str = ""
    key: str | None = None
    digest: str = ""


_COLUMNS = [field.name for field in fields(JobRow)]


class JobStore:
    """The folder with the jobs of a server. Only one server at a time can use it.

    Only the owner of the folder can read it: jobs contain the puzzles and the idempotency keys of
    all clients.

    Args:
        folder: the folder, which is created if it does not exist.

    Raises:
        ServiceError: the folder can't be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _make_private(folder)
            with ExitStack() as stack:
                _lock(stack.enter_context(open(folder / _LOCK, "w")), folder)
                database = sqlite3.connect(
                    folder / _DATABASE, isolation_level=None, check_same_thread=False
                )
                stack.callback(database.close)
                _prepare(database)
                self._database, self._open = database, stack.pop_all()
        except OSError as error:
            raise ServiceError(f"{folder} can't be used: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise ServiceError(f"{folder}/{_DATABASE} can't be used: {error}") from error

    def close(self) -> None:
        """Close the database and unlock the folder."""
        self._open.close()

    def job_folder(self, id: str) -> Path:
        """The folder of a job."""
        return self.folder / _JOBS / id

    def add(self, row: JobRow) -> bool:
        """Insert a new job; False if its key is already in use."""
        marks = ", ".join("?" * len(_COLUMNS))
        try:
            self._database.execute(f"INSERT INTO jobs VALUES ({marks})", list(asdict(row).values()))
        except sqlite3.IntegrityError:
            return False
        return True

    def update(self, row: JobRow) -> None:
        """Save the current state of a job."""
        changes = ", ".join(f"{name} = :{name}" for name in _COLUMNS)
        self._database.execute(f"UPDATE jobs SET {changes} WHERE id = :id", asdict(row))

    def all(self) -> list[JobRow]:
        """All jobs, the oldest first."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM jobs ORDER BY created, id"
        return [JobRow(*values) for values in self._database.execute(query)]

    def delete(self, id: str) -> None:
        """Delete a job and its files."""
        self._database.execute("DELETE FROM jobs WHERE id = ?", [id])
        shutil.rmtree(self.job_folder(id), ignore_errors=True)

    def sweep(self) -> None:
        """Remove folders of jobs that were never accepted because the server was stopped."""
        known = {row.id for row in self.all()}
        for path in (self.folder / _JOBS).iterdir():
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)


def _make_private(folder: Path) -> None:
    """Remove the permissions of other users, also from files of an earlier server."""
    names = {path.name for path in folder.iterdir()}
    if names <= _OWN_FILES:
        # A folder that contains other files, such as /tmp, keeps its permissions.
        _restrict(folder, 0o700)
    (folder / _JOBS).mkdir(exist_ok=True, mode=0o700)
    _restrict(folder / _JOBS, 0o700)
    for name in {_LOCK, _DATABASE} - names:
        # SQLite gives its -wal and -shm files the same permissions as the database.
        os.close(os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600))
    for name in names & _OWN_FILES - {_JOBS}:
        _restrict(folder / name, 0o600)


def _restrict(path: Path, mode: int) -> None:
    try:
        if path.stat().st_mode & 0o777 & ~mode:
            path.chmod(mode)
    except OSError as error:  # a file of another user, or a file system without permissions
        _LOG.warning("other users may be able to read %s: %s", path, error.strerror or error)


def _prepare(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, _SCHEMA_VERSION):
        raise ServiceError(f"{_DATABASE} was written by another version of this program")
    database.execute(
        f"CREATE TABLE IF NOT EXISTS jobs ({', '.join(_COLUMNS)}, "
        "PRIMARY KEY (id), UNIQUE (owner, key))"
    )
    database.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")


def _lock(file: IO[str], folder: Path) -> None:
    try:
        lock(file)
    except BlockingIOError as error:
        raise ServiceError(
            f"{folder} can't be used: another server uses it; choose another folder with --data"
        ) from error
