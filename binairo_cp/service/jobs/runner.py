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
from pathlib import Path
from time import monotonic
from typing import Any

import orjson
from pydantic import BaseModel

from binairo_cp import formats, generating, resuming, running, studies
from binairo_cp.errors import BinairoError, GenerationError
from binairo_cp.formats import Tally
from binairo_cp.generating import Begun, Order, Told
from binairo_cp.outputs import PARTIAL
from binairo_cp.reports import Summary
from binairo_cp.resuming import RunRecord
from binairo_cp.service.asks import TaskAsk
from binairo_cp.service.jobs import orders
from binairo_cp.service.orders import GenerateAsk

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
    """

    kind: str
    verb: str
    ask: dict[str, Any]
    input: str
    workers: int
    time_limit: float


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
    model = orders.MODELS[order.kind, order.verb]
    if issubclass(model, GenerateAsk):
        _generate(model.model_validate(order.ask).order(), order, say)
        return
    puzzles = {"puzzles": ""} | order.ask
    _decide(model.model_validate(puzzles), order, say)


def _decide(ask: TaskAsk, order: JobOrder, say: Say) -> None:
    from dataclasses import replace

    task = replace(ask.task(), time_limit=order.time_limit, split=order.kind == "count")
    pace = _Pace(say)
    last: dict[str, Any] = {}

    def tell(tally: Tally, summary: Summary) -> None:
        last.update(_told_of(summary), done=tally.done, total=tally.total)
        pace(last)

    def narrow(at_least: int, at_most: int) -> None:
        last.update(at_least=at_least, at_most=at_most)
        pace(last)

    with studies.watched(narrow):
        summary = running.run(
            task,
            [order.input],
            ask.format,
            ask.asked_rules,
            order.workers,
            "ndjson",
            RESULTS,
            quiet=True,
            resume=_SYNC_SECONDS,
            watch=tell,
        )
    say({**last, **_told_of(summary)})


def _generate(wanted: Order, order: JobOrder, say: Say) -> None:
    told, pace, summary = Told(), _Pace(say), Summary("check")
    begun = _begun(wanted)
    record = RunRecord.of({"order": str(wanted)}, [])
    with resuming.results(RESULTS, record, summary, _SYNC_SECONDS) as known:
        for number, made in generating.wanted(wanted, order.workers, told, begun):
            line = generating.record(wanted, number, made)
            known.write(f"{line.to_json()}\n")
            summary.add(line)
            pace({**_told_of(summary), "done": summary.total, "total": wanted.count})
        if told.error:
            raise GenerationError(str(told.error))
    say({**_told_of(summary), "done": summary.total, "total": wanted.count})


def _begun(wanted: Order) -> Begun:
    """What there is of a run already; a torn line is cut off later."""
    begun = Begun()
    path = next((p for p in (Path(RESULTS), Path(f"{RESULTS}{PARTIAL}")) if p.exists()), None)
    if path:
        whole = path.read_bytes().rpartition(b"\n")[0]
        for entry in formats.read_bytes(whole, RESULTS, "ndjson") if whole else ():
            if entry.puzzle and entry.id:
                begun.add(wanted, entry.puzzle, int(entry.id.rpartition("-")[2]) - 1)
    return begun


def _told_of(summary: Summary) -> dict[str, Any]:
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
