"""Blocks of puzzles in, result records out, as text: in the order of the input or as they come.

Nothing that happens to one puzzle touches another.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from time import perf_counter

from binairo_cp.batch import reports
from binairo_cp.batch.compact_results import Answer
from binairo_cp.batch.records import failed
from binairo_cp.batch.reports import Output
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tasks import DEFAULT_LIMITS, Task, decide
from binairo_cp.errors import SolverCrash
from binairo_cp.formats import Block, Entry, Lines, Placed
from binairo_cp.formats.schema import ResultRecord
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Backend
from binairo_cp.solving.counting import Split
from binairo_cp.solving.solutions import Verb
from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors import Crew, mapped

LARGEST_BLOCK = 8_192
"""How many puzzles a worker is given at once, at most."""

BLOCK_SECONDS = 0.1
"""How long a block should take; what a worker has of it when Ctrl-C comes is lost."""

CLUSTER_BLOCK_SECONDS = 1.0
"""The same on a cluster, whose scheduler should not have too many to deal with."""

_WORTH_LOADING = 256
_SECONDS_TOGETHER = 300.0
_PARTS = 16
_BITBOARD_MODULE = "binairo_cp.solving.backends.bitboard.loaded"

STRICT = "BINAIRO_STRICT"
"""Environment variable. If it is set, an unexpected error in `bulk` ends the run.

Tests set it, since otherwise they would pass while all puzzles are decided the slow way. Worker
processes and commands that a test starts inherit it.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """What became of a block: its records as text, and what they come to.

    `before` is how many puzzles of the run come before it.
    """

    before: int
    text: str
    summary: Summary
    seconds: float


class Pace:
    """How many puzzles the next block should have.

    Blocks grow, so that a short file is spread over all workers and a long one has little overhead,
    as far as the last ones tell that a block takes no longer than it should.
    """

    def __init__(self, workers: int, block_seconds: float = BLOCK_SECONDS) -> None:
        self._workers = workers
        self._block_seconds = block_seconds
        self._blocks = 0
        self._puzzles = self._seconds = 0.0

    def update(self, part: Part) -> None:
        """Learn from what became of a block; what was before counts half."""
        self._puzzles = self._puzzles / 2 + part.summary.total
        self._seconds = self._seconds / 2 + part.seconds

    def size(self) -> int:
        """The number of puzzles for a block, which is now begun."""
        doubled = self._blocks // (2 * self._workers)
        self._blocks += 1
        in_time = self._block_seconds * self._puzzles / max(self._seconds, 1e-9)
        return min(LARGEST_BLOCK, 1 << min(doubled, 20), max(1, int(in_time)))


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block and how many puzzles of the run come before it."""

    before: int
    block: Block | Placed

    def placed(self) -> NumberedBlock:
        """The same, of which it is only told where it is, if it is part of a file."""
        if isinstance(self.block, Lines) and self.block.path:
            return NumberedBlock(self.before, Placed.of(self.block))
        return self

    def read(self) -> Block:
        """The block itself."""
        return self.block.read() if isinstance(self.block, Placed) else self.block

    def split(self) -> list[NumberedBlock]:
        """The blocks that it is made of: itself, if it is a single puzzle."""
        size = -(-len(self.block) // _PARTS)
        block = self.read()
        if isinstance(block, Lines):
            return list(number_blocks(block.parts(size), self.before))
        entries = block
        parts = (entries[start : start + size] for start in range(0, len(entries), size))
        return list(number_blocks(parts, self.before))


def number_blocks(blocks: Iterable[Block], before: int = 0) -> Iterator[NumberedBlock]:
    """Blocks with the number of puzzles before each, of which some were before them all."""
    for block in blocks:
        yield NumberedBlock(before, block)
        before += len(block)


def process_blocks(
    blocks: Iterable[NumberedBlock],
    task: Task,
    output: Output,
    pace: Pace,
    crew: Crew,
    is_large: Callable[[], bool] = lambda: False,
    *,
    ordered: bool = True,
    begun: bool = False,
) -> Generator[Part, None, None]:
    """What becomes of each block.

    A single puzzle is decided in this process, unless its solver may have to be killed. More than
    one are decided by the crew, so that a solver that dies takes only its own puzzle with it. So is
    one after which a pipe gives nothing for a while: there may be more.

    Args:
        blocks: what was read; empty ones while a pipe gives nothing.
        task: what is done with each puzzle.
        output: the form of the results.
        pace: is told how long the blocks took.
        crew: who does it.
        is_large: whether there are so many puzzles that what takes time to load is loaded for all
            workers; asked when the first of them are there.
        ordered: the results come in the order of the blocks, not as they are finished.
        begun: other puzzles of the same run are done already.
    """
    if output == "line":
        # There is no room for them on a line.
        task = replace(task, reasons="none")
    work = _BlockWorker(task, output)
    blocks = iter(blocks)
    if crew.workers and task.split:
        yield from _one_with_all(work, blocks, crew)
        return
    needs_whole_run = any(each.needs_whole_run for each in task.additions)
    first = list(_first(blocks, until_end=needs_whole_run))
    blocks = chain(first, blocks)
    is_single = not begun and len(first) < 2 and sum(len(each.block) for each in first) < 2
    work = work.for_many(is_single)
    # Which backend answers should not depend on what each worker has loaded by then.
    modules = [_BITBOARD_MODULE] if not is_single and task.uses_bitboard and is_large() else []
    if is_single:
        crew = crew.single if crew.workers and _may_be_killed(first, task, crew) else Crew(0)
    if crew.workers == 0:
        for module in modules:
            import_module(module)
        yield from map(work, filter(_has_any, blocks))
        return
    if crew.scatter:
        blocks = (numbered.placed() for numbered in blocks)
    with crew.open(modules) as executor:
        numbered = (each if _has_any(each) else None for each in blocks)
        for block, made in mapped(executor, work, numbered, NumberedBlock.split, ordered=ordered):
            part = made if isinstance(made, Part) else work.failed(block, made)
            pace.update(part)
            yield part


def _has_any(numbered: NumberedBlock) -> bool:
    return len(numbered.block) > 0


def _first(blocks: Iterator[NumberedBlock], *, until_end: bool) -> Iterator[NumberedBlock]:
    """What must be known of the blocks to see whether they are a single puzzle.

    Args:
        blocks: the blocks.
        until_end: wait for a second puzzle or the end of the input, however long a pipe gives
            nothing.
    """
    any_yet = False
    for numbered in blocks:
        if _has_any(numbered) or (any_yet and not until_end):
            yield numbered
            if any_yet:
                return
            any_yet = True


def _may_be_killed(blocks: list[NumberedBlock], task: Task, crew: Crew) -> bool:
    """Whether a single puzzle gets a process of its own, which takes some tenths of a second.

    Analyses of clues show their progress, which they can't from another process. They need none:
    their solvers work in short slices.
    """
    if any(each.shows_progress for each in task.additions):
        return False
    if crew.memory is not None:
        return True
    asked = [each for each in (task.backend, task.cross_check) if each is not None]
    return any(
        backends.needs_own_process(backend, max(puzzle.board.height, puzzle.board.width))
        for backend in asked
        for puzzle in _puzzles(blocks)
    )


def _puzzles(blocks: list[NumberedBlock]) -> Iterator[Puzzle]:
    for each in blocks:
        yield from (entry.puzzle for entry in each.read() if entry.puzzle)


def _one_with_all(
    work: _BlockWorker, blocks: Iterable[NumberedBlock], crew: Crew
) -> Iterator[Part]:
    """One puzzle after the other, each split over all workers."""
    modules = [_BITBOARD_MODULE] if work.task.uses_bitboard else []
    with crew.open(modules) as executor:

        def split(backend: str | Backend) -> Split:
            return Split(backends.get(backend) if isinstance(backend, str) else backend, executor)

        task = work.task
        other = None if task.cross_check is None else split(task.cross_check)
        shared = _BlockWorker(
            replace(task, backend=split(task.backend), cross_check=other), work.output
        )
        for numbered in blocks:
            singles = ([entry] for entry in numbered.read())
            yield from map(shared, number_blocks(singles, numbered.before))


@dataclass(frozen=True, slots=True)
class _BlockWorker:
    """What a worker does with a block."""

    task: Task
    output: Output

    def __call__(self, numbered: NumberedBlock) -> Part:
        started = perf_counter()
        block = numbered.read()
        writer = _BlockWriter(self.task.verb, self.output)
        seconds = self.task.hard_time_limit
        if isinstance(block, Lines):
            found = self._decided_in_bulk(block)
            for line, number, entry in block.entries(found):
                if entry:
                    writer.write(self._decided(entry, seconds))
                else:
                    writer.write_answer(found[line], line, number)
        else:
            for entry in block:
                writer.write(self._decided(entry, seconds))
        return writer.part(numbered.before, perf_counter() - started)

    def _decided(self, entry: Entry, seconds: float | None) -> ResultRecord:
        with resource_limits.watch(seconds):
            return decide(entry, self.task)

    def for_many(self, is_single: bool) -> _BlockWorker:
        """The same, with what differs between one puzzle and many.

        Raises:
            BinairoError: an addition can't be made for many puzzles.
        """
        task = self.task
        if task.reasons is None:
            task = replace(task, reasons="smallest" if is_single else "quick")
        additions = tuple(each.for_run(is_single=is_single) for each in task.additions)
        return _BlockWorker(replace(task, additions=additions), self.output)

    def failed(self, numbered: NumberedBlock, error: SolverCrash) -> Part:
        """What is said of a single puzzle that a worker died of."""
        writer = _BlockWriter(self.task.verb, self.output)
        for entry in numbered.read():
            writer.write(failed(entry, error))
        return writer.part(numbered.before, 0.0)

    def _decided_in_bulk(self, block: Lines) -> dict[int, Answer]:
        """What is known of the ordinary puzzles of a block, by their lines."""
        task = self.task
        is_loaded = _BITBOARD_MODULE in sys.modules
        if not (task.is_plain and (is_loaded or len(block) >= _WORTH_LOADING)):
            return {}
        try:
            # Imported here, since it takes time.
            from binairo_cp.batch import bulk

            limit = task.limit or DEFAULT_LIMITS[task.verb]
            with resource_limits.watch(_SECONDS_TOGETHER):
                reasons = task.reasons != "none" and task.verb == "check"
                return bulk.decide_block(block, task.verb, limit, reasons, bool(task.additions))
        except ImportError:
            # Without numba puzzles go one by one; `auto` says so.
            return {}
        except Exception as error:
            if os.environ.get(STRICT):
                raise
            # One by one, whichever puzzle fails is told.
            logging.getLogger(__name__).warning("binairo: puzzles go one by one (%s)", error)
            return {}


class _BlockWriter:
    """The records of a block, as text and summed up."""

    def __init__(self, verb: Verb, output: Output) -> None:
        self._to_text = reports.writer(output, verb)
        self._answer_to_text = reports.answer_writer(output, verb)
        self._texts: list[str] = []
        self._answers: list[Answer] = []
        self._summary = Summary(verb)

    def write(self, record: ResultRecord) -> None:
        self._texts.append(self._to_text(record))
        self._summary.add(record)

    def write_answer(self, answer: Answer, line: int, number: int) -> None:
        self._texts.append(self._answer_to_text(answer, line, answer.id or str(number)))
        self._answers.append(answer)

    def part(self, before: int, seconds: float) -> Part:
        self._summary.add_answers(self._answers)
        return Part(before, "".join(self._texts), self._summary, seconds)
