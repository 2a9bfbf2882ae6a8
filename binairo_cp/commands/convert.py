"""Puzzles from one format into another."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from binairo_cp import formats
from binairo_cp.batch.reports import printable
from binairo_cp.errors import FormatError, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.schema import PuzzleRecord


def run(entries: Iterable[Entry], format: str, out: str | None, quiet: bool) -> int:
    """Write puzzles; those that can't be read or written are told, and the others go on.

    Args:
        entries: the puzzles, or what is wrong in their stead.
        format: a name of `formats.FORMATS`.
        out: a file; None for standard output.
        quiet: say nothing of how many there were.

    Returns:
        How many could not be converted.

    Raises:
        SourceError: the file can't be written.
    """
    told = _Told()
    with open_output(out, PuzzleRecord if format == "ndjson" else None) as write:
        for text in formats.write(_writable(entries, format, told), format):
            write(text)
            if out is None:
                # Somebody may wait for it, at the other end of a pipe.
                sys.stdout.flush()
    if not quiet:
        total = told.written + told.failed - told.unread
        print(f"{total} puzzle{'s' * (total != 1)}: {told.written} converted", file=sys.stderr)
    return told.failed


class _Told:
    written = 0
    failed = 0
    unread = 0


def _writable(entries: Iterable[Entry], format: str, told: _Told) -> Iterator[Entry]:
    """The puzzles that the format can hold."""
    for entry in unnumbered(entries):
        problem = entry.error and str(entry.error)
        if not problem:
            try:
                list(formats.write([entry], format))
            except FormatError as error:
                problem = f"{entry.source}:{entry.line or ''}: {entry.id or ''}: {error}"
        if problem:
            told.failed += 1
            told.unread += isinstance(entry.error, SourceError)
            print(f"binairo: {printable(problem)}", file=sys.stderr)
        else:
            told.written += 1
            yield entry


def unnumbered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Puzzles without the names that are only their numbers, as they will be called again."""
    numbers: Counter[str] = Counter()
    for entry in entries:
        numbers[entry.source] += 1
        yield replace(entry, id=None) if entry.id == str(numbers[entry.source]) else entry
