"""Write results so that a run that was stopped at any time can be resumed.

During a run, records are appended to ``RESULTS.partial``. ``RESULTS.run`` describes the run: its
options and its input files. Records are in the order of the puzzles, one on each line. So the
number of complete lines determines where to resume. An incomplete last line is cut off. No second
file has to agree with the results at every moment.

Input files are identified by their hashes. For input that can be read only once, each record is
compared with the puzzle at its position.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import IO, Any

from pydantic import ValidationError

from binairo_cp.batch import tasks
from binairo_cp.batch.pipeline import NumberedBlock
from binairo_cp.batch.summaries import Summary
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import PARTIAL, Buffer, open_binary_output, open_locked
from binairo_cp.formats.runs import RunRecord, forget
from binairo_cp.formats.sources import RUN
from binairo_cp.json_library import orjson
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import rule_variants

_SECONDS_UNTIL_SYNC = 1.0
"""Seconds between flushes of the records to disk."""

_TOGETHER = 1 << 20
"""So many bytes of results are read at once."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The files of a run: its results, complete and partial, and its description."""

    path: Path
    partial: Path
    run: Path

    @classmethod
    def of(cls, out: str) -> _Names:
        """The files for results with the name `out`.

        Raises:
            SourceError: the name is that of a folder or a device.
        """
        path = Path(out).resolve()
        if path.exists() and not path.is_file():
            raise SourceError(out or "--out", "can't resume: not a regular file")
        return cls(path, *(Path(f"{path}{ending}") for ending in (PARTIAL, RUN)))

    def current(self) -> Path:
        """The file with the records; the partial one if there are none yet."""
        return self.path if _size(self.path) else self.partial


_NumberedFields = tuple[int, dict[str, Any]]
"""The number of puzzles before that of a record, and the fields of the record."""


@dataclass
class ResultFile:
    """The file of results of a run.

    Attributes:
        done: number of records from earlier runs.
        complete: whether the file has its final name.
    """

    done: int
    complete: bool
    _out: str
    _names: _Names
    _file: IO[bytes]
    _to_compare: Iterator[_NumberedFields]
    _synced: float = field(default_factory=monotonic)

    def append(self, data: Buffer) -> None:
        """Append records in UTF-8.

        They are flushed to the system at once, and to disk every second.

        Raises:
            SourceError: the file was complete and can't be extended.
        """
        if self.complete:
            # There is more input, so it gets the partial name again.
            path, partial = self._names.path, self._names.partial
            if _size(partial):
                raise SourceError(self._out, f"can't resume: {partial.name} exists too")
            path.replace(partial)
            self.complete = False
        self._file.write(data)
        self._file.flush()
        if monotonic() - self._synced >= _SECONDS_UNTIL_SYNC:
            self.sync()
            self._synced = monotonic()

    def sync(self) -> None:
        """Flush the records to disk."""
        os.fsync(self._file.fileno())

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
            before, seen = numbered.before, numbered.before + len(numbered.block)
            if before >= self.done or before == seen:
                # None of these has a record. A block without puzzles means that a pipe is silent.
                yield numbered
                continue
            is_compared = kept is not None and kept[0] < seen
            entries = list(numbered.block) if is_compared or seen > self.done else []
            while kept and kept[0] < seen:
                self._compare(*kept, entries[kept[0] - before])
                kept = next(self._to_compare, None)
            if seen > self.done:
                yield NumberedBlock(self.done, entries[self.done - before :])
        if seen < self.done:
            raise self._other_input(
                f"the input ends after {_quantity(seen, 'puzzle')}, "
                f"but there are {_quantity(self.done, 'record')} already"
            )

    def _compare(self, number: int, record: dict[str, Any], entry: Entry) -> None:
        if entry.puzzle:
            expected = _fields_of_puzzle(entry, entry.puzzle, record)
        else:
            absent = dict.fromkeys(("height", "width", "clues", "signs"))
            expected = absent | tasks.invalid(entry).to_dict()
        names = [name for name, value in expected.items() if record.get(name) != value]
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
    out: str, describe: Callable[[], RunRecord], summary: Summary
) -> Iterator[ResultFile]:
    """Open the results of a run, to begin or to resume it; the summary gets earlier records.

    To `describe` the run may take long, so this is called only after the file is locked.

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
            done, last = _count_records(file, summary, out)
            if not complete:
                with open_binary_output(str(names.run)) as write:
                    write(record.model_dump_json(indent=1).encode() + b"\n")
            kept: Iterator[_NumberedFields] = iter(())
            if last:
                kept = _records_to_compare(names.current(), done, last, every=record.has_streams)
            results = ResultFile(done, complete, out, names, file, kept)
            yield results
            results.sync()
            if not results.complete:
                names.partial.replace(names.path)
    except KeyboardInterrupt as error:
        if names.partial.exists():
            error.args = (f"stopped; use --resume to continue {out}{PARTIAL}",)
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


def _check(names: _Names, record: RunRecord, out: str) -> None:
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
    file: IO[bytes], summary: Summary, out: str
) -> tuple[int, dict[str, Any] | None]:
    """Count the complete records of a file, and cut off the rest. Also returns the last record.

    The summary gets the records.
    """
    done, end, last = 0, 0, None
    while lines := file.read(_TOGETHER) + file.readline():
        fields = whole_fields(lines[lines.rfind(b"\n", 0, -1) + 1 :])
        if fields is not None and summary.add_lines(lines):
            done, end, last = done + lines.count(b"\n"), end + len(lines), fields
            continue
        for line in BytesIO(lines):
            # After a power failure, the end of the file may be garbage.
            if (fields := whole_fields(line)) is None:
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
        else:
            continue
        break
    file.seek(end)
    file.truncate()
    return done, last


def whole_fields(line: bytes) -> Any:
    """The value of a line of JSON; None if the line is not whole."""
    if line.endswith(b"\n"):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(line) or {}  # an empty value is not a record either
    return None


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


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _quantity(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _fields_of_puzzle(entry: Entry, puzzle: Puzzle, record: dict[str, Any]) -> dict[str, Any]:
    """The fields that identify a puzzle, as they are in the JSON of its record."""
    board = puzzle.board
    expected: dict[str, Any] = {
        "id": entry.id or "",
        "source": entry.source,
        "line": entry.line,
        "height": board.height,
        "width": board.width,
        "clues": board.cells,
        "signs": [list(sign) for sign in puzzle.signs] or None,
    }
    # The rules of a record with two readings are those of the better one.
    puzzles = rule_variants(puzzle).values() if "readings" in record else [puzzle]
    rules = [puzzle.to_dict()["rules"] for puzzle in puzzles]
    expected["rules"] = record.get("rules") if record.get("rules") in rules else rules[0]
    return expected
