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
from binairo_cp.batch.monitor import RunState
from binairo_cp.batch.pipeline import CLUSTER_BLOCK_SECONDS, NumberedBlock, Pace, Part
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
from binairo_cp.workers.executors import Crew

_LARGE = 20_000
"""So many bytes of puzzles are worth the time that loading the bitboard takes."""

_MOST_UNREAD_TOLD = 100


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where the puzzles of a run come from, who works on them, and where the results go.

    Attributes:
        sources: files, folders, patterns, standard input.
        format: of the sources.
        asked: the rules of puzzles that state none.
        crew: who does the work.
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
    crew: Crew
    output: Output
    out: str | None = None
    resume: float | None = None
    ordered: bool = True
    log: str | None = None
    metrics: str | None = None
    quiet: bool = False
    watch: Callable[[RunState], object] | None = None
    unread: Callable[[SourceError], object] | None = None


def run_task(task: Task, options: RunOptions) -> Summary:
    """Do a task with all puzzles of the sources, and write their records.

    Raises:
        SourceError: the output file can't be written, or can't be gone on with; or a file is read
            and written.
        OptionError: results in any order are to be gone on with, of input that can't be read again.
        ClusterError: the cluster can't be reached, or is gone.
        KeyboardInterrupt: what was finished by then is written.
    """
    beside = {"--log": options.log, "--metrics": options.metrics}
    collisions.refuse(options.sources, options.out, beside)
    state = RunState(Summary(task.verb), Tally(), watch=options.watch)
    pace = _pace(options.crew)
    tell = options.unread or _Unread()

    def unread(error: SourceError) -> None:
        state.summary.add_unread(error)
        tell(error)

    read = formats.read_blocks(
        options.sources, pace.size, options.format, options.asked, state.tally, unread
    )
    asked = _told_of(task, options)
    is_seen = progress.is_terminal(options.out)
    with ExitStack() as stack:
        blocks, put = _opened(options, asked, state, _counted(read, state), stack)
        told = {"version": version("binairo-cp"), "asked": asked, "sources": options.sources}
        watch = stack.enter_context(
            monitor.monitored(state, options.quiet, options.log, options.metrics, told)
        )
        additions = tuple(each.with_progress(watch.narrow) for each in task.additions)
        parts = pipeline.process_blocks(
            blocks,
            replace(task, additions=additions),
            options.output,
            pace,
            options.crew,
            lambda: _is_large(state.tally),
            ordered=options.ordered,
            begun=state.before > 0,
        )
        for part in stack.enter_context(closing(parts)):
            with watch.aside() if is_seen else nullcontext():
                put(part)
            state.summary.merge(part.summary)
            watch()
    if not options.quiet:
        monitor.print_summary(state, output_is_seen=is_seen)
    return state.summary


def _opened(
    options: RunOptions,
    asked: dict[str, str],
    state: RunState,
    blocks: Iterator[NumberedBlock],
    stack: ExitStack,
) -> tuple[Iterator[NumberedBlock], Callable[[Part], object]]:
    """The blocks that are left to do, and what writes what becomes of them."""
    if options.resume is None or options.out is None:
        record = ResultRecord if options.output == "ndjson" else None
        write = stack.enter_context(open_output(options.out, record))
        return blocks, lambda part: _put(part.text, write)
    if not options.ordered and any(map(is_stream, options.sources)):
        message = "with --unordered is for files, not for standard input or pipes"
        raise OptionError("resume", message)
    describe = partial(RunRecord.of, asked, options.sources)
    kept = resuming.open_results(
        options.out, describe, state.summary, options.resume, ordered=options.ordered
    )
    known = stack.enter_context(kept)
    state.before = known.done
    if known.done and not options.quiet:
        print(f"binairo: {known.done} are done already", file=sys.stderr)
    return known.remaining(blocks), known.write


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


def _counted(read: Iterable[Block], state: RunState) -> Iterator[NumberedBlock]:
    """Blocks by number; the state is told of them."""
    for given in pipeline.number_blocks(read):
        state.given = given.before + len(given.block)
        yield given


def _pace(crew: Crew) -> Pace:
    return Pace(crew.workers, CLUSTER_BLOCK_SECONDS) if crew.cluster else Pace(crew.workers)


def _told_of(task: Task, options: RunOptions) -> dict[str, str]:
    """All on which the records of a run depend, besides its input."""
    told = {each.name: str(getattr(task, each.name)) for each in fields(task)}
    more = {"format": options.format, "rules": str(options.asked), "ordered": str(options.ordered)}
    return {**told, **more}


def _is_large(tally: Tally) -> bool:
    return tally.total is None or tally.total >= _LARGE
