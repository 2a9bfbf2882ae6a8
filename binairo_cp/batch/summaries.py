"""What a run found out or wrote: puzzles by verdict, errors, slow puzzles, and the exit status."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from binairo_cp.batch import reports
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.results import ResultRecord
from binairo_cp.solving.solutions import Verb, Verdict
from binairo_cp.workers.terminal import exit_status

if TYPE_CHECKING:
    from binairo_cp.batch.columnar import Group


@dataclass
class Summary:
    """The summary of a run.

    Attributes:
        verb: what the run does with each puzzle.
        verdicts: number of records by verdict.
        readings: number of records by reading and its verdict, if both readings were decided.
        errors: the first few records with an error.
        failed: number of records with an error.
        kinds: number of errors by kind.
        unread: number of sources that could not be read, or held no puzzle.
        incomplete: number of counts that are not exact, and of clue analyses without a proof.
        repaired: number of puzzles with several solutions or none that were made unique.
        mistaken: number of records with a wrong move, or a mistake on the board before the moves.
    """

    verb: Verb
    verdicts: Counter[str] = field(default_factory=Counter)
    readings: dict[str, Counter[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    failed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    incomplete: int = 0
    repaired: int = 0
    mistaken: int = 0

    _MOST_ERRORS = 5

    def add(self, record: ResultRecord) -> None:
        """Count one record."""
        self.verdicts[record.verdict.value] += 1
        for name, reading in (record.readings or {}).items():
            self.readings.setdefault(name, Counter())[reading.verdict.value] += 1
        if record.error:
            self.failed += 1
            self.kinds[record.error.kind] += 1
            if self.failed <= self._MOST_ERRORS:
                self.errors.append(
                    reports.printable(f"{reports.place(record)}{reports.one_line(record)}")
                )
        elif (record.answered is False and record.verdict is not Verdict.UNKNOWN) or (
            self.verb == "count" and not record.complete
        ):
            self.incomplete += 1
        elif record.repair and record.repair.verdict is Verdict.UNIQUE:
            self.repaired += record.verdict is not Verdict.UNIQUE
        elif record.judgements is not None:
            is_wrong = any(judgement.judged == "wrong" for judgement in record.judgements)
            self.mistaken += is_wrong or record.mistake is not None

    def add_fields(self, fields: Any) -> None:
        """Count a record read from a file of results, as `add` does.

        Raises:
            ValidationError: these are not the fields of a record.
        """
        if self.verb == "count" or not _is_simple(fields):
            # Imported here, because it loads pydantic.
            from binairo_cp.formats.schema import adapter

            self.add(adapter(ResultRecord).validate_python(fields))
            return
        self.verdicts[fields["verdict"]] += 1

    def add_lines(self, lines: bytes) -> bool:
        """Count the records of a file of results at once, without a look at each.

        Returns:
            Whether all were simple. If not, none is counted.
        """
        if self.verb == "count" or any(word in lines for word in _NOT_SIMPLE_IN_LINES):
            return False
        verdicts = Counter(word.decode() for word in _VERDICT.findall(lines))
        if verdicts.total() != lines.count(b"\n"):
            return False
        self.verdicts += verdicts
        return True

    def add_group(self, group: Group) -> None:
        """Count columnar results, which have no errors."""
        for (found, is_complete), number in group.numbers.items():
            self.verdicts[group.plan.verdict(found, is_complete).value] += number
            if self.verb == "count" and not is_complete:
                self.incomplete += number

    def merge(self, other: Summary) -> None:
        """Add the summary of a later part of the run."""
        for name, verdicts in other.readings.items():
            self.readings[name] = self.readings.get(name, Counter()) + verdicts
        self.errors = [*self.errors, *other.errors][: self._MOST_ERRORS]
        numbers = "verdicts", "failed", "kinds", "unread", "incomplete", "repaired", "mistaken"
        for name in numbers:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def total(self) -> int:
        return self.verdicts.total()

    @property
    def exit_status(self) -> int:
        """The exit status of the command."""
        error = self.failed or self.unread
        if self.verb == "count":
            return exit_status(error=error, unknown=self.incomplete)
        no = self.verdicts["none"] + self.verdicts["multiple"] > self.repaired or self.mistaken
        return exit_status(error=error, unknown=self.verdicts["unknown"] or self.incomplete, no=no)

    def __str__(self) -> str:
        notes = {
            self.counts: self.total,
            f"{self.repaired} repaired": self.repaired,
            f"{self.incomplete} not proved": self.incomplete and self.verb != "count",
            f"{self.unread} source{'s' * (self.unread != 1)} not read": self.unread,
        }
        words = "; ".join(note for note, there in notes.items() if there)
        return f"{self.total} puzzle{'s' * (self.total != 1)}{': ' * bool(words)}{words}"

    @property
    def counts(self) -> str:
        """The numbers of puzzles by verdict, for each reading if there are two."""
        if self.verb == "count":
            return _listed(
                {
                    "counted": self.total - self.failed - self.incomplete,
                    "incomplete": self.incomplete,
                    "invalid or failed": self.failed,
                }
            )
        if not self.readings:
            return _listed(self.verdicts)
        listed = [f"{name} {_listed(verdicts)}" for name, verdicts in self.readings.items()]
        # Invalid puzzles have no readings.
        return "; ".join([*listed, *filter(None, [_listed({"invalid": self.verdicts["invalid"]})])])


def _listed(numbers: Mapping[str, int]) -> str:
    order = sorted(numbers, key=lambda name: _VERDICTS.index(name) if name in _VERDICTS else 0)
    return ", ".join(f"{numbers[name]} {name}" for name in order if numbers[name])


_VERDICTS = [verdict.value for verdict in Verdict]
_NOT_SIMPLE = {"error", "answered", "repair", "readings", "judgements"}
# In a JSON string, there is a backslash before a quotation mark. After a power failure, some bytes
# of a file can be null.
_NOT_SIMPLE_IN_LINES = [*(f'"{name}":'.encode() for name in _NOT_SIMPLE), b"\0"]
_VERDICT = re.compile(f',"verdict":"({"|".join(_VERDICTS)})",'.encode())


def _is_simple(fields: Any) -> bool:
    """Whether a record can be counted without validating all its fields, which is slow."""
    return (
        isinstance(fields, dict)
        and fields.get("verdict") in _VERDICTS
        and isinstance(fields.get("seconds", 0.0), float | int)
        and not fields.keys() & _NOT_SIMPLE
    )


def _print_problem(_verdict: Verdict, entry: Entry, why: object) -> None:
    place = ":".join(str(part) for part in (entry.source, entry.line) if part)
    name = f"{entry.id}: " if entry.id else ""
    message = str(why) if entry.error else f"{place}: {name}{why}"
    print(f"binairo: {reports.printable(message)}", file=sys.stderr)


@dataclass
class OutputSummary:
    """What a command wrote, and which puzzles it could not write.

    Attributes:
        written: number of puzzles written.
        problems: number of puzzles not written, by verdict.
        unread: number of problems that are unreadable sources, not puzzles.
        on_problem: called with each puzzle that was not written, and the reason. The default
            prints them to standard error.
    """

    written: int = 0
    problems: dict[Verdict, int] = field(default_factory=dict)
    unread: int = 0
    on_problem: Callable[[Verdict, Entry, object], None] = _print_problem

    def add_problem(self, verdict: Verdict, entry: Entry, why: object) -> None:
        """Count a puzzle that was not written, and report it."""
        self.problems[verdict] = self.problems.get(verdict, 0) + 1
        self.unread += isinstance(entry.error, SourceError)
        self.on_problem(verdict, entry, why)

    @property
    def exit_status(self) -> int:
        """The exit status: 1 if a puzzle does not have exactly one solution."""
        verdicts = self.problems.keys()
        return exit_status(
            error=Verdict.INVALID in verdicts,
            unknown=Verdict.UNKNOWN in verdicts,
            no=Verdict.NONE in verdicts or Verdict.MULTIPLE in verdicts,
        )

    def __str__(self) -> str:
        total = self.written + sum(self.problems.values()) - self.unread
        return f"{total} puzzle{'s' * (total != 1)}: {self.written} written"
