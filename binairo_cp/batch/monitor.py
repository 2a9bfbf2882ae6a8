"""Report the progress of a run on the terminal, in a log and in a metrics file."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import FileIO
from time import monotonic
from typing import Any

import orjson

from binairo_cp.batch.summaries import Summary
from binairo_cp.errors import SourceError
from binairo_cp.formats import Tally
from binairo_cp.formats.output_files import refuse_special
from binairo_cp.workers.terminal import Bar, without_controls

_SECONDS = 1.0
"""Seconds between updates of the log and the metrics."""

_SLOW_SECONDS = 1.0
"""Puzzles that take at least this long are named in the end."""


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
    ended: bool = False
    bounds: tuple[int, int] | None = None
    bar: Bar | None = None
    on_change: Callable[[RunState], object] | None = None
    _started: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return monotonic() - self._started

    @property
    def rate(self) -> float:
        """Puzzles per second."""
        return (self.summary.total - self.before) / max(self.seconds, 1e-9)

    @property
    def done(self) -> int:
        """Bytes of the input that are finished, estimated from the share of finished puzzles."""
        # This run may not have read all puzzles of the earlier run yet.
        decided = min(self.summary.total, self.read)
        return self.tally.done * decided // self.read if self.read else 0

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the remaining seconds; None if the size of the input is unknown."""
        tally = self.tally
        if not tally.total or not tally.done or not self.rate:
            return None
        puzzles_left = (tally.total - self.done) * self.read / tally.done
        return max(0.0, puzzles_left / self.rate)

    def report(self) -> None:
        """Report the progress after a change."""
        if self.bar and self.bar.is_shown:
            summary = self.summary
            text = f"{summary.total:,} puzzles ({summary.counts}), {self.rate:,.0f} a second"
            if self.bounds:
                text = "at least {}, at most {}".format(*self.bounds)
            self.bar(self.done, self.tally.total, text)
        if self.on_change:
            self.on_change(self)

    def narrow(self, at_least: int, at_most: int) -> None:
        """Report the bounds of the clue analysis of a single puzzle."""
        self.bounds = at_least, at_most
        self.report()


@contextmanager
def writing_log(state: RunState, name: str, options: dict[str, Any]) -> Iterator[None]:
    """Append the events of a run to a log as NDJSON: start, progress, and end or stopped.

    Raises:
        SourceError: the file can't be written.
    """
    # Imported here, because few runs write a log.
    from importlib.metadata import version

    try:
        # Unbuffered: what does not fit on a full disk is not written again when the file is closed.
        file = open(name, "ab", buffering=0)  # noqa: SIM115  # closed below
    except OSError as error:
        raise _unwritable(name, error) from error
    with file:
        _write(file, "start", {"version": version("binairo-cp")} | options)
        try:
            with _every_second(lambda: _write(file, "progress", _progress_fields(state))):
                yield
        except BaseException as error:
            why = str(error) or type(error).__name__
            with suppress(SourceError):
                _write(file, "stopped", _progress_fields(state) | {"why": why})
            raise
        _write(file, "end", _progress_fields(state))


def _unwritable(name: str, error: OSError) -> SourceError:
    return SourceError(name, f"can't be written: {error.strerror or error}")


@contextmanager
def _every_second(update: Callable[[], object]) -> Iterator[None]:
    """Call a function every second in a thread, until it fails or the context ends."""
    ended = threading.Event()

    def repeat() -> None:
        with suppress(OSError, SourceError):
            while not ended.wait(_SECONDS):
                update()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _write(file: FileIO, event: str, fields: dict[str, Any]) -> None:
    """Append an event with one call, so that the lines of several runs do not mix."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = orjson.dumps({"time": now, "event": event, **fields}) + b"\n"
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        raise _unwritable(str(file.name), error) from error


def _progress_fields(state: RunState) -> dict[str, Any]:
    summary, left = state.summary, state.seconds_left
    return {
        "seconds": round(state.seconds, 3),
        "puzzles": summary.total,
        "before": state.before,
        "rate": round(state.rate, 1),
        "seconds_left": None if left is None else round(left, 1),
        "verdicts": dict(summary.verdicts),
        "errors": dict(summary.kinds),
        "slowest": [{"puzzle": name, "seconds": seconds} for seconds, name in summary.slowest],
    }


@contextmanager
def updating_metrics(state: RunState, name: str) -> Iterator[None]:
    """Keep a file for Prometheus' node exporter up to date; each update replaces it.

    Raises:
        SourceError: the file can't be written.
    """
    from prometheus_client import CollectorRegistry, write_to_textfile

    registry = CollectorRegistry()
    registry.register(_Collector(state))
    refuse_special(name)
    try:
        write_to_textfile(name, registry)
        with _every_second(lambda: write_to_textfile(name, registry)):
            yield
        state.ended = True
        write_to_textfile(name, registry)
    except OSError as error:
        raise _unwritable(name, error) from error


class _Collector:
    """Collects the metrics of a run."""

    def __init__(self, state: RunState) -> None:
        self._state = state

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        state = self._state
        puzzles = CounterMetricFamily("binairo_puzzles", "Puzzles by verdict.", labels=["verdict"])
        for verdict, number in dict(state.summary.verdicts).items():
            puzzles.add_metric([verdict], number)
        errors = CounterMetricFamily("binairo_errors", "Errors by kind.", labels=["kind"])
        for kind, number in dict(state.summary.kinds).items():
            errors.add_metric([kind], number)
        yield puzzles
        yield errors
        left = state.seconds_left
        for key, text, value in (
            ("run_seconds", "Seconds since the start of the run.", state.seconds),
            ("run_puzzles_per_second", "Puzzles per second.", state.rate),
            ("run_seconds_left", "Estimated seconds until the end of the run.", left),
            ("input_bytes_read", "Bytes of the input that were read.", state.tally.done),
            ("input_bytes", "Size of the input in bytes, if it is known.", state.tally.total),
            ("run_ended", "1 when the run has finished.", float(state.ended)),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"binairo_{key}", text, value=value)


def print_summary(state: RunState, output_is_seen: bool) -> None:
    """Print the summary of a run to standard error.

    Args:
        state: the state at the end of the run.
        output_is_seen: the results go to the terminal, or where standard error goes, so that their
            errors are not repeated.
    """
    summary = state.summary
    if not output_is_seen:
        for error in summary.errors:
            print(f"binairo: {error}", file=sys.stderr)
        if summary.failed > len(summary.errors):
            kinds = ", ".join(f"{number} {kind}" for kind, number in summary.kinds.most_common())
            total = summary.kinds.total()
            print(f"binairo: {total} errors in total: {kinds}", file=sys.stderr)
    slow = [each for each in summary.slowest if each[0] >= _SLOW_SECONDS]
    if slow and summary.total > 1:
        slowest = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in slow)
        print(f"binairo: slowest puzzles: {without_controls(slowest)}", file=sys.stderr)
    print(f"{summary} in {state.seconds:.2f} s", file=sys.stderr)
