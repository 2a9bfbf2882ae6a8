"""A client of the service: what `docs/service.md` says, as functions and values.

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

_ENDED = ("done", "failed", "cancelled")


class ProblemError(ServiceError):
    """A request that was answered by a problem (RFC 9457).

    Attributes:
        status: of HTTP.
        problem: which one, the last word of its type.
        detail: what is wrong.
        errors: where in the request, if that is known.
        request_id: by which the server's log tells of it.
        retry_after: seconds after which it may be tried again, if it may.
    """

    kind = "problem"

    def __init__(self, response: httpx.Response) -> None:
        try:
            told = response.json()
        except ValueError:
            told = {}
        self.status = response.status_code
        self.problem = str(told.get("type", "")).rpartition(":")[2]
        self.detail = str(told.get("detail", response.reason_phrase))
        self.errors: list[dict[str, Any]] = told.get("errors") or []
        self.request_id = response.headers.get("x-request-id", "")
        after = response.headers.get("retry-after", "")
        self.retry_after = int(after) if after.isdecimal() else None
        super().__init__(f"{self.status} {self.problem}: {self.detail}")


class Client:
    """A connection to a server.

    Args:
        url: where it is.
        api_key: a key, if it asks for one.
        timeout: seconds until an answer must begin to come.
        transport: of httpx, for tests.
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
        """End the connection."""
        self._http.close()

    def ask(self, route: Route, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """What a route answers about one puzzle.

        Args:
            route: its last word.
            puzzle: a record, or a text in any format.
            options: those of the route.

        Raises:
            ProblemError: it answers by a problem.
            ServiceError: the server can't be reached.
        """
        answer = self._post(route, {"puzzle": _sent(puzzle), **options})
        return ResultRecord.model_validate(answer.json())

    def ask_many(
        self, route: Route, puzzles: Iterable[PuzzleIn] | str, **options: Any
    ) -> list[ResultRecord]:
        """What a route answers about several puzzles; as `ask`."""
        sent = puzzles if isinstance(puzzles, str) else [_sent(each) for each in puzzles]
        answer = self._post(route, {"puzzles": sent, **options})
        return [ResultRecord.model_validate(each) for each in answer.json()["results"]]

    def solve(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """A solution; as `ask`."""
        return self.ask("solve", puzzle, **options)

    def check(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """Whether there is exactly one solution; as `ask`."""
        return self.ask("check", puzzle, **options)

    def count(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """How many solutions there are; as `ask`."""
        return self.ask("count", puzzle, **options)

    def hint(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """The next step; as `ask`."""
        return self.ask("hint", puzzle, **options)

    def explain(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """All steps; as `ask`."""
        return self.ask("explain", puzzle, **options)

    def grade(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        """How hard it is; as `ask`."""
        return self.ask("grade", puzzle, **options)

    def generate(self, size: int | str, **options: Any) -> list[ResultRecord]:
        """New puzzles; as `ask`."""
        answer = self._post("generate", {"size": size, **options})
        return [ResultRecord.model_validate(each) for each in answer.json()["results"]]

    def file(
        self, route: FileRoute, puzzles: PuzzleIn | Iterable[PuzzleIn], **options: Any
    ) -> bytes:
        """A file that is made of puzzles: an encoding, a picture, a certificate; as `ask`."""
        if isinstance(puzzles, str | PuzzleRecord):
            return self._post(route, {"puzzle": _sent(puzzles), **options}).content
        sent = [_sent(each) for each in puzzles]
        return self._post(route, {"puzzles": sent, **options}).content

    def verify(self, certificate: bytes) -> VerificationRecord:
        """Whether a certificate holds; as `ask`."""
        headers = {"Content-Type": "application/zip"}
        answer = self._request("POST", "/v1/verify", content=certificate, headers=headers)
        return VerificationRecord.model_validate(answer.json())

    def limits(self) -> dict[str, Any]:
        """What the server allows."""
        return cast("dict[str, Any]", self._request("GET", "/v1/limits").json())

    def submit(
        self,
        kind: Literal["batch", "generate", "fewest", "count"],
        puzzles: bytes | str | Iterable[PuzzleIn] | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Ask for long work.

        Args:
            kind: of the job.
            puzzles: a file of any format as bytes, a text with any number of them, or a list.
            key: the Idempotency-Key: the same one with the same request is the same job.
            options: of the kind.

        Raises:
            ProblemError: it is not accepted.
            ServiceError: the server can't be reached.
        """
        headers = {"Idempotency-Key": key} if key else {}
        if isinstance(puzzles, bytes):
            answer = self._request(
                "POST",
                "/v1/jobs",
                params={"kind": kind, **{name: _worded(each) for name, each in options.items()}},
                content=puzzles,
                headers={**headers, "Content-Type": "text/plain"},
            )
            return Job(self, answer.json())
        body = {"kind": kind, **options}
        if puzzles is not None:
            body["puzzles"] = puzzles if isinstance(puzzles, str) else [*map(_sent, puzzles)]
        return Job(self, self._request("POST", "/v1/jobs", json=body, headers=headers).json())

    def job(self, id: str) -> Job:
        """A job that was asked for; as `ask`."""
        return Job(self, self._request("GET", f"/v1/jobs/{id}").json())

    def jobs(self) -> list[Job]:
        """All jobs, the latest first; as `ask`."""
        return [Job(self, told) for told in self._request("GET", "/v1/jobs").json()["jobs"]]

    def _post(self, route: str, body: dict[str, Any]) -> httpx.Response:
        return self._request("POST", f"/v1/{route}", json=body)

    def _request(self, method: str, path: str, **what: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **what)
        except httpx.HTTPError as error:
            raise ServiceError(f"{self._http.base_url} can't be asked: {error}") from error
        if answer.is_error:
            raise ProblemError(answer)
        return answer

    def _lines(self, path: str, **parameters: Any) -> Iterator[str]:
        try:
            with self._http.stream("GET", path, params=parameters, timeout=None) as answer:
                if answer.is_error:
                    answer.read()
                    raise ProblemError(answer)
                yield from answer.iter_lines()
        except httpx.HTTPError as error:
            raise ServiceError(f"{self._http.base_url} was lost: {error}") from error


class Job:
    """A job of a server.

    Attributes:
        told: what the server said of it last, as its record.
    """

    def __init__(self, client: Client, told: dict[str, Any]) -> None:
        self._client = client
        self.told = told

    @property
    def id(self) -> str:
        return str(self.told["id"])

    @property
    def state(self) -> str:
        return str(self.told["state"])

    @property
    def progress(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.told["progress"])

    @property
    def is_ended(self) -> bool:
        return self.state in _ENDED

    def refresh(self) -> Self:
        """Ask how far it is; as `Client.ask`."""
        self.told = self._client.job(self.id).told
        return self

    def events(self) -> Iterator[dict[str, Any]]:
        """Its record whenever there is news, until it ends; as `Client.ask`."""
        for line in self._client._lines(f"/v1/jobs/{self.id}/events"):
            if line.startswith("data: "):
                self.told = json.loads(line.removeprefix("data: "))
                yield self.told

    def wait(self) -> Self:
        """Wait for its end; as `Client.ask`."""
        for _ in self.events():
            pass
        return self

    def results(self, *, follow: bool = True, after: int = 0) -> Iterator[ResultRecord]:
        """Its results as they come; as `Client.ask`.

        Args:
            follow: wait for more until the job ends.
            after: leave out so many of the first.
        """
        path = f"/v1/jobs/{self.id}/results"
        for line in self._client._lines(path, follow=_worded(follow), after=after):
            yield ResultRecord.model_validate_json(line)

    def cancel(self) -> None:
        """End it, or remove it if it has ended; as `Client.ask`."""
        answer = self._client._request("DELETE", f"/v1/jobs/{self.id}")
        if answer.content:
            self.told = answer.json()


def _sent(puzzle: PuzzleIn) -> Any:
    if isinstance(puzzle, str):
        return puzzle
    return puzzle.model_dump(mode="json", exclude_none=True)


def _worded(value: object) -> str:
    """A value as a query says it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
