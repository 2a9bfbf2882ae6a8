"""Send any number of puzzles to a route of the service, in blocks, and yield their results.

A block is a request with a body of NDJSON. Its size follows the time that the last one took, so
that slow puzzles are sent one by one and quick ones by the hundreds. The next puzzles are taken
from the caller only when all results of the last block were taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from binairo_cp.errors import ArgumentError, ServiceError
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import PuzzleRecord
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    import httpx

PuzzleIn = PuzzleRecord | str

BLOCK_SECONDS = 0.25
"""How long the server should take for a block."""

MOST_PUZZLES = 1_000

MOST_BYTES = 1 << 18
"""The most puzzles and about the most bytes of a block."""

MOST_WAITS = 10
"""How often in a row the server may say that it is busy."""

_BUSY = (429, 503)
_SOURCE = "request"

Send = Callable[[bytes], AbstractContextManager[Iterator[str]]]
"""Sends a body of NDJSON; yields the lines of the response."""


class ProblemError(ServiceError):
    """The server answered with a problem (RFC 9457).

    Attributes:
        status: the HTTP status.
        problem: the kind of problem, which is the last part of its `type`.
        detail: what is wrong.
        errors: the errors in the request, with their positions.
        request_id: the id of the request in the server's log.
        retry_after: seconds until the client may try again; None if the server doesn't say.
    """

    kind = "problem"

    def __init__(self, response: httpx.Response) -> None:
        try:
            body = response.json()
        except ValueError:
            body = {}
        self.status = response.status_code
        self.problem = str(body.get("type", "")).rpartition(":")[2]
        self.detail = str(body.get("detail", response.reason_phrase))
        self.errors: list[dict[str, Any]] = body.get("errors") or []
        self.request_id = response.headers.get("x-request-id", "")
        after = response.headers.get("retry-after", "")
        self.retry_after = int(after) if after.isdecimal() else None
        super().__init__(f"{self.status} {self.problem}: {self.detail}")


@dataclass(frozen=True, slots=True)
class _Item:
    """A puzzle of the caller, with its number: the line to send, or the result without sending."""

    number: int
    line: bytes
    result: ResultRecord | None = None


def stream(send: Send, puzzles: Iterable[PuzzleIn], rules: str | None) -> Iterator[ResultRecord]:
    """Yield the results of puzzles, in order.

    Args:
        send: sends a block.
        puzzles: the puzzles.
        rules: the name of the rules for puzzles that do not state any.

    Raises:
        ArgumentError: one of them is neither a record nor text.
        ProblemError: the server answered with a problem.
        ServiceError: the server can't be reached, or does not answer as it should.
    """
    items = (_item(each, number, rules) for number, each in enumerate(puzzles, 1))
    size = 1
    while block := _block(items, size):
        started = time.monotonic()
        results = _results(send, block)
        seconds = max(time.monotonic() - started, 1e-6)
        size = max(1, min(2 * size, MOST_PUZZLES, int(len(block) * BLOCK_SECONDS / seconds)))
        yield from results


def _item(puzzle: PuzzleIn, number: int, rules: str | None) -> _Item:
    if isinstance(puzzle, str):
        return _of_text(puzzle, number, rules)
    if not isinstance(puzzle, PuzzleRecord):
        raise ArgumentError.of("puzzles", "records or text", puzzle)
    record = puzzle if puzzle.id is not None else puzzle.model_copy(update={"id": str(number)})
    return _Item(number, record.model_dump_json(exclude_none=True).encode() + b"\n")


def _of_text(text: str, number: int, rules: str | None) -> _Item:
    # Imported here, because many callers have records.
    from binairo_cp.batch.tasks import invalid
    from binairo_cp.formats import read_one
    from binairo_cp.formats.blocks import with_default_id

    entry = read_one(text, _SOURCE, "auto", PRESETS.get(rules or ""))
    entry = with_default_id(entry, number)
    if entry.puzzle is None:
        return _Item(number, b"", invalid(entry))
    return _item(PuzzleRecord.of(entry.puzzle, entry.id), number, rules)


def _block(items: Iterator[_Item], size: int) -> list[_Item]:
    block, left = [], MOST_BYTES
    for each in islice(items, size):
        block.append(each)
        left -= len(each.line)
        if left <= 0:
            break
    return block


def _results(send: Send, block: list[_Item]) -> list[ResultRecord]:
    records = iter(_decided(send, [each.line for each in block if each.result is None]))
    return [_in_place(each.result or next(records), each.number) for each in block]


def _in_place(record: ResultRecord, number: int) -> ResultRecord:
    """The record with the place of its puzzle among all of the caller's, not in its block."""
    record.line = number
    if record.error and record.error.line is not None:
        record.error.line = number
    return record


def _decided(send: Send, lines: list[bytes]) -> list[ResultRecord]:
    """The results of valid puzzles. If the server is busy, waits as long as it says."""
    records: list[ResultRecord] = []
    waits = 0
    while len(records) < len(lines):
        before = len(records)
        try:
            with send(b"".join(lines[before:])) as answer:
                records += (ResultRecord.from_json(line) for line in answer)
        except ProblemError as error:
            waits = 1 if len(records) > before else waits + 1
            if error.status not in _BUSY or error.retry_after is None or waits > MOST_WAITS:
                raise
            time.sleep(error.retry_after)
            continue
        if len(records) != len(lines):
            raise ServiceError(
                f"the server sent {len(records):,} results for {len(lines):,} puzzles"
            )
    return records
