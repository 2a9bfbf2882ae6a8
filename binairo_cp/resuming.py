"""Results that grow in a file, so that a run that was ended anywhere goes on where it was.

While a run lasts, its records are appended to ``RESULTS.partial``, in the order of the input, and
``RESULTS.run`` says what run it is: what was asked, and of which files. There is a record for each
puzzle and a line for each record, so the number of complete lines is all that has to be known to go
on; a line that was torn is cut off. No other file has to agree with that one at every moment.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import IO, Any

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from binairo_cp.batch import Numbered
from binairo_cp.errors import SourceError
from binairo_cp.formats import SUFFIXES, Entry
from binairo_cp.formats.sources import expand, shown
from binairo_cp.outputs import PARTIAL
from binairo_cp.reports import Summary

RUN = ".run"
"""What the name of the file that tells of a run ends in."""


class RunRecord(BaseModel):
    """What a run is: it goes on only if all of this is as it was.

    Attributes:
        version: of this package.
        asked: the options of the task by name.
        inputs: the names of the files in order, with a SHA-256 of each; null for what is no file.
    """

    model_config = ConfigDict(extra="forbid")

    version: str
    asked: dict[str, str]
    inputs: list[tuple[str, str | None]]

    @classmethod
    def of(cls, asked: dict[str, str], sources: Iterable[str]) -> RunRecord:
        """Of a run that is to begin, or to go on.

        Raises:
            SourceError: a file can't be read.
        """
        names = [name for name in expand(sources, SUFFIXES) if isinstance(name, str)]
        inputs = [(shown(name), _hash(name)) for name in names]
        return cls(version=version("binairo-cp"), asked=asked, inputs=inputs)

    def difference(self, other: RunRecord) -> str:
        """What is not the same in another one, in words; empty if all is."""
        if self.version != other.version:
            return f"version {other.version} of this program, now it is {self.version}"
        for name, value in self.asked.items():
            if (before := other.asked.get(name)) != value:
                return f"{name} {before}, now it is {value}"
        mine, theirs = ([name for name, _ in each.inputs] for each in (self, other))
        if mine != theirs:
            return f"the files {', '.join(theirs)}, now it is {', '.join(mine)}"
        both = zip(self.inputs, other.inputs, strict=True)
        changed = [now[0] for now, before in both if now != before]
        return f"another {changed[0]}" if changed else ""


@dataclass
class Results:
    """The records of a run that are known, and where more of them go.

    Attributes:
        done: how many there are from before.
        last: the last of them.
    """

    path: Path
    done: int
    last: dict[str, Any] | None
    _file: IO[bytes]
    _sync: float
    _synced: float = field(default_factory=monotonic)

    def write(self, text: str) -> None:
        """Append records; they are in the hands of the system, and on the disk now and then."""
        self._file.write(text.encode())
        self._file.flush()
        if monotonic() - self._synced >= self._sync:
            os.fsync(self._file.fileno())
            self._synced = monotonic()

    def rest(self, blocks: Iterable[Numbered]) -> Iterator[Numbered]:
        """What is left to do of a run.

        Raises:
            SourceError: the last puzzle that was done is not what it was.
        """
        for given in blocks:
            done = self.done - given.before
            if done <= 0:
                yield given
            elif done >= len(given.block):
                if done == len(given.block):
                    self._compare(list(given.block)[-1])
            else:
                entries = list(given.block)
                self._compare(entries[done - 1])
                yield Numbered(self.done, entries[done:])

    def _compare(self, entry: Entry) -> None:
        last, self.last = self.last, None
        if last and (last.get("id"), last.get("line")) != (entry.id, entry.line):
            raise SourceError(
                str(self.path),
                f"can't go on: record {self.done} is of puzzle {last.get('id')!r}, "
                f"and the input has {entry.id!r} there",
            )


@contextmanager
def results(out: str, record: RunRecord, summary: Summary, sync: float) -> Iterator[Results]:
    """The results of a run, from its beginning or from where it was.

    Args:
        out: the file that has them in the end.
        record: what the run is.
        summary: is told what is known of those from before.
        sync: after so many seconds what was written is put on the disk; 0 for each block.

    Raises:
        SourceError: the file can't be written, or it is of another run.
    """
    path = Path(out).resolve()
    partial, run = Path(f"{path}{PARTIAL}"), Path(f"{path}{RUN}")
    _check(path, partial, run, record, out)
    try:
        # A run that is complete is read once more, to be told of again.
        known = path if path.exists() else partial
        with open(known, "rb+" if known.exists() else "wb+") as file:
            _lock(file, out)
            done, last = _take_stock(file, summary)
            if known == partial:
                _put(run, record)
            yield Results(path, done, last, file, sync)
            file.flush()
            os.fsync(file.fileno())
        if known == partial:
            partial.replace(path)
    except KeyboardInterrupt:
        print(f"binairo: stopped; --resume goes on from {out}{PARTIAL}", file=sys.stderr)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


def _check(path: Path, partial: Path, run: Path, record: RunRecord, out: str) -> None:
    """See to it that what there is, is of this run.

    Raises:
        SourceError: it is not.
    """
    if not run.exists():
        for there in (path, partial):
            if there.exists():
                raise SourceError(
                    out,
                    f"can't go on: {there.name} is there, and no {run.name} that says what run it "
                    "is of; expected another name for --out",
                )
        return
    try:
        before = RunRecord.model_validate_json(run.read_bytes())
    except (ValidationError, OSError) as error:
        raise SourceError(out, f"can't go on: {run.name} does not tell of a run") from error
    if said := record.difference(before):
        raise SourceError(out, f"can't go on: the run that was begun had {said}")


def _take_stock(file: IO[bytes], summary: Summary) -> tuple[int, dict[str, Any] | None]:
    """Count the complete records of a file and cut off what follows; the last of them."""
    done, end, last = 0, 0, None
    for line in file:
        # After a power failure there may be anything at the end.
        try:
            fields = orjson.loads(line) if line.endswith(b"\n") else None
        except orjson.JSONDecodeError:
            fields = None
        if fields is None:
            break
        summary.add_fields(fields)
        done, end, last = done + 1, end + len(line), fields
    file.seek(end)
    file.truncate()
    return done, last


def _lock(file: IO[bytes], out: str) -> None:
    """Let no other run append to a file while this one does; where the system has no locks, hope.

    Raises:
        SourceError: another run does.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise SourceError(out, "can't be written: another run writes it") from error


def _put(run: Path, record: RunRecord) -> None:
    """Write what a run is, all of it or nothing."""
    begun = Path(f"{run}{PARTIAL}")
    with open(begun, "wb") as file:
        file.write(record.model_dump_json(indent=1).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    begun.replace(run)


def _hash(name: str) -> str | None:
    # Standard input and pipes can be read only once, and what is not there is told when it is read.
    if not Path(name).is_file():
        return None
    try:
        with open(name, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(name, f"can't be read: {error.strerror or error}") from error
