"""The table of formats: each is a row of `FORMATS`, which names its reader and its writer.

Their module is imported on first use, so that the help of the command line can list the formats
without waiting for their libraries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, cast

from binairo_cp.errors import FormatError
from binairo_cp.formats.blocks import Block, LineFormat, entry_blocks, line_blocks
from binairo_cp.formats.entry import AUTOMATIC, Choices, Entry
from binairo_cp.formats.sources import Source, openers
from binairo_cp.puzzle.rules import Rules

Reader = LineFormat | Callable[..., Iterator[Entry | None]]
"""A `LineFormat` if the format has one puzzle per line. Otherwise a function that yields the
puzzles of a source (its arguments: the source, the default rules, perhaps `Choices`), or None while
a pipe has no data; it raises `SourceError` if the source can't be read.
"""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: where it is, and what menus and file names say about it.

    Attributes:
        module: the module of this package that defines it.
        suffixes: the suffixes of its files, the usual one first.
        reader: the name of its `Reader` in the module.
        writer: the name of the function that writes a puzzle.
        first_line: a regular expression for the first line of a text in this format, without
            blanks around it; empty if the line does not show the format.
        recognizer: the name of a function that says whether a line that matches it is in this
            format; empty if all are.
        is_document: the writer takes all puzzles and yields pieces of text.
        needs_look: the suffix is too common to decide, so the beginning of the file does.
        takes_choices: the reader takes the `Choices` of the user as a third argument.
    """

    module: str
    title: str
    suffixes: tuple[str, ...]
    media_type: str = "text/plain"
    reader: str = "read"
    writer: str = "write"
    first_line: str = ""
    recognizer: str = ""
    is_document: bool = False
    needs_look: bool = False
    takes_choices: bool = False

    @property
    def read(self) -> Reader:
        """Its reader."""
        return cast("Reader", _loaded(self.module, self.reader))

    def recognizes(self, line: str) -> bool:
        """Whether a text whose first line is this one is in this format."""
        if not self.first_line or not re.fullmatch(self.first_line, line):
            return False
        # Most texts have no such line, so that the module is not imported.
        return not self.recognizer or bool(_loaded(self.module, self.recognizer)(line))

    def blocks(
        self,
        source: Source,
        default_rules: Rules | None,
        size: Callable[[], int],
        choices: Choices = AUTOMATIC,
    ) -> Iterator[Block]:
        """The puzzles of a source in blocks; `size` returns the size of the next block.

        Raises:
            SourceError: the rest of the file can't be read.
        """
        read = self.read
        if isinstance(read, LineFormat):
            return line_blocks(source, read, default_rules, size)
        stated = (choices,) if self.takes_choices else ()
        return entry_blocks(read(source, default_rules, *stated), size)


@cache
def _loaded(module: str, name: str) -> Any:
    return getattr(import_module(f"binairo_cp.formats.{module}"), name)


FORMATS = {
    "text": Format("text", "Text, a grid", (".txt",), needs_look=True),
    "line": Format("line", "Line", (".line", ".lines"), reader="LINES"),
    "ndjson": Format(
        "records",
        "NDJSON",
        (".ndjson", ".jsonl", ".parquet"),
        "application/x-ndjson",
        reader="RECORDS",
    ),
    "json": Format(
        "records",
        "JSON",
        (".json",),
        "application/json",
        reader="read_document",
        writer="write_document",
        is_document=True,
        needs_look=True,
        takes_choices=True,
    ),
    "task": Format(
        "codes",
        "Code of puzzle-binairo.com",
        (".task", ".tasks"),
        reader="TASKS",
        writer="write_task",
        first_line=r"(?:[0-9]{1,3}x[0-9]{1,3}:)?[01a-z]+(?s: .*)?",
        recognizer="begins_with_task",
    ),
    "unruly": Format(
        "codes",
        "Game id of Unruly",
        (".unruly",),
        reader="GAME_IDS",
        writer="write_game_id",
        first_line=r"(?:[2-9]|[1-9][0-9]{1,2})(?:x[0-9]{1,3})?u?(?:d[a-z])?:[A-Za-z]+(?s: .*)?",
    ),
    "penpa": Format("penpa", "Link to Penpa+", (".penpa",), reader="LINKS"),
    "janko": Format(
        "tables",
        "Text of janko.at",
        (".janko",),
        reader="read_janko",
        writer="write_janko",
        first_line="(?i:begin|puzzle binairo)",
    ),
    "symbols": Format(
        "free_text",
        "Text, X and O",
        (".symbols",),
        reader="read_symbols",
        writer="write_symbols",
        needs_look=True,
    ),
    "csv": Format(
        "tables",
        "CSV",
        (".csv", ".tsv"),
        "text/csv",
        reader="read_csv",
        writer="write_csv",
        needs_look=True,
    ),
}
"""The formats by name."""

FREE = replace(FORMATS["text"], module="free_text", takes_choices=True)
"""The reader of texts that are decided part by part."""

KNOWN_RECORDS = replace(FORMATS["ndjson"], reader="read_all", takes_choices=True)
"""The reader of records of which the user states more than the format."""


@cache
def internal() -> dict[str, Format]:
    """The readers of texts whose format is not stated."""
    return {
        **{name: row for name, row in FORMATS.items() if name not in ("symbols", "csv")},
        "text": FREE,
        "lines": replace(FORMATS["line"], reader="PLAUSIBLE_LINES"),
        "columns": replace(
            FORMATS["csv"], reader="read_columns", first_line=r".*[,;\t].*", recognizer="is_header"
        ),
        "html": replace(
            FORMATS["csv"],
            reader="read_html",
            first_line=r"(?i:<(?:!doctype html|html|table|tr)\b.*)",
        ),
        "saved": replace(FORMATS["unruly"], reader="read_saved", first_line="SAVEFILE:.*"),
    }


def suffixes() -> frozenset[str]:
    """The suffixes of all formats."""
    return frozenset(suffix for row in FORMATS.values() for suffix in row.suffixes)


def named(format: str) -> Format:
    """The format of a name.

    Raises:
        FormatError: there is no format of that name.
    """
    if format not in FORMATS:
        raise FormatError(f"there is no format {format!r}", expected=f"one of {', '.join(FORMATS)}")
    return FORMATS[format]


def write(entries: Iterable[Entry], format: str) -> Iterator[str]:
    """Convert puzzles to a format, in pieces of text.

    Raises:
        FormatError: the format can't express a puzzle, or there is no format of that name.
    """
    row = named(format)
    write = _loaded(row.module, row.writer)
    return cast("Iterator[str]", write(entries) if row.is_document else map(write, entries))


# The module is imported on first use, because few files are tables.
openers["parquet"] = lambda *given, **options: import_module("binairo_cp.formats.parquet").lines(
    *given, **options
)
