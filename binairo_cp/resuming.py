"""Results that grow in a file, so that a run that was ended anywhere goes on where it was.

While a run lasts, its records are appended to ``RESULTS.partial``, and ``RESULTS.run`` says what
run it is: what was asked, and of which files. There is a record for each puzzle and a line for each
record. So in the order of the input the number of complete lines is all that has to be known to go
on; a line that was torn is cut off, and no other file has to agree with that one at every moment.

Records that are written as they come need a journal beside: ``RESULTS.done`` says which puzzles the
records up to a place in the file are of. It is written after they are on the disk, so that there
may be more records than it knows of, which are cut off, but never fewer.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import IO, Any

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from binairo_cp.batch import Numbered, Part
from binairo_cp.errors import SourceError
from binairo_cp.formats import SUFFIXES, Entry
from binairo_cp.formats.sources import expand, shown
from binairo_cp.outputs import PARTIAL
from binairo_cp.spans import Spans
from binairo_cp.summaries import Summary

RUN = ".run"
"""What the name of the file that tells of a run ends in."""

DONE = ".done"
"""What the name of the journal of a run without order ends in."""


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
        last: the last of them, where they are in the order of the puzzles.
    """

    path: Path
    done: int
    last: dict[str, Any] | None
    _file: IO[bytes]
    _journal: IO[bytes] | None
    _known: Spans
    _sync: float
    _synced: float = field(default_factory=monotonic)
    _unsaid: list[str] = field(default_factory=list)

    def write(self, part: Part) -> None:
        """Append the records of a part."""
        self.append(part.text, part.before, part.summary.total)

    def append(self, text: str, before: int = 0, count: int = 0) -> None:
        """Append records; they are in the hands of the system, and on the disk now and then.

        Args:
            text: the records.
            before: how many puzzles come before those that they are of.
            count: how many they are; both only matter where there is no order.
        """
        self._file.write(text.encode())
        self._file.flush()
        if self._journal:
            self._unsaid.append(f"{before} {count} {self._file.tell()}\n")
        if monotonic() - self._synced >= self._sync:
            self.sync()
            self._synced = monotonic()

    def sync(self) -> None:
        """Put on the disk what was written, and then what is known of it."""
        os.fsync(self._file.fileno())
        if self._journal and self._unsaid:
            self._journal.write("".join(self._unsaid).encode())
            self._journal.flush()
            os.fsync(self._journal.fileno())
            self._unsaid.clear()

    def records(self) -> Iterator[dict[str, Any]]:
        """The fields of those that are there."""
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield orjson.loads(self._file.readline())

    def rest(self, blocks: Iterable[Numbered]) -> Iterator[Numbered]:
        """What is left to do of a run.

        Raises:
            SourceError: the last puzzle that was done is not what it was.
        """
        for given in blocks:
            size = len(given.block)
            gaps = list(self._known.gaps(given.before, size))
            place = self.done - given.before
            if self.last and 0 < place <= size:
                self._compare(list(given.read())[place - 1])
            if gaps == [(given.before, size)]:
                yield given
                continue
            entries = list(given.read()) if gaps else []
            for start, count in gaps:
                at = start - given.before
                yield Numbered(start, entries[at : at + count])

    def _compare(self, entry: Entry) -> None:
        last, self.last = self.last, None
        if last and (last.get("id"), last.get("line")) != (entry.id, entry.line):
            raise SourceError(
                str(self.path),
                f"can't go on: record {self.done} is of puzzle {last.get('id')!r}, "
                f"and the input has {entry.id!r} there",
            )


@contextmanager
def results(
    out: str, record: RunRecord, summary: Summary, sync: float, *, ordered: bool
) -> Iterator[Results]:
    """The results of a run, from its beginning or from where it was.

    Args:
        out: the file that has them in the end.
        record: what the run is.
        summary: is told what is known of those from before.
        sync: after so many seconds what was written is put on the disk; 0 for each block.
        ordered: the records are in the order of the puzzles.

    Raises:
        SourceError: the file can't be written, or it is of another run.
    """
    path = Path(out).resolve()
    partial, run = Path(f"{path}{PARTIAL}"), Path(f"{path}{RUN}")
    _check(path, partial, run, record, out)
    try:
        with ExitStack() as stack:
            # A run that is complete is read once more, to be told of again.
            known = path if path.exists() else partial
            file = stack.enter_context(open(known, "rb+" if known.exists() else "wb+"))
            _lock(file, out)
            journal = None
            if not ordered and known == partial:
                journal = stack.enter_context(open(f"{path}{DONE}", "ab+"))
            spans, end = _said(journal, file) if journal else (Spans(), None)
            done, last = _take_stock(file, summary, end)
            if journal is None:
                spans.add(0, done)
            elif file.tell() != end:
                raise SourceError(out, f"can't go on: {known.name} is damaged")
            if known == partial:
                _put(run, record)
            found = Results(path, done, last if ordered else None, file, journal, spans, sync)
            yield found
            found.sync()
        if known == partial:
            partial.replace(path)
            Path(f"{path}{DONE}").unlink(missing_ok=True)
    except KeyboardInterrupt:
        print(f"binairo: stopped; --resume goes on from {out}{PARTIAL}", file=sys.stderr)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


def _said(journal: IO[bytes], file: IO[bytes]) -> tuple[Spans, int]:
    """Which puzzles a journal tells of, and up to where in the file their records are."""
    spans, end, read = Spans(), 0, 0
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    journal.seek(0)
    for line in journal:
        try:
            before, count, upto = map(int, line.split())
        except ValueError:
            break
        if not line.endswith(b"\n") or not end <= upto <= size:
            break
        spans.add(before, count)
        end, read = upto, read + len(line)
    journal.truncate(read)
    return spans, end


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


def _take_stock(
    file: IO[bytes], summary: Summary, most: int | None
) -> tuple[int, dict[str, Any] | None]:
    """Count the complete records of a file and cut off what follows; the last of them.

    Args:
        file: the file.
        summary: is told of them.
        most: how many bytes of it are known to be good; None if that is to be seen.
    """
    done, end, last = 0, 0, None
    if most is not None:
        file.truncate(most)
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
