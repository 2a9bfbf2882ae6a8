"""The JSON format: a record, a list of records, or an object with such a list in ``puzzles``.

Boards in other shapes are read as described in `free_records`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from pydantic_core import from_json

from binairo_cp.errors import FormatError
from binairo_cp.formats import free_records, free_text, records
from binairo_cp.formats.entry import AUTOMATIC, Choices, Entry
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.formats.sources import Source, text_source
from binairo_cp.puzzle.rules import Rules


def read(
    source: Source, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Iterator[Entry | None]:
    """The puzzles of a document. It is read into memory as a whole.

    Raises:
        SourceError: the file can't be read, or is larger than `sources.MAX_DOCUMENT_BYTES`.
    """
    data = source.document()
    try:
        document = from_json(data)
    except ValueError as error:
        found = list(_without_brackets(data, source.name, default_rules, choices))
        if found and all(each.puzzle for each in found):
            yield from found
            return
        syntax_error = records.syntax_error(str(error), source.name, None)
        yield Entry(error=syntax_error, source=source.name, line=syntax_error.line)
        return
    if free_records.is_board(document):
        yield free_records.entry(document, default_rules, source.name, choices, line=1)
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
        where = f"record {number}: "
        if free_records.is_free(record) or isinstance(record, str):
            yield free_records.entry(record, default_rules, source.name, choices, where=where)
        else:
            validate = partial(PuzzleRecord.model_validate, record)
            yield records.entry(validate, default_rules, source.name, where=where)


def _without_brackets(
    data: bytes, name: str, default_rules: Rules | None, choices: Choices
) -> Iterator[Entry]:
    """The puzzle of rows that lack the outer brackets, or that a program printed."""
    if not data.lstrip().startswith(b"["):
        return
    try:
        document = from_json(b"[" + data.strip().removesuffix(b",") + b"]")
    except ValueError:
        found = free_text.read(text_source(name, data), default_rules, choices)
        yield from (each for each in found if each)
        return
    if free_records.is_board(document):
        yield free_records.entry(document, default_rules, name, choices, line=1)


def write_all(entries: Iterable[Entry]) -> Iterator[str]:
    """Write a document: a list of records, one per line."""
    separator = "[\n"
    for entry in entries:
        yield separator + records.to_json(records.to_record(entry))
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"
