"""One run of a task at the command line: sources in, results out, and what is told of it beside."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.metadata import version

from binairo_cp import formats
from binairo_cp.batch import monitor, pipeline, reports, resuming
from binairo_cp.batch.monitor import State
from binairo_cp.batch.pipeline import CLUSTER_BLOCK_SECONDS, Numbered, Pace, Part
from binairo_cp.batch.reports import Output
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import OptionError, SourceError
from binairo_cp.formats import Block, Tally, collisions
from binairo_cp.formats.output_files import open_output
from binairo_cp.formats.runs import RunRecord
from binairo_cp.formats.schema import ResultRecord
from binairo_cp.formats.sources import is_stream
from binairo_cp.puzzle.rules import Rules
from binairo_cp.workers import progress
from binairo_cp.workers.executors import WorkerSettings

_LARGE = 20_000
"""So many bytes of puzzles are worth the time that loading the bitboard takes."""

_MOST_UNREAD_TOLD = 100


@dataclass(frozen=True, slots=True)
class Order:
    """Where the puzzles of a run come from, who works on them, and where the results go.

    Attributes:
        sources: files, folders, patterns, standard input.
        format: of the sources.
        asked: the rules of puzzles that state none.
        worker_settings: the processes or the cluster that do the work.
        output: the form of the results.
        out: a file; None for standard output.
        resume: go on with the results in `out`, if there are some, and put what is written on the
            disk after so many seconds; None to begin anew. For records only.
        ordered: the results are in the order of the puzzles, not as they come.
        log: a file to which events are appended.
        metrics: a file that has the state of the run.
        quiet: say nothing of how far it is, and nothing in the end.
        watch: is told how far it is, whenever there is news.
        unread: is told of each source that can't be read; None to say it on standard error.
    """

    sources: list[str]
    format: str
    asked: Rules | None
    worker_settings: WorkerSettings
    output: Output
    out: str | None = None
    resume: float | None = None
    ordered: bool = True
    log: str | None = None
    metrics: str | None = None
    quiet: bool = False
    watch: Callable[[State], object] | None = None
    unread: Callable[[SourceError], object] | None = None


def run(task: Task, order: Order) -> Summary:
    """Do a task with all puzzles of the sources, and write their records.

    Raises:
        SourceError: the output file can't be written, or can't be gone on with; or a file is read
            and written.
        OptionError: results in any order are to be gone on with, of input that can't be read again.
        ClusterError: the cluster can't be reached, or is gone.
        KeyboardInterrupt: what was finished by then is written.
    """
    beside = {"--log": order.log, "--metrics": order.metrics}
    collisions.refuse(order.sources, order.out, beside)
    state = State(Summary(task.verb), Tally(), watch=order.watch)
    pace = _pace(order.worker_settings)
    tell = order.unread or _Unread()

    def unread(error: SourceError) -> None:
        state.summary.add_unread(error)
        tell(error)

    read = formats.read_blocks(
        order.sources, pace.size, order.format, order.asked, state.tally, unread
    )
    asked = _told_of(task, order)
    is_seen = progress.is_terminal(order.out)
    with ExitStack() as stack:
        blocks, put = _opened(order, asked, state, _counted(read, state), stack)
        told = {"version": version("binairo-cp"), "asked": asked, "sources": order.sources}
        watch = stack.enter_context(
            monitor.watched(state, order.quiet, order.log, order.metrics, told)
        )
        additions = tuple(each.with_progress(watch.narrow) for each in task.additions)
        parts = pipeline.run(
            blocks,
            replace(task, additions=additions),
            order.output,
            pace,
            order.worker_settings,
            lambda: _is_large(state.tally),
            ordered=order.ordered,
            begun=state.before > 0,
        )
        for part in stack.enter_context(closing(parts)):
            with watch.aside() if is_seen else nullcontext():
                put(part)
            state.summary.merge(part.summary)
            watch()
    if not order.quiet:
        monitor.tell(state, output_is_seen=is_seen)
    return state.summary


def _opened(
    order: Order,
    asked: dict[str, str],
    state: State,
    blocks: Iterator[Numbered],
    stack: ExitStack,
) -> tuple[Iterator[Numbered], Callable[[Part], object]]:
    """The blocks that are left to do, and what writes what becomes of them."""
    if order.resume is None or order.out is None:
        record = ResultRecord if order.output == "ndjson" else None
        write = stack.enter_context(open_output(order.out, record))
        return blocks, lambda part: _put(part.text, write)
    if not order.ordered and any(map(is_stream, order.sources)):
        message = "with --unordered is for files, not for standard input or pipes"
        raise OptionError("resume", message)
    describe = partial(RunRecord.of, asked, order.sources)
    kept = resuming.results(order.out, describe, state.summary, order.resume, ordered=order.ordered)
    known = stack.enter_context(kept)
    state.before = known.done
    if known.done and not order.quiet:
        print(f"binairo: {known.done} are done already", file=sys.stderr)
    return known.rest(blocks), known.write


class _Unread:
    """Says which sources can't be read, as far as somebody may read that."""

    def __init__(self) -> None:
        self._left = _MOST_UNREAD_TOLD

    def __call__(self, error: SourceError) -> None:
        if self._left > 0:
            print(f"binairo: {reports.printable(str(error))}", file=sys.stderr)
        self._left -= 1
        if self._left == 0:
            print("binairo: more such errors are not shown", file=sys.stderr)


def _put(text: str, write: Callable[[str], object]) -> None:
    """Write results at once: somebody may wait for them, or a bar appear below them."""
    write(text)
    sys.stdout.flush()


def _counted(read: Iterable[Block], state: State) -> Iterator[Numbered]:
    """Blocks by number; the state is told of them."""
    for given in pipeline.numbered(read):
        state.given = given.before + len(given.block)
        yield given


def _pace(settings: WorkerSettings) -> Pace:
    return (
        Pace(settings.workers, CLUSTER_BLOCK_SECONDS)
        if settings.cluster
        else Pace(settings.workers)
    )


def _told_of(task: Task, order: Order) -> dict[str, str]:
    """All on which the records of a run depend, besides its input."""
    told = {each.name: str(getattr(task, each.name)) for each in fields(task)}
    more = {"format": order.format, "rules": str(order.asked), "ordered": str(order.ordered)}
    return {**told, **more}


def _is_large(tally: Tally) -> bool:
    return tally.total is None or tally.total >= _LARGE
