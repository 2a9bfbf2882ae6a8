"""A client of the service for tests: records as objects, problems as exceptions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Self

import httpx

from binairo_cp.formats import schema
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import PuzzleRecord
from tests.support.serving import PATIENCE

PuzzleIn = PuzzleRecord | str


class ProblemError(Exception):
    """The server answered with a problem, whose name is the last part of its `type`."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: str = "") -> None:
        self.status, self.retry_after = status, retry_after
        self.errors: list[dict[str, Any]] = body.get("errors") or []
        self.problem = str(body["type"]).rpartition(":")[2]
        super().__init__(f"{status} {self.problem}: {body['detail']}")


class Client:
    def __init__(
        self, url: str, api_key: str | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self.http = httpx.Client(
            base_url=url, headers=headers, timeout=PATIENCE, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def request(self, route: str, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        body = {"puzzle": _json(puzzle), **options}
        return schema.adapter(ResultRecord).validate_json(
            self.send("POST", f"/v1/{route}", json=body).content
        )

    def request_many(
        self, route: str, puzzles: Iterable[PuzzleIn] | bytes, **options: Any
    ) -> list[ResultRecord]:
        """The records of several puzzles, or of those in a picture."""
        if isinstance(puzzles, bytes):
            kind = "image/png" if puzzles.startswith(b"\x89PNG") else "image/webp"
            response = self._send_file(f"/v1/{route}", puzzles, {"Content-Type": kind}, options)
        else:
            body = {"puzzles": [_json(puzzle) for puzzle in puzzles], **options}
            response = self.send("POST", f"/v1/{route}", json=body)
        return [
            schema.adapter(ResultRecord).validate_python(record)
            for record in response.json()["results"]
        ]

    def check(self, puzzle: PuzzleIn, **options: Any) -> ResultRecord:
        return self.request("check", puzzle, **options)

    def generate(self, size: int | str, **options: Any) -> list[ResultRecord]:
        response = self.send("POST", "/v1/generate", json={"size": size, **options})
        return [
            schema.adapter(ResultRecord).validate_python(record)
            for record in response.json()["results"]
        ]

    def file(self, route: str, puzzles: PuzzleIn | list[PuzzleIn], **options: Any) -> bytes:
        is_list = isinstance(puzzles, list)
        name = "puzzles" if is_list else "puzzle"
        given = [*map(_json, puzzles)] if is_list else _json(puzzles)
        return self.send("POST", f"/v1/{route}", json={name: given, **options}).content

    def book(self, recipe: dict[str, Any], **options: Any) -> bytes:
        return self.send("POST", "/v1/book", json={"recipe": recipe, **options}).content

    def submit(
        self,
        kind: str,
        puzzles: bytes | Iterable[PuzzleIn] | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Job:
        """Submit a job with a file, a list of puzzles, or neither."""
        headers = {"Idempotency-Key": key} if key else {}
        if isinstance(puzzles, bytes):
            headers["Content-Type"] = "text/plain"
            response = self._send_file("/v1/jobs", puzzles, headers, {"kind": kind, **options})
        else:
            body = {"kind": kind, **options}
            if puzzles is not None:
                body["puzzles"] = [*map(_json, puzzles)]
            response = self.send("POST", "/v1/jobs", json=body, headers=headers)
        return Job(self, response.json())

    def job(self, id: str) -> Job:
        return Job(self, self.send("GET", f"/v1/jobs/{id}").json())

    def jobs(self) -> list[Job]:
        return [Job(self, record) for record in self.send("GET", "/v1/jobs").json()["jobs"]]

    def _send_file(
        self, path: str, content: bytes, headers: dict[str, str], options: dict[str, Any]
    ) -> httpx.Response:
        query = {name: str(value) for name, value in options.items()}
        return self.send("POST", path, params=query, content=content, headers=headers)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """A response that is no problem."""
        response = self.http.request(method, path, **options)
        if response.is_error:
            after = response.headers.get("retry-after", "")
            raise ProblemError(response.status_code, response.json(), after)
        return response

    def lines(self, path: str, **parameters: Any) -> Iterator[str]:
        """The lines of a response while they arrive; a problem ends them."""
        with self.http.stream("GET", path, params=parameters, timeout=None) as response:
            assert response.status_code == 200, response.read()
            for line in response.iter_lines():
                record = line.removeprefix("data: ")
                if record.startswith('{"type":'):
                    raise ProblemError(json.loads(record)["status"], json.loads(record))
                yield line


class Job:
    """A job on a server, with its latest record."""

    def __init__(self, client: Client, record: dict[str, Any]) -> None:
        self._client = client
        self.record = record
        self.id = str(record["id"])

    @property
    def state(self) -> str:
        return str(self.record["state"])

    @property
    def progress(self) -> dict[str, Any]:
        """Such as the number of records."""
        progress: dict[str, Any] = self.record["progress"]
        return progress

    def refresh(self) -> Self:
        self.record = self._client.job(self.id).record
        return self

    def events(self) -> Iterator[dict[str, Any]]:
        """The record after each change, until the job ends."""
        for line in self._client.lines(f"/v1/jobs/{self.id}/events"):
            if line.startswith("data: "):
                self.record = json.loads(line.removeprefix("data: "))
                yield self.record

    def wait(self) -> Self:
        for _ in self.events():
            pass
        return self

    def results(self, *, follow: bool = True, after: int = 0) -> Iterator[ResultRecord]:
        """The results as they are ready."""
        path = f"/v1/jobs/{self.id}/results"
        for line in self._client.lines(path, follow=follow, after=after):
            yield schema.adapter(ResultRecord).validate_json(line)

    def file(self) -> bytes:
        return self._client.send("GET", f"/v1/jobs/{self.id}/file").content

    def cancel(self) -> None:
        path = f"/v1/jobs/{self.id}"
        self.record = self._client.send("DELETE", path, params={"keep": "true"}).json()

    def delete(self) -> None:
        """Delete the job; cancel it first if it has not ended."""
        while self._client.send("DELETE", f"/v1/jobs/{self.id}").content:
            pass  # it was cancelled


def _json(puzzle: PuzzleIn) -> Any:
    if isinstance(puzzle, str):
        return puzzle
    return puzzle.model_dump(mode="json", exclude_none=True)
