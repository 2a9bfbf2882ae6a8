"""Read the results of a job while they are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from binairo_cp.formats.output_files import PARTIAL
from binairo_cp.service.jobs.folder import RESULTS, DataFolder

_CHUNK = 1 << 16


class ResultReader:
    """Reads the complete lines of results, each once.

    If another process takes over a job, its file begins with the same results. So the reader then
    continues there, after the lines that it already knows.

    Args:
        folder: the data folder.
        id: the job.
        after: the number of lines to skip.
    """

    def __init__(self, folder: DataFolder, id: str, after: int) -> None:
        self._folder = folder
        self._id = id
        self._next = after
        """The number of the next line to return."""
        self._run: Path | None = None
        self._file: BinaryIO | None = None
        self._incomplete = b""
        self._position = 0
        """The number of the next line in the file."""

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()
            self._file = None

    def read(self, number: int) -> Iterator[bytes]:
        """The lines that were added since the last call, in chunks.

        Args:
            number: the number of the current run of the job.
        """
        run = self._folder.last_run(self._id, number)
        if run != self._run or self._file is None:
            self.close()
            self._run, self._incomplete, self._position = run, b"", 0
            self._file = _open(run) if run else None
        while self._file and (chunk := self._file.read(_CHUNK)):
            complete, _, self._incomplete = (self._incomplete + chunk).rpartition(b"\n")
            if complete and (lines := self._new_lines(complete + b"\n")):
                yield lines

    def _new_lines(self, complete: bytes) -> bytes:
        first, count = self._position, complete.count(b"\n")
        self._position += count
        if self._position <= self._next:
            return b""
        if first < self._next:
            complete = b"".join(complete.splitlines(keepends=True)[self._next - first :])
        self._next = self._position
        return complete


def _open(folder: Path) -> BinaryIO | None:
    for name in (RESULTS, f"{RESULTS}{PARTIAL}"):
        with suppress(OSError):
            return (folder / name).open("rb")
    return None
