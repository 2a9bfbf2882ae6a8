"""What a command that makes files wrote, and which puzzles it could not write."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from binairo_cp.batch import exit_status
from binairo_cp.batch.reports import printable
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry
from binairo_cp.solving.solutions import Verdict


def _print_problem(_verdict: Verdict, entry: Entry, why: object) -> None:
    place = ":".join(str(part) for part in (entry.source, entry.line) if part)
    name = f"{entry.id}: " if entry.id else ""
    message = str(why) if entry.error else f"{place}: {name}{why}"
    print(f"binairo: {printable(message)}", file=sys.stderr)


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
