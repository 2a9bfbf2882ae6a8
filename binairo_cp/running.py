"""One run of a task at the command line: sources in, results out, progress and summary beside."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from time import perf_counter

from binairo_cp import batch, executors, formats, progress, studies
from binairo_cp.batch import Pace
from binairo_cp.formats import Tally
from binairo_cp.outputs import open_output
from binairo_cp.reports import Output, Summary
from binairo_cp.rules import Rules
from binairo_cp.tasks import Task

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
) -> Summary:
    """Do a task with all puzzles of the sources, and write their records.

    Raises:
        SourceError: the output file can't be written.
        KeyboardInterrupt: what was finished by then is written.
    """
    tally = Tally()
    summary = Summary(task.verb)
    workers = workers or executors.cores()
    started = perf_counter()
    pace = Pace(workers)
    blocks = formats.read_blocks(sources, pace.size, format, asked, tally)
    results = batch.run(blocks, task, output, pace, workers, lambda: _is_large(tally))
    with open_output(out) as write, _progress(tally, summary, quiet) as advance, closing(results):
        for part in results:
            write(part.text)
            summary.merge(part.summary)
            advance()
    if not quiet:
        _tell(summary, perf_counter() - started, output_is_seen=not out and sys.stdout.isatty())
    return summary


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
