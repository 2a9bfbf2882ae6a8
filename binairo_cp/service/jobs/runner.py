"""One job in a process of its own: ``python -m binairo_cp.service.jobs.runner`` in its folder.

It says how far it is by lines of JSON on standard output. When its standard input ends, the server
is gone, and it ends with all that it started: whatever is in its results by then is gone on with.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import orjson
from pydantic import BaseModel

from binairo_cp.batch.monitor import RunState
from binairo_cp.batch.summaries import Summary
from binairo_cp.commands import generate, running
from binairo_cp.commands.generate import GenerationSpec, GenerationState, OutputOptions
from binairo_cp.errors import BinairoError, SourceError
from binairo_cp.service.bodies import GenerateBody, TaskBody
from binairo_cp.service.jobs import models
from binairo_cp.workers.executors import Crew

ORDER, RESULTS = "order.json", "results.ndjson"
_SYNC_SECONDS = 1.0
_TELL_SECONDS = 0.2
_POLITE = 10

Say = Callable[[dict[str, Any]], None]


class JobOrder(BaseModel):
    """What a runner reads in its folder.

    Attributes:
        kind: of the job.
        verb: of a batch.
        ask: the request, without puzzles.
        input: the name of the file with the puzzles.
        workers: how many processes.
        time_limit: seconds for each puzzle.
        memory: bytes that each process may have.
    """

    kind: str
    verb: str
    ask: dict[str, Any]
    input: str
    workers: int
    time_limit: float
    memory: int


def main() -> None:
    """Do the job of this folder."""
    threading.Thread(target=_end_with_server, daemon=True).start()
    os.nice(_POLITE)
    order = JobOrder.model_validate_json(Path(ORDER).read_bytes())
    try:
        run(order, _say)
    except BinairoError as error:
        _say({"error": {"kind": error.kind, "message": str(error)}})
        sys.exit(1)


def run(order: JobOrder, say: Say) -> None:
    """Do a job in this folder.

    Args:
        order: the job.
        say: is told how far it is, and at the end.

    Raises:
        BinairoError: it can't be done.
    """
    model = models.MODELS[order.kind, order.verb]
    if issubclass(model, GenerateBody):
        _generate(model.model_validate(order.ask).order(), order, say)
        return
    puzzles = {"puzzles": ""} | order.ask
    _decide(model.model_validate(puzzles), order, say)


def _decide(body: TaskBody, order: JobOrder, say: Say) -> None:
    task = replace(body.task(), time_limit=order.time_limit, split=order.kind == "count")
    pace = _Pace(say)
    last: dict[str, Any] = {}
    unread: list[SourceError] = []

    def tell(state: RunState) -> None:
        last.update(_told_of(state))
        pace(last)

    summary = running.run_task(
        task,
        running.RunOptions(
            [order.input],
            body.format,
            body.asked_rules,
            Crew(order.workers, order.memory),
            "ndjson",
            RESULTS,
            resume=_SYNC_SECONDS,
            quiet=True,
            on_progress=tell,
            on_unread=unread.append,
        ),
    )
    say(last | _counted(summary))
    if unread:
        raise unread[0]


def _generate(wanted: GenerationSpec, order: JobOrder, say: Say) -> None:
    told, pace = GenerationState(), _Pace(say)

    def tell(number: int) -> None:
        pace(_made(number, wanted.count))

    options = OutputOptions(
        order.workers, "ndjson", RESULTS, _SYNC_SECONDS, quiet=True, on_puzzle=tell
    )
    generate.generate_puzzles(wanted, options, told)
    say(_made(told.written, wanted.count))
    if told.error:
        raise told.error


def _made(number: int, total: int) -> dict[str, Any]:
    return {"records": number, "verdicts": {"unique": number}, "done": number, "total": total}


def _told_of(state: RunState) -> dict[str, Any]:
    told = _counted(state.summary) | {"done": state.done, "total": state.tally.total}
    if state.bounds:
        told |= dict(zip(("at_least", "at_most"), state.bounds, strict=True))
    return told


def _counted(summary: Summary) -> dict[str, Any]:
    return {
        "records": summary.total,
        "failed": summary.failed,
        "verdicts": {str(name): number for name, number in summary.verdicts.items()},
    }


class _Pace:
    """Passes on what is said, now and then."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._next = 0.0

    def __call__(self, told: dict[str, Any]) -> None:
        if monotonic() >= self._next:
            self._next = monotonic() + _TELL_SECONDS
            self._say(told)


def _say(told: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(told) + b"\n")
    sys.stdout.buffer.flush()


def _end_with_server() -> None:
    # Not by sys.stdin, whose lock would be held when this process ends in order.
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
