"""The log of a run, and the file with its metrics."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import FileIO
from typing import TYPE_CHECKING, Any

import orjson

from binairo_cp.errors import SourceError
from binairo_cp.formats.output_files import refuse_special
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.batch.running import RunState

_SECONDS = 1.0
"""Seconds between updates of the log and the metrics."""


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
        with suppress(SourceError):
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

    registry, collector = CollectorRegistry(), _Collector(state)
    registry.register(collector)
    refuse_special(name)

    def update() -> None:
        try:
            write_to_textfile(name, registry)
        except OSError as error:
            raise _unwritable(name, error) from error

    update()
    try:
        with _every_second(update):
            yield
    except BaseException:
        collector.is_stopped = True
        with suppress(SourceError):
            update()
        raise
    update()


class _Collector:
    """Collects the metrics of a run."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self.is_stopped = False

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        state = self._state
        puzzles = CounterMetricFamily("binairo_puzzles", "Puzzles by verdict.", labels=["verdict"])
        for verdict in Verdict:
            puzzles.add_metric([verdict], state.summary.verdicts[verdict])
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
            ("run_stopped", "1 when the run was stopped before its end.", self.is_stopped),
            ("run_ended", "1 when the run is complete.", state.ended),
        ):
            known = float("nan") if value is None else float(value)
            yield GaugeMetricFamily(f"binairo_{key}", text, value=known)
