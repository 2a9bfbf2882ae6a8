"""Run a task on all puzzles of the sources: write their records and report the progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, nullcontext
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import partial
from time import monotonic

from binairo_cp import formats
from binairo_cp.batch import pipeline
from binairo_cp.batch.pipeline import (
    BLOCK_SECONDS,
    CLUSTER_BLOCK_SECONDS,
    BlockSizer,
    NumberedBlock,
)
from binairo_cp.batch.reports import printable
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output, Table
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import SourceError
from binairo_cp.formats import Choices, Tally, output_files
from binairo_cp.formats.output_files import Buffer, open_utf8_output
from binairo_cp.formats.results import ResultRecord
from binairo_cp.puzzle.rules import PRESETS, Rules
from binairo_cp.workers import terminal
from binairo_cp.workers.executors import WorkerSettings
from binairo_cp.workers.terminal import Bar, option

_MOST_UNREAD_SHOWN = 100

_LONG_INPUT = 1 << 20
"""With so many bytes that are not read yet, workers start at once."""

_MANY, _LONG_SECONDS = 100, 2.0
"""A run of so many puzzles that takes so long names the option that made it slow."""


@dataclass
class RunState:
    """The progress of a run.

    Attributes:
        summary: of all finished puzzles, including those of an earlier run.
        tally: how many bytes of the input were read.
        before: number of puzzles finished by an earlier run.
        bounds: lower and upper bound of the clue analysis of a single puzzle.
        bar: shows it on the terminal; None if it is not shown.
        on_change: called when it has changed.
    """

    summary: Summary
    tally: Tally
    read: int = 0
    before: int = 0
    bounds: tuple[int, int] | None = None
    bar: Bar | None = None
    on_change: Callable[[RunState], object] | None = None
    _started: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return monotonic() - self._started

    @property
    def done(self) -> int:
        """Bytes of the input that are finished, estimated from the share of finished puzzles."""
        # This run may not have read all puzzles of the earlier run yet.
        decided = min(self.summary.total, self.read)
        return self.tally.done * decided // self.read if self.read else 0

    def report(self) -> None:
        """Report the progress after a change."""
        if self.bar and self.bar.is_shown:
            summary = self.summary
            rate = (summary.total - self.before) / max(self.seconds, 1e-9)
            text = f"{summary.total:,} done ({summary.counts}), {rate:,.0f} a second"
            if self.bounds:
                text = "at least {}, at most {}".format(*self.bounds)
            self.bar(self.done, self.tally.total, text)
        if self.on_change:
            self.on_change(self)

    def narrow(self, at_least: int, at_most: int) -> None:
        """Report the bounds of the clue analysis of a single puzzle."""
        self.bounds = at_least, at_most
        self.report()


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where a run reads puzzles, which workers it uses, and where it writes results.

    Attributes:
        rules: the rules of puzzles that state none.
        resume: continue with the results in `out`, if there are any. For NDJSON only.
        quiet: print neither progress nor a summary.
        on_progress: called after each block.
        on_unread: called with the error of each source that can't be read; None prints them to
            standard error.
    """

    sources: list[str]
    choices: Choices
    rules: Rules | None
    worker_settings: WorkerSettings
    output: Output
    out: str | None = None
    resume: bool = False
    quiet: bool = False
    on_progress: Callable[[RunState], object] | None = None
    on_unread: Callable[[SourceError], object] | None = None


def run_task(task: Task, options: RunOptions) -> Summary:
    """Run a task on all puzzles of the sources, and write their records.

    Raises:
        SourceError: the output file can't be written or resumed, or a file is both input and
            output.
        ClusterError: the cluster can't be reached.
        KeyboardInterrupt: the results of finished blocks are written.
    """
    files = formats.files_of(options.sources)
    output_files.refuse_collisions(files, options.out)
    state = RunState(Summary(task.verb), Tally(), on_change=options.on_progress)
    settings = options.worker_settings
    sizer = BlockSizer(
        settings.workers, CLUSTER_BLOCK_SECONDS if settings.cluster else BLOCK_SECONDS
    )

    def unread(error: SourceError) -> None:
        state.summary.kinds[error.kind] += 1
        state.summary.unread += 1
        if options.on_unread:
            options.on_unread(error)
        elif state.summary.unread <= _MOST_UNREAD_SHOWN:
            print(f"binairo: {printable(str(error))}", file=sys.stderr)
            if state.summary.unread == _MOST_UNREAD_SHOWN:
                print("binairo: more such errors are not shown", file=sys.stderr)

    def count_read() -> Iterator[NumberedBlock]:
        for block in formats.read_blocks(
            files, sizer.size, options.choices, options.rules, state.tally, unread
        ):
            before = state.read
            state.read += len(block)
            yield NumberedBlock(before, block)

    identity = _identity(task, options) if options.resume else {}
    is_seen = terminal.is_terminal(options.out)
    with ExitStack() as stack:
        blocks, write = _open_output(options, (identity, files), state, count_read(), stack)
        sizer.passed_over = state.before
        if not options.quiet:
            state.bar = stack.enter_context(terminal.bar(quiet=False))
        parts = pipeline.process_blocks(
            blocks,
            task,
            options.output,
            sizer,
            settings,
            begun=state.before > 0,
            is_long=lambda: (state.tally.total or 0) - state.tally.done > _LONG_INPUT,
            progress=state.narrow,
            is_seen=is_seen,
        )
        for part in stack.enter_context(closing(parts)):
            with state.bar.aside() if state.bar and is_seen else nullcontext():
                write(part.data)
                # A reader may be waiting, or a progress bar may follow.
                sys.stdout.flush()
            state.summary.merge(part.summary)
            state.report()
    if not options.quiet:
        _print_summary(task, options, state, is_seen)
    return state.summary


def _open_output(
    options: RunOptions,
    run: tuple[dict[str, str], list[str | SourceError]],
    state: RunState,
    blocks: Iterator[NumberedBlock],
    stack: ExitStack,
) -> tuple[Iterator[NumberedBlock], Callable[[Buffer], object]]:
    """The blocks without results, and the function that writes the records of a block."""
    if not options.resume or options.out is None:
        record = ResultRecord if options.output == "ndjson" else None
        is_text = options.output == "text"
        write = stack.enter_context(open_utf8_output(options.out, record, is_styled=is_text))
        if isinstance(options.output, Table):
            write(options.output.header.encode())
        return blocks, write
    # Imported here, because most runs are not resumed.
    from binairo_cp.batch import resuming
    from binairo_cp.formats.runs import RunRecord

    results = stack.enter_context(
        resuming.open_results(options.out, partial(RunRecord.of, *run), state.summary)
    )
    state.before = results.done
    if results.done and not options.quiet:
        print(f"binairo: resuming after puzzle {results.done}", file=sys.stderr)
    return results.remaining(blocks), results.append


def _print_summary(task: Task, options: RunOptions, state: RunState, is_seen: bool) -> None:
    """Print the summary of a run to standard error, with what it left out or what made it slow."""
    summary, (name, value) = state.summary, task.slow_option
    if name and summary.total >= _MANY and state.seconds >= _LONG_SECONDS:
        print(f"binairo: {option(name, value)} takes most of this time", file=sys.stderr)
    # Results on the terminal, or where standard error goes, show their errors themselves.
    if not is_seen and not (options.out is None and terminal.outputs_are_one()):
        for error in summary.errors:
            print(f"binairo: {error}", file=sys.stderr)
        if summary.failed > len(summary.errors):
            kinds = ", ".join(f"{number} {kind}" for kind, number in summary.kinds.most_common())
            total = summary.kinds.total()
            print(f"binairo: {total} errors in total: {kinds}", file=sys.stderr)
    print(f"{summary} in {state.seconds:.2f} s", file=sys.stderr)
    # Of the commands, only `check` without analyses has the option.
    has_option = task.verb == "check" and not task.analyses and task.reasons is None
    has_none = summary.total > 1 and summary.verdicts["none"] > 0
    if has_option and has_none and pipeline.shows_conflicts(options.output):
        quick = option("reasons", "quick")
        print(f"binairo: no conflicts were looked for; {quick} finds them", file=sys.stderr)


def _identity(task: Task, options: RunOptions) -> dict[str, str]:
    """Everything that the records of a run depend on besides its input, by name."""
    values = {attribute.name: getattr(task, attribute.name) for attribute in fields(task)}
    for analysis in values.pop("analyses"):
        values[analysis.name] = True
        values |= {f"{analysis.name}.{name}": value for name, value in analysis.options.items()}
    values |= asdict(options.choices)
    values["rules"] = options.rules
    return {name: _in_words(value) for name, value in values.items()}


def _in_words(value: object) -> str:
    """The value of an option, for messages about runs with other options."""
    if value is None:
        return "default"
    if isinstance(value, Rules):
        # Some presets differ only for puzzles with signs.
        names = [name for name, preset in PRESETS.items() if preset == value]
        return "/".join(names) or value.stated
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_dataclass(value):
        return ", ".join(
            f"{attribute.name} {_in_words(getattr(value, attribute.name))}"
            for attribute in fields(value)
        )
    return str(value)
