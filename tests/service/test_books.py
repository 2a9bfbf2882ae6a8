"""Books over HTTP are those of the command, within the limits of the server."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

import binairo_cp as bn
from binairo_cp.service.limits import Limits
from tests.support.client import Client, ProblemError
from tests.support.in_process import in_process_app
from tests.support.serving import Server

RECIPE = {"seed": 7, "puzzles": [{"size": 6, "count": 4, "grade": "easy"}, {"size": 4, "count": 2}]}
OPTIONS: dict[str, Any] = {"title": "Six puzzles", "author": "A. B.", "trim": "a5", "plain": True}


def test_a_book_is_that_of_the_command(server: Server, client: Client) -> None:
    expected = bn.book(RECIPE, **OPTIONS)
    response = server.post("/v1/book", recipe=RECIPE, **OPTIONS)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/pdf"
    assert response.headers["content-disposition"] == 'attachment; filename="book.pdf"'
    assert float(response.headers["x-time-limit"]) > 0
    assert response.content == expected
    parts = zipfile.ZipFile(io.BytesIO(client.book(RECIPE, to="zip", **OPTIONS)))
    assert parts.namelist() == ["book.pdf", "manifest.json"]
    assert parts.read("book.pdf") == expected
    rows = json.loads(parts.read("manifest.json"))
    assert [each["number"] for each in rows] == [*range(1, 7)]
    for each in rows:
        assert bn.check(f"{each['height']}x{each['width']}:{each['clues']}").verdict == "unique"
        assert each["page"] < each["answer_page"]


def test_other_bodies_are_refused(server: Server) -> None:
    for kind, status in (("text/plain", 415), ("application/x-ndjson", 415)):
        headers = {"Content-Type": kind}
        assert server.http.post("/v1/book", content=b"x", headers=headers).status_code == status
    assert server.http.get("/v1/book").status_code == 405


LARGE = {"puzzles": [{"size": 14, "count": 100, "grade": "expert"}]}


def test_a_book_has_a_time_limit(server: Server) -> None:
    response = server.post("/v1/book", recipe=LARGE, title="Never", time_limit=0.001)
    assert (response.status_code, response.json()["type"]) == (504, "urn:binairo:problem:time")


def test_the_size_and_the_sides_are_bounded(tmp_path: Path) -> None:
    app = in_process_app(Limits(answer_bytes=1024, side=5, time_limit=300, most_time=300), tmp_path)
    try:
        with_client = TestClient(app, base_url="http://localhost")
        small = {"puzzles": [{"size": 4, "count": 1}]}
        response = with_client.post("/v1/book", json={"title": "x", "recipe": small})
        assert response.status_code == 422
        assert response.json()["detail"] == "the book is larger than 1,024 bytes"
        response = with_client.post("/v1/book", json={"title": "x", "recipe": RECIPE})
        assert response.json()["errors"][0]["pointer"] == "/recipe/puzzles/0/size"
    finally:
        app.state.binairo.store.close()


@pytest.mark.slow
@pytest.mark.parametrize("to", ["pdf", "zip"])
def test_a_job_makes_the_same_book(server: Server, client: Client, to: str) -> None:
    job = client.submit("book", recipe=RECIPE, to=to, **OPTIONS).wait()
    assert (job.state, job.progress["done"], job.progress["total"]) == ("done", 6, 6)
    assert job.file() == client.book(RECIPE, to=to, **OPTIONS)
    response = server.http.get(job.record["links"]["file"])
    assert response.headers["content-type"] == f"application/{to}"
    assert response.headers["content-disposition"] == f'attachment; filename="book.{to}"'
    head = server.http.head(job.record["links"]["file"])
    assert (head.status_code, head.content) == (200, b"")
    assert list(job.results()) == []
    job.delete()
    with pytest.raises(ProblemError, match="404 not-found"):
        job.file()


@pytest.mark.slow
def test_other_jobs_have_no_file(server: Server, client: Client) -> None:
    job = client.submit("batch", ["0..1\n....\n....\n...."]).wait()
    assert "file" not in job.record["links"]
    with pytest.raises(ProblemError, match="404 not-found: there is no file: the job is done"):
        job.file()
    assert server.http.get("/v1/jobs/none/file").status_code == 404


@pytest.mark.slow
def test_a_job_for_a_book_that_is_not_possible_fails(client: Client) -> None:
    recipe = {"puzzles": [{"size": 2, "count": 50}]}
    job = client.submit("book", recipe=recipe, title="Too many").wait()
    assert job.state == "failed"
    assert job.record["error"]["kind"] == "generation"
    with pytest.raises(ProblemError, match="404 not-found: there is no file: the job is failed"):
        job.file()


def test_a_job_for_a_book_takes_no_file(server: Server) -> None:
    query = httpx.QueryParams({"kind": "book", "title": "x"})
    headers = {"Content-Type": "text/plain"}
    response = server.http.post(f"/v1/jobs?{query}", content=b"0..1", headers=headers)
    assert response.status_code == 422
    assert "book takes no puzzles" in response.json()["detail"]
