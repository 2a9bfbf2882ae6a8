"""Access control: host names, origins, proxies, methods and connections."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from binairo_cp.errors import ServiceError
from binairo_cp.service import clients
from binairo_cp.service import server as service
from binairo_cp.service.addresses import Hosts, Networks, parse_prefix
from binairo_cp.service.app import create_app
from binairo_cp.service.app_state import Settings
from binairo_cp.service.connections import Connections
from binairo_cp.service.jobs.store import JobRow
from binairo_cp.service.limits import Limits
from binairo_cp.service.protocol import TurnTransport
from tests.service.test_hostile_clients import HARD
from tests.support.command_line import UNIQUE
from tests.support.in_process import FakeJobManager, send_request
from tests.support.serving import Server, serving

App = Any
Opened = Callable[..., App]


def _opened(folder: Path) -> Iterator[Opened]:
    """Creates apps in this process, without workers."""
    stores = []

    def open(limits: Limits | None = None, **settings: Any) -> App:
        data = folder / str(len(stores))
        app = create_app(Settings(limits=limits or Limits(), data=data, **settings))
        stores.append(app.state.binairo.store)
        app.state.binairo.job_manager = FakeJobManager({})
        return app

    yield open
    for store in stores:
        store.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    yield from _opened(tmp_path)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with the usual settings, for requests that change nothing."""
    for opened in _opened(tmp_path_factory.mktemp("usual")):
        yield opened()


def problem(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


# Sites

EVIL = {"Origin": "https://evil.example"}
TEXT = {"Content-Type": "text/plain"}


@pytest.mark.parametrize(
    "said",
    [
        EVIL,
        {**EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "http://localhost"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8000"},
    ],
)
def test_pages_of_other_sites_are_refused(usual: App, said: dict[str, str]) -> None:
    for method, path in (
        ("POST", "/v1/jobs?kind=batch"),
        ("POST", "/v1/check"),
        ("GET", "/v1/limits"),
        ("GET", "/metrics"),
        ("DELETE", "/v1/jobs/x"),
        ("OPTIONS", "/v1/check"),
    ):
        answer = send_request(usual, method, path, content=b"0..1", headers={**TEXT, **said})
        assert problem(answer) == (403, "origin"), (method, path)
        assert "access-control-allow-origin" not in answer.headers
    for path in ("/", "/static/app.js", "/openapi.json", "/healthz"):
        assert send_request(usual, "GET", path, headers=said).status_code == 200
    assert usual.state.binairo.store.all("", 9) == []


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"Origin": "http://localhost:8000"},
        {"Origin": "https://LOCALHOST:8000"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://seen.example"},
        {"Sec-Fetch-Site": "none"},
        {
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        },
    ],
)
def test_the_own_page_links_and_programs_are_allowed(usual: App, said: dict[str, str]) -> None:
    assert send_request(usual, "GET", "/v1/limits", headers=said).status_code == 200


def test_only_links_that_a_user_follows_are_allowed(usual: App) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    for method, dest in (("POST", "document"), ("GET", "iframe"), ("GET", "image")):
        said = {**followed, "Sec-Fetch-Dest": dest}
        assert problem(send_request(usual, method, "/v1/limits", headers=said)) == (403, "origin")


def test_sites_in_cors_are_allowed(opened: Opened) -> None:
    app = opened(origins=("https://A.example",))
    friend = {"Origin": "https://a.example", "Sec-Fetch-Site": "cross-site"}
    answer = send_request(app, "GET", "/v1/limits", headers=friend)
    assert answer.headers["access-control-allow-origin"] == "https://a.example"
    preflight = {**friend, "Access-Control-Request-Method": "POST"}
    assert send_request(app, "OPTIONS", "/v1/check", headers=preflight).status_code == 200
    for other in (EVIL, {"Origin": "https://a.example.evil.example"}):
        refused = send_request(app, "OPTIONS", "/v1/check", headers={**preflight, **other})
        assert problem(refused) == (403, "origin")
    everybody = opened(origins=("*",))
    assert send_request(everybody, "GET", "/v1/limits", headers=EVIL).status_code == 200


@pytest.mark.parametrize(
    "wrong", ["a.example", "https://a.example/", "https://a.example/x", "null", "", "https://"]
)
def test_invalid_origins_are_reported(opened: Opened, wrong: str) -> None:
    with pytest.raises(ServiceError, match=r"--cors .*expected an origin such as"):
        opened(origins=(wrong,))


def test_allowed_pages_can_read_error_responses(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = {"Origin": "https://a.example"}
    key, line = clients.new_key("alice")
    (tmp_path / "keys").write_text(line)
    guarded = opened(origins=("https://a.example",), api_keys=tmp_path / "keys")
    few = opened(Limits(rate=0.001, burst=1, body_bytes=1024), origins=("https://a.example",))
    failing = opened(origins=("https://a.example",))
    monkeypatch.setattr(failing.state.binairo.metrics, "text", lambda: 1 / 0)
    failing.state.binairo.stopping.set()
    json = {**site, "Content-Type": "application/json"}
    answers = [
        send_request(guarded, "GET", "/v1/limits", headers=site),
        send_request(few, "POST", "/v1/check", content=b" " * 2_000, headers=json),
        send_request(few, "GET", "/v1/limits", headers=site),
        send_request(failing, "GET", "/metrics", headers=site),
        send_request(failing, "POST", "/v1/jobs", headers=json),
    ]
    assert [problem(answer) for answer in answers] == [
        (401, "key"),
        (413, "too-large"),
        (429, "rate"),
        (500, "internal"),
        (503, "not-ready"),
    ]
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == "https://a.example"
        exposed = answer.headers["access-control-expose-headers"]
        assert {"Retry-After", "Content-Disposition"} <= set(exposed.split(", "))
    named = {**site, "X-API-Key": key}
    assert send_request(guarded, "GET", "/v1/limits", headers=named).status_code == 200


# Names


@pytest.mark.parametrize(
    ("bound", "names", "yes", "no"),
    [
        (
            "127.0.0.1",
            (),
            ["localhost", "127.0.0.1", "127.1.2.3", "::1", "app.localhost"],
            ["evil.example", "localhost.evil.example", "192.168.1.5", "0.0.0.0", "nas", ""],
        ),
        (
            "127.0.0.1",
            ("Binairo.example.org", "*.example.net", "192.168.1.5"),
            ["localhost", "binairo.example.org", "a.example.net", "a.b.example.net", "192.168.1.5"],
            ["example.net", "evilexample.net", "x.binairo.example.org"],
        ),
        (
            "0.0.0.0",
            (),
            ["localhost", "192.168.1.5", "::2", "binairo", "nas.local", "b.ns.svc.cluster.local"],
            ["evil.example", "local.evil.example", "192.168.1.5.evil.example"],
        ),
        ("::", ("binairo.example.org",), ["binairo.example.org", "nas"], ["evil.example"]),
        ("127.0.0.1", ("*",), ["evil.example"], []),
    ],
)
def test_host_names(bound: str, names: tuple[str, ...], yes: list[str], no: list[str]) -> None:
    hosts = Hosts(bound, names)
    assert [name for name in yes if name not in hosts] == []
    assert [name for name in no if name in hosts] == []


@pytest.mark.parametrize("wrong", ["https://a.example", "a.example:80", "a b", "", "*.*", "a/b"])
def test_invalid_host_names_are_reported(wrong: str) -> None:
    with pytest.raises(ServiceError, match=r"--host-name .*expected a name"):
        Hosts("127.0.0.1", [wrong])


def test_unknown_host_names_are_refused_except_for_health(opened: Opened) -> None:
    app = opened()
    for path in ("/", "/v1/limits", "/openapi.json", "/static/app.js"):
        response = send_request(app, "GET", path, headers={"Host": "evil.example:8000"})
        assert problem(response) == (421, "host")
        assert "--host-name" in response.json()["detail"]
        for wrong in ("a b", "", "a:b", "[", "user@localhost"):
            assert problem(send_request(app, "GET", path, headers={"Host": wrong})) == (400, "host")
    assert send_request(app, "GET", "/healthz", headers={"Host": "evil.example"}).status_code == 200
    for name in ("LOCALHOST.", "localhost:1", "[::1]:8000", "127.0.0.1:8000"):
        assert send_request(app, "GET", "/v1/limits", headers={"Host": name}).status_code == 200
    named = opened(host_names=("evil.example",))
    assert send_request(named, "GET", "/", headers={"Host": "evil.example:8000"}).status_code == 200


# Proxies


def test_only_trusted_proxies_are_trusted(opened: Opened) -> None:
    limits = Limits(rate=0.001, burst=1)
    for trusted, statuses in (((), [200, 429]), (("127.0.0.0/8",), [200, 200])):
        app = opened(limits, trusted_proxies=trusted)
        statuses_seen = [
            send_request(app, "GET", "/v1/limits", headers={"X-Forwarded-For": address}).status_code
            for address in ("9.9.9.1", "9.9.9.2")
        ]
        assert statuses_seen == statuses, trusted
    app = opened(limits, trusted_proxies=("10.0.0.1",))
    said = {"X-Forwarded-For": "9.9.9.1"}
    responses = [send_request(app, "GET", "/v1/limits", "10.0.0.2", headers=said) for _ in range(2)]
    assert [each.status_code for each in responses] == [200, 429]


def test_invalid_proxies_are_reported() -> None:
    for wrong in ("localhost", "10.0.0.1/8", "*", ""):
        with pytest.raises(ServiceError, match=r"--trusted-proxies .*expected an address"):
            Networks([wrong])
    assert "10.1.2.3" in Networks(["10.0.0.0/8"])
    assert "nonsense" not in Networks(["0.0.0.0/0"])


@pytest.mark.parametrize(
    ("settings", "before", "said"),
    [
        ({"root_path": "/binairo"}, "/binairo", {}),
        ({"root_path": "/a/b/"}, "/a/b", {}),
        ({"trusted_proxies": ("127.0.0.1",)}, "/x", {"X-Forwarded-Prefix": "/x/"}),
        (
            {"root_path": "/b", "trusted_proxies": ("127.0.0.1",)},
            "/x",
            {"X-Forwarded-Prefix": "/x"},
        ),
        ({}, "", {"X-Forwarded-Prefix": "/x"}),
    ],
)
def test_a_prefix_applies_to_links_and_the_page(
    opened: Opened, settings: dict[str, Any], before: str, said: dict[str, str]
) -> None:
    app = opened(**settings)
    state = app.state.binairo
    row = JobRow("one", "", "batch", "check", "{}", "", 1.0)
    state.job_manager = FakeJobManager({"one": row})
    # A proxy may leave the prefix in the path or remove it.
    for path in ("/v1/jobs/one", f"{before}/v1/jobs/one"):
        links = send_request(app, "GET", path, headers=said).json()["links"]
        assert links == {
            "self": f"{before}/v1/jobs/one",
            "results": f"{before}/v1/jobs/one/results",
            "events": f"{before}/v1/jobs/one/events",
        }
    assert b"<title>Binairo" in send_request(app, "GET", f"{before}/", headers=said).content
    assert send_request(app, "GET", f"{before}/static/app.js", headers=said).status_code == 200
    body = send_request(app, "GET", "/openapi.json", headers=said).json()
    assert body.get("servers", [{"url": ""}])[0]["url"] == before
    response = send_request(app, "PUT", f"{before}/v1/jobs/one", headers=said)
    assert response.headers["allow"] == "DELETE, GET, HEAD, OPTIONS"
    assert response.json()["instance"] == f"{before}/v1/jobs/one"
    if before:
        moved = send_request(app, "GET", f"{before}?a=b", headers=said)
        assert (moved.status_code, moved.headers["location"]) == (308, f"{before}/?a=b")


def test_a_prefix_does_not_bypass_keys(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(clients.new_key("alice")[1])
    app = opened(api_keys=tmp_path / "keys", root_path="/b", trusted_proxies=("127.0.0.1",))
    for path in ("/v1/limits", "/b/v1/limits", "/b/metrics", "/x/v1/limits"):
        for said in ({}, {"X-Forwarded-Prefix": "/x"}, {"X-Forwarded-Prefix": ""}):
            answer = send_request(app, "GET", path, headers=said)
            assert answer.status_code in (401, 404), (path, said)


WRONG_PREFIXES = ("x", "//evil.example", "/a//b", "/a?b", "/ü", "/v1", "/v1/x", "/static", "/..")


def test_invalid_prefixes_are_refused(opened: Opened) -> None:
    app = opened(trusted_proxies=("127.0.0.1",))
    for wrong in (*WRONG_PREFIXES, "/" * 9):
        assert parse_prefix(wrong) is None, wrong
        with pytest.raises(ServiceError, match=r"--root-path .*expected a path such as /binairo"):
            opened(root_path=wrong)
        said = {"X-Forwarded-Prefix": wrong.encode()}
        answer = send_request(app, "GET", "/v1/limits", headers=said)
        assert problem(answer) == (400, "forwarded"), wrong


# Methods


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/healthz", "/v1/limits", "/openapi.json"])
def test_head_is_get_without_a_body(usual: App, path: str) -> None:
    plain = {"Accept-Encoding": "identity"}
    (got, head) = (send_request(usual, method, path, headers=plain) for method in ("GET", "HEAD"))
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(got.content)))


def test_options_returns_the_methods(usual: App) -> None:
    for path, methods in (
        ("/v1/check", "OPTIONS, POST"),
        ("/v1/jobs", "GET, HEAD, OPTIONS, POST"),
        ("/v1/jobs/x", "DELETE, GET, HEAD, OPTIONS"),
        ("/", "GET, HEAD, OPTIONS"),
        ("/static/app.js", "GET, HEAD, OPTIONS"),
    ):
        response = send_request(usual, "OPTIONS", path)
        assert (response.status_code, response.headers["allow"], response.content) == (
            204,
            methods,
            b"",
        )
    assert problem(send_request(usual, "OPTIONS", "/nothing")) == (404, "not-found")
    response = send_request(usual, "HEAD", "/v1/check")
    assert (response.status_code, response.headers["allow"]) == (405, "OPTIONS, POST")


# Connections


class FakeTransport:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes) -> None:
        assert not self.is_closed
        self.written.append(bytes(data))

    def close(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed


def test_what_is_written_in_one_turn_is_sent_together() -> None:
    async def scenario() -> None:
        real, large = FakeTransport(), bytes(1 << 20)
        transport = TurnTransport(cast("Any", real), asyncio.get_running_loop())
        transport.write(b"head ")
        transport.write(b"body")
        assert not real.written
        await asyncio.sleep(0)
        transport.write(b"head")
        transport.write(large)
        assert real.written == [b"head body", b"head", large], "memory is limited"
        transport.write(b"last")
        transport.close()
        assert (real.written[-1], real.is_closed) == (b"last", True)
        transport.write(b"too late")
        await asyncio.sleep(0)
        assert real.written[-1] == b"last"

    asyncio.run(scenario())


class FakeConnection:
    """A connection; lower numbers are older."""

    def __init__(self, number: int, address: str, *, is_idle: bool = True) -> None:
        self.number = number
        self.address = address
        self.is_idle = is_idle
        self.is_receiving = False
        self.is_open = True

    def drop(self) -> None:
        self.is_open = False


def connected(known: Connections, *lines: FakeConnection) -> list[int]:
    for line in lines:
        known.add(line)
    return [line.number for line in lines if line.is_open]


def test_the_oldest_idle_connection_of_an_address_makes_room() -> None:
    known = Connections(100, 3)
    lines = [FakeConnection(number, "a", is_idle=number != 0) for number in range(6)]
    assert connected(known, *lines) == [0, 4, 5]
    assert connected(known, *(FakeConnection(number, "b") for number in range(3))) == [0, 1, 2]
    assert not known.is_over_limit(lines[5])


def test_a_connection_beyond_the_limit_is_refused_if_all_others_are_busy() -> None:
    known = Connections(100, 3, proxies=["p"])
    busy = [FakeConnection(number, "a", is_idle=False) for number in range(3)]
    late = FakeConnection(3, "a")
    assert connected(known, *busy, late) == [0, 1, 2, 3]
    assert known.is_over_limit(late)
    later = FakeConnection(4, "a")
    assert connected(known, later) == [4]
    assert not late.is_open
    known.remove(busy[0])
    known.remove(busy[0])
    known.remove(late)
    assert not known.is_over_limit(later)
    shared = [FakeConnection(number, "p", is_idle=False) for number in range(9)]
    assert len(connected(known, *shared)) == 9
    assert not known.is_over_limit(shared[8])


def test_the_oldest_slow_request_of_an_address_makes_room() -> None:
    known = Connections(100, 3)
    lines = [FakeConnection(number, "a", is_idle=False) for number in range(3)]
    lines[1].is_receiving = lines[2].is_receiving = True
    other = FakeConnection(0, "b", is_idle=False)
    late = FakeConnection(3, "a")
    assert connected(known, *lines, other, late) == [0, 2, 0, 3]
    assert not known.is_over_limit(late)


def test_a_network_of_ipv6_counts_as_one_address() -> None:
    known = Connections(100, 3, proxies=["2001:db8::5"])
    hosts = ("2001:db8::1", "2001:db8:0:0:ffff::2", "2001:db8:0:1::1", "2001:db8::5", "192.0.2.1")
    groups = [known.group_of(host) for host in hosts]
    assert groups == [*["2001:db8::/64"] * 2, "2001:db8:0:1::/64", "2001:db8::5", "192.0.2.1"]


def test_the_address_with_the_most_connections_makes_room() -> None:
    known = Connections(5, 4)
    crowd = [FakeConnection(number, "a") for number in range(4)]
    assert connected(known, *crowd) == [0, 1, 2, 3]
    one, other = FakeConnection(0, "b"), FakeConnection(0, "c")
    assert connected(known, one, other) == [0, 0]
    assert [line.is_open for line in crowd] == [False, True, True, True]
    for line in (*crowd, one, other):
        line.is_idle = False
    late = FakeConnection(1, "d", is_idle=False)
    known.add(late)
    assert known.is_over_limit(late)
    assert known.is_over_limit(one)


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "most"),
    [(20_000, 20_000, None, 1_000), (1_024, 4_096, 1_256, 1_000), (300, 300, 300, 44)],
)
def test_connections_are_limited_by_file_descriptors(
    opened: Opened,
    monkeypatch: pytest.MonkeyPatch,
    soft: int,
    hard: int,
    raised: int | None,
    most: int,
) -> None:
    resource = pytest.importorskip("resource")
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: limits.append(given))
    known = service._connections(opened(Limits(client_connections=1_000)).state.binairo)
    assert limits == ([(raised, hard)] if raised else [])
    lines = [FakeConnection(number, str(number % 9), is_idle=False) for number in range(most + 1)]
    connected(known, *lines[:most])
    assert not known.is_over_limit(lines[0])
    known.add(lines[most])
    assert known.is_over_limit(lines[0])


POST = b"POST /v1/count HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
LONG = b'{"puzzle":"14x14:%s"}' % (b"." * 196)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", 200),
        (b"GET /v1/lim", 200),
        (POST + b"content-length: 100\r\n\r\n{", 200),
        (POST + b"content-length: %d\r\n\r\n%s" % (len(LONG), LONG), 429),
    ],
)
def test_many_connections_of_an_address_leave_room_for_health(
    server: Server, sent: bytes, status: int
) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    crowd = [socket.create_connection((host, int(port))) for _ in range(20)]
    try:
        for each in crowd:
            each.sendall(sent)
        if status == 429:
            wait_until_crowded(server)
        crowd += [socket.create_connection((host, int(port))) for _ in range(60)]
        for path in ("/healthz", "/readyz"):
            assert httpx.get(f"{server.url}{path}", timeout=60).status_code == 200
        response = httpx.get(f"{server.url}/v1/limits", timeout=60)
        assert response.status_code == status
        if status == 429:
            assert problem(response) == (429, "connections")
            assert response.headers["connection"] == "close"
    finally:
        for each in crowd:
            each.close()
    while httpx.get(f"{server.url}/v1/limits", timeout=60).status_code != 200:
        time.sleep(0.05)


def wait_until_crowded(server: Server) -> None:
    """Wait until all allowed connections have requests."""
    while httpx.get(f"{server.url}/v1/limits", timeout=60).status_code != 429:
        time.sleep(0.05)


def test_a_forwarded_address_from_loopback_is_not_trusted(server: Server) -> None:
    said = {"X-Forwarded-For": "9.9.9.9", "X-Request-ID": "forwarded"}
    assert server.http.get("/healthz", headers=said).status_code == 200
    while not (found := [x for x in server.log if x.get("request_id") == "forwarded"]):
        time.sleep(0.01)
    assert found[0]["client"] == "127.0.0.1"


def test_head_requests_do_not_follow_streams(server: Server) -> None:
    job = server.post("/v1/jobs", kind="count", puzzle="14x14:" + "." * 196).json()
    for link in ("self", "results", "events"):
        response = server.http.head(job["links"][link], timeout=60)
        assert (response.status_code, response.content) == (200, b"")
        assert response.headers["content-type"]
    assert server.http.head("/", timeout=60).headers["content-length"] != "0"
    server.http.delete(job["links"]["self"])


# Shutdown


def test_requests_that_still_run_at_shutdown_get_a_problem(opened: Opened) -> None:
    app = opened(origins=("https://a.example",))
    state = app.state.binairo

    class Never:
        workers = 1

        async def run(self, *_: Any) -> None:
            await asyncio.Event().wait()

    state.pool = Never()

    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            site = {"Origin": "https://a.example"}
            request = asyncio.create_task(
                http.post("/v1/explain", json={"puzzle": UNIQUE}, headers=site)
            )
            while not state.active:
                await asyncio.sleep(0)
            for _ in range(100):
                await asyncio.sleep(0)
            state.stopping.set()
            request.cancel()
            return await request

    answer = asyncio.run(run())
    assert problem(answer) == (503, "stopping")
    assert answer.headers["retry-after"]
    assert answer.headers["access-control-allow-origin"] == "https://a.example"
    assert state.active == 0


@pytest.mark.slow
def test_readyz_reports_the_shutdown_before_the_listener_closes(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain", "600", "--grace", "1") as server:
        answers: list[httpx.Response] = []
        long = threading.Thread(
            target=lambda: answers.append(
                httpx.post(f"{server.url}/v1/check", json=HARD, timeout=120)
            )
        )
        long.start()
        while 'binairo_pool_busy{pool="general"} 1.0' not in server.http.get("/metrics").text:
            assert long.is_alive()
        server.process.send_signal(signal.SIGTERM)
        while (response := httpx.get(f"{server.url}/readyz", timeout=60)).status_code == 200:
            pass
        assert problem(response) == (503, "not-ready")
        assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
        # The second signal ends the wait for load balancers.
        assert server.stop() == 0
        long.join()
        assert problem(answers[0]) == (503, "stopping")
        assert not [line for line in server.log if "error" in line]
        assert not [line for line in server.log if "Traceback" in str(line)]
