"""Turn blocks of puzzles into result records, as text, in this process or in workers.

A crash or a timeout affects only its own puzzle.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pickle import PickleBuffer
from shutil import get_terminal_size
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, SupportsIndex

from binairo_cp.batch import reports
from binairo_cp.batch.analyses import Progress
from binairo_cp.batch.blocks import BlockSizer, NumberedBlock
from binairo_cp.batch.reports import ANYBODY, Reader
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output, Table
from binairo_cp.batch.tasks import Task, decide, failed
from binairo_cp.errors import SolverCrash
from binairo_cp.formats import Entry, LineBlock
from binairo_cp.formats.blocks import STRICT
from binairo_cp.formats.output_files import Buffer
from binairo_cp.formats.results import ResultRecord
from binairo_cp.solving import backends
from binairo_cp.workers import executors, resource_limits
from binairo_cp.workers.executors import WorkerSettings

if TYPE_CHECKING:
    from binairo_cp.batch.columnar import Group

_COLUMNAR = "binairo_cp.batch.columnar"
_WORTH_LOADING = 256
"""How many puzzles of a run take longer one by one than to import `columnar`, and numpy with it."""

_SECONDS_TOGETHER = 300.0

_START_SECONDS = 0.3
"""The time to start workers. Less work than this stays in this process."""

_SECONDS_HERE = 8 * _START_SECONDS
"""Time limit in this process for a puzzle of several.

A search gets at least an eighth of the limit of its puzzle. So if the puzzle takes less than that,
no search has reached its limit, and the result is that of any longer one.
"""


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """The result of a block: its records as text, and their summary.

    Attributes:
        before: the number of puzzles of the run that come before the block.
        data: the records in UTF-8. It may be a view of memory that is reused once there is no view.
    """

    before: int
    data: Buffer
    summary: Summary
    seconds: float

    @property
    def text(self) -> str:
        """The records."""
        return str(self.data, "utf-8")

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickle the records apart, so that they can travel through shared memory."""
        data = PickleBuffer(self.data) if int(protocol) >= 5 else bytes(self.data)
        return WrittenBlock, (self.before, data, self.summary, self.seconds)


def process_blocks(
    blocks: Iterable[NumberedBlock],
    task: Task,
    output: Output,
    sizer: BlockSizer,
    settings: WorkerSettings,
    *,
    begun: bool = False,
    is_long: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
    is_seen: bool = False,
) -> Generator[WrittenBlock, None, None]:
    """Run a task on all puzzles of the blocks.

    A single puzzle is decided in this process, unless its solver may have to be killed. Several
    puzzles are decided by workers, so that a crash affects only its own puzzle; but quick ones are
    decided here until they have taken as long as workers take to start.

    Args:
        blocks: the puzzles; empty blocks while a pipe is silent.
        task: what to do with each puzzle.
        output: the format of the results.
        sizer: updated with the times of finished blocks.
        settings: the workers.
        begun: other puzzles of the same run are finished already.
        is_long: whether so much input is left that workers are sure to pay.
        progress: called as the bounds of the analysis of a single puzzle close.
        is_seen: the results go to a terminal.
    """
    blocks = iter(blocks)
    needs_whole_run = any(analysis.of_run for analysis in task.analyses)
    first = list(_first(blocks, until_end=needs_whole_run))
    blocks = chain(first, blocks)
    is_single = not begun and len(first) < 2 and sum(len(block.block) for block in first) < 2
    full = resolved(task, output, is_single, progress)
    options = {
        name: value for analysis in task.analyses for name, value in analysis.options.items()
    }
    reader = Reader(is_single, options if is_seen else None, get_terminal_size().columns)
    work = _BlockWorker(full, output, reader)
    if is_single:
        settings = (
            settings.single
            if settings.workers and _may_be_killed(first, task, settings)
            else WorkerSettings(0)
        )
    if not is_single:
        resource_limits.keep_freed_memory()
    if settings.workers == 0:
        yield from (work(block) for block in blocks if block.block)
        return
    if not is_single and _may_begin_here(task, settings):
        blocks = yield from _decided_here(work, blocks, sizer, is_long)
        if (following := next(blocks, None)) is None:
            return
        blocks = chain([following], blocks)
    with settings.open() as executor:
        numbered = (block if block.block else None for block in blocks)
        for block, result in executors.map_blocks(executor, work, numbered, NumberedBlock.split):
            part = result if isinstance(result, WrittenBlock) else work.failed(block, result)
            sizer.update(part.summary.total, part.seconds)
            yield part


def _may_begin_here(task: Task, settings: WorkerSettings) -> bool:
    """Whether the first puzzles of several may be decided in this process, and some of them again.

    Clue analyses divide their time limits further, and certificates are files.
    """
    if settings.cluster or settings.memory is not None:
        return False
    return not any(analysis.is_about_clues or analysis.of_run for analysis in task.analyses)


def _decided_here(
    work: _BlockWorker,
    blocks: Iterator[NumberedBlock],
    sizer: BlockSizer,
    is_long: Callable[[], bool],
) -> Generator[WrittenBlock, None, Iterator[NumberedBlock]]:
    """Decide blocks in this process, until workers pay or a puzzle needs one.

    Returns:
        The blocks that are left.
    """
    limit = work.task.time_limit
    is_capped = limit is None or limit > _SECONDS_HERE
    here = work.with_time_limit(_SECONDS_HERE) if is_capped else work
    left = _START_SECONDS
    for numbered in blocks:
        if left <= 0 or is_long() or _needs_own_process([numbered], work.task):
            return chain([numbered], blocks)
        if numbered.block:
            started = perf_counter()
            part = here(numbered)
            seconds = perf_counter() - started
            if is_capped and seconds >= _START_SECONDS:
                # A search may have reached the limit: a worker has more time.
                return chain([numbered], blocks)
            left -= seconds
            sizer.update(part.summary.total, part.seconds)
            yield part
    return blocks


def shows_conflicts(output: Output) -> bool:
    """Whether records of this format have room for conflicts. A line has none."""
    return output != "line" and not (isinstance(output, Table) and not output.shows_conflicts)


def resolved(task: Task, output: Output, is_single: bool, progress: Progress | None = None) -> Task:
    """The task with what depends on the output, and on whether the run has one puzzle or many.

    Raises:
        BinairoError: an analysis is not possible for many puzzles.
    """
    # The search for a conflict takes a hundred times as long as a verdict.
    reasons = task.reasons or ("smallest" if is_single else "none")
    if not shows_conflicts(output):
        reasons = "none"
    analyses = tuple(
        analysis.for_run(is_single=is_single, progress=progress) for analysis in task.analyses
    )
    return replace(task, reasons=reasons, analyses=analyses)


def _first(blocks: Iterator[NumberedBlock], *, until_end: bool) -> Iterator[NumberedBlock]:
    """The first blocks, which show whether the run has a single puzzle.

    Args:
        blocks: all blocks.
        until_end: wait for a second puzzle or the end of the input, however long a pipe is silent.
    """
    has_puzzles = False
    for numbered in blocks:
        if numbered.block or (has_puzzles and not until_end):
            yield numbered
            if has_puzzles:
                return
            has_puzzles = True


def _may_be_killed(blocks: list[NumberedBlock], task: Task, settings: WorkerSettings) -> bool:
    """Whether a single puzzle needs its own process, which takes some tenths of a second to start.

    Clue analyses run in this process, so that they can show their progress. They need no other,
    since their solvers work in short slices.
    """
    if any(analysis.is_about_clues for analysis in task.analyses):
        return False
    return settings.memory is not None or _needs_own_process(blocks, task)


def _needs_own_process(blocks: list[NumberedBlock], task: Task) -> bool:
    """Whether the solver of a puzzle may not respond to the clock in time."""
    used = [backend for backend in (task.backend, task.cross_check) if backend is not None]
    entries = [entry for block in blocks for entry in block.block]
    boards = [entry.puzzle.board for entry in entries if entry.puzzle]
    return any(
        backends.needs_own_process(backend, max(board.height, board.width))
        for backend in used
        for board in boards
    )


@dataclass(frozen=True, slots=True)
class _BlockWorker:
    """The function that a worker calls for each block."""

    task: Task
    output: Output
    reader: Reader = ANYBODY

    def __call__(self, numbered: NumberedBlock) -> WrittenBlock:
        started, worked = perf_counter(), process_time()
        block, summary = numbered.block, Summary(self.task.verb)
        data: Buffer
        if isinstance(block, LineBlock) and (groups := self._columnar(numbered.before, block)):
            # Waiting for a busy processor does not count: smaller blocks would take it longer.
            started = perf_counter() - (process_time() - worked)
            data = self._columnar_text(block, groups, summary)
        else:
            data = b"".join(self._written(self._decided(entry), summary) for entry in block)
        return WrittenBlock(numbered.before, data, summary, perf_counter() - started)

    def with_time_limit(self, seconds: float) -> _BlockWorker:
        """The same with another time limit for each puzzle."""
        return replace(self, task=replace(self.task, time_limit=seconds))

    def failed(self, numbered: NumberedBlock, error: SolverCrash) -> WrittenBlock:
        """The result for a single puzzle that crashed its worker."""
        summary = Summary(self.task.verb)
        records = (failed(entry, error) for entry in numbered.block)
        data = b"".join(self._written(record, summary) for record in records)
        return WrittenBlock(numbered.before, data, summary, 0.0)

    def _decided(self, entry: Entry) -> ResultRecord:
        with resource_limits.kill_after(self.task.hard_time_limit):
            return decide(entry, self.task)

    def _written(self, record: ResultRecord, summary: Summary) -> bytes:
        """A record as text, after it is counted."""
        summary.add(record)
        return self._text(record).encode()

    def _text(self, record: ResultRecord) -> str:
        if isinstance(self.output, Table):
            return self.output.written(record)
        return reports.written(record, self.output, self.task.verb, self.reader)

    def _columnar(self, before: int, block: LineBlock) -> list[Group]:
        """The results of the plain puzzles of a block; empty if it is decided one by one."""
        # A single puzzle is decided as the Python function decides it, whatever ran before.
        # Blocks of a slow machine stay small, so the puzzles before them count too.
        is_worth = _COLUMNAR in sys.modules or before + len(block) >= _WORTH_LOADING
        if len(block) < 2 or not is_worth or not self.task.is_columnar:
            return []
        try:
            # Imported here because it is slow.
            from binairo_cp.batch import columnar

            with resource_limits.kill_after(_SECONDS_TOGETHER):
                return columnar.decide_block(block, columnar.plan_of(self.task))
        except Exception as error:
            if os.environ.get(STRICT):
                raise
            # Decided one by one, the puzzle that fails gets a record with the error.
            logging.getLogger(__name__).warning(
                "binairo: deciding puzzles one by one, which is slower (%s)", error
            )
            return []

    def _columnar_text(self, block: LineBlock, groups: list[Group], summary: Summary) -> Buffer:
        """All records of a block as text, after they are counted."""
        # Imported here because it is slow.
        from binairo_cp.batch import columnar_text

        others = {}
        if sum(map(len, groups)) < len(block):
            skipped = {line for group in groups for line in group.puzzles.lines.tolist()}
            for line, entry in block.entries(skipped):
                if entry:
                    others[line] = self._written(self._decided(entry), summary)
        for group in groups:
            summary.add_group(group)
        return columnar_text.written(block, groups, others, self.output, self._text)
