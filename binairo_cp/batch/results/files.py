"""Read result records from NDJSON, also compressed, and from Parquet, with their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from binairo_cp.errors import BinairoError, FormatError, SourceError
from binairo_cp.formats import parquet, records
from binairo_cp.formats.schema import ResultRecord
from binairo_cp.formats.sources import expand, open_source, raw_lines, shown

MAX_RECORD_BYTES = 64 << 20
"""Maximum size of a record in bytes; enough for all steps of a 255x255 board."""

SUFFIXES = frozenset({".ndjson", ".jsonl", parquet.SUFFIX})
"""Endings of the files that are read from a folder."""

_BLANK = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EXPECTED = "a result record"


class Stored(NamedTuple):
    """A record and its position in a file.

    Attributes:
        record: the record.
        raw: its line of JSON, without the line end.
        source: the name of the file.
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
            record = ResultRecord.model_validate_json(raw, strict=True)
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
    """The lines of a file that are not blank, with their numbers.

    Raises:
        SourceError: the file can't be read.
    """
    with open_source(name) as source:
        for piece in source.pieces(MAX_RECORD_BYTES):
            for number, raw in enumerate(raw_lines(piece), piece.number):
                if number == 1:
                    raw = raw.removeprefix(_BYTE_ORDER_MARK)
                if line := raw.strip(_BLANK):
                    yield number, line
