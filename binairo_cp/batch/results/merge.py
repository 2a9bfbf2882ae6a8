"""Several files of results into one: as they stand, or one record for each puzzle."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from binairo_cp.batch.results import claims, files, scratch
from binairo_cp.batch.results.files import Stored
from binairo_cp.batch.results.unreadable import ReadErrors
from binairo_cp.errors import Disagreement, FormatError
from binairo_cp.formats import collisions, parquet
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.schema import ResultRecord
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers import progress

_TELL_EVERY = 5_000


@dataclass
class _MergeSummary:
    """What a merger comes to."""

    errors: ReadErrors = field(default_factory=ReadErrors)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    repeats: int = 0

    def __str__(self) -> str:
        total = self.verdicts.total()
        numbers = ((each.value, self.verdicts[each]) for each in Verdict)
        said = ", ".join(f"{number} {name}" for name, number in numbers if number)
        left = (
            f"; {self.repeats} repeat{'s' * (self.repeats != 1)} left out" if self.repeats else ""
        )
        return f"{total} record{'s' * (total != 1)}: {said or 'nothing'}{left}"


def merge_files(names: list[str], out: str | None, distinct: bool, quiet: bool) -> int:
    """Write the records of all files into one, in the order in which they are given.

    Args:
        names: files, folders, patterns; ``-`` is standard input.
        out: a file; None for standard output.
        distinct: one record for each puzzle, that which tells most, where the first one stood.
        quiet: say nothing of how many there were.

    Returns:
        How many records could not be read, or contradict others of their puzzle.

    Raises:
        SourceError: the file can't be written, or is one of those that are read.
    """
    summary = _MergeSummary()
    collisions.refuse(names, out, suffixes=files.SUFFIXES)
    paths = files.files(names)
    is_table = out is not None and Path(out).suffix.lower() == parquet.SUFFIX
    # On a terminal the results themselves show how far it is.
    is_seen = progress.is_terminal(out)
    with open_output(out, ResultRecord) as write, progress.bar(quiet or is_seen) as tell:
        stored = files.read(paths, summary.errors.report)
        if is_table:
            stored = _with_columns(stored, summary.errors)
        for number, line in enumerate(_best(stored, summary) if distinct else stored, 1):
            summary.verdicts[line.record.verdict] += 1
            write(line.raw.decode() + "\n")
            if number % _TELL_EVERY == 0:
                tell(number, None, f"{number:,} records")
    summary.errors.report_total()
    if not quiet:
        print(summary, file=sys.stderr)
    return summary.errors.total


def _with_columns(stored: Iterator[Stored], errors: ReadErrors) -> Iterator[Stored]:
    """The records of which all is in a table's columns; the others are told."""
    held = parquet.names(ResultRecord)
    for each in stored:
        if lacking := parquet.without_column(orjson.loads(each.raw), held):
            errors.report(
                FormatError(
                    f"{lacking}: a table has no column for it",
                    source=each.source,
                    line=each.number,
                    expected="the fields of a result, or another --out",
                )
            )
        else:
            yield each


def _best(stored: Iterator[Stored], summary: _MergeSummary) -> Iterator[Stored]:
    """One record for each puzzle of a name, in the order in which they first came.

    Raises:
        SourceError: there is no room for the temporary database.
    """
    with scratch.database() as kept:
        kept.execute(
            "CREATE TABLE best (number INTEGER PRIMARY KEY, puzzle BLOB, raw BLOB, source, line)"
        )
        kept.execute("CREATE INDEX by_puzzle ON best (puzzle)")
        for each in stored:
            _keep(kept, each, summary)
        for raw, source, line in kept.execute("SELECT raw, source, line FROM best ORDER BY number"):
            yield Stored.of(raw, source, line)


def _keep(kept: sqlite3.Connection, new: Stored, summary: _MergeSummary) -> None:
    """Put a record with the others, or in the place of a worse one of its puzzle."""
    key = claims.digest(claims.board(new.record), new.record.id)
    values = (new.raw, new.source, new.number)
    rules = claims.rules(new.record)
    known = kept.execute("SELECT number, raw, source, line FROM best WHERE puzzle = ?", [key])
    for number, *place in known.fetchall():
        old = Stored.of(*place)
        # A record of a solver that failed does not say under which rules.
        if None not in (rules, other := claims.rules(old.record)) and rules != other:
            continue
        summary.repeats += 1
        if claims.contradict(old.record, new.record):
            summary.errors.report(_disagreement(old, new))
        elif claims.knowledge(new.record) > claims.knowledge(old.record):
            asked = "UPDATE best SET raw = ?, source = ?, line = ? WHERE number = ?"
            kept.execute(asked, [*values, number])
        return
    kept.execute("INSERT INTO best (puzzle, raw, source, line) VALUES (?, ?, ?, ?)", [key, *values])


def _disagreement(old: Stored, new: Stored) -> Disagreement:
    record = new.record
    said = f"{record.verdict}, but {old.record.verdict} in {old.place}"
    if record.verdict is old.record.verdict:
        said = f"the solution or the count is another one in {old.place}"
    return Disagreement(f"{new.place}: {record.id}: {said}")
