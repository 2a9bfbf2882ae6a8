"""The NDJSON format: one JSON record a line, validated by `schema.PuzzleRecord`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from binairo_cp.formats import records
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.sources import Source
from binairo_cp.rules import Rules
from binairo_cp.schema import PuzzleRecord


def read(source: Source, asked: Rules | None) -> Iterator[Entry]:
    """The puzzles of the records, a line each; blank lines are passed over.

    Raises:
        SourceError: the file can't be read on.
    """
    for line in source.lines():
        if line.error:
            yield Entry(error=line.error, source=source.name, line=line.number)
        elif line.text.strip():
            validate = partial(PuzzleRecord.model_validate_json, line.text)
            yield records.entry(validate, asked, source.name, line=line.number)


def write(entry: Entry) -> str:
    """A puzzle as a record on a line."""
    return records.to_json(records.to_record(entry)) + "\n"
