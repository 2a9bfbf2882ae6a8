"""What is told of a run while it lasts, and in the end: to a terminal, a log, a metrics file."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import IO, Any

import orjson

from binairo_cp.batch.summaries import Summary
from binairo_cp.errors import SourceError
from binairo_cp.formats import Tally
from binairo_cp.workers import progress
from binairo_cp.workers.progress import Bar

_SECONDS = 1.0
"""So often the log and the metrics are brought up to date."""

_SLOW_SECONDS = 1.0


@dataclass
class RunState:
    """How far a run is.

    Attributes:
        summary: of what is done, whenever it was.
        tally: how far the reading has come.
        given: how many puzzles were read by then.
        before: how many puzzles were done before this run.
        ended: whether all is done.
        bounds: on the fewest clues of a single puzzle, as they close.
        watch: is told whenever there is news.
    """

    summary: Summary
    tally: Tally
    given: int = 0
    before: int = 0
    ended: bool = False
    bounds: tuple[int, int] | None = None
    watch: Callable[[RunState], object] | None = None
    _started: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return monotonic() - self._started

    @property
    def rate(self) -> float:
        """Puzzles a second."""
        return (self.summary.total - self.before) / max(self.seconds, 1e-9)

    @property
    def done(self) -> int:
        """Bytes of the input that are done with: of what was read, the share of puzzles decided."""
        # Puzzles that were decided by an earlier run may not have been read again yet.
        decided = min(self.summary.total, self.given)
        return self.tally.done * decided // self.given if self.given else 0

    @property
    def seconds_left(self) -> float | None:
        """At the rate so far, of the files' bytes; None if nobody knows."""
        tally = self.tally
        if not tally.total or not tally.done or not self.rate:
            return None
        puzzles_left = (tally.total - self.done) * self.given / tally.done
        return max(0.0, puzzles_left / self.rate)

    def notify(self) -> None:
        """Tell who watches."""
        if self.watch:
            self.watch(self)


class RunMonitor:
    """Shows how far a run is each time it is called."""

    def __init__(self, state: RunState, bar: Bar) -> None:
        self._state = state
        self._bar = bar

    def __call__(self) -> None:
        """Show it."""
        summary = self._state.summary
        verdicts = ", ".join(f"{n:,} {said}" for said, n in summary.verdicts.items())
        self._show(f"{summary.total:,} puzzles ({verdicts}), {self._state.rate:,.0f} a second")

    def narrow(self, at_least: int, at_most: int) -> None:
        """Show the bounds on the fewest clues of a single puzzle."""
        self._state.bounds = at_least, at_most
        self._show(f"at least {at_least}, at most {at_most}")

    def aside(self) -> AbstractContextManager[None]:
        """Take the bar off the terminal while something else is written there."""
        return self._bar.aside()

    def _show(self, text: str) -> None:
        self._bar(self._state.done, self._state.tally.total, text)
        self._state.notify()


@contextmanager
def monitored(
    state: RunState, quiet: bool, log: str | None, metrics: str | None, options: dict[str, Any]
) -> Iterator[RunMonitor]:
    """Shows how far a run is, to whom it may concern.

    Args:
        state: how far it is.
        quiet: show nothing on the terminal.
        log: a file to which events are appended, one JSON object a line.
        metrics: a file that always has the state, in Prometheus' text format.
        options: what the run is, for the log.

    Raises:
        SourceError: a file can't be written.
    """
    with ExitStack() as stack:
        watch = RunMonitor(state, stack.enter_context(progress.bar(quiet)))
        if log:
            stack.enter_context(_log(state, log, options))
        if metrics:
            stack.enter_context(_metrics(state, metrics))
        yield watch


@contextmanager
def _log(state: RunState, name: str, options: dict[str, Any]) -> Iterator[None]:
    """Events of a run: start, progress, and end, or why it stopped."""
    try:
        file = open(name, "ab")  # noqa: SIM115  # closed below
    except OSError as error:
        raise SourceError(name, f"can't be written: {error.strerror or error}") from error
    with file:
        _write(file, "start", options)
        try:
            with _every_second(lambda: _write(file, "progress", _progress_fields(state))):
                yield
        except BaseException as error:
            why = str(error) or type(error).__name__
            _write(file, "stopped", _progress_fields(state) | {"why": why})
            raise
        _write(file, "end", _progress_fields(state))


@contextmanager
def _every_second(tell: Callable[[], object]) -> Iterator[None]:
    """Calls a function each second, whatever else goes on, until it fails."""
    over = threading.Event()

    def run() -> None:
        with suppress(OSError):
            while not over.wait(_SECONDS):
                tell()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _write(file: IO[bytes], event: str, fields: dict[str, Any]) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    file.write(orjson.dumps({"time": now, "event": event, **fields}) + b"\n")
    file.flush()


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
def _metrics(state: RunState, name: str) -> Iterator[None]:
    """The state as a file for Prometheus' node exporter, which is replaced as a whole."""
    from prometheus_client import CollectorRegistry, write_to_textfile

    registry = CollectorRegistry()
    registry.register(_Collector(state))
    try:
        write_to_textfile(name, registry)
        with _every_second(lambda: write_to_textfile(name, registry)):
            yield
        state.ended = True
        write_to_textfile(name, registry)
    except OSError as error:
        raise SourceError(name, f"can't be written: {error.strerror or error}") from error


class _Collector:
    """Makes metrics of a state."""

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
            ("run_seconds", "How long the run has lasted.", state.seconds),
            ("run_puzzles_per_second", "The rate of the run.", state.rate),
            ("run_seconds_left", "How long it will last, if that is known.", left),
            ("input_bytes_read", "How much of the input was read.", state.tally.done),
            ("input_bytes", "The size of the input, if it has one.", state.tally.total),
            ("run_ended", "1 when the run has come to its end.", float(state.ended)),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"binairo_{key}", text, value=value)


def print_summary(state: RunState, output_is_seen: bool) -> None:
    """Say on standard error what a run came to.

    Args:
        state: in the end.
        output_is_seen: the results, and the errors among them, are on the terminal.
    """
    summary = state.summary
    if not output_is_seen:
        for error in summary.errors:
            print(f"binairo: {error}", file=sys.stderr)
        if summary.failed > len(summary.errors):
            kinds = ", ".join(f"{number} {kind}" for kind, number in summary.kinds.most_common())
            total = summary.kinds.total()
            print(f"binairo: {total} errors in all: {kinds}", file=sys.stderr)
    slow = [each for each in summary.slowest if each[0] >= _SLOW_SECONDS]
    if slow and summary.total > 1:
        told = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in slow)
        print(f"binairo: the slowest: {told}", file=sys.stderr)
    print(f"{summary} in {state.seconds:.2f} s", file=sys.stderr)
