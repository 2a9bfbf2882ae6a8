"""Write results so that a run that was stopped at any time can be resumed.

During a run, records are appended to ``RESULTS.partial``. ``RESULTS.run`` describes the run: its
options and its input files. Each puzzle has one record, and each record is one line. With ordered
results, the number of complete lines therefore determines where to resume. An incomplete last line
is cut off. No second file has to agree with the results at every moment.

Input files are identified by their hashes. For input that can be read only once, each record is
compared with the puzzle at its position.

Unordered results need a journal: ``RESULTS.done`` says which puzzles have records up to a position
in the file. It is written after these records are on disk. So the file may have more records than
the journal, which are cut off, but never fewer.
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
from binairo_cp.batch.blocks import NumberedBlock
from binairo_cp.batch.intervals import IntervalSet
from binairo_cp.batch.pipeline import Part
from binairo_cp.batch.summaries import Summary
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import (
    DONE,
    PARTIAL,
    RUN,
    Buffer,
    open_binary_output,
    open_locked,
)
from binairo_cp.formats.runs import RunRecord, forget


@dataclass(frozen=True, slots=True)
class _Names:
    """The files of a run: its results, complete and partial, its description, and its journal."""

    path: Path
    partial: Path
    run: Path
    journal: Path

    @classmethod
    def of(cls, out: str) -> _Names:
        """The files for results with the name `out`.

        Raises:
            SourceError: the name is that of a folder or a device.
        """
        path = Path(out).resolve()
        if path.exists() and not path.is_file():
            raise SourceError(out or "--out", "can't resume: not a regular file")
        return cls(path, *(Path(f"{path}{ending}") for ending in (PARTIAL, RUN, DONE)))

    def current(self) -> Path:
        """The file with the records; the partial one if there are none yet."""
        return self.path if _size(self.path) else self.partial


_NumberedFields = tuple[int, dict[str, Any]]
"""The number of puzzles before that of a record, and the fields of the record."""


@dataclass
class Results:
    """The file of results of a run.

    Attributes:
        done: number of records from earlier runs.
        complete: whether the file has its final name.
        ordered: whether the records are in the order of the puzzles.
    """

    done: int
    complete: bool
    ordered: bool
    _out: str
    _names: _Names
    _file: IO[bytes]
    _journal: IO[bytes] | None
    _finished: IntervalSet
    _to_compare: Iterator[_NumberedFields]
    _sync: float
    _synced: float = field(default_factory=monotonic)
    _pending_journal: list[str] = field(default_factory=list)

    def write(self, part: Part) -> None:
        """Append the records of a part."""
        self.append(part.data, part.before, part.summary.total)

    def append(self, data: Buffer, before: int = 0, count: int = 0) -> None:
        """Append records. They are flushed to the system at once, and to disk every few seconds.

        Args:
            data: the records in UTF-8.
            before: the number of puzzles before those of the records.
            count: the number of records. Both are needed only for unordered results.

        Raises:
            SourceError: the file was complete and can't be extended.
        """
        if self.complete:
            self._reopen()
        self._file.write(data)
        self._file.flush()
        if self._journal:
            self._pending_journal.append(f"{before} {count} {self._file.tell()}\n")
        if monotonic() - self._synced >= self._sync:
            self.sync()
            self._synced = monotonic()

    def _reopen(self) -> None:
        """Rename the complete file to the partial name, since there is more input."""
        path, partial = self._names.path, self._names.partial
        if _size(partial):
            raise SourceError(self._out, f"can't resume: {partial.name} exists too")
        if not self.ordered:
            # The journal, which says which puzzles have records, was removed.
            raise SourceError(self._out, f"can't resume: {path.name} has lost some records")
        path.replace(partial)
        self.complete = False

    def sync(self) -> None:
        """Flush the records to disk, and then the journal."""
        os.fsync(self._file.fileno())
        if self._journal and self._pending_journal:
            self._journal.write("".join(self._pending_journal).encode())
            self._journal.flush()
            os.fsync(self._journal.fileno())
            self._pending_journal.clear()

    def records(self) -> Iterator[dict[str, Any]]:
        """The fields of all records in the file."""
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield orjson.loads(self._file.readline())

    def remaining(self, blocks: Iterable[NumberedBlock]) -> Iterator[NumberedBlock]:
        """The puzzles without records.

        Raises:
            SourceError: the records do not belong to the puzzles of the input.
        """
        kept = next(self._to_compare, None)
        seen = 0
        for numbered in blocks:
            size = len(numbered.block)
            seen = numbered.before + size
            if not size:
                # A pipe is silent for now.
                yield numbered
                continue
            gaps = list(self._finished.gaps(numbered.before, size))
            if gaps == [(numbered.before, size)]:
                yield numbered
                continue
            is_compared = kept is not None and kept[0] < seen
            entries = list(numbered.read()) if gaps or is_compared else []
            while kept and kept[0] < seen:
                self._compare(*kept, entries[kept[0] - numbered.before])
                kept = next(self._to_compare, None)
            for start, count in gaps:
                at = start - numbered.before
                yield NumberedBlock(start, entries[at : at + count])
        if seen < self._finished.end:
            raise self._other_input(
                f"the input ends after {_quantity(seen, 'puzzle')}, "
                f"but there are {_quantity(self.done, 'record')} already"
            )

    def _compare(self, number: int, record: dict[str, Any], entry: Entry) -> None:
        names = matching.differing(record, entry)
        if not names:
            return
        name = f"record {number + 1} ({record.get('id')!r})"
        if entry.error:
            raise self._other_input(
                f"at the position of {name}, the input has no puzzle ({entry.error})"
            )
        place = f" on line {entry.line}" if entry.line else ""
        raise self._other_input(
            f"{name} and puzzle {entry.id!r}{place} of the input differ in {', '.join(names)}"
        )

    def _other_input(self, message: str) -> SourceError:
        hint = "use the same input, or another --out"
        return SourceError(self._out, f"can't resume: {message}; {hint}")


@contextmanager
def open_results(
    out: str, describe: Callable[[], RunRecord], summary: Summary, sync: float, *, ordered: bool
) -> Iterator[Results]:
    """Open the results of a run, to begin or to resume it.

    Args:
        out: the final name of the file.
        describe: returns the description of the run. This may take long, so it is called only
            after the file is locked.
        summary: gets the records of earlier runs.
        sync: flush records to disk every `sync` seconds; 0 for every block.
        ordered: whether records are written in the order of the puzzles.

    Raises:
        SourceError: the file can't be written, or it belongs to another run.
    """
    names = _Names.of(out)
    try:
        with ExitStack() as stack:
            file = stack.enter_context(open_locked(names.current, out))
            stack.callback(_tidy, names, file)
            record = describe()
            _check(names, record, out)
            # The records of a complete run are read again for its summary.
            complete = bool(_size(names.path))
            journal = None
            if not ordered and not complete:
                journal = stack.enter_context(open(names.journal, "ab+"))
            intervals, done, last = _existing_records(file, journal, summary, out)
            if not complete:
                _write_run_record(names.run, record)
            kept: Iterator[_NumberedFields] = iter(())
            if ordered and last:
                kept = _records_to_compare(names.current(), done, last, every=record.has_streams)
            results = Results(
                done, complete, ordered, out, names, file, journal, intervals, kept, sync
            )
            yield results
            results.sync()
            if not results.complete:
                names.partial.replace(names.path)
            if not ordered:
                names.journal.unlink(missing_ok=True)
    except KeyboardInterrupt:
        if names.partial.exists():
            print(f"binairo: stopped; use --resume to continue {out}{PARTIAL}", file=sys.stderr)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


def _tidy(names: _Names, file: IO[bytes]) -> None:
    """Remove the files of a run that ends before its first record. The lock is still held."""
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
    """Which puzzles have records, the number of records, and the last record.

    Raises:
        SourceError: the file lacks records of the journal, or has other lines.
    """
    if journal is None:
        intervals = IntervalSet()
        done, last = _count_records(file, summary, None, out)
        intervals.add(0, done)
        return intervals, done, last
    intervals, end = _read_journal(journal, file)
    done, last = _count_records(file, summary, end, out)
    if file.tell() != end:
        raise SourceError(out, f"can't resume: {Path(str(file.name)).name} is damaged")
    return intervals, done, last


def _read_journal(journal: IO[bytes], file: IO[bytes]) -> tuple[IntervalSet, int]:
    """Read a journal: which puzzles have records, and the position after these records."""
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
    """Check that existing records belong to this run.

    Raises:
        SourceError: they belong to another run, or their run is unknown.
    """
    existing, run = names.current(), names.run
    has_records = _size(existing) > 0
    if not run.exists():
        if not has_records:
            return
        raise SourceError(
            out,
            f"can't resume: {existing.name} exists without {run.name}, which describes its run; "
            "use another --out",
        )
    try:
        before = RunRecord.model_validate_json(run.read_bytes())
    except (ValidationError, OSError) as error:
        raise SourceError(out, f"can't resume: {run.name} does not describe a run") from error
    if has_records and (change := record.difference(before)):
        raise SourceError(out, f"can't resume: the earlier run had {change}")


def _count_records(
    file: IO[bytes], summary: Summary, good_bytes: int | None, out: str
) -> tuple[int, dict[str, Any] | None]:
    """Count the complete records of a file, and cut off the rest. Also returns the last record.

    Args:
        file: the file.
        summary: gets the records.
        good_bytes: the size of the part with complete records; None if it is unknown.
        out: the name of the results, for errors.

    Raises:
        SourceError: a line is not a result record.
    """
    done, end, last = 0, 0, None
    if good_bytes is not None:
        file.truncate(good_bytes)
    for line in file:
        # After a power failure, the end of the file may be garbage.
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
                f"can't resume: line {done + 1} of {name} is not a result record; "
                "use another --out, or remove that line and those after it",
            ) from error
        done, end, last = done + 1, end + len(line), fields
    file.seek(end)
    file.truncate()
    return done, last


def _records_to_compare(
    path: Path, done: int, last: dict[str, Any], *, every: bool
) -> Iterator[_NumberedFields]:
    """The records to compare with the puzzles at their positions: all, or only the last."""
    if not every:
        yield done - 1, last
        return
    with open(path, "rb") as file:
        for number, line in enumerate(islice(file, done)):
            yield number, orjson.loads(line)


def _write_run_record(run: Path, record: RunRecord) -> None:
    """Write the description of a run atomically."""
    with open_binary_output(str(run)) as write:
        write(record.model_dump_json(indent=1).encode() + b"\n")


def _size(path: Path) -> int:
    """The size of a file in bytes; 0 if it does not exist."""
    return path.stat().st_size if path.exists() else 0


def _quantity(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
