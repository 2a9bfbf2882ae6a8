"""Access control: keys, host names, origins, proxies, methods and connections."""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import which
from typing import Any

import httpx
import pytest

from binairo_cp.errors import ServiceError
from binairo_cp.service import clients
from binairo_cp.service import server as service
from binairo_cp.service.app import create_app
from binairo_cp.service.app_state import Settings
from binairo_cp.service.limits import Limits
from binairo_cp.service.middleware import Hosts
from tests.service.test_hostile_clients import HARD, connected
from tests.service.test_jobs import until
from tests.support.command_line import UNIQUE
from tests.support.in_process import FakeJobManager, send_request
from tests.support.serving import PATIENCE, Server, serving

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


@pytest.mark.parametrize("said", [
    EVIL,
    {**EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "null"},
    {"Origin": "http://localhost:3000"},
    {"Origin": "http://localhost"},
    {"Origin": "http://["},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8000"},
])  # fmt: skip
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


@pytest.mark.parametrize("said", [
    {},
    {"Origin": "http://localhost:8000"},
    {"Origin": "https://LOCALHOST:8000"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://seen.example"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
])  # fmt: skip
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
    few = opened(Limits(body_bytes=1024), origins=("https://a.example",))
    failing = opened(origins=("https://a.example",))
    monkeypatch.setattr(failing.state.binairo.metrics, "text", lambda: 1 / 0)
    failing.state.binairo.stopping.set()
    json = {**site, "Content-Type": "application/json"}
    answers = [
        send_request(guarded, "GET", "/v1/limits", headers=site),
        send_request(few, "POST", "/v1/check", content=b" " * 2_000, headers=json),
        send_request(failing, "GET", "/metrics", headers=site),
        send_request(failing, "POST", "/v1/jobs", headers=json),
    ]
    expected = [(401, "key"), (413, "too-large"), (500, "internal"), (503, "not-ready")]
    assert [problem(answer) for answer in answers] == expected
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == "https://a.example"
        exposed = answer.headers["access-control-expose-headers"]
        assert {"Retry-After", "Content-Disposition"} <= set(exposed.split(", "))
    named = {**site, "X-API-Key": key}
    assert send_request(guarded, "GET", "/v1/limits", headers=named).status_code == 200


# Names


@pytest.mark.parametrize(("bound", "names", "yes", "no"), [
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
])  # fmt: skip
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


def test_invalid_proxies_are_reported() -> None:
    for wrong in ("localhost", "10.0.0.1/8", "*", ""):
        with pytest.raises(ServiceError, match=r"--trusted-proxies .*expected an address"):
            service._check_proxies([wrong])
    service._check_proxies(["10.0.0.0/8", "::1"])


@pytest.mark.parametrize(("host", "proxies", "is_said"), [
    ("0.0.0.0", None, True),
    ("0.0.0.0", ["10.0.0.1"], False),
    ("127.0.0.1", None, False),
    ("::1", None, False),
])  # fmt: skip
def test_a_server_says_what_is_not_protected(
    caplog: pytest.LogCaptureFixture, host: str, proxies: list[str] | None, is_said: bool
) -> None:
    service._report_exposure(Settings(limits=Limits(), host=host, trusted_proxies=proxies))
    assert [record.message for record in caplog.records] == ["without a proxy"] * is_said


@pytest.mark.skipif(not which("prlimit"), reason="prlimit is not installed")
def test_a_server_with_few_files_refuses_connections_beyond_them(tmp_path: Path) -> None:
    program = (*("prlimit", "--nofile=220:250"), sys.executable, "-m", "binairo_cp")
    with serving(tmp_path, program=program) as server:
        assert server.http.get("/v1/limits").json()["connections"] == 50
        with ExitStack() as stack:
            held = [stack.enter_context(connected(server)) for _ in range(60)]
            held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert held[-1].recv(100).startswith(b"HTTP/1.1 503 ")
        # The server notices one after the other that they are closed.
        until(lambda: server.post("/v1/check", puzzle=UNIQUE).status_code == 200)


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
        expected = (204, methods, b"")
        assert (response.status_code, response.headers["allow"], response.content) == expected
    assert problem(send_request(usual, "OPTIONS", "/nothing")) == (404, "not-found")
    response = send_request(usual, "HEAD", "/v1/check")
    assert (response.status_code, response.headers["allow"]) == (405, "OPTIONS, POST")


def test_head_requests_do_not_follow_streams(server: Server) -> None:
    job = server.post("/v1/jobs", kind="count", puzzle="14x14:" + "." * 196).json()
    for link in ("self", "results", "events"):
        response = server.http.head(job["links"][link], timeout=PATIENCE)
        assert (response.status_code, response.content) == (200, b"")
        assert response.headers["content-type"]
    assert server.http.head("/", timeout=PATIENCE).headers["content-length"] != "0"
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
                httpx.post(f"{server.url}/v1/check", json=HARD, timeout=PATIENCE)
            )
        )
        long.start()
        while 'binairo_pool_busy{pool="general"} 1.0' not in server.http.get("/metrics").text:
            assert long.is_alive()
        server.process.send_signal(signal.SIGTERM)
        while (response := httpx.get(f"{server.url}/readyz", timeout=PATIENCE)).status_code == 200:
            pass
        assert problem(response) == (503, "not-ready")
        assert httpx.get(f"{server.url}/healthz", timeout=PATIENCE).status_code == 200
        # The second signal ends the wait for load balancers.
        assert server.stop() == 0
        long.join()
        assert problem(answers[0]) == (503, "stopping")
        assert not [line for line in server.log if "error" in line]
        assert not [line for line in server.log if "Traceback" in str(line)]


def test_each_key_has_an_owner(tmp_path: Path) -> None:
    (alice, line_a), (bob, line_b) = clients.new_key("alice"), clients.new_key("bob")
    path = tmp_path / "keys"
    path.write_text(f"# keys\n\n{line_a}  # on holiday\n   {line_b}\n")
    known = clients.read_keys(path)
    expected = ["alice", "bob", None, None]
    assert [known.name_of(key) for key in (alice, bob, "", alice + "x")] == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("{a}\n\n{a}\n", ":3: duplicate name"),
    ("# keys\n{a}\n{b}\nalice sha256:" + "0" * 64 + "\n", ":4: duplicate name"),
    ("{a}\nbob\n", ":2: not a name and a hash"),
    ("bob sha256:00\n", ":1: not a name and a hash"),
    ("{a} {b}\n", ":1: not a name and a hash"),
    ("# empty\n\n", ": the file contains no keys"),
])  # fmt: skip
def test_errors_name_the_line(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "keys"
    path.write_text(text.format(a=clients.new_key("alice")[1], b=clients.new_key("bob")[1]))
    with pytest.raises(ServiceError) as refused:
        clients.read_keys(path)
    assert str(refused.value).startswith(f"{path}{expected}")


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for name in ("bytes", "nothing", "."):
        with pytest.raises(ServiceError, match="can't be read"):
            clients.read_keys(tmp_path / name)
