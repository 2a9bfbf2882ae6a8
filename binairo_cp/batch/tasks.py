"""What is asked of a puzzle that was read, and the record of what became of it.

Whatever happens to a puzzle becomes its record: a fault in the text, a solver that fails or dies,
a time that runs out.
"""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from binairo_cp.batch import reasoning, studies
from binairo_cp.batch.reasoning import Logic
from binairo_cp.batch.studies import Study
from binairo_cp.certificates.storing import Store
from binairo_cp.errors import (
    BackendError,
    BinairoError,
    FormatError,
    SolverCrash,
    SolverMemory,
    SourceError,
)
from binairo_cp.formats import Entry
from binairo_cp.formats.schema import ErrorRecord, Finding, ResultRecord, stated
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backbones import backbone
from binairo_cp.solving.backends import Backend, Budget, Meter
from binairo_cp.solving.solutions import Outcome, Reasons, Verb, Verdict
from binairo_cp.workers import extras

DEFAULT_LIMITS: dict[Verb, int] = {"solve": 1, "check": 2, "count": sys.maxsize}
"""How many solutions end the search where a task says nothing of it."""

_LEAST_TIME_LIMIT = 1.0
_SPARE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with each puzzle; it travels to the workers.

    Attributes:
        verb: which function of `solutions`.
        backend: a backend or its name.
        cross_check: another one that must agree.
        limit: how many solutions to stop after; None for the default of the verb.
        time_limit: in seconds for each puzzle; None for no bound.
        shares_time: all searches of a puzzle together keep the time limit, not each of them.
        both_readings: decide with distinct lines and without.
        backbone: tell the cells that all solutions of a puzzle with several share.
        reasons: which contradicting clues `check` looks for where there is no solution; None for
            `smallest`, or for `quick` if there are many puzzles.
        split: let all workers count the solutions of one puzzle after the other.
        store: where `check` puts certificates of what it finds.
        logic: what a person would see in each puzzle, which `check` tells too.
        study: what is asked about its clues, likewise.
    """

    verb: Verb
    backend: str | Backend = backends.DEFAULT
    cross_check: str | Backend | None = None
    limit: int | None = None
    time_limit: float | None = None
    shares_time: bool = False
    both_readings: bool = False
    backbone: bool = False
    reasons: Reasons | None = None
    split: bool = False
    store: Store | None = None
    logic: Logic | None = None
    study: Study | None = None

    @property
    def is_plain(self) -> bool:
        """Whether many puzzles may be decided at once, as `bulk` does it."""
        limit = DEFAULT_LIMITS[self.verb]
        return (
            self.uses_bitboard
            and not (self.cross_check or self.both_readings or self.backbone)
            and self.logic in (None, Logic("grade"))
            and not (self.store or self.study)
            and (self.verb == "count" or self.limit in (None, limit))
            and (self.time_limit is None or self.time_limit >= _LEAST_TIME_LIMIT)
        )

    @property
    def most_seconds(self) -> float | None:
        """How long a puzzle can take at most if all solvers keep their limits, with much to spare.

        None if there is no limit.
        """
        if self.time_limit is None:
            return None
        searches = (1 + self.both_readings) * (1 + (self.cross_check is not None))
        others = [self.backbone, self.logic, self.study, self.store, self.store]
        return _SPARE_SECONDS + 2 * self.time_limit * (searches + sum(map(bool, others)))

    @property
    def uses_bitboard(self) -> bool:
        """Whether the bitboard is asked first."""
        return self.backend in ("auto", "bitboard")


class _Time:
    """The time limits of the searches of one puzzle; the clock starts when this is made."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._meter = Meter(Budget(task.time_limit))

    @property
    def left(self) -> float | None:
        """The seconds that are left of the time limit, for a study; None for no bound."""
        return self._meter.seconds_left

    def limited(self, parts: int = 1) -> Task:
        """The task with the time limit of its next search, of so many that are left."""
        if not self._task.shares_time or self.left is None:
            return self._task
        return replace(self._task, time_limit=self.left / parts)


def decide(entry: Entry, task: Task) -> ResultRecord:
    """The record of one entry; no exception leaves this function but Ctrl-C."""
    if entry.puzzle is None:
        return invalid(entry)
    try:
        if not task.both_readings:
            return _found(entry, entry.puzzle, task)
        readings: dict[str, Finding] = {}
        time = _Time(task)
        rules_by_name = both_readings(entry.puzzle.rules)
        for name, rules in rules_by_name.items():
            left = len(rules_by_name) - len(readings)
            read = replace(entry.puzzle, rules=rules)
            outcome = _outcome(read, time.limited(left))
            readings[name] = _finding(read, outcome, time.limited(left))
        best = min(readings.values(), key=lambda finding: _PREFERENCE.index(finding.verdict))
        return record(entry, best).model_copy(update={"readings": readings})
    except Exception as error:
        return failed(entry, error)


def _found(entry: Entry, puzzle: Puzzle, task: Task) -> ResultRecord:
    """The record of a puzzle, with its logic and its certificate where they are asked for."""
    time = _Time(task)
    # Steps can be found in a puzzle that is not decided in time; grades can't.
    shows_steps = task.logic is not None and task.logic.kind != "grade"
    outcome = _outcome(puzzle, time.limited(2 if shows_steps else 1))
    finding = _finding(puzzle, outcome, time.limited())
    try:
        if task.logic and outcome.solutions:
            reasoning.add(finding, puzzle, task.logic, time.limited().time_limit)
        if task.study:
            studies.add(finding, puzzle, outcome, task.study, time.left)
        if task.store and outcome.verdict is not Verdict.UNKNOWN:
            seconds = time.limited().time_limit
            finding.certificate = task.store.add(puzzle, outcome, entry.id or "", seconds)
    except BinairoError as error:
        # What was found out stays known.
        told = ErrorRecord(kind=error.kind, message=f"{outcome.verdict}, but {error}")
        return record(entry, finding, told)
    return record(entry, finding)


_PREFERENCE = [
    Verdict.UNIQUE,
    Verdict.SOLVED,
    Verdict.UNKNOWN,
    Verdict.MULTIPLE,
    Verdict.NONE,
]
"""With two readings the record as a whole says the better of two verdicts."""


def both_readings(rules: Rules) -> dict[str, Rules]:
    """The rules with distinct lines and without, by name."""
    return {
        "classic": replace(rules, distinct_lines=True),
        "unruly": replace(rules, distinct_lines=False),
    }


def _finding(puzzle: Puzzle, outcome: Outcome, task: Task) -> Finding:
    """What was found out about a puzzle, with the reasons that its verdict asks for."""
    boards = [board.cells for board in outcome.solutions]
    finding = Finding(
        rules=stated(puzzle),
        verdict=outcome.verdict,
        solution=boards[0] if boards else None,
        second_solution=boards[1] if len(boards) > 1 and task.verb == "check" else None,
        solutions=boards if task.verb == "solve" and (task.limit or 1) > 1 else None,
        count=outcome.count,
        complete=outcome.complete,
        stopped_by=outcome.stopped_by,
        backend=outcome.backend,
        seconds=round(outcome.seconds, 6),
    )
    if task.verb == "check" and outcome.verdict is Verdict.MULTIPLE:
        finding.differences = [list(cell) for cell in outcome.differences]
        if task.backbone:
            _add_backbone(finding, puzzle, task)
    if outcome.contradiction:
        finding.contradiction = [list(cell) for cell in outcome.contradiction.clues]
        finding.contradiction_irreducible = outcome.contradiction.irreducible
        finding.contradiction_smallest = outcome.contradiction.smallest
        finding.contradiction_stopped_by = outcome.contradiction.stopped_by
    else:
        finding.contradiction_stopped_by = outcome.unexplained
    return finding


def _outcome(puzzle: Puzzle, task: Task) -> Outcome:
    seconds = task.time_limit
    if seconds is not None and task.shares_time and task.cross_check is not None:
        seconds /= 2
    ask = partial(
        {"solve": solutions.solve, "check": solutions.check, "count": solutions.count}[task.verb],
        puzzle,
        backend=task.backend,
        cross_check=task.cross_check,
        time_limit=seconds,
    )
    if task.verb == "check":
        ask = partial(ask, reasons=task.reasons or "smallest")
    return ask() if task.limit is None else ask(limit=task.limit)


def _add_backbone(finding: Finding, puzzle: Puzzle, task: Task) -> None:
    found = backbone(puzzle, backend=task.backend, time_limit=task.time_limit)
    if found:
        finding.backbone = found.board.cells
        finding.backbone_complete = found.complete


def record(entry: Entry, finding: Finding, error: ErrorRecord | None = None) -> ResultRecord:
    """The record of an entry and what was found out about it."""
    origin: dict[str, object] = {"id": entry.id or "", "source": entry.source, "line": entry.line}
    if entry.puzzle:
        board = entry.puzzle.board
        origin |= {"height": board.height, "width": board.width, "clues": board.cells}
        origin["signs"] = [tuple(sign) for sign in entry.puzzle.signs] or None
    return ResultRecord.model_validate(origin | dict(finding) | {"error": error})


def invalid(entry: Entry) -> ResultRecord:
    """The record of an entry that has no puzzle."""
    return failed(entry, entry.error or BinairoError("no puzzle"), Verdict.INVALID)


def failed(
    entry: Entry, error: Exception, verdict: Literal[Verdict.INVALID, Verdict.UNKNOWN] | None = None
) -> ResultRecord:
    """The record of a puzzle that could not be decided: what went wrong stands in its error."""
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
        message = f"{error}; its puzzle was\n{entry.puzzle}"
    kind = "internal"
    if isinstance(error, BinairoError):
        kind = error.kind
    else:
        message = "".join(traceback.format_exception_only(error)).strip()
    told = ErrorRecord(kind=kind, message=message, line=line, column=column)
    rules = stated(entry.puzzle) if entry.puzzle else None
    return record(entry, Finding(rules=rules, verdict=verdict or Verdict.UNKNOWN), told)
