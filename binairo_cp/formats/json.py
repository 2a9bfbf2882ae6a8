"""The JSON format: one record, a list of records, or an object with such a list in ``puzzles``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from pydantic_core import from_json

from binairo_cp.errors import FormatError
from binairo_cp.formats import records
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.formats.sources import Source
from binairo_cp.puzzle.rules import Rules


def read(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a document. It is read into memory as a whole.

    Raises:
        SourceError: the file can't be read, or is larger than `sources.MAX_DOCUMENT_BYTES`.
    """
    try:
        document = from_json(source.document())
    except ValueError as error:
        syntax_error = records.syntax_error(str(error), source.name, None)
        yield Entry(error=syntax_error, source=source.name, line=syntax_error.line)
        return
    if isinstance(document, dict):
        document = document.get("puzzles", [document])
    if not isinstance(document, list):
        message = "the document contains no records"
        expected = "a record, a list of records, or an object with a list of them under 'puzzles'"
        format_error = FormatError(message, source=source.name, expected=expected)
        yield Entry(error=format_error, source=source.name)
        return
    for number, record in enumerate(document, 1):
        validate = partial(PuzzleRecord.model_validate, record)
        yield records.entry(validate, default_rules, source.name, where=f"record {number}: ")


def write_all(entries: Iterable[Entry]) -> Iterator[str]:
    """Write a document: a list of records, one per line."""
    separator = "[\n"
    for entry in entries:
        yield separator + records.to_json(records.to_record(entry))
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"
