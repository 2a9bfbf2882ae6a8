"""The folder with the inputs and results of jobs.

The files of a job are in ``jobs/ID``: its input, and a folder ``run-N`` for the results of a run.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO

from binairo_cp.errors import ServiceError
from binairo_cp.formats.output_files import PARTIAL, lock
from binairo_cp.formats.sources import RUN

DATABASE = "jobs.sqlite"
RESULTS = "results.ndjson"
_LOCK, _JOBS, _ID = "lock", "jobs", "folder-id"
_VERSION = "version"
"""The file of a run with the version of the package that writes its results."""

_RESERVE, _RESERVE_BYTES = "reserve", 1 << 18
"""A file that is given up when the disk is full, so that the database can be opened."""

_LEAST_FREE = 4 * _RESERVE_BYTES
"""With less free space than this, no job starts."""

_MIN_AGE = 3_600.0
"""Seconds after which a folder without a job is not that of a request that is still arriving."""

_CHUNK = 1 << 16


class DataFolder:
    """The folder with the files of jobs. Servers with a common database share it.

    Only its owner can read the files: jobs contain the puzzles and the idempotency keys of all
    clients.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self) -> None:
        """Create the folder if it does not exist.

        A folder that is there, such as /tmp, keeps its permissions, but what is created in it is
        private.

        Raises:
            OSError: the folder can't be used.
        """
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.path / _JOBS).mkdir(exist_ok=True, mode=0o700)

    def reserve(self) -> None:
        """Keep some space for a full disk, unless little is left."""
        path = self.path / _RESERVE
        with suppress(OSError):
            if not path.exists() and not self.is_full():
                with open_private(path, "wb") as file:
                    file.write(bytes(_RESERVE_BYTES))

    def is_full(self) -> bool:
        """Whether the disk has no room for the results of a job."""
        return shutil.disk_usage(self.path).free < _LEAST_FREE

    def size(self, ids: Iterable[str] | None = None) -> int:
        """The bytes of the files of some jobs, or of all."""
        folder = self.path / _JOBS
        roots = [folder] if ids is None else [folder / id for id in ids]
        total = 0
        # Other servers and jobs rename and delete folders meanwhile. os.walk passes over those that
        # are gone, where Path.rglob raises an error.
        for parent, folders, files in chain.from_iterable(map(os.walk, roots)):
            for name in folders + files:
                with suppress(OSError):
                    total += os.lstat(os.path.join(parent, name)).st_size
        return total

    def give_up_reserve(self) -> bool:
        """Free the space that was kept, if the disk is full; returns whether there was any."""
        with suppress(OSError):
            if shutil.disk_usage(self.path).free < _RESERVE_BYTES:
                (self.path / _RESERVE).unlink()
                return True
        return False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Refuse other servers.

        Raises:
            ServiceError: another server uses the folder.
        """
        with open_private(self.path / _LOCK, "w") as file:
            try:
                lock(file)
            except BlockingIOError as error:
                raise ServiceError(
                    f"{self.path} can't be used: another server uses it; choose another folder "
                    "with --data, or let servers share jobs with --database"
                ) from error
            yield

    def id(self, known: str | None) -> str:
        """The id of this folder, which tells whether servers share it.

        `known` is the id in the database; None if it has none yet.
        """
        path = self.path / _ID
        with suppress(FileNotFoundError):
            return path.read_text().strip()
        if known:
            return ""
        id = secrets.token_hex(12)
        # On a full disk, a part of the id must not look like the id of another folder.
        partial = path.with_suffix(".partial")
        with open_private(partial, "w") as file:
            file.write(id + "\n")
        partial.replace(path)
        return id

    def job(self, id: str) -> Path:
        """The folder of a job."""
        return self.path / _JOBS / id

    def run(self, id: str, number: int) -> Path:
        """The folder with the results of one run of a job."""
        return self.job(id) / f"run-{number}"

    def start_run(self, id: str, number: int, version: str) -> Path:
        """Create the folder of a run of a job, with the results of the run before.

        The results are copied: a process of the earlier run that still writes, on a machine that
        lost its connection, does not disturb this one. If another `version` of this package wrote
        them, they may differ from those of this one, so the run begins without results.
        """
        folder = self.run(id, number)
        partial = folder.with_name(f"{folder.name}.copy")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        earlier = self.last_run(id, number - 1)
        try:
            with suppress(FileNotFoundError):
                if earlier and (earlier / _VERSION).read_text() == version:
                    # What describes the results is there before and, on success, after them.
                    paths = earlier.glob(f"{RESULTS}*")
                    for path in sorted(paths, key=lambda path: not path.name.endswith(RUN)):
                        shutil.copyfile(path, partial / path.name)
            (partial / _VERSION).write_text(version)
            partial.rename(folder)
        except OSError:  # such as a full disk, where the copy would take the rest
            shutil.rmtree(partial, ignore_errors=True)
            raise
        for path in self.job(id).glob("run-*"):
            if path != folder:
                shutil.rmtree(path, ignore_errors=True)
        return folder

    def last_run(self, id: str, number: int) -> Path | None:
        """The folder of the last run up to a number; None if there is none."""
        folders = (self.run(id, k) for k in range(number, 0, -1))
        return next((folder for folder in folders if folder.exists()), None)

    def delete(self, id: str) -> None:
        """Delete the files of a job."""
        shutil.rmtree(self.job(id), ignore_errors=True)

    def sweep(self, known: Container[str]) -> None:
        """Remove old folders that belong to no job because the server was stopped in a request."""
        oldest = time.time() - _MIN_AGE
        for path in (self.path / _JOBS).iterdir():
            with suppress(OSError):
                if path.name not in known and path.stat().st_mtime < oldest:
                    shutil.rmtree(path, ignore_errors=True)


def open_private(path: Path, mode: str) -> IO[Any]:
    """Open a file that only this user can read if it is new."""
    return open(path, mode, opener=partial(os.open, mode=0o600))


class ResultReader:
    """Reads the complete lines of the results of a job, each once, without the first `after` ones.

    If another process takes over a job, its file begins with the same results. So the reader then
    continues there, after the lines that it already knows.
    """

    def __init__(self, folder: DataFolder, id: str, after: int) -> None:
        self._folder = folder
        self._id = id
        self._next = after
        """The number of the next line to return."""
        self._run: Path | None = None
        self._file: BinaryIO | None = None
        self._position = 0
        """The number of the next line in the file."""

    def close(self) -> None:
        if self._file:
            self._file.close()
            self._file = None

    def read(self, number: int) -> Iterator[bytes]:
        """The lines that were added since the last call, in chunks; `number` is the last run."""
        run = self._folder.last_run(self._id, number)
        if run != self._run or self._file is None:
            self.close()
            self._run, self._position = run, 0
            self._file = _open(run) if run else None
        for lines in _complete_lines(self._file) if self._file else ():
            first, self._position = self._position, self._position + lines.count(b"\n")
            if first < self._next < self._position:
                lines = b"".join(lines.splitlines(keepends=True)[self._next - first :])
            if self._next < self._position:
                self._next = self._position
                yield lines


def _open(folder: Path) -> BinaryIO | None:
    for name in (RESULTS, f"{RESULTS}{PARTIAL}"):
        with suppress(OSError):
            return (folder / name).open("rb", buffering=0)
    return None


def _complete_lines(file: BinaryIO) -> Iterator[bytes]:
    """Read complete lines in chunks. A last line that is not complete is left in the file.

    It may be cut off and written again, by the process of the next run.
    """
    size = _CHUNK
    while chunk := file.read(size):
        end = chunk.rfind(b"\n") + 1
        file.seek(end - len(chunk), os.SEEK_CUR)
        if end:
            yield chunk[:end]
        elif len(chunk) < size:
            return
        size = _CHUNK if end else 2 * size


def user_folder() -> Path:
    """The folder for user data, by the XDG base directory specification."""
    given = os.environ.get("XDG_DATA_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local/share"
    return base / "binairo"
