"""A typed Python client for the service described in `docs/service.md`.

>>> from binairo_cp.service.client import Client                                    # doctest: +SKIP
>>> with Client("http://127.0.0.1:8000") as client:                         # doctest: +SKIP
...     print(client.check("6x6u:CafBAdEAcDaf").verdict)
unique
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Literal, Self, cast

from binairo_cp.errors import ServiceError
from binairo_cp.formats.schema import PuzzleRecord, ResultRecord, VerificationRecord
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    import httpx

PuzzleIn = PuzzleRecord | str
Route = Literal["solve", "check", "count", "hint", "explain", "grade", "clues", "fewest", "repair"]
FileRoute = Literal["encode", "convert", "render", "certify"]

_FINISHED = ("done", "failed", "cancelled")


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        return ResultRecord.model_validate(response.json())

    def request_many(
        self, route: Route, puzzles: Iterable[PuzzleIn] | str, **options: Any
    ) -> list[ResultRecord]:
        """Send several puzzles to a route. Raises the same errors as `request`."""
        items = puzzles if isinstance(puzzles, str) else [_json(each) for each in puzzles]
        response = self._post(route, {"puzzles": items, **options})
        return [ResultRecord.model_validate(each) for each in response.json()["results"]]

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
        return [ResultRecord.model_validate(each) for each in response.json()["results"]]

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

    def verify(self, certificate: bytes) -> VerificationRecord:
        """Check a certificate. Raises the same errors as `request`."""
        headers = {"Content-Type": "application/zip"}
        response = self._send("POST", "/v1/verify", content=certificate, headers=headers)
        return VerificationRecord.model_validate(response.json())

    def limits(self) -> dict[str, Any]:
        """The limits of the server. Raises the same errors as `request`."""
        return cast("dict[str, Any]", self._send("GET", "/v1/limits").json())

    def submit(
        self,
        kind: Literal["batch", "generate", "fewest", "count"],
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
            query = {name: _query_value(each) for name, each in options.items()}
            response = self._send(
                "POST",
                "/v1/jobs",
                params={"kind": kind, **query},
                content=puzzles,
                headers={**headers, "Content-Type": "text/plain"},
            )
            return Job(self, response.json())
        body = {"kind": kind, **options}
        if puzzles is not None:
            body["puzzles"] = puzzles if isinstance(puzzles, str) else [*map(_json, puzzles)]
        return Job(self, self._send("POST", "/v1/jobs", json=body, headers=headers).json())

    def job(self, id: str) -> Job:
        """Look up a job by its id. Raises the same errors as `request`."""
        return Job(self, self._send("GET", f"/v1/jobs/{id}").json())

    def jobs(self) -> list[Job]:
        """All jobs, the latest first. Raises the same errors as `request`."""
        return [Job(self, record) for record in self._send("GET", "/v1/jobs").json()["jobs"]]

    def _post(self, route: str, body: dict[str, Any]) -> httpx.Response:
        return self._send("POST", f"/v1/{route}", json=body)

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ServiceError(f"can't reach {self._http.base_url}: {error}") from error
        if response.is_error:
            raise ProblemError(response)
        return response

    def _lines(self, path: str, **parameters: Any) -> Iterator[str]:
        try:
            with self._http.stream("GET", path, params=parameters, timeout=None) as response:
                if response.is_error:
                    response.read()
                    raise ProblemError(response)
                yield from response.iter_lines()
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
                self.record = json.loads(line.removeprefix("data: "))
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
            yield ResultRecord.model_validate_json(line)

    def cancel(self) -> None:
        """Cancel the job, or delete it if it has ended.

        Raises the same errors as `Client.request`.
        """
        response = self._client._send("DELETE", f"/v1/jobs/{self.id}")
        if response.content:
            self.record = response.json()


def _json(puzzle: PuzzleIn) -> Any:
    if isinstance(puzzle, str):
        return puzzle
    return puzzle.model_dump(mode="json", exclude_none=True)


def _query_value(value: object) -> str:
    """Format a value for a query string."""
    return str(value).lower() if isinstance(value, bool) else str(value)
