"""Malicious and broken requests: the server stays up and reports what is wrong."""

import gzip
import json
import os
import signal
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import PATIENCE, Server, serving

HARD = {"puzzle": "80x80:" + "." * 6400, "backend": "backtracking", "time_limit": 3_600}
"""A request that runs until its time limit."""


@pytest.fixture(autouse=True)
def server_still_works(server: Server) -> Iterator[None]:
    yield
    assert server.post("/v1/check", puzzle=UNIQUE).json()["solution"] == KNOWN
    assert not [line for line in server.log if line.get("level") == "error"]


def connected(server: Server, seconds: float = 60) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=seconds)


def raw(server: Server, data: bytes, *, until_closed: bool = True) -> bytes:
    with connected(server) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
            if not until_closed and b"\r\n\r\n" in answer:
                break
    return answer


def logged(server: Server, request_id: str, message: str = "request") -> dict[str, Any]:
    """What the log says about a request; waits for it."""
    while True:
        for each in list(server.log):
            if each.get("request_id") == request_id and each["message"] == message:
                return each
        time.sleep(0.01)


def post(server: Server, body: bytes, path: str = "/v1/check", **headers: str) -> httpx.Response:
    sent = {"content-type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return server.http.post(path, content=body, headers=sent)


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server: Server) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    # Nothing of the body is sent, and the answer comes.
    answer = raw(server, head + b"content-length: 10000000000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"application/problem+json" in answer
    huge = b"content-length: " + b"9" * 100 + b"\r\n\r\n"
    assert raw(server, head + huge).startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 400 "))


def test_a_body_without_a_length_is_refused_while_it_arrives(server: Server) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(1_000_000):
            sent += 65_536
            yield b" " * 65_536

    try:
        response = server.http.post(
            "/v1/check", content=endless(), headers={"Content-Type": "application/json"}
        )
        assert response.status_code == 413
    except httpx.TransportError:
        # The server closed the connection while the body was being sent.
        pass
    assert sent < 1 << 25


@pytest.mark.parametrize("path", [b"/v1/limits", b"/v1/check", b"/", b"/nowhere"])
def test_a_query_with_invalid_bytes_is_refused(server: Server, path: bytes) -> None:
    answer = raw(server, b"GET " + path + b"?a=\xb0\xff HTTP/1.1\r\nhost: localhost\r\n\r\n")
    # The HTTP parser refuses it. The app, which could not decode the URL, never sees it.
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("path", ["/v1/check", "/v1/jobs?kind=batch"])
def test_decompression_bombs_are_refused(server: Server, path: str) -> None:
    bomb = gzip.compress(b"0" * (1 << 26), mtime=0)
    assert len(bomb) < 1 << 17
    response = post(
        server, bomb[: 1 << 16], path, content_encoding="gzip", content_type="text/plain"
    )
    assert (response.status_code, response.json()["type"]) == (413, "urn:binairo:problem:too-large")


@pytest.mark.parametrize(("body", "encoding", "status"), [
    (b"no gzip", "gzip", 400),
    (gzip.compress(b'{"puzzle":"' + UNIQUE.encode() + b'"}', mtime=0)[:-9], "gzip", 400),
    (gzip.compress(b"{}", mtime=0) + b"more", "gzip", 400),
    (gzip.compress(b'{"puzzle":', mtime=0) + gzip.compress(b'"01"}', mtime=0), "gzip", 422),
    (zlib.compress(b"{}"), "deflate", 415),
    (b"{}", "br", 415),
    (gzip.compress(b'{"puzzle":"' + UNIQUE.encode() + b'"}', mtime=0), "gzip", 200),
])  # fmt: skip
def test_compressed_bodies(server: Server, body: bytes, encoding: str, status: int) -> None:
    response = post(server, body, content_encoding=encoding)
    assert response.status_code == status


@pytest.mark.parametrize("body", [
    b"", b"{", b"[" * 10_000, b'{"a":' * 10_000, b'{"puzzle": NaN}',
    b'{"time_limit": Infinity}', b'{"puzzle": "\xff\xfe"}', b"\xef\xbb\xbf{}" * 2,
    b'{"puzzle": "\\ud800"}', b"\0" * 100,
])  # fmt: skip
def test_invalid_json_is_refused(server: Server, body: bytes) -> None:
    response = post(server, body)
    assert (response.status_code, response.json()["type"]) == (400, "urn:binairo:problem:json")


@pytest.mark.parametrize("body", [
    [],
    None,
    "x",
    {"puzzle": "102x102:" + "." * 102 * 102},
    {"puzzle": "a" * 50_000},
    {"puzzle": "z" * 2_000},
    {"puzzle": "\0" * 100},
    {"puzzle": "\u2028" * 100},
])  # fmt: skip
def test_invalid_requests_are_refused(server: Server, body: Any) -> None:
    response = post(server, json.dumps(body).encode())
    assert response.status_code == 422, response.text
    assert response.json()["detail"]
    assert response.json()["errors"]


def test_text_is_never_read_as_a_path(server: Server) -> None:
    for name in ("/etc/passwd", "instances/classic/06x06-hard.txt", "*.txt", "file:///x"):
        response = server.post("/v1/check", puzzle=name)
        assert response.status_code == 422
        assert "root:" not in response.text


def test_huge_numbers_are_refused(server: Server) -> None:
    response = post(
        server, b'{"puzzle": "' + UNIQUE.encode() + b'", "limit": ' + b"9" * 5_000 + b"}"
    )
    assert response.status_code in (400, 422)
    response = post(server, b'{"size": ' + b"9" * 400 + b"}", "/v1/generate")
    assert response.status_code in (400, 422)


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/x", "a\r\nSet-Cookie: b", 'a"; filename="b', "ü" * 500, ".."]
)
def test_names_are_not_used_as_paths_or_headers(server: Server, name: str) -> None:
    record = {"id": name, "height": 6, "width": 6, "clues": UNIQUE}
    for route in ("encode", "certify", "render"):
        response = server.post(f"/v1/{route}", puzzle=record)
        assert response.status_code == 200
        file = response.headers["content-disposition"]
        assert "/" not in file
        assert file.count('"') == 2
        assert "set-cookie" not in response.headers
    response = server.post("/v1/encode", puzzles=[record, record])
    assert response.headers["content-type"] == "application/zip"


@pytest.mark.slow
def test_health_checks_work_while_all_workers_are_busy(tmp_path: Path) -> None:
    with serving(tmp_path, "--queue", "4", "--time-limit", "3600") as server:
        refused: list[httpx.Response] = []

        def send_request() -> None:
            with suppress(httpx.TransportError):
                refused.append(httpx.post(f"{server.url}/v1/check", json=HARD, timeout=PATIENCE))

        crowd = [threading.Thread(target=send_request) for _ in range(5 + os.cpu_count())]  # type: ignore[operator]
        for each in crowd:
            each.start()
        while not refused:
            time.sleep(0.01)
        assert refused[0].status_code == 503
        assert int(refused[0].headers["retry-after"]) > 0
        assert server.http.get("/healthz").status_code == 200
        assert server.post("/v1/check", puzzle=UNIQUE).json()["verdict"] == "unique"
        # The other requests would run for an hour.
        server.process.kill()
        for each in crowd:
            each.join()


def test_a_client_that_sends_no_more_gets_a_short_answer(server: Server) -> None:
    """As `nc -N` and some health checks do."""
    with connected(server) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_disconnect_cancels_the_work(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall(_SLOW)
        while 'binairo_pool_busy{pool="general"} 1.0' not in server.http.get("/metrics").text:
            time.sleep(0.05)
    while 'binairo_pool_busy{pool="general"} 0.0' not in server.http.get("/metrics").text:
        time.sleep(0.05)


def test_a_body_behind_an_upgrade_is_refused(server: Server) -> None:
    """As Java sends it. Uvicorn leaves the body to the other protocol."""
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"
    answer = raw(
        server, _SLOW.replace(b"Content-Type", upgrade + b"Content-Type"), until_closed=False
    )
    assert answer.startswith(b"HTTP/1.1 400 ")


def workers_of(server: Server) -> list[int]:
    """The process ids of the server and all its descendants."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(text.rpartition(")")[2].split()[1])
    found, new = [], {server.process.pid}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new}
        found += new
    return found


@pytest.mark.slow
def test_a_worker_that_dies_affects_only_its_own_request(server: Server) -> None:
    answers: list[httpx.Response] = []
    request = threading.Thread(
        target=lambda: answers.append(
            httpx.post(f"{server.url}/v1/check", json=HARD, timeout=PATIENCE)
        )
    )
    request.start()
    while 'binairo_pool_busy{pool="general"} 1.0' not in server.http.get("/metrics").text:
        time.sleep(0.01)
    os.kill(busiest(server, request.is_alive), signal.SIGKILL)
    request.join()
    response = answers[0]
    assert response.status_code == 500
    assert response.json()["type"] == "urn:binairo:problem:crash"
    assert "." * 100 not in response.text
    assert logged(server, response.headers["x-request-id"], "worker died")["reason"]
    assert server.post("/v1/count", puzzle=UNIQUE).json()["count"] == 1


def cpu(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def busiest(server: Server, is_asking: Callable[[], bool]) -> int:
    """The process with the most CPU time during a request, among the server and its workers."""
    before: dict[int, int] = {}
    while is_asking():
        for pid in workers_of(server):
            before.setdefault(pid, cpu(pid))
        most = max(before, key=lambda pid: cpu(pid) - before[pid])
        # The imports of a new process take less CPU time than this.
        if cpu(most) - before[most] >= 300:
            return most
        time.sleep(0.1)
    pytest.fail("the request ended before its worker was found")


def test_responses_have_security_headers(server: Server) -> None:
    for path in ("/healthz", "/nowhere", "/v1/limits", "/openapi.json"):
        headers = server.http.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    response = server.http.options("/v1/check", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in response.headers


def test_valid_request_ids_are_returned(server: Server) -> None:
    given = {"X-Request-ID": "abc-1"}
    assert server.http.get("/healthz", headers=given).headers["x-request-id"] == "abc-1"
    for bad in ("a b", "x" * 200, "<script>"):
        back = server.http.get("/healthz", headers={"X-Request-ID": bad}).headers["x-request-id"]
        assert back not in ("", bad)


def test_the_log_contains_no_puzzles(server: Server) -> None:
    server.post("/v1/check", puzzle=UNIQUE)
    post(server, UNIQUE.encode() + b"x", content_type="text/plain")
    post(server, b"{}", f"/v1/hint?board={UNIQUE}")
    server.http.get("/healthz", headers={"X-Request-ID": "the-last"})
    while not any(line.get("request_id") == "the-last" for line in server.log):
        time.sleep(0.01)
    assert UNIQUE not in json.dumps(server.log)
    assert all(line["time"] and line["level"] and line["message"] for line in server.log)


_HARD = json.dumps(HARD).encode()
_SLOW = (
    b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_HARD), _HARD)
)
