"""Read result files: records with their positions, errors, and lookups in bounded memory."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from binairo_cp.batch.reports import printable
from binairo_cp.errors import BinairoError, FormatError, SourceError
from binairo_cp.formats import parquet, records
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.sources import expand, open_source, raw_lines, shown

MAX_RECORD_BYTES = 64 << 20
"""Maximum size of a record in bytes; enough for all steps of a 255x255 board."""

SUFFIXES = frozenset({".ndjson", ".jsonl", parquet.SUFFIX})
"""Endings of the files that are read from a folder."""

_BLANK = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EXPECTED = "a result record"
_MOST_SHOWN = 10
_CACHE_KIB = 64 << 10


class Stored(NamedTuple):
    """A record and its position in a file.

    Attributes:
        raw: its line of JSON, without the line end.
        number: the number of the line or row, from 1.
    """

    record: ResultRecord
    raw: bytes
    source: str
    number: int

    @property
    def place(self) -> str:
        return f"{self.source}:{self.number}"

    @classmethod
    def of(cls, raw: bytes, source: str, number: int) -> Stored:
        """Parse the record of a line.

        Raises:
            FormatError: the line is not a result record.
        """
        if len(raw) > MAX_RECORD_BYTES:
            message = f"a line of more than {MAX_RECORD_BYTES:,} bytes"
            raise FormatError(message, source=source, line=number, expected=_EXPECTED)
        try:
            record = ResultRecord.from_json(raw, strict=True)
            # Pydantic accepts NaN and numbers that are too large; orjson rejects them.
            orjson.loads(raw)
        except ValidationError as error:
            raise records.invalid(error, source, number, expected=_EXPECTED) from error
        except orjson.JSONDecodeError as error:
            message = f"invalid JSON: {error.msg}"
            raise FormatError(
                message, source=source, line=number, column=error.colno, expected=_EXPECTED
            ) from error
        return cls(record, raw, source, number)


def files(names: Iterable[str]) -> list[str | SourceError]:
    """The files for names, folders and patterns, in order; an error for each without files."""
    return list(expand(names, SUFFIXES))


def read(
    files: Iterable[str | SourceError], on_error: Callable[[BinairoError], object]
) -> Iterator[Stored]:
    """The records of files in order; skip lines that are not records, and report them.

    Args:
        files: their names; ``-`` is standard input.
        on_error: called with the error of each file or line that can't be read.
    """
    for name in files:
        try:
            if isinstance(name, SourceError):
                raise name
            for number, raw in _lines(name):
                try:
                    yield Stored.of(raw, shown(name), number)
                except FormatError as error:
                    on_error(error)
        except SourceError as error:
            on_error(error)


def _lines(name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers."""
    with open_source(name) as source:
        for piece in source.pieces(MAX_RECORD_BYTES):
            for number, raw in enumerate(raw_lines(piece), piece.number):
                if number == 1:
                    raw = raw.removeprefix(_BYTE_ORDER_MARK)
                if line := raw.strip(_BLANK):
                    yield number, line


@dataclass
class ReadErrors:
    """The number of errors. The first ones are printed to standard error."""

    total: int = 0

    def report(self, error: BinairoError) -> None:
        """Count an error; print it if it is one of the first."""
        self.total += 1
        if self.total <= _MOST_SHOWN:
            print(f"binairo: {printable(str(error))}", file=sys.stderr)

    def report_total(self) -> None:
        """Print the number of errors, if not all were printed."""
        if self.total > _MOST_SHOWN:
            print(f"binairo: {self.total} errors in total", file=sys.stderr)


class RaisedErrors(ReadErrors):
    """Raises the first error."""

    def report(self, error: BinairoError) -> None:
        """Raise an error."""
        raise error


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """An SQLite database that is always removed in the end.

    Up to 64 MiB are kept in memory. The rest is in an unnamed file in the folder for temporary
    files (``SQLITE_TMPDIR``, ``TMPDIR``).

    Raises:
        SourceError: the temporary folder is full.
    """
    try:
        # With an empty name, SQLite creates a temporary file and removes it.
        with closing(sqlite3.connect("", isolation_level=None)) as opened:
            opened.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            for pragma in ("journal_mode = OFF", "synchronous = OFF"):
                opened.execute(f"PRAGMA {pragma}")
            opened.execute("BEGIN")
            yield opened
    except sqlite3.Error as error:
        raise SourceError("the temporary folder", f"can't be written: {error}") from error
