"""Files of puzzles in, result records out: one after the other, in the order of the input.

Whatever happens to a puzzle becomes its record: a fault in the text, a solver that fails or dies,
a time that runs out. Nothing that happens to one puzzle touches another.
"""

from __future__ import annotations

import traceback
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, islice
from typing import Literal

from binairo_cp import backends, executors, solutions
from binairo_cp.errors import BinairoError, FormatError, SolverCrash, SourceError
from binairo_cp.formats import Entry
from binairo_cp.rules import Puzzle, Rules
from binairo_cp.schema import ErrorRecord, Finding, ResultRecord, stated
from binairo_cp.solutions import Outcome, Verdict

LARGEST_BLOCK = 64
"""How many puzzles a worker is given at once, at most."""

BLOCK_SECONDS = 0.1
"""How long a block should take; what a worker has of it when Ctrl-C comes is lost."""

Verb = Literal["solve", "check", "count"]


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with each puzzle; it travels to the workers.

    Attributes:
        verb: which function of `solutions`.
        backend: the name of a backend.
        cross_check: the name of another one that must agree.
        limit: how many solutions to stop after; None for the default of the verb.
        time_limit: in seconds for each puzzle; None for no bound.
        both_readings: decide with distinct lines and without.
        backbone: tell the cells that all solutions of a puzzle with several share.
    """

    verb: Verb
    backend: str = backends.DEFAULT
    cross_check: str | None = None
    limit: int | None = None
    time_limit: float | None = None
    both_readings: bool = False
    backbone: bool = False


def run(
    entries: Iterable[Entry], task: Task, workers: int = 1
) -> Generator[ResultRecord, None, None]:
    """The record of each entry, in order.

    A single puzzle is decided in this process. More than one are decided in worker processes, so
    that a solver that dies takes only the puzzle with it that it died of.

    Args:
        entries: what was read.
        task: what is done with each.
        workers: the number of processes; 0 decides everything in this one.
    """
    entries = iter(entries)
    first = list(islice(entries, 2))
    if workers == 0 or len(first) < 2:
        yield from (decide(entry, task) for entry in chain(first, entries))
        return
    work, pace = _Work(task), _Pace()
    blocks = _blocks(chain(first, entries), workers, pace)
    for block, made in executors.map_blocks(work, blocks, workers=workers):
        if isinstance(made, list):
            records: Iterable[ResultRecord] = made
        elif len(block) == 1:
            records = [_failed(block[0], made)]
        else:
            records = _one_by_one(work, block)
        for record in records:
            pace.add(record)
            yield record


@dataclass(frozen=True, slots=True)
class _Work:
    """What a worker does with a block."""

    task: Task

    def __call__(self, block: list[Entry]) -> list[ResultRecord]:
        return [decide(entry, self.task) for entry in block]


def _one_by_one(work: _Work, block: list[Entry]) -> Iterator[ResultRecord]:
    """A block that a worker died of, again with a process for each puzzle: one is the guilty."""
    singles = ([entry] for entry in block)
    for (entry,), made in executors.map_blocks(work, singles, workers=1):
        yield from made if isinstance(made, list) else [_failed(entry, made)]


class _Pace:
    """How many puzzles are decided in a second, as far as is known."""

    def __init__(self) -> None:
        self._puzzles = 0
        self._seconds = 0.0

    def add(self, record: ResultRecord) -> None:
        self._puzzles += 1
        self._seconds += record.seconds or 0.0

    def puzzles_in(self, seconds: float) -> int:
        """How many that time is enough for, at least 1."""
        return max(1, int(seconds * self._puzzles / max(self._seconds, 1e-9)))


def _blocks(entries: Iterator[Entry], workers: int, pace: _Pace) -> Iterator[list[Entry]]:
    """Blocks that grow: a short file is spread over all workers, a long one has little overhead."""
    for number in count():
        growing = 1 + number // (4 * workers)
        size = min(growing, pace.puzzles_in(BLOCK_SECONDS), LARGEST_BLOCK)
        block = list(islice(entries, size))
        if not block:
            return
        yield block


def decide(entry: Entry, task: Task) -> ResultRecord:
    """The record of one entry; no exception leaves this function but Ctrl-C."""
    if entry.puzzle is None:
        return _failed(entry, entry.error or BinairoError("no puzzle"), Verdict.INVALID)
    try:
        if not task.both_readings:
            return _record(entry, _find(entry.puzzle, task))
        readings = {
            name: _find(replace(entry.puzzle, rules=rules), task)
            for name, rules in _readings(entry.puzzle.rules).items()
        }
        best = min(readings.values(), key=lambda finding: _PREFERENCE.index(finding.verdict))
        return _record(entry, best).model_copy(update={"readings": readings})
    except Exception as error:
        return _failed(entry, error)


_PREFERENCE = [
    Verdict.UNIQUE,
    Verdict.SOLVED,
    Verdict.UNKNOWN,
    Verdict.MULTIPLE,
    Verdict.NONE,
]
"""With two readings the record as a whole says the better of two verdicts."""


def _readings(rules: Rules) -> dict[str, Rules]:
    return {
        "classic": replace(rules, distinct_lines=True),
        "unruly": replace(rules, distinct_lines=False),
    }


def _find(puzzle: Puzzle, task: Task) -> Finding:
    """What the task finds out about a puzzle, with the reasons that its verdict asks for."""
    outcome = _outcome(puzzle, task)
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
        finding.contradiction_smallest = outcome.contradiction.smallest
    return finding


def _outcome(puzzle: Puzzle, task: Task) -> Outcome:
    ask = partial(
        {"solve": solutions.solve, "check": solutions.check, "count": solutions.count}[task.verb],
        puzzle,
        backend=task.backend,
        cross_check=task.cross_check,
        time_limit=task.time_limit,
    )
    return ask() if task.limit is None else ask(limit=task.limit)


def _add_backbone(finding: Finding, puzzle: Puzzle, task: Task) -> None:
    found = solutions.backbone(puzzle, backend=task.backend, time_limit=task.time_limit)
    if found:
        finding.backbone = found.board.cells
        finding.backbone_complete = found.complete


def _record(entry: Entry, finding: Finding, error: ErrorRecord | None = None) -> ResultRecord:
    origin: dict[str, object] = {"id": entry.id or "", "source": entry.source, "line": entry.line}
    if entry.puzzle:
        board = entry.puzzle.board
        origin |= {"height": board.height, "width": board.width, "clues": board.cells}
        origin["signs"] = [tuple(sign) for sign in entry.puzzle.signs] or None
    return ResultRecord.model_validate(origin | dict(finding) | {"error": error})


def _failed(
    entry: Entry, error: Exception, verdict: Literal[Verdict.INVALID, Verdict.UNKNOWN] | None = None
) -> ResultRecord:
    """The record of a puzzle that could not be decided: what went wrong stands in its error."""
    message = str(error)
    line = column = None
    if isinstance(error, FormatError | SourceError):
        message = error.without_place
    if isinstance(error, FormatError):
        line, column = error.line, error.column
    if isinstance(error, SolverCrash):
        message = f"{error}; its puzzle was\n{entry.puzzle}"
    kind = "internal"
    if isinstance(error, BinairoError):
        kind = error.kind
    else:
        message = "".join(traceback.format_exception_only(error)).strip()
    told = ErrorRecord(kind=kind, message=message, line=line, column=column)
    return _record(entry, Finding(verdict=verdict or Verdict.UNKNOWN), told)
