"""What to do with each puzzle, and doing it.

The outcome is always a record: where the puzzle comes from and what was found out, or the error. A
syntax error has one too, a solver that fails or dies, and a search that runs out of time.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Literal

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.errors import (
    BackendError,
    BinairoError,
    BudgetExceeded,
    FormatError,
    SolverCrash,
    SolverMemory,
    SourceError,
)
from binairo_cp.formats import Entry
from binairo_cp.formats.results import ErrorRecord, Finding, ResultRecord, stated
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backends import LEAST_TIME_LIMIT, Backend, Budget, Meter
from binairo_cp.solving.solutions import USUAL_LIMITS, Reasons, Verb, Verdict, under_both
from binairo_cp.workers import extras

_SPARE_SECONDS = 5.0
_PUZZLE_FOLLOWS = "; its puzzle was"


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with each puzzle; it travels to the workers.

    Attributes:
        verb: which function of `solutions`.
        backend: a backend or its name.
        cross_check: a second one, which must agree.
        limit: how many solutions end the search; None for the default of the verb.
        shares_time: all searches of a puzzle share the time limit; otherwise each has its own.
        both_readings: decide with distinct lines and without.
        reasons: which minimal conflict `check` looks for if there is no solution; None for
            `smallest`, or for `none` if there are many puzzles.
        analyses: what to find out besides the verdict.
    """

    verb: Verb
    backend: str | Backend = backends.DEFAULT
    cross_check: str | Backend | None = None
    limit: int | None = None
    time_limit: float | None = None
    shares_time: bool = False
    both_readings: bool = False
    reasons: Reasons | None = None
    analyses: tuple[Analysis, ...] = ()

    @property
    def is_columnar(self) -> bool:
        """Whether `columnar` can decide many puzzles at once."""
        return (
            self.uses_bitboard
            and not (self.cross_check or self.both_readings)
            and all(analysis.is_columnar for analysis in self.analyses)
            and (self.verb == "count" or self.limit in (None, USUAL_LIMITS[self.verb]))
            and (self.time_limit is None or self.time_limit >= LEAST_TIME_LIMIT)
        )

    @property
    def hard_time_limit(self) -> float | None:
        """Upper bound on the seconds for one puzzle, with a generous margin.

        None without a time limit.
        """
        if self.time_limit is None:
            return None
        searches = (1 + self.both_readings) * (1 + (self.cross_check is not None))
        searches += sum(analysis.searches for analysis in self.analyses)
        return _SPARE_SECONDS + 2 * self.time_limit * searches

    @property
    def slow_option(self) -> tuple[str, str]:
        """The name and value of an option that makes a run many times slower; empty for none."""
        chosen = {
            name: value for analysis in self.analyses for name, value in analysis.options.items()
        }
        slow = {
            "cross-check": bool(self.cross_check),
            "backend": not self.uses_bitboard,
            "best": chosen.get("best"),
            "longest-chain": chosen.get("longest_chain"),
        }
        name = next((name for name, is_set in slow.items() if is_set), "")
        return name, str(self.backend) if name == "backend" else ""

    @property
    def uses_bitboard(self) -> bool:
        """Whether the bitboard is tried first."""
        return self.backend in ("auto", "bitboard")


def decide(entry: Entry, task: Task) -> ResultRecord:
    """The record of one entry. No exception leaves this function except KeyboardInterrupt."""
    if entry.puzzle is None:
        return invalid(entry)
    try:
        meter = Meter(Budget(task.time_limit))
        if not task.both_readings:
            return _decided(entry, entry.puzzle, task, meter)
        parts = iter((2, 1))
        best, found = under_both(
            entry.puzzle, lambda reading: _decided(entry, reading, task, meter, next(parts))
        )
        readings: dict[Any, Finding] = {
            name: Finding(**{field: vars(reading)[field] for field in Finding.__dataclass_fields__})
            for name, reading in found.items()
        }
        error = next(filter(None, (reading.error for reading in found.values())), None)
        return replace(best, readings=readings, error=error)
    except Exception as error:
        return failed(entry, error)


def _decided(
    entry: Entry, puzzle: Puzzle, task: Task, meter: Meter, parts: int = 1
) -> ResultRecord:
    """The result of the search and the analyses, with the error of an analysis that failed.

    If all searches share a time limit, `parts` have to share what `meter` has left.
    """
    halves = any(analysis.works_if_undecided for analysis in task.analyses)
    searches = parts * (1 + halves) * (1 + (task.cross_check is not None))
    outcome = solutions.search(
        puzzle,
        task.verb,
        backend=task.backend,
        cross_check=task.cross_check,
        limit=task.limit,
        time_limit=_share(meter, searches) if task.shares_time else task.time_limit,
        reasons=task.reasons or "smallest",
    )
    fields, error_record = outcome.fields(), None
    try:
        for analysis in task.analyses:
            seconds = task.time_limit
            if task.shares_time or analysis.is_about_clues:
                seconds = _share(meter, 1 if analysis.is_about_clues else parts)
            subject = Subject(puzzle, outcome, seconds, entry.id or "")
            if not analysis.is_about_clues:
                fields |= analysis.fields(subject)
                continue
            fields["answered"], started = False, monotonic()
            try:
                fields |= analysis.fields(subject)
            except BudgetExceeded as error:
                fields["stopped_by"] = error.by
            fields["seconds"] = round(outcome.seconds + monotonic() - started, 6)
    except BinairoError as error:
        message = f"{outcome.verdict}, but {error}"
        error_record = ErrorRecord(kind=error.kind, message=message)
    return record(entry, fields, error_record)


def _share(meter: Meter, parts: int) -> float | None:
    """The time for the next search, if this many have to share the rest; None without a limit."""
    left = meter.seconds_left
    return None if left is None else left / parts


def record(
    entry: Entry, found: Mapping[str, Any], error: ErrorRecord | None = None
) -> ResultRecord:
    """The record of an entry with the fields that were found out about it."""
    fields = {
        **found,
        "id": entry.id or "",
        "source": entry.source,
        "line": entry.line,
        "picture": entry.picture,
        "error": error,
    }
    if entry.puzzle:
        board, signs = entry.puzzle.board, entry.puzzle.signs
        fields["height"], fields["width"], fields["clues"] = board.height, board.width, board.cells
        fields["signs"] = [tuple(sign) for sign in signs] if signs else None
    return ResultRecord.of(fields)


def invalid(entry: Entry) -> ResultRecord:
    """The record of an entry without a puzzle."""
    return failed(entry, entry.error or BinairoError("no puzzle"), Verdict.INVALID)


def failed(
    entry: Entry, error: Exception, verdict: Literal[Verdict.INVALID, Verdict.UNKNOWN] | None = None
) -> ResultRecord:
    """The record of a puzzle that could not be decided, with the error."""
    line = column = None
    if isinstance(error, ImportError):
        error = BackendError(extras.explain_import_error(error))
    message = str(error)
    if isinstance(error, FormatError | SourceError):
        message = error.without_place
    if isinstance(error, FormatError):
        line, column = error.line, error.column
    if isinstance(error, MemoryError):
        error = SolverMemory("there was no memory for it")
    if isinstance(error, SolverCrash):
        message = f"{error}{_PUZZLE_FOLLOWS}\n{entry.puzzle}"
    kind = "internal"
    if isinstance(error, BinairoError):
        kind = error.kind
    else:
        message = "".join(traceback.format_exception_only(error)).strip()
    error_record = ErrorRecord(kind=kind, message=message, line=line, column=column)
    rules = stated(entry.puzzle) if entry.puzzle else None
    found = {"rules": rules, "verdict": verdict or Verdict.UNKNOWN}
    return record(entry, found, error_record)


def without_puzzle(message: str) -> str:
    """The message of an error, without the puzzle that `failed` adds for a crash."""
    return message.partition(_PUZZLE_FOLLOWS)[0]
