"""Convert puzzles from one format to another."""

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


def convert_puzzles(entries: Iterable[Entry], format: str, out: str | None, quiet: bool) -> int:
    """Write puzzles in another format. Report those that can't be converted and go on.

    Args:
        entries: the puzzles, and errors of those that can't be read.
        format: a name of `formats.FORMATS`.
        out: a file; None for standard output.
        quiet: don't print a summary.

    Returns:
        The number of puzzles that could not be converted.

    Raises:
        SourceError: the file can't be written.
    """
    counts = _ConversionCounts()
    with open_output(out, PuzzleRecord if format == "ndjson" else None) as write:
        for text in formats.write(_writable(entries, format, counts), format):
            write(text)
            if out is None:
                # A reader at the other end of a pipe may be waiting for it.
                sys.stdout.flush()
    if not quiet:
        total = counts.written + counts.failed - counts.unread
        print(f"{total} puzzle{'s' * (total != 1)}: {counts.written} converted", file=sys.stderr)
    return counts.failed


class _ConversionCounts:
    written = 0
    failed = 0
    unread = 0


def _writable(entries: Iterable[Entry], format: str, counts: _ConversionCounts) -> Iterator[Entry]:
    """The puzzles that the format can express; count and report the others."""
    for entry in unnumbered(entries):
        problem = entry.error and str(entry.error)
        if not problem:
            try:
                list(formats.write([entry], format))
            except FormatError as error:
                problem = f"{entry.source}:{entry.line or ''}: {entry.id or ''}: {error}"
        if problem:
            counts.failed += 1
            counts.unread += isinstance(entry.error, SourceError)
            print(f"binairo: {printable(problem)}", file=sys.stderr)
        else:
            counts.written += 1
            yield entry


def unnumbered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Remove ids that are only the number of the puzzle; readers number puzzles anyway."""
    numbers: Counter[str] = Counter()
    for entry in entries:
        numbers[entry.source] += 1
        yield replace(entry, id=None) if entry.id == str(numbers[entry.source]) else entry
