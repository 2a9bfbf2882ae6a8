"""The process of one job: ``python -m binairo_cp.service.jobs.runner RUN``.

It runs in the folder of the job; RUN is the folder for the results in it.

The process reports its progress as JSON lines on standard output. When its standard input is
closed, the server is gone, and the process kills itself and its children. A new process resumes
from the results written so far.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import BaseModel

from binairo_cp.batch import running
from binairo_cp.batch.generating import OutputOptions, generate_puzzles
from binairo_cp.batch.running import RunState
from binairo_cp.batch.summaries import Summary
from binairo_cp.errors import BinairoError, LimitError, SourceError
from binairo_cp.formats.output_files import PARTIAL, open_binary_output
from binairo_cp.generation.runs import GenerationState
from binairo_cp.json_library import orjson
from binairo_cp.service import files
from binairo_cp.service.bodies import BookBody, GenerateBody, TaskBody
from binairo_cp.service.jobs import descriptions
from binairo_cp.service.jobs.folder import RESULTS, DataFolder, ResultReader
from binairo_cp.service.jobs.store import JobRow
from binairo_cp.workers.executors import WorkerSettings

SPEC = "order.json"
_REPORT_SECONDS = 0.2
_NICE = 10

Report = Callable[[dict[str, Any]], object]


class JobSpec(BaseModel):
    """The description of a job that its process reads from its folder.

    Attributes:
        options: the request without its puzzles.
        input: name of the file with the puzzles.
        time_limit: seconds per puzzle.
        memory: limit of each process in bytes.
        most_bytes: maximum size of the results.
        cluster: a cluster that does the work instead of processes on this machine.
    """

    kind: str
    verb: str
    options: dict[str, Any]
    input: str
    workers: int
    time_limit: float
    memory: int
    most_bytes: int
    cluster: str | None = None


def main() -> None:
    """Run the job in the current folder."""
    folder = Path(sys.argv[1])
    threading.Thread(target=_exit_with_server, daemon=True).start()
    os.nice(_NICE)
    spec = JobSpec.model_validate_json((folder / SPEC).read_bytes())
    try:
        run_job(spec, str(folder / RESULTS), _print)
    except BinairoError as error:
        _print({"error": {"kind": error.kind, "message": str(error)}})
        sys.exit(1)


def run_job(spec: JobSpec, out: str, report: Report) -> None:
    """Run a job in the current folder, and report its progress from time to time and at the end.

    Raises:
        BinairoError: the job failed.
    """
    model = descriptions.MODELS[spec.kind, spec.verb]
    progress = _Progress(report, [Path(out), Path(f"{out}{PARTIAL}")], spec.most_bytes)
    try:
        if issubclass(model, GenerateBody):
            _generate(model.model_validate(spec.options), spec, out, progress)
        elif issubclass(model, BookBody):
            _book(model.model_validate(spec.options), spec, Path(out).parent, progress)
        else:
            _decide(model.model_validate({"puzzles": ""} | spec.options), spec, out, progress)
        progress.check_size()  # a short job ends between two reports
    finally:
        if progress.latest:
            report(progress.latest)


class _Progress:
    """The progress of a job, which is reported at most every `_REPORT_SECONDS`.

    Its results may take `most` bytes, whichever of the `files` they are in.
    """

    def __init__(self, report: Report, files: list[Path], most: int) -> None:
        self._files = files
        self._most = most
        self.latest: dict[str, Any] = {}
        self._report = report
        self._next = 0.0

    def update(self, **changes: Any) -> None:
        self.latest |= changes
        if monotonic() >= self._next:
            self._next = monotonic() + _REPORT_SECONDS
            self._report(self.latest)
            self.check_size()

    def check_size(self) -> None:
        if any(path.exists() and path.stat().st_size > self._most for path in self._files):
            raise LimitError(f"the results take more than {self._most >> 20} MiB")

    def made(self, number: int, total: int) -> None:
        """So many of the new puzzles are there."""
        self.update(records=number, verdicts={"unique": number}, done=number, total=total)


def _numbers(summary: Summary) -> dict[str, Any]:
    verdicts = {str(name): number for name, number in summary.verdicts.items()}
    return {"records": summary.total, "failed": summary.failed, "verdicts": verdicts}


def count_results(folder: DataFolder, row: JobRow) -> None:
    """Correct the progress of a job whose process was killed, from the results that it wrote."""
    summary = Summary("check")
    with closing(ResultReader(folder, row.id, 0)) as reader, suppress(ValueError):
        for lines in reader.read(row.run):
            if not summary.add_lines(lines):
                for line in lines.splitlines():
                    summary.add_fields(orjson.loads(line))
        if summary.total:
            made = {"done": summary.total} if row.kind == "generate" else {}
            progress = orjson.loads(row.progress) | _numbers(summary) | made
            row.progress = orjson.dumps(progress).decode()


def _decide(body: TaskBody, spec: JobSpec, out: str, progress: _Progress) -> None:
    unread: list[SourceError] = []

    def on_progress(state: RunState) -> None:
        bounds = dict(zip(("at_least", "at_most"), state.bounds or (), strict=False))
        numbers = _numbers(state.summary)
        progress.update(**numbers, done=state.done, total=state.tally.total, **bounds)

    alone = WorkerSettings(spec.workers, spec.memory)
    workers = WorkerSettings(1, cluster=spec.cluster) if spec.cluster else alone
    summary = running.run_task(
        replace(body.task, time_limit=spec.time_limit),
        running.RunOptions(
            [spec.input],
            body.stated,
            body.requested_rules,
            workers,
            "ndjson",
            out,
            resume=True,
            quiet=True,
            on_progress=on_progress,
            on_unread=unread.append,
        ),
    )
    progress.update(**_numbers(summary))
    if unread:
        raise unread[0]


def _generate(body: GenerateBody, spec: JobSpec, out: str, progress: _Progress) -> None:
    order, state = body.order(), GenerationState()
    way = OutputOptions(
        *(spec.workers, "ndjson", out, True),
        quiet=True,
        on_puzzle=lambda number: progress.made(number, order.count),
    )
    generate_puzzles(order, way, state)
    progress.made(state.written, order.count)
    if state.error:
        raise state.error


def _book(body: BookBody, spec: JobSpec, folder: Path, progress: _Progress) -> None:
    book = files.printed_book(
        body.specification,
        spec.time_limit,
        workers=spec.workers,
        on_puzzle=lambda number: progress.made(number, body.total),
    )
    # The name appears when the file is complete, even if the machine loses its power.
    with open_binary_output(str(folder / book.name)) as write:
        write(book.content)
    progress.made(body.total, body.total)


def _print(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message) + b"\n")
    sys.stdout.buffer.flush()


def _exit_with_server() -> None:
    # Reading from sys.stdin would hold its lock, which a normal exit of the process needs.
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
