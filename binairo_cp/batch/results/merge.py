"""Merge result files, with all records or with one record per puzzle."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from binairo_cp.batch.results import claims, files
from binairo_cp.batch.results.files import ReadErrors, Stored
from binairo_cp.errors import Disagreement, FormatError
from binairo_cp.formats import output_files, parquet
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.results import ResultRecord
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers import terminal
from binairo_cp.workers.terminal import option

_SHOW_EVERY = 5_000


@dataclass
class _MergeSummary:
    """The summary of a merge."""

    errors: ReadErrors = field(default_factory=ReadErrors)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    repeats: int = 0

    def __str__(self) -> str:
        total = self.verdicts.total()
        numbers = ((each.value, self.verdicts[each]) for each in Verdict)
        counts = ", ".join(f"{number} {name}" for name, number in numbers if number)
        left = (
            f"; {self.repeats} repeat{'s' * (self.repeats != 1)} left out" if self.repeats else ""
        )
        return f"{total} record{'s' * (total != 1)}: {counts or 'nothing'}{left}"


def merge_files(
    names: list[str], out: str | None, distinct: bool, quiet: bool, errors: ReadErrors | None = None
) -> int:
    """Write the records of several files to one, in the order of the arguments.

    Args:
        names: files, folders, patterns; ``-`` is standard input.
        out: a file; None for standard output.
        distinct: write only the most informative record of each puzzle, at the position of its
            first record.
        quiet: don't print a summary.
        errors: counts and reports errors; None prints them.

    Returns:
        The number of records that can't be read or that contradict another record.

    Raises:
        SourceError: the file can't be written, or it is also an input.
    """
    summary = _MergeSummary(errors or ReadErrors())
    paths = files.files(names)
    output_files.refuse_collisions(paths, out, may_replace=True)
    is_table = out is not None and Path(out).suffix.lower() == parquet.SUFFIX
    # On a terminal, the results themselves show the progress.
    is_seen = terminal.is_terminal(out)
    with open_output(out, ResultRecord) as write, terminal.bar(quiet or is_seen) as show:
        stored = files.read(paths, summary.errors.report)
        if is_table:
            stored = _with_columns(stored, summary.errors)
        for number, line in enumerate(_best(stored, summary) if distinct else stored, 1):
            summary.verdicts[line.record.verdict] += 1
            write(line.raw.decode() + "\n")
            if number % _SHOW_EVERY == 0:
                show(number, None, f"{number:,} read")
    summary.errors.report_total()
    if not quiet:
        print(summary, file=sys.stderr)
    return summary.errors.total


def merged(names: list[str], distinct: bool, errors: ReadErrors) -> Iterator[Stored]:
    """The records that `merge_files` writes."""
    stored = files.read(files.files(names), errors.report)
    return _best(stored, _MergeSummary(errors)) if distinct else stored


def _with_columns(stored: Iterator[Stored], errors: ReadErrors) -> Iterator[Stored]:
    """The records whose fields all have a column in a table; report the others."""
    held = parquet.names(ResultRecord)
    for each in stored:
        if lacking := parquet.without_column(orjson.loads(each.raw), held):
            errors.report(
                FormatError(
                    f"{lacking}: a table has no column for this field",
                    source=each.source,
                    line=each.number,
                    expected=f"the fields of a result, or another {option('out')}",
                )
            )
        else:
            yield each


def _best(stored: Iterator[Stored], summary: _MergeSummary) -> Iterator[Stored]:
    """The most informative record of each puzzle and id, in the order of their first records."""
    with files.database() as database:
        database.execute(
            "CREATE TABLE best (number INTEGER PRIMARY KEY, puzzle BLOB, raw BLOB, source, line)"
        )
        database.execute("CREATE INDEX by_puzzle ON best (puzzle)")
        for each in stored:
            _keep(database, each, summary)
        for raw, source, line in database.execute(
            "SELECT raw, source, line FROM best ORDER BY number"
        ):
            yield Stored.of(raw, source, line)


def _keep(database: sqlite3.Connection, new: Stored, summary: _MergeSummary) -> None:
    """Store a record, unless there is one of its puzzle that is at least as informative."""
    key = claims.digest(claims.board(new.record), new.record.id)
    values = (new.raw, new.source, new.number)
    rules = claims.rules(new.record)
    known = database.execute("SELECT number, raw, source, line FROM best WHERE puzzle = ?", [key])
    for number, *place in known.fetchall():
        old = Stored.of(*place)
        # The record of a failed solver has no rules.
        if None not in (rules, other := claims.rules(old.record)) and rules != other:
            continue
        summary.repeats += 1
        if claims.contradict(old.record, new.record):
            summary.errors.report(_disagreement(old, new))
        elif claims.knowledge(new.record) > claims.knowledge(old.record):
            update = "UPDATE best SET raw = ?, source = ?, line = ? WHERE number = ?"
            database.execute(update, [*values, number])
        return
    database.execute(
        "INSERT INTO best (puzzle, raw, source, line) VALUES (?, ?, ?, ?)", [key, *values]
    )


def _disagreement(old: Stored, new: Stored) -> Disagreement:
    record = new.record
    message = f"{record.verdict}, but {old.record.verdict} in {old.place}"
    if record.verdict is old.record.verdict:
        message = f"the solution or the count differs from {old.place}"
    return Disagreement(f"{new.place}: {record.id}: {message}")
