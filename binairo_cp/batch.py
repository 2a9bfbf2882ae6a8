"""Blocks of puzzles in, result records out, as text and in the order of the input.

Whatever happens to a puzzle becomes its record: a fault in the text, a solver that fails or dies,
a time that runs out. Nothing that happens to one puzzle touches another.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from time import perf_counter
from typing import Literal

from binairo_cp import backends, reports, solutions
from binairo_cp.answers import Answer
from binairo_cp.backends import Backend
from binairo_cp.counting import Split
from binairo_cp.errors import BinairoError, FormatError, SolverCrash, SourceError
from binairo_cp.executors import Pool
from binairo_cp.formats import Block, Entry, Lines
from binairo_cp.reports import Output, Summary
from binairo_cp.rules import Puzzle, Rules
from binairo_cp.schema import ErrorRecord, Finding, ResultRecord, stated
from binairo_cp.solutions import Outcome, Verb, Verdict

LARGEST_BLOCK = 8_192
"""How many puzzles a worker is given at once, at most."""

BLOCK_SECONDS = 0.1
"""How long a block should take; what a worker has of it when Ctrl-C comes is lost."""

_WORTH_LOADING = 256
_LEAST_TIME_LIMIT = 1.0
_BITBOARD_MODULE = "binairo_cp.backends.bitboard.loaded"
_DEFAULT_LIMITS: dict[Verb, int] = {"solve": 1, "check": 2, "count": sys.maxsize}


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with each puzzle; it travels to the workers.

    Attributes:
        verb: which function of `solutions`.
        backend: a backend or its name.
        cross_check: another one that must agree.
        limit: how many solutions to stop after; None for the default of the verb.
        time_limit: in seconds for each puzzle; None for no bound.
        both_readings: decide with distinct lines and without.
        backbone: tell the cells that all solutions of a puzzle with several share.
        reasons: tell why there is no solution.
        split: let all workers count the solutions of one puzzle after the other.
    """

    verb: Verb
    backend: str | Backend = backends.DEFAULT
    cross_check: str | Backend | None = None
    limit: int | None = None
    time_limit: float | None = None
    both_readings: bool = False
    backbone: bool = False
    reasons: bool = True
    split: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether many puzzles may be decided at once, as `bulk` does it."""
        limit = _DEFAULT_LIMITS[self.verb]
        return (
            self.uses_bitboard
            and not (self.cross_check or self.both_readings or self.backbone)
            and (self.verb == "count" or self.limit in (None, limit))
            and (self.time_limit is None or self.time_limit >= _LEAST_TIME_LIMIT)
        )

    @property
    def uses_bitboard(self) -> bool:
        """Whether the bitboard is asked first."""
        return self.backend in ("auto", "bitboard")


@dataclass(frozen=True, slots=True)
class Part:
    """What became of a block: its records as text, and what they come to."""

    text: str
    summary: Summary
    seconds: float


class Pace:
    """How many puzzles the next block should have.

    Blocks grow, so that a short file is spread over all workers and a long one has little overhead,
    as far as the last ones tell that a block takes no longer than `BLOCK_SECONDS`.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._blocks = 0
        self._puzzles = self._seconds = 0.0

    def add(self, part: Part) -> None:
        """Learn from what became of a block; what was before counts half."""
        self._puzzles = self._puzzles / 2 + part.summary.total
        self._seconds = self._seconds / 2 + part.seconds

    def size(self) -> int:
        """The number of puzzles for a block, which is now begun."""
        doubled = self._blocks // (2 * self._workers)
        self._blocks += 1
        in_time = BLOCK_SECONDS * self._puzzles / max(self._seconds, 1e-9)
        return min(LARGEST_BLOCK, 1 << min(doubled, 20), max(1, int(in_time)))


def run(
    blocks: Iterable[Block],
    task: Task,
    output: Output,
    pace: Pace,
    workers: int,
    is_large: Callable[[], bool] = lambda: False,
) -> Generator[Part, None, None]:
    """What becomes of each block, in order.

    A single puzzle is decided in this process. More than one are decided in worker processes, so
    that a solver that dies takes only the puzzle with it that it died of.

    Args:
        blocks: what was read.
        task: what is done with each puzzle.
        output: the form of the results.
        pace: is told how long the blocks took.
        workers: the number of processes; 0 decides everything in this one.
        is_large: whether there are so many puzzles that what takes time to load is loaded for all
            workers; asked when the first of them are there.
    """
    # There is no room for reasons on a line, and some take long.
    work = _Work(replace(task, reasons=task.reasons and output != "line"), output)
    blocks = iter(blocks)
    if workers and task.split:
        yield from _one_with_all(work, blocks, workers)
        return
    first = list(islice(blocks, 2))
    blocks = chain(first, blocks)
    if workers == 0 or sum(map(len, first)) < 2:
        yield from map(work, blocks)
        return
    modules = [_BITBOARD_MODULE] if is_large() and task.is_plain else []
    with Pool(workers, modules) as pool:
        for block, made in pool.map(work, blocks):
            if isinstance(made, Part):
                parts: Iterable[Part] = [made]
            else:
                parts = _one_by_one(work, block) if len(block) > 1 else [work.failed(block, made)]
            for part in parts:
                pace.add(part)
                yield part


def _one_by_one(work: _Work, block: Block) -> Iterator[Part]:
    """A block that a worker died of, again with a process for each puzzle: one is the guilty."""
    with Pool(1) as pool:
        for single, made in pool.map(work, ([entry] for entry in block)):
            yield made if isinstance(made, Part) else work.failed(single, made)


def _one_with_all(work: _Work, blocks: Iterable[Block], workers: int) -> Iterator[Part]:
    """One puzzle after the other, each split over all workers."""
    modules = [_BITBOARD_MODULE] if work.task.uses_bitboard else []
    with Pool(workers, modules) as pool:

        def split(backend: str | Backend) -> Split:
            return Split(backends.get(backend) if isinstance(backend, str) else backend, pool)

        task = work.task
        other = None if task.cross_check is None else split(task.cross_check)
        shared = _Work(replace(task, backend=split(task.backend), cross_check=other), work.output)
        for block in blocks:
            yield from (shared([entry]) for entry in block)


@dataclass(frozen=True, slots=True)
class _Work:
    """What a worker does with a block."""

    task: Task
    output: Output

    def __call__(self, block: Block) -> Part:
        started = perf_counter()
        written = _Written(self.task.verb, self.output)
        if isinstance(block, Lines):
            found = self._found_together(block)
            for line, number, entry in block.entries(found):
                if entry:
                    written.add(decide(entry, self.task))
                else:
                    written.add_answer(found[line], line, number)
        else:
            for entry in block:
                written.add(decide(entry, self.task))
        return written.part(perf_counter() - started)

    def failed(self, block: Block, error: SolverCrash) -> Part:
        """What is said of a single puzzle that a worker died of."""
        written = _Written(self.task.verb, self.output)
        for entry in block:
            written.add(_failed(entry, error))
        return written.part(0.0)

    def _found_together(self, block: Lines) -> dict[int, Answer]:
        """What is known of the ordinary puzzles of a block, by their lines."""
        task = self.task
        is_loaded = _BITBOARD_MODULE in sys.modules
        if not (task.is_plain and (is_loaded or len(block) >= _WORTH_LOADING)):
            return {}
        try:
            # Imported here, since it takes time.
            from binairo_cp import bulk

            limit = task.limit or _DEFAULT_LIMITS[task.verb]
            return bulk.find(block, task.verb, limit, task.reasons and task.verb == "check")
        except ImportError:
            # Without numba puzzles go one by one; `auto` says so.
            return {}
        except Exception as error:
            # One by one, whichever puzzle fails is told.
            logging.getLogger(__name__).warning("binairo: puzzles go one by one (%s)", error)
            return {}


class _Written:
    """The records of a block, as text and summed up."""

    def __init__(self, verb: Verb, output: Output) -> None:
        self._to_text = reports.writer(output, verb)
        self._answer_to_text = reports.answer_writer(output, verb)
        self._texts: list[str] = []
        self._answers: list[Answer] = []
        self._summary = Summary(verb)

    def add(self, record: ResultRecord) -> None:
        self._texts.append(self._to_text(record))
        self._summary.add(record)

    def add_answer(self, answer: Answer, line: int, number: int) -> None:
        self._texts.append(self._answer_to_text(answer, line, answer.id or str(number)))
        self._answers.append(answer)

    def part(self, seconds: float) -> Part:
        self._summary.add_answers(self._answers)
        return Part("".join(self._texts), self._summary, seconds)


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
    if task.verb == "check":
        ask = partial(ask, reasons=task.reasons)
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
