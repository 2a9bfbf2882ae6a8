"""A typed Python client for the service described in `docs/service.md`.

>>> from binairo_cp.service.client import Client                                    # doctest: +SKIP
>>> with Client("http://127.0.0.1:8000") as client:                         # doctest: +SKIP
...     print(client.check("6x6u:CafBAdEAcDaf").verdict)
unique

`Client.stream` sends any number of puzzles in blocks. A block is a request with a body of NDJSON.
Its size follows the time that the last one took, so that slow puzzles are sent one by one and quick
ones by the hundreds. The next puzzles are taken from the caller only when all results of the last
block were taken.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Literal, Self, cast

from binairo_cp.errors import ArgumentError, ServiceError
from binairo_cp.formats.results import ResultRecord, VerificationRecord
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


def _stream(send: Send, puzzles: Iterable[PuzzleIn], rules: str | None) -> Iterator[ResultRecord]:
    """Yield the results of puzzles, in order; `rules` are for those that do not state any."""
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

    entry = read_one(text, number, _SOURCE, "auto", PRESETS.get(rules or ""))
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
            numbers = f"{len(records):,}, not {len(lines):,}"
            raise ServiceError(f"the server sent another number of results: {numbers}")
    return records


Route = Literal[
    "solve", "check", "count", "hint", "explain", "grade", "judge", "clues", "fewest", "repair"
]
FileRoute = Literal["encode", "convert", "render", "certify"]

_NDJSON = {"Content-Type": "application/x-ndjson"}
_PROBLEM_LINE = '{"type":'
_FINISHED = ("done", "failed", "cancelled")


class Client:
    """A connection to a server.

    Args:
        url: the URL of the server.
        api_key: the API key, if the server requires one.
        timeout: seconds to wait for data from the server.
        transport: a transport of httpx, for tests.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        api_key: str | None = None,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=timeout, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def request(self, route: Route, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Send a puzzle to a route and return its result.

        Args:
            route: the last part of the path.
            puzzle: a record, or text in any format.
            options: the options of the route.

        Raises:
            ProblemError: the server answered with a problem.
            ServiceError: the server can't be reached.
        """
        response = self._post(route, {"puzzle": _json(puzzle), **options})
        return ResultRecord.from_json(response.content)

    def request_many(
        self, route: Route, puzzles: Iterable[PuzzleIn] | str | bytes, **options: Any
    ) -> list[ResultRecord]:
        """Send several puzzles to a route. Raises the same errors as `request`.

        Args:
            route: the last part of the path.
            puzzles: records and texts, a text with any number of puzzles, or a picture as bytes.
            options: the options of the route.
        """
        if isinstance(puzzles, bytes):
            headers = {"Content-Type": _picture_type(puzzles)}
            response = self._post_file(f"/v1/{route}", puzzles, headers, options)
        else:
            items = puzzles if isinstance(puzzles, str) else [_json(each) for each in puzzles]
            response = self._post(route, {"puzzles": items, **options})
        return [ResultRecord.from_dict(each) for each in response.json()["results"]]

    def stream(
        self, route: Route, puzzles: Iterable[PuzzleIn], **options: Any
    ) -> Iterator[ResultRecord]:
        """Yield the results of any number of puzzles, in order, as they are taken.

        The puzzles are sent in blocks that take the server about a quarter of a second. Further
        puzzles are taken from the iterable only when the results before were taken, so memory use
        does not grow. A puzzle that is not valid has a record with the verdict ``invalid``. `line`
        is the number of the puzzle, from 1; so is `id`, if the puzzle has none. If the server is
        busy, the client waits as long as the server says, and tries again. To stop, end the loop
        or close the iterator.

        Args:
            route: the last part of the path.
            puzzles: records, or texts with one puzzle each.
            options: the options of the route. `time_limit` applies to each puzzle.

        Raises:
            ArgumentError: a puzzle is neither a record nor text.
            ProblemError: the server answered with a problem. The results before were yielded.
            ServiceError: the server can't be reached, or the connection was lost.
        """
        if isinstance(puzzles, str | PuzzleRecord):
            raise ArgumentError.of("puzzles", "an iterable of puzzles", puzzles)
        query = {name: _query_value(each) for name, each in options.items() if each is not None}
        send = partial(self._exchange, f"/v1/{route}", query)
        return _stream(send, puzzles, options.get("rules"))

    def solve(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Solve a puzzle. Raises the same errors as `request`."""
        return self.request("solve", puzzle, **options)

    def check(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Check that the solution is unique. Raises the same errors as `request`."""
        return self.request("check", puzzle, **options)

    def count(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Count solutions. Raises the same errors as `request`."""
        return self.request("count", puzzle, **options)

    def hint(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Find the next logical step. Raises the same errors as `request`."""
        return self.request("hint", puzzle, **options)

    def explain(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Solve a puzzle by logical steps. Raises the same errors as `request`."""
        return self.request("explain", puzzle, **options)

    def grade(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Grade the difficulty of a puzzle. Raises the same errors as `request`."""
        return self.request("grade", puzzle, **options)

    def generate(self, size: int | str, **options: Any) -> list[ResultRecord]:
        """Generate puzzles. Raises the same errors as `request`."""
        response = self._post("generate", {"size": size, **options})
        return [ResultRecord.from_dict(each) for each in response.json()["results"]]

    def file(
        self, route: FileRoute, puzzles: PuzzleIn | Iterable[PuzzleIn], **options: Any
    ) -> bytes:
        """Make a file of puzzles: an encoding, a picture or a certificate.

        Raises the same errors as `request`.
        """
        if isinstance(puzzles, str | PuzzleRecord):
            return self._post(route, {"puzzle": _json(puzzles), **options}).content
        items = [_json(each) for each in puzzles]
        return self._post(route, {"puzzles": items, **options}).content

    def book(self, recipe: Mapping[str, Any], **options: Any) -> bytes:
        """Make a book of new puzzles: a PDF, or with ``to="zip"`` also its cover and its manifest.

        Raises the same errors as `request`. A book that takes longer is a job of the kind book.

        Args:
            recipe: which puzzles.
            options: the options of the route, such as `title`.
        """
        return self._post("book", {"recipe": dict(recipe), **options}).content

    def verify(self, certificate: bytes) -> VerificationRecord:
        """Check a certificate. Raises the same errors as `request`."""
        headers = {"Content-Type": "application/zip"}
        response = self._send("POST", "/v1/verify", content=certificate, headers=headers)
        return VerificationRecord.from_json(response.content)

    def limits(self) -> dict[str, Any]:
        """The limits of the server. Raises the same errors as `request`."""
        return cast("dict[str, Any]", self._send("GET", "/v1/limits").json())

    def submit(
        self,
        kind: Literal["batch", "generate", "book", "fewest", "count"],
        puzzles: bytes | str | Iterable[PuzzleIn] | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Submit a job.

        Args:
            kind: the kind of job.
            puzzles: a file in any format as bytes, a text with any number of puzzles, or a list.
            key: the Idempotency-Key. The same key with the same request returns the same job.
            options: the options of this kind of job.

        Raises:
            ProblemError: the server refused the job.
            ServiceError: the server can't be reached.
        """
        headers = {"Idempotency-Key": key} if key else {}
        if isinstance(puzzles, bytes):
            headers["Content-Type"] = "text/plain"
            response = self._post_file("/v1/jobs", puzzles, headers, {"kind": kind, **options})
            return Job(self, response.json())
        body = {"kind": kind, **options}
        if puzzles is not None:
            body["puzzles"] = puzzles if isinstance(puzzles, str) else [*map(_json, puzzles)]
        return Job(self, self._send("POST", "/v1/jobs", json=body, headers=headers).json())

    def job(self, id: str) -> Job:
        """Look up a job by its id. Raises the same errors as `request`."""
        return Job(self, self._send("GET", f"/v1/jobs/{id}").json())

    def jobs(self, page: int = 100) -> Iterator[Job]:
        """Yield all jobs, the latest first. Raises the same errors as `request`.

        Args:
            page: how many jobs to get at a time, up to 1,000.
        """
        parameters: dict[str, Any] = {"limit": page}
        while True:
            listed = self._send("GET", "/v1/jobs", params=parameters).json()
            yield from (Job(self, record) for record in listed["jobs"])
            if "next" not in listed:
                return
            parameters["cursor"] = listed["next"]

    def _post(self, route: str, body: dict[str, Any]) -> httpx.Response:
        return self._send("POST", f"/v1/{route}", json=body)

    def _post_file(
        self, path: str, content: bytes, headers: dict[str, str], options: dict[str, Any]
    ) -> httpx.Response:
        query = {name: _query_value(each) for name, each in options.items()}
        return self._send("POST", path, params=query, content=content, headers=headers)

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ServiceError(f"can't reach {self._http.base_url}: {error}") from error
        if response.is_error:
            raise ProblemError(response)
        return response

    def _lines(self, path: str, **parameters: Any) -> Iterator[str]:
        with self._response("GET", path, params=parameters, timeout=None) as response:
            yield from response.iter_lines()

    @contextmanager
    def _exchange(self, path: str, query: dict[str, str], body: bytes) -> Iterator[Iterator[str]]:
        """Send a body of NDJSON; yield the lines of the response."""
        with self._response("POST", path, params=query, content=body, headers=_NDJSON) as response:
            yield map(_record_line, response.iter_lines())

    @contextmanager
    def _response(self, method: str, path: str, **options: Any) -> Iterator[httpx.Response]:
        """A response that is read while it arrives."""
        try:
            with self._http.stream(method, path, **options) as response:
                if response.is_error:
                    response.read()
                    raise ProblemError(response)
                yield response
        except httpx.HTTPError as error:
            message = f"the connection to {self._http.base_url} was lost: {error}"
            raise ServiceError(message) from error


class Job:
    """A job on a server.

    Attributes:
        record: the latest record of the job that the server has sent.
    """

    def __init__(self, client: Client, record: dict[str, Any]) -> None:
        self._client = client
        self.record = record

    @property
    def id(self) -> str:
        return str(self.record["id"])

    @property
    def state(self) -> str:
        return str(self.record["state"])

    @property
    def progress(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.record["progress"])

    @property
    def is_ended(self) -> bool:
        return self.state in _FINISHED

    def refresh(self) -> Self:
        """Update the record. Raises the same errors as `Client.request`."""
        self.record = self._client.job(self.id).record
        return self

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the record after each change, until the job ends.

        Raises the same errors as `Client.request`.
        """
        for line in self._client._lines(f"/v1/jobs/{self.id}/events"):
            if line.startswith("data: "):
                self.record = json.loads(_record_line(line.removeprefix("data: ")))
                yield self.record

    def wait(self) -> Self:
        """Wait until the job ends. Raises the same errors as `Client.request`."""
        for _ in self.events():
            pass
        return self

    def results(self, *, follow: bool = True, after: int = 0) -> Iterator[ResultRecord]:
        """Yield the results as they are ready. Raises the same errors as `Client.request`.

        Args:
            follow: wait for further results until the job ends.
            after: number of results to skip at the beginning.
        """
        path = f"/v1/jobs/{self.id}/results"
        for line in self._client._lines(path, follow=_query_value(follow), after=after):
            yield ResultRecord.from_json(_record_line(line))

    def file(self) -> bytes:
        """The file of a book that is done. Raises the same errors as `Client.request`."""
        return self._client._send("GET", f"/v1/jobs/{self.id}/file").content

    def cancel(self) -> None:
        """Cancel the job unless it has ended. Raises the same errors as `Client.request`."""
        response = self._client._send("DELETE", f"/v1/jobs/{self.id}", params={"keep": "true"})
        self.record = response.json()

    def delete(self) -> None:
        """Delete the job and its results; cancel it first if it has not ended.

        Raises the same errors as `Client.request`.
        """
        while self._client._send("DELETE", f"/v1/jobs/{self.id}").content:
            pass  # it was cancelled


def _picture_type(data: bytes) -> str:
    """The media type of a picture, from its first bytes."""
    starts = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg"}
    return next((kind for start, kind in starts.items() if data.startswith(start)), "image/webp")


def _record_line(line: str) -> str:
    """A line of a stream of records, whose last line may be a problem."""
    if line.startswith(_PROBLEM_LINE):
        raise ProblemError(httpx.Response(json.loads(line)["status"], content=line))
    return line


def _json(puzzle: PuzzleIn) -> Any:
    if isinstance(puzzle, str):
        return puzzle
    return puzzle.model_dump(mode="json", exclude_none=True)


def _query_value(value: object) -> str:
    """Format a value for a query string."""
    return str(value).lower() if isinstance(value, bool) else str(value)
