"""The NDJSON format: one JSON record a line, validated by `schema.PuzzleRecord`."""

from __future__ import annotations

from functools import partial

from binairo_cp.formats import records
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle.rules import Rules


def read(line: TextLine, source: str, asked: Rules | None) -> Entry:
    """The puzzle of a record; of a result that says that there is none, the same error again.

    Args:
        line: what is read; not blank.
        source: the file's name.
        asked: the rules of a record that states none.
    """
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    validate = partial(PuzzleRecord.model_validate_json, line.text)
    found = records.entry(validate, asked, source, line=line.number)
    return found if found.puzzle else records.invalid_result(line.text, found)


def write(entry: Entry) -> str:
    """A puzzle as a record on a line."""
    return records.to_json(records.to_record(entry)) + "\n"
