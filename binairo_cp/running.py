"""One run of a task at the command line: sources in, results out, progress and summary beside."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from time import perf_counter

from binairo_cp import batch, executors, formats, progress, resuming, studies
from binairo_cp.batch import Pace
from binairo_cp.formats import Tally
from binairo_cp.outputs import open_output
from binairo_cp.reports import Output, Summary
from binairo_cp.resuming import RunRecord
from binairo_cp.rules import Rules
from binairo_cp.tasks import Task

Watch = Callable[[Tally, Summary], object]

_LARGE = 20_000
"""So many bytes of puzzles are worth the time that loading the bitboard takes."""


def run(
    task: Task,
    sources: list[str],
    format: str,
    asked: Rules | None,
    workers: int | None,
    output: Output,
    out: str | None,
    quiet: bool,
    resume: float | None = None,
    watch: Watch | None = None,
) -> Summary:
    """Do a task with all puzzles of the sources, and write their records.

    Args:
        task: what is done with each.
        sources: files, folders, patterns, standard input.
        format: of the sources.
        asked: the rules of puzzles that state none.
        workers: how many processes; None for one for each core.
        output: the form of the results.
        out: a file; None for standard output.
        quiet: say nothing of how far it is, and nothing in the end.
        resume: go on with the results in `out`, if there are some, and put what is written on the
            disk after so many seconds; None to begin anew. For records only.
        watch: is told how far it is, whenever more is done.

    Raises:
        SourceError: the output file can't be written, or can't be gone on with.
        KeyboardInterrupt: what was finished by then is written.
    """
    tally = Tally()
    summary = Summary(task.verb)
    workers = workers or executors.cores()
    started = perf_counter()
    pace = Pace(workers)
    blocks = batch.numbered(formats.read_blocks(sources, pace.size, format, asked, tally))
    with ExitStack() as stack:
        if resume is None or out is None:
            write = stack.enter_context(open_output(out))
        else:
            run_record = RunRecord.of(_told_of(task, format, asked), sources)
            known = stack.enter_context(resuming.results(out, run_record, summary, resume))
            blocks, write = known.rest(blocks), known.write
            if known.done and not quiet:
                print(f"binairo: {known.done} are done already", file=sys.stderr)
        advance = stack.enter_context(_progress(tally, summary, quiet))
        crew = executors.Crew(workers)
        parts = batch.run(blocks, task, output, pace, crew, lambda: _is_large(tally))
        for part in stack.enter_context(closing(parts)):
            write(part.text)
            summary.merge(part.summary)
            advance()
            if watch:
                watch(tally, summary)
    if not quiet:
        _tell(summary, perf_counter() - started, output_is_seen=not out and sys.stdout.isatty())
    return summary


def _told_of(task: Task, format: str, asked: Rules | None) -> dict[str, str]:
    """All on which the records of a run depend, besides its input."""
    told = {each.name: str(getattr(task, each.name)) for each in fields(task)}
    return {**told, "format": format, "rules": str(asked)}


def _is_large(tally: Tally) -> bool:
    return tally.total is None or tally.total >= _LARGE


def _tell(summary: Summary, seconds: float, *, output_is_seen: bool) -> None:
    if not output_is_seen:
        for error in summary.errors:
            print(f"binairo: {error}", file=sys.stderr)
        if summary.failed > len(summary.errors):
            print(f"binairo: {summary.failed} errors in all", file=sys.stderr)
    print(f"{summary} in {seconds:.2f} s", file=sys.stderr)


@contextmanager
def _progress(tally: Tally, summary: Summary, quiet: bool) -> Iterator[Callable[[], object]]:
    """Shows the rate and the time left, each time it is called."""
    started = perf_counter()
    with progress.bar(quiet) as tell:

        def advance() -> None:
            rate = summary.total / max(perf_counter() - started, 1e-9)
            tell(tally.done, tally.total, f"{summary.total:,} puzzles, {rate:,.0f} a second")

        def narrow(at_least: int, at_most: int) -> None:
            tell(tally.done, tally.total, f"at least {at_least}, at most {at_most}")

        with studies.watched(narrow):
            yield advance
