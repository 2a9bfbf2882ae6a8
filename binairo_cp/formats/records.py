"""Records of puzzles in JSON (`schema.PuzzleRecord`): one on each line (NDJSON), or a document.

A document is a record, a list of records, or an object with such a list in ``puzzles``. `shapes`
reads what other programs write in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from binairo_cp.errors import BinairoError, FormatError, LimitError, SourceError, UnsureError
from binairo_cp.formats import free_text, shapes
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import AUTOMATIC, Choices, Entry, level_of
from binairo_cp.formats.results import ErrorRecord
from binairo_cp.formats.schema import PictureRecord, PuzzleRecord, entry, syntax_error
from binairo_cp.formats.sources import Source, TextLine, text_source
from binairo_cp.puzzle.rules import Puzzle, Rules

_JSON = re.compile(rb'\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|null|true|false|$))')
"""The beginning of a text that is meant to be JSON."""


class _InvalidResult(BaseModel):
    """The result record of an invalid puzzle."""

    id: str | None = None
    verdict: Literal["invalid"]
    error: ErrorRecord
    picture: PictureRecord | None = None

    def error_of(self, source: str) -> BinairoError:
        kind, message = self.error.kind, self.error.message
        if kind == LimitError.kind:
            return LimitError(message)
        for known in (SourceError, UnsureError):
            if kind == known.kind:
                return known(source, message)
        return FormatError(message, source=source, line=self.error.line, column=self.error.column)


def read_line(
    line: TextLine, source: str, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Entry:
    """Parse a line of NDJSON. The result record of an invalid puzzle yields its error."""
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    validate = partial(PuzzleRecord.model_validate_json, line.text)
    found = entry(validate, default_rules, source, line=line.number)
    if found.puzzle:
        return found
    try:
        record = from_json(line.text)
    except ValueError:
        return found
    if shapes.is_free(record):
        return shapes.entry_of(record, default_rules, source, choices, line=line.number)
    try:
        result = _InvalidResult.model_validate_json(line.text)
    except ValidationError:
        return found
    return replace(found, error=result.error_of(source), id=result.id, picture=result.picture)


RECORDS = LineFormat("ndjson", read_line, comment=None, usual=b"{")


def read_all(
    source: Source, default_rules: Rules | None, choices: Choices
) -> Iterator[Entry | None]:
    """The records of lines of which the user knows more than the format."""
    for line in source.lines():
        if line is None:
            yield None
        elif not RECORDS.passes_over(line):
            yield read_line(line, source.name, default_rules, choices)


def write(entry: Entry) -> str:
    """Write a puzzle as a record on one line."""
    return to_json(to_record(entry)) + "\n"


def to_record(entry: Entry) -> PuzzleRecord:
    """The record of an entry that has a puzzle."""
    record = PuzzleRecord.of(cast("Puzzle", entry.puzzle), entry.id)
    record.picture = entry.picture
    return record


def to_json(record: PuzzleRecord) -> str:
    """A record as one line of JSON without absent fields."""
    absent = {name for name in ("id", "distinct_lines", "picture") if getattr(record, name) is None}
    return record.model_dump_json(exclude=absent | (set() if record.signs else {"signs"}))


def read_document(
    source: Source, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Iterator[Entry | None]:
    """The puzzles of a document. It is read into memory as a whole.

    Raises:
        SourceError: the file can't be read, or is larger than `sources.MAX_DOCUMENT_BYTES`.
    """
    data, name = source.document(), source.name
    try:
        document = from_json(data)
    except ValueError as error:
        found = list(_without_brackets(data, name, default_rules, choices))
        if found and (all(one.puzzle for one in found) or not _JSON.match(data)):
            yield from found
            return
        fault = syntax_error(str(error), name, None)
        yield Entry(error=fault, source=name, line=fault.line)
        return
    if shapes.is_board(document):
        yield shapes.entry_of(document, default_rules, name, choices, line=1)
        return
    if isinstance(document, dict):
        document = document.get("puzzles", [document])
    if not isinstance(document, list):
        message = "the document contains no records"
        expected = "a record, a list of records, or an object with a list of them under 'puzzles'"
        yield Entry(error=FormatError(message, source=name, expected=expected), source=name)
        return
    for number, record in enumerate(document, 1):
        where = f"record {number}: "
        if shapes.is_free(record) or isinstance(record, str):
            yield shapes.entry_of(record, default_rules, name, choices, where=where)
        else:
            validate = partial(PuzzleRecord.model_validate, record)
            level = level_of(record) if isinstance(record, dict) else None
            yield replace(entry(validate, default_rules, name, where=where), level=level)


def _without_brackets(
    data: bytes, name: str, default_rules: Rules | None, choices: Choices
) -> Iterator[Entry]:
    """The puzzle of rows that lack the outer brackets, or that a program printed."""
    try:
        document = from_json(b"[" + data.strip().removesuffix(b",") + b"]")
    except ValueError:
        found = free_text.read(text_source(name, data), default_rules, choices)
        yield from filter(None, found)
        return
    if shapes.is_board(document):
        yield shapes.entry_of(document, default_rules, name, choices, line=1)


def write_document(entries: Iterable[Entry]) -> Iterator[str]:
    """Write a document: a list of records, one per line."""
    separator = "[\n"
    for given in entries:
        yield separator + to_json(to_record(given))
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"
