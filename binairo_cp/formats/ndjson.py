"""The NDJSON format: one JSON record per line, validated by `schema.PuzzleRecord`."""

from __future__ import annotations

from functools import partial

from binairo_cp.formats import records
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle.rules import Rules


def read(line: TextLine, source: str, default_rules: Rules | None) -> Entry:
    """Parse a record. A result record of an invalid puzzle yields the error that it contains.

    Args:
        line: the line, which is not blank.
        source: the name of the file.
        default_rules: the rules of a record that states none.
    """
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    validate = partial(PuzzleRecord.model_validate_json, line.text)
    entry = records.entry(validate, default_rules, source, line=line.number)
    return entry if entry.puzzle else records.invalid_result(line.text, entry)


RECORDS = LineFormat("ndjson", read, None, b"{")


def write(entry: Entry) -> str:
    """Write a puzzle as a record on one line."""
    return records.to_json(records.to_record(entry)) + "\n"
