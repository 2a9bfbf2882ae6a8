"""Results that grow in a file, so that a run that was ended anywhere goes on where it was.

While a run lasts, its records are appended to ``RESULTS.partial``, and ``RESULTS.run`` says what
run it is: what was asked, and of which files. There is a record for each puzzle and a line for each
record. So in the order of the input the number of complete lines is all that has to be known to go
on; a line that was torn is cut off, and no other file has to agree with that one at every moment.

A file of puzzles is known by its hash. Of input that can be read only once, each record is compared
with the puzzle in its place.

Records that are written as they come need a journal beside: ``RESULTS.done`` says which puzzles the
records up to a place in the file are of. It is written after they are on the disk, so that there
may be more records than it knows of, which are cut off, but never fewer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import IO, Any

import orjson
from pydantic import ValidationError

from binairo_cp.batch import matching
from binairo_cp.batch.intervals import IntervalSet
from binairo_cp.batch.pipeline import NumberedBlock, Part
from binairo_cp.batch.summaries import Summary
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import PARTIAL, open_binary_output, open_locked
from binairo_cp.formats.runs import DONE, RUN, RunRecord, forget


@dataclass(frozen=True, slots=True)
class _Names:
    """The files of a run: its results, complete or not, what run it is, and its journal."""

    path: Path
    partial: Path
    run: Path
    journal: Path

    @classmethod
    def of(cls, out: str) -> _Names:
        """The files of the results with a name.

        Raises:
            SourceError: it is the name of a folder or a device.
        """
        path = Path(out).resolve()
        if path.exists() and not path.is_file():
            raise SourceError(out or "--out", "can't be gone on with: it is no file")
        return cls(path, *(Path(f"{path}{ending}") for ending in (PARTIAL, RUN, DONE)))

    def current(self) -> Path:
        """The file that has the records, or will have them."""
        return self.path if _size(self.path) else self.partial


_NumberedFields = tuple[int, dict[str, Any]]
"""The fields of a record and how many puzzles come before its own."""


@dataclass
class Results:
    """The records of a run that are known, and where more of them go.

    Attributes:
        done: how many there are from before.
        complete: the file has its final name.
        ordered: the records are in the order of the puzzles.
    """

    done: int
    complete: bool
    ordered: bool
    _out: str
    _names: _Names
    _file: IO[bytes]
    _journal: IO[bytes] | None
    _known: IntervalSet
    _kept: Iterator[_NumberedFields]
    _sync: float
    _synced: float = field(default_factory=monotonic)
    _pending_journal: list[str] = field(default_factory=list)

    def write(self, part: Part) -> None:
        """Append the records of a part."""
        self.append(part.text, part.before, part.summary.total)

    def append(self, text: str, before: int = 0, count: int = 0) -> None:
        """Append records; they are in the hands of the system, and on the disk now and then.

        Args:
            text: the records.
            before: how many puzzles come before those that they are of.
            count: how many they are; both only matter where there is no order.

        Raises:
            SourceError: a file that was complete can't be gone on with.
        """
        if self.complete:
            self._reopen()
        self._file.write(text.encode())
        self._file.flush()
        if self._journal:
            self._pending_journal.append(f"{before} {count} {self._file.tell()}\n")
        if monotonic() - self._synced >= self._sync:
            self.sync()
            self._synced = monotonic()

    def _reopen(self) -> None:
        """Take the final name away from a file that is not complete any more: more input came."""
        path, partial = self._names.path, self._names.partial
        if _size(partial):
            raise SourceError(self._out, f"can't go on: {partial.name} is there too")
        if not self.ordered:
            # The journal, which said what its records are of, is gone.
            raise SourceError(self._out, f"can't go on: {path.name} has lost some records")
        path.replace(partial)
        self.complete = False

    def sync(self) -> None:
        """Put on the disk what was written, and then what is known of it."""
        os.fsync(self._file.fileno())
        if self._journal and self._pending_journal:
            self._journal.write("".join(self._pending_journal).encode())
            self._journal.flush()
            os.fsync(self._journal.fileno())
            self._pending_journal.clear()

    def records(self) -> Iterator[dict[str, Any]]:
        """The fields of those that are there."""
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield orjson.loads(self._file.readline())

    def remaining(self, blocks: Iterable[NumberedBlock]) -> Iterator[NumberedBlock]:
        """What is left to do of a run.

        Raises:
            SourceError: the puzzles that were done are not those of the input.
        """
        kept = next(self._kept, None)
        seen = 0
        for given in blocks:
            size = len(given.block)
            seen = given.before + size
            if not size:
                # A pipe gives nothing for now.
                yield given
                continue
            gaps = list(self._known.gaps(given.before, size))
            if gaps == [(given.before, size)]:
                yield given
                continue
            is_compared = kept is not None and kept[0] < seen
            entries = list(given.read()) if gaps or is_compared else []
            while kept and kept[0] < seen:
                self._compare(*kept, entries[kept[0] - given.before])
                kept = next(self._kept, None)
            for start, count in gaps:
                at = start - given.before
                yield NumberedBlock(start, entries[at : at + count])
        if seen < self._known.end:
            raise self._other_input(
                f"the input ends after {_quantity(seen, 'puzzle')}, "
                f"and there are {_quantity(self.done, 'record')} already"
            )

    def _compare(self, number: int, record: dict[str, Any], entry: Entry) -> None:
        names = matching.differing(record, entry)
        if not names:
            return
        kept = f"record {number + 1} ({record.get('id')!r})"
        if entry.error:
            raise self._other_input(
                f"in the place of {kept} the input has no puzzle ({entry.error})"
            )
        place = f" on line {entry.line}" if entry.line else ""
        raise self._other_input(
            f"{kept} and puzzle {entry.id!r}{place} of the input differ in {', '.join(names)}"
        )

    def _other_input(self, message: str) -> SourceError:
        hint = "expected the same input, or another --out"
        return SourceError(self._out, f"can't go on: {message}; {hint}")


@contextmanager
def open_results(
    out: str, describe: Callable[[], RunRecord], summary: Summary, sync: float, *, ordered: bool
) -> Iterator[Results]:
    """The results of a run, from its beginning or from where it was.

    Args:
        out: the file that has them in the end.
        describe: says what the run is. That may take long, so it is called only if no other run
            writes the file.
        summary: is told what is known of those from before.
        sync: after so many seconds what was written is put on the disk; 0 for each block.
        ordered: the records are in the order of the puzzles.

    Raises:
        SourceError: the file can't be written, or it is of another run.
    """
    names = _Names.of(out)
    try:
        with ExitStack() as stack:
            file = stack.enter_context(open_locked(names.current, out))
            stack.callback(_tidy, names, file)
            record = describe()
            _check(names, record, out)
            # A run that is complete is read once more, to be told of again.
            complete = _size(names.path) > 0
            journal = None
            if not ordered and not complete:
                journal = stack.enter_context(open(names.journal, "ab+"))
            intervals, done, last = _existing_records(file, journal, summary, out)
            if not complete:
                _write_run_record(names.run, record)
            kept: Iterator[_NumberedFields] = iter(())
            if ordered and last:
                kept = _records_to_compare(names.current(), done, last, every=record.has_streams)
            found = Results(
                done, complete, ordered, out, names, file, journal, intervals, kept, sync
            )
            yield found
            found.sync()
            if not found.complete:
                names.partial.replace(names.path)
            if not ordered:
                names.journal.unlink(missing_ok=True)
    except KeyboardInterrupt:
        if names.partial.exists():
            print(f"binairo: stopped; --resume goes on from {out}{PARTIAL}", file=sys.stderr)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


def _tidy(names: _Names, file: IO[bytes]) -> None:
    """Leave nothing behind of a run that ends before its first record; its lock is still held."""
    status = os.fstat(file.fileno())
    if status.st_size or not names.partial.exists():
        return
    if os.path.samestat(status, names.partial.stat()):
        forget(names.path)
        for name in (Path(f"{names.run}{PARTIAL}"), names.partial):
            name.unlink(missing_ok=True)


def _existing_records(
    file: IO[bytes], journal: IO[bytes] | None, summary: Summary, out: str
) -> tuple[IntervalSet, int, dict[str, Any] | None]:
    """Which puzzles have records, how many there are, and the last of these records.

    Raises:
        SourceError: the file does not have the records that it should have.
    """
    if journal is None:
        intervals = IntervalSet()
        done, last = _count_records(file, summary, None, out)
        intervals.add(0, done)
        return intervals, done, last
    intervals, end = _read_journal(journal, file)
    done, last = _count_records(file, summary, end, out)
    if file.tell() != end:
        raise SourceError(out, f"can't go on: {Path(str(file.name)).name} is damaged")
    return intervals, done, last


def _read_journal(journal: IO[bytes], file: IO[bytes]) -> tuple[IntervalSet, int]:
    """Which puzzles a journal tells of, and up to where in the file their records are."""
    intervals, end, read = IntervalSet(), 0, 0
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
        intervals.add(before, count)
        end, read = upto, read + len(line)
    journal.truncate(read)
    return intervals, end


def _check(names: _Names, record: RunRecord, out: str) -> None:
    """See to it that what there is, is of this run. An empty file is of none.

    Raises:
        SourceError: it is not.
    """
    there, run = names.current(), names.run
    has_records = _size(there) > 0
    if not run.exists():
        if not has_records:
            return
        raise SourceError(
            out,
            f"can't go on: {there.name} is there, and no {run.name} that says what run it "
            "is of; expected another name for --out",
        )
    try:
        before = RunRecord.model_validate_json(run.read_bytes())
    except (ValidationError, OSError) as error:
        raise SourceError(out, f"can't go on: {run.name} does not tell of a run") from error
    if has_records and (said := record.difference(before)):
        raise SourceError(out, f"can't go on: the run that was begun had {said}")


def _count_records(
    file: IO[bytes], summary: Summary, most: int | None, out: str
) -> tuple[int, dict[str, Any] | None]:
    """Count the complete records of a file and cut off what follows; the last of them.

    Args:
        file: the file.
        summary: is told of them.
        most: how many bytes of it are known to be good; None if that is to be seen.
        out: the name of the results, for errors.

    Raises:
        SourceError: there is something else than records.
    """
    done, end, last = 0, 0, None
    if most is not None:
        file.truncate(most)
    for line in file:
        # After a power failure there may be anything at the end.
        if not line.endswith(b"\n"):
            break
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            break
        try:
            summary.add_fields(fields)
        except ValidationError as error:
            name = Path(str(file.name)).name
            raise SourceError(
                out,
                f"can't go on: line {done + 1} of {name} is no result record; "
                "expected another --out, or a file without that line and those after it",
            ) from error
        done, end, last = done + 1, end + len(line), fields
    file.seek(end)
    file.truncate()
    return done, last


def _records_to_compare(
    path: Path, done: int, last: dict[str, Any], *, every: bool
) -> Iterator[_NumberedFields]:
    """The records to compare with the puzzles in their places: every one, or only the last."""
    if not every:
        yield done - 1, last
        return
    with open(path, "rb") as file:
        for number, line in enumerate(islice(file, done)):
            yield number, orjson.loads(line)


def _write_run_record(run: Path, record: RunRecord) -> None:
    """Write what a run is, all of it or nothing."""
    with open_binary_output(str(run)) as write:
        write(record.model_dump_json(indent=1).encode() + b"\n")


def _size(path: Path) -> int:
    """How many bytes a file has; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def _quantity(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
