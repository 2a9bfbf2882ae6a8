"""Compare two result files: list different results, and contradictions between them.

The files are read side by side, and paired by puzzle in bounded memory. A record without a partner
so far waits in a temporary database, which stays in memory if the files have nearly the same order.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, Literal

import orjson

from binairo_cp.batch import tables
from binairo_cp.batch.reports import printable
from binairo_cp.batch.results import claims, files
from binairo_cp.batch.results.files import ReadErrors, Stored
from binairo_cp.formats import output_files
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.results import DifferenceRecord, ResultRecord, SideRecord
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers import terminal
from binairo_cp.workers.terminal import exit_status

_SHOW_EVERY = 5_000
_ABSENT = "-"

Pair = tuple[Stored | None, Stored | None]
"""A record of the first file and one of the second; None if only one file has the puzzle."""

_TABLE = """
CREATE TABLE waiting (
    number INTEGER PRIMARY KEY, side INTEGER, same BLOB, puzzle BLOB, board BLOB,
    raw BLOB, source TEXT, line INTEGER)
"""
_PAIRS = """
SELECT max(number) FILTER (WHERE side = 0), max(number) FILTER (WHERE side = 1)
FROM (SELECT number, side, {key} AS key,
             row_number() OVER (PARTITION BY side, {key} ORDER BY number) AS turn FROM waiting)
GROUP BY key, turn HAVING count(*) = 2
"""

Kind = Literal["contradiction", "changed", "known", "only"]


@dataclass
class Comparison:
    """The summary of a comparison.

    Attributes:
        kinds: number of differences by kind; "first" and "second" for puzzles in only one file.
    """

    same: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    errors: ReadErrors = field(default_factory=ReadErrors)

    def count(self, pair: Pair, difference: DifferenceRecord | None) -> None:
        """Count a pair and its difference."""
        first, second = (each.record.verdict.value if each else _ABSENT for each in pair)
        self.verdicts[first, second] += 1
        if difference is None:
            self.same += 1
        elif difference.kind == "only":
            self.kinds["second" if difference.first is None else "first"] += 1
        else:
            self.kinds[difference.kind] += 1

    @property
    def exit_status(self) -> int:
        """The exit status: 2 for a contradiction, 3 or 1 for other differences."""
        return exit_status(
            error=self.errors.total or self.kinds["contradiction"],
            unknown=self.kinds["known"],
            no=self.kinds.total(),
        )

    def __str__(self) -> str:
        kinds = self.kinds
        both = self.same + kinds["contradiction"] + kinds["changed"] + kinds["known"]
        parts = [f"{self.same} the same"]
        for name, words in (
            ("contradiction", "contradict each other"),
            ("changed", "changed"),
            ("known", "known in one only"),
        ):
            parts += [f"{kinds[name]} {words}"] * bool(kinds[name])
        text = f"{both} puzzle{'s' * (both != 1)} in both files: {', '.join(parts)}"
        for name in ("first", "second"):
            text += f"; {kinds[name]} only in the {name}" * bool(kinds[name])
        return f"{text}\n{self._table()}" if self.verdicts else text

    def _table(self) -> str:
        order = [*(each.value for each in Verdict), _ABSENT]
        pairs = sorted(self.verdicts, key=lambda pair: [order.index(each) for each in pair])
        rows = [("first", "second", "puzzles")]
        rows += [(*pair, f"{self.verdicts[pair]:,}") for pair in pairs]
        wide = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"  {one:{wide[0]}}  {two:{wide[1]}}  {number:>{wide[2]}}" for one, two, number in rows
        )


def compare_files(
    first: str,
    second: str,
    fields: Sequence[str],
    output: Literal["text", "ndjson"],
    out: str | None,
    quiet: bool,
) -> int:
    """Compare two result files, and write a record or a line for each difference.

    Args:
        first: a file, folder or pattern; ``-`` is standard input.
        second: the same for the second set of results.
        fields: the fields to compare. By default, the verdict, and if both records have them, the
            exact count, the level, and the solution of a unique puzzle.
        output: the format of the differences.
        out: a file; None for standard output.
        quiet: don't print a summary.

    Returns:
        The exit status.

    Raises:
        OptionError: there is no such field.
        SourceError: the file can't be written or is also an input, or the temporary folder is full.
    """
    check_fields(fields)
    comparison = Comparison()
    inputs = [files.files([name]) for name in (first, second)]
    output_files.refuse_collisions(chain(*inputs), out)
    sides = (files.read(each, comparison.errors.report) for each in inputs)
    to_text = DifferenceRecord.to_json if output == "ndjson" else _text
    record = DifferenceRecord if output == "ndjson" else None
    # On a terminal, the results themselves show the progress.
    is_seen = terminal.is_terminal(out)
    with open_output(out, record) as write, terminal.bar(quiet or is_seen) as show:
        for number, pair in enumerate(pairs(*sides), 1):
            change = difference(pair, fields)
            comparison.count(pair, change)
            if change:
                write(to_text(change) + "\n")
            if number % _SHOW_EVERY == 0:
                show(number, None, f"{number:,} compared, {number - comparison.same:,} differ")
    comparison.errors.report_total()
    if not quiet:
        print(comparison, file=sys.stderr)
    return comparison.exit_status


def check_fields(names: Iterable[str]) -> None:
    """Check the names of fields to compare.

    Raises:
        OptionError: records have no field of such a name.
    """
    for name in names:
        # The names within this field are those of techniques.
        is_number = name.startswith("grade.placed.")
        tables.check_column("field", "grade.placed" if is_number else name)


def difference(pair: Pair, fields: Sequence[str] = ()) -> DifferenceRecord | None:
    """The difference between two records of a puzzle; None if there is none."""
    first, second = pair
    if first is None or second is None:
        return _record("only", [], pair, fields)
    one, two = first.record, second.record
    differs = [name for name, old, new in _compared(first, second, fields) if old != new]
    if one.rules and two.rules and claims.rules(one) != claims.rules(two):
        # With other rules, it is another puzzle, so the results can't contradict each other.
        return _record("changed", ["rules", *differs], pair, fields)
    if claims.contradict(one, two):
        claimed = ("verdict", "count", "solution")
        differs = differs or [each for each in claimed if getattr(one, each) != getattr(two, each)]
        return _record("contradiction", differs, pair, fields)
    if not differs:
        return None
    invalid = Verdict.INVALID in (one.verdict, two.verdict)
    is_known = not (fields or invalid or claims.know_as_much(one, two))
    return _record("known" if is_known else "changed", differs, pair, fields)


def _compared(
    first: Stored, second: Stored, fields: Sequence[str]
) -> Iterator[tuple[str, object, object]]:
    """The names of the compared fields, each with both values."""
    one, two = first.record, second.record
    if fields:
        olds, news = (_values(each, fields) for each in (first, second))
        yield from ((name, olds.get(name), news.get(name)) for name in fields)
        return
    yield "verdict", one.verdict, two.verdict
    if one.readings and two.readings:
        yield "readings", _verdicts(one), _verdicts(two)
    if Verdict.UNIQUE is one.verdict is two.verdict and one.solution and two.solution:
        yield "solution", one.solution, two.solution
    if one.verdict is two.verdict and None not in (one.complete, two.complete):
        # Only exact counts are compared; a count that reached a limit is a lower bound.
        exact = [each.count if each.complete else None for each in (one, two)]
        yield "count", exact[0], exact[1]
    if one.grade and two.grade:
        yield "level", one.grade.level, two.grade.level


def _values(stored: Stored, fields: Sequence[str]) -> dict[str, Any]:
    """The values of those fields that a record has, by name, such as ``grade.hardest``."""
    record, values = orjson.loads(stored.raw), {}
    for name in fields:
        value: Any = record
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            values[name] = value
    return values


def _verdicts(record: ResultRecord) -> dict[Literal["classic", "unruly"], Verdict] | None:
    readings = record.readings
    return {name: each.verdict for name, each in readings.items()} if readings else None


def _record(kind: Kind, differs: list[str], pair: Pair, fields: Sequence[str]) -> DifferenceRecord:
    any_side = next(each.record for each in pair if each)
    first, second = (_side(each, fields) if each else None for each in pair)
    return DifferenceRecord(
        kind=kind,
        height=any_side.height,
        width=any_side.width,
        clues=any_side.clues,
        signs=any_side.signs,
        differs=differs,
        first=first,
        second=second,
    )


def _side(stored: Stored, fields: Sequence[str]) -> SideRecord:
    record = stored.record
    values = {name: orjson.dumps(value).decode() for name, value in _values(stored, fields).items()}
    return SideRecord(
        source=stored.source,
        line=stored.number,
        id=record.id,
        rules=record.rules,
        verdict=record.verdict,
        solution=record.solution,
        count=record.count,
        complete=record.complete,
        level=record.grade.level if record.grade else None,
        readings=_verdicts(record),
        asked=values or None,
        backend=record.backend,
        error=record.error.kind if record.error else None,
    )


def _text(difference: DifferenceRecord) -> str:
    """A difference as one line of text."""
    sides = [each for each in (difference.first, difference.second) if each]
    places = " ".join(f"{printable(each.source)}:{each.line}:" for each in sides)
    names = " = ".join(dict.fromkeys(printable(each.id) for each in sides))
    if difference.kind == "only":
        return f"{places} {names}: only here ({sides[0].verdict})"
    changes = "; ".join(
        f"{name} {_value(sides[0], name)}, {_value(sides[1], name)}" for name in difference.differs
    )
    return f"{places} {names}: {difference.kind}: {changes}"


def _value(side: SideRecord, name: str) -> str:
    """The value of a field in one file, as short text."""
    if name == "count" and side.count is not None and not side.asked:
        return f"{side.count}{'' if side.complete else '+'}"
    if name == "readings" and side.readings and not side.asked:
        return " ".join(f"{each} {verdict}" for each, verdict in side.readings.items())
    if side.asked and name in side.asked:
        return printable(side.asked[name])
    value = getattr(side, name, None)
    return _ABSENT if value is None else printable(str(value))


def pairs(first: Iterator[Stored], second: Iterator[Stored]) -> Iterator[Pair]:
    """All records of two files, each in exactly one pair.

    Partners have the same size, clues and signs. Partners with the same rules and id are preferred,
    then partners with the same rules. If a puzzle occurs several times, its records are paired in
    the order of the files.

    Raises:
        SourceError: the temporary folder is full.
    """
    with files.database() as database:
        waiting = _Waiting(database)
        for both in zip_longest(first, second):
            one, two = both
            if one and two and not waiting.total and _key(one) == _key(two):
                yield one, two
                continue
            for side, each in enumerate(both):
                if each and (partner := waiting.partner(side, each)):
                    yield (partner, each) if side else (each, partner)
        yield from waiting.rest()


def _key(stored: Stored) -> tuple[object, ...]:
    record = stored.record
    return claims.board(record), claims.rules(record), record.id


class _Waiting:
    """The records that have no partner so far."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.total = 0
        self._database = database
        database.execute(_TABLE)
        database.execute("CREATE INDEX by_same ON waiting (same, side)")

    def partner(self, side: int, stored: Stored) -> Stored | None:
        """The first waiting partner of a record; None if there is none, and the record waits."""
        board, rules, id = _key(stored)
        same = claims.digest(board, rules, id)
        query = "SELECT min(number) FROM waiting WHERE same = ? AND side = ?"
        [number] = self._database.execute(query, [same, 1 - side]).fetchone()
        if number is not None:
            return self._take(number)
        self._database.execute(
            "INSERT INTO waiting (side, same, puzzle, board, raw, source, line) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [side, same, claims.digest(board, rules), claims.digest(board), *stored[1:]],
        )
        self.total += 1
        return None

    def rest(self) -> Iterator[Pair]:
        """The waiting records after the end of both files, in pairs where possible."""
        for key in ("puzzle", "board"):
            self._database.execute("CREATE TEMP TABLE found AS " + _PAIRS.format(key=key))
            for one, two in self._database.execute("SELECT * FROM found ORDER BY 1"):
                yield self._take(one), self._take(two)
            self._database.execute("DROP TABLE found")
        query = "SELECT raw, source, line FROM waiting WHERE side = ? ORDER BY number"
        yield from ((Stored.of(*place), None) for place in self._database.execute(query, [0]))
        yield from ((None, Stored.of(*place)) for place in self._database.execute(query, [1]))

    def _take(self, number: int) -> Stored:
        query = "SELECT raw, source, line FROM waiting WHERE number = ?"
        place = self._database.execute(query, [number]).fetchone()
        self._database.execute("DELETE FROM waiting WHERE number = ?", [number])
        self.total -= 1
        return Stored.of(*place)
