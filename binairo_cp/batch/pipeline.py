"""Turn blocks of puzzles into result records, as text, in this process or in workers.

A crash or a timeout affects only its own puzzle.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from shutil import get_terminal_size
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, TypeVar

from binairo_cp.batch import reports
from binairo_cp.batch.analyses import Progress
from binairo_cp.batch.reports import ANYBODY, Reader
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output, Table
from binairo_cp.batch.tasks import Task, decide, failed
from binairo_cp.errors import SolverCrash
from binairo_cp.formats import Block, Entry, LineBlock
from binairo_cp.formats.blocks import STRICT
from binairo_cp.formats.output_files import Buffer
from binairo_cp.kernels import why_uncompiled
from binairo_cp.solving import backends
from binairo_cp.workers import executors, resource_limits
from binairo_cp.workers.executors import WorkerSettings

if TYPE_CHECKING:
    from binairo_cp.batch.columnar import Group
    from binairo_cp.workers.executors import Executor
    from binairo_cp.workers.executors.threads import Threads

_Item = TypeVar("_Item")
_Done = TypeVar("_Done")

LARGEST_BLOCK = 16_384
"""Maximum number of puzzles in a block."""

BLOCK_SECONDS = 0.1
"""Target time for a block. Ctrl-C loses the unfinished blocks."""

CLUSTER_BLOCK_SECONDS = 1.0
"""The same on a cluster, where fewer blocks relieve the scheduler."""

_PARTS = 16
"""How many parts a block is split into whose worker died."""

_COLUMNAR = "binairo_cp.batch.columnar"
_WORTH_LOADING = 256
"""How many puzzles of a run take longer one by one than to import `columnar`, and numpy with it."""

_SECONDS_TOGETHER = 300.0

_FEW_LEFT = 64
"""If more puzzles of a block are left to processes, they get the following blocks as a whole."""

_FEW_SHAPES = 4
"""So do they if a block has more shapes: what numpy does for each holds the interpreter lock."""

_START_SECONDS = 0.3
"""The time to start workers. Less work than this stays in this process."""

_SECONDS_HERE = 8 * _START_SECONDS
"""Time limit in this process for a puzzle of several.

A search gets at least an eighth of the limit of its puzzle. So if the puzzle takes less than that,
no search has reached its limit, and the result is that of any longer one.
"""


@dataclass
class BlockSizer:
    """Chooses the sizes of blocks.

    Blocks grow from a size, by default one puzzle, so that a short file is spread over all workers
    and a long one has little overhead. The times of finished blocks limit the growth: a block
    should not take longer than `block_seconds`.

    Attributes:
        passed_over: the number of puzzles that come first and are decided already: their blocks
            are as large as possible.
    """

    workers: int
    block_seconds: float = BLOCK_SECONDS
    first: int = 1
    passed_over: int = 0
    _blocks: int = 0
    _puzzles: float = 0.0
    _seconds: float = 0.0

    def update(self, puzzles: int, seconds: float) -> None:
        """Learn from the time of a finished block; earlier times count half."""
        self._puzzles = self._puzzles / 2 + puzzles
        self._seconds = self._seconds / 2 + seconds

    def size(self) -> int:
        """The number of puzzles for the next block; each call counts as one block."""
        if passed := min(self.passed_over, LARGEST_BLOCK):
            self.passed_over -= passed
            return passed
        doubled = self._blocks // (2 * self.workers)
        self._blocks += 1
        if not self._puzzles:
            return self.first
        grown = min(LARGEST_BLOCK, self.first << min(doubled, 20))
        in_time = self.block_seconds * self._puzzles / max(self._seconds, 1e-9)
        return min(grown, max(1, int(in_time)))


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block and the number of puzzles of the run that come before it."""

    before: int
    block: Block

    def split(self) -> list[NumberedBlock]:
        """Smaller blocks with the same puzzles; a single puzzle is not split."""
        size = -(-len(self.block) // _PARTS)
        block = self.block
        if isinstance(block, LineBlock):
            return list(number_blocks(block.parts(size), self.before))
        parts = (block[start : start + size] for start in range(0, len(block), size))
        return list(number_blocks(parts, self.before))


def number_blocks(blocks: Iterable[Block], before: int = 0) -> Iterator[NumberedBlock]:
    """Number blocks: `before` puzzles come before the first one."""
    for block in blocks:
        yield NumberedBlock(before, block)
        before += len(block)


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """The result of a block: its records as text, and their summary.

    Attributes:
        before: the number of puzzles of the run that come before the block.
        data: the records in UTF-8.
        shapes: the number of shapes whose puzzles were decided side by side.
    """

    before: int
    data: Buffer
    summary: Summary
    seconds: float
    shapes: int = 0


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
    # One of a whole run waits for a second puzzle or the end, however long a pipe is silent.
    needs_whole_run = any(analysis.of_run for analysis in task.analyses)
    first: list[NumberedBlock] = []
    for numbered in blocks:
        if numbered.block or (first and not needs_whole_run):
            first.append(numbered)
        if len(first) == 2:
            break
    blocks = chain(first, blocks)
    is_single = not begun and len(first) < 2 and sum(len(block.block) for block in first) < 2
    full = resolved(task, output, is_single, progress)
    options = {
        name: value for analysis in task.analyses for name, value in analysis.options.items()
    }
    reader = Reader(is_single, options if is_seen else None, get_terminal_size().columns)
    work = _BlockWorker(full, output, reader)
    if is_single:
        # A process takes some tenths of a second to start. Clue analyses show their progress here,
        # and need no other process, since their solvers work in short slices.
        may_be_killed = not any(analysis.is_about_clues for analysis in task.analyses) and (
            settings.memory is not None or _needs_own_process(first, task)
        )
        settings = settings.single if settings.workers and may_be_killed else WorkerSettings(0)
    else:
        resource_limits.keep_freed_memory()
    if settings.workers == 0:
        yield from (work(block) for block in blocks if block.block)
        return
    if not is_single and _may_begin_here(task, settings):
        blocks = yield from _decided_here(work, blocks, sizer, is_long)
        if (following := next(blocks, None)) is None:
            return
        blocks = chain([following], blocks)
    work = replace(work, may_be_killed=True)
    pool: Executor
    call: Callable[[NumberedBlock], WrittenBlock]
    if _suits_threads(first, full, output, settings):
        # Imported here, because few puzzles need no threads.
        from binairo_cp.workers.executors.threads import Threads

        pool = Threads(settings.workers, settings.open)
        call = _ThreadWorker(work, pool)
    else:
        pool, call = settings.open(), work
    with pool:
        for part in work.isolated(pool, (block if block.block else None for block in blocks), call):
            sizer.update(part.summary.total, part.seconds)
            yield part


def _suits_threads(
    first: list[NumberedBlock], task: Task, output: Output, settings: WorkerSettings
) -> bool:
    """Whether compiled code does most of the work, without the interpreter lock.

    Texts for readers are written one by one. A limit of memory is one of processes.
    """
    if settings.cluster or settings.memory is not None or output == "text":
        return False
    is_of_lines = any(isinstance(block.block, LineBlock) for block in first)
    # Without a C compiler, the kernels are Python, which keeps the lock.
    return task.is_columnar and is_of_lines and not why_uncompiled()


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
    """Decide blocks in this process, until workers pay or a puzzle needs one."""
    limit = work.task.time_limit
    is_capped = limit is None or limit > _SECONDS_HERE
    here = replace(work, task=replace(work.task, time_limit=_SECONDS_HERE)) if is_capped else work
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


def worked(
    work: Callable[[_Item], _Done],
    items: Iterator[_Item],
    workers: int,
    module: str,
    split: Callable[[_Item], list[_Item]] = lambda item: [item],
) -> Iterator[tuple[_Item, _Done | SolverCrash]]:
    """Do all work in order: at first here, and in workers if it takes longer than they to start.

    The workers import the module, and `split` is that of `executors.map_blocks`.
    """
    end = perf_counter() + _START_SECONDS
    for item in items:
        yield item, work(item)
        if workers > 1 and perf_counter() > end:
            break
    if (first := next(items, None)) is not None:
        with WorkerSettings(workers).open([module]) as pool:
            yield from executors.map_blocks(pool, work, chain([first], items), split)


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
    analyses = []
    for analysis in task.analyses:
        if analysis.of_run:
            options = analysis.of_run(is_single, **analysis.options)
            analysis = replace(analysis, options=options)
        if analysis.is_about_clues and is_single:
            analysis = replace(analysis, progress=progress)
        analyses.append(analysis)
    return replace(task, reasons=reasons, analyses=tuple(analyses))


def _needs_own_process(blocks: list[NumberedBlock], task: Task) -> bool:
    """Whether the solver of a puzzle may not respond to the clock in time."""
    puzzles = [entry.puzzle for block in blocks for entry in block.block if entry.puzzle]
    return any(
        backends.needs_own_process(backend, max(puzzle.board.height, puzzle.board.width))
        for backend in (task.backend, task.cross_check)
        for puzzle in puzzles
        if backend is not None
    )


@dataclass(frozen=True, slots=True)
class _BlockWorker:
    """The function that a worker calls for each block; the kernel ends a process that hangs."""

    task: Task
    output: Output
    reader: Reader = ANYBODY
    may_be_killed: bool = False

    def __call__(self, numbered: NumberedBlock) -> WrittenBlock:
        # A single puzzle is decided as the Python function decides it, whatever ran before.
        if len(numbered.block) > 1 and (part := self.columnar(numbered, self.text)):
            # Views can't be pickled.
            return replace(part, data=bytes(part.data))
        started = perf_counter()
        summary = Summary(self.task.verb)
        data = b"".join(self.text(entry, summary) for entry in numbered.block)
        return WrittenBlock(numbered.before, data, summary, perf_counter() - started)

    def isolated(
        self,
        executor: Executor,
        blocks: Iterable[NumberedBlock | None],
        call: Callable[[NumberedBlock], WrittenBlock],
    ) -> Iterator[WrittenBlock]:
        """The results of blocks, also of those that crash a worker, in order."""
        for block, result in executors.map_blocks(executor, call, blocks, NumberedBlock.split):
            yield result if isinstance(result, WrittenBlock) else self.failed(block, result)

    def failed(self, numbered: NumberedBlock, error: SolverCrash) -> WrittenBlock:
        """The result for a single puzzle that crashed its worker."""
        summary = Summary(self.task.verb)
        data = b"".join(self.text(entry, summary, error) for entry in numbered.block)
        return WrittenBlock(numbered.before, data, summary, 0.0)

    def text(self, entry: Entry, summary: Summary, error: SolverCrash | None = None) -> bytes:
        """The record of an entry as text, after it is counted; the error of one that crashed."""
        limit = self.task.hard_time_limit if self.may_be_killed else None
        with resource_limits.kill_after(limit) if limit else nullcontext():
            record = failed(entry, error) if error else decide(entry, self.task)
        summary.add(record)
        if isinstance(self.output, Table):
            return self.output.written(record).encode()
        return reports.written(record, self.output, self.task.verb, self.reader).encode()

    def columnar(
        self, numbered: NumberedBlock, text: Callable[[Entry, Summary], bytes]
    ) -> WrittenBlock | None:
        """The results of a block of lines, most of them found side by side; None if none can be.

        `text` decides a puzzle that is left, counts it, and returns its record as text.
        """
        block, worked = numbered.block, thread_time()
        if not isinstance(block, LineBlock) or not (groups := self._groups(numbered.before, block)):
            return None
        # Imported here because it is slow.
        from binairo_cp.batch import columnar_text

        # Waiting for a busy processor does not count: smaller blocks would take it longer.
        started = perf_counter() - (thread_time() - worked)
        summary, others = Summary(self.task.verb), {}
        if sum(map(len, groups)) < len(block):
            skipped = {line for group in groups for line in group.puzzles.lines.tolist()}
            left = block.entries(skipped)
            others = {line: text(entry, summary) for line, entry in left if entry}
        for group in groups:
            summary.add_group(group)
        data = columnar_text.written(block, groups, others, self.output, self.reader)
        seconds = perf_counter() - started
        return WrittenBlock(numbered.before, data, summary, seconds, len(groups))

    def _groups(self, before: int, block: LineBlock) -> list[Group]:
        """The results of the plain puzzles of a block; empty if it is decided one by one."""
        # Blocks of a slow machine stay small, so the puzzles before them count too.
        is_worth = _COLUMNAR in sys.modules or before + len(block) >= _WORTH_LOADING
        if not is_worth or not self.task.is_columnar:
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


class _ThreadWorker:
    """What a thread does with each block: what it can't decide side by side, processes decide."""

    def __init__(self, work: _BlockWorker, threads: Threads) -> None:
        self._work = work
        self._threads = threads
        self._suits = True

    def __call__(self, numbered: NumberedBlock) -> WrittenBlock:
        left = 0

        def text(entry: Entry, summary: Summary) -> bytes:
            nonlocal left
            left += 1
            if entry.puzzle is None:
                return self._work.text(entry, summary)
            part = self._in_processes(NumberedBlock(0, [entry]))
            summary.merge(part.summary)
            return bytes(part.data)

        part = self._work.columnar(numbered, text) if self._suits else None
        if part is None:
            return self._in_processes(numbered)
        self._suits &= left <= _FEW_LEFT and part.shapes <= _FEW_SHAPES
        return part

    def _in_processes(self, numbered: NumberedBlock) -> WrittenBlock:
        parts = list(self._work.isolated(self._threads.pool, [numbered], self._work))
        summary = Summary(self._work.task.verb)
        for part in parts:
            summary.merge(part.summary)
        data = b"".join(part.data for part in parts)
        return WrittenBlock(numbered.before, data, summary, sum(part.seconds for part in parts))
