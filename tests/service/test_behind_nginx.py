"""Two servers with PostgreSQL behind nginx, as in the page on deployment."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml

from tests.service.test_hostile_clients import HARD
from tests.service.test_jobs import OPEN, until
from tests.support.client import Client
from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import PATIENCE, SHORT_LEASES, Server, postgresql, serving

pytestmark = pytest.mark.slow
_OTHER = "127.0.0.2"
"""The address of a client that is not the slow one."""


CONFIGURATION = Path(__file__).parents[2] / "docs/examples/deployment/nginx.conf"
_MAIN = """
# Ignored unless the tests run as root; then another user could not read its folder.
user root;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    include {folder}/binairo.conf;
}}
"""


@dataclass(frozen=True)
class Nginx:
    """A running nginx: its ports with and without TLS, and its certificate for `localhost`."""

    port: int
    plain: int
    certificate: str


@contextmanager
def nginx(folder: Path, servers: list[str], changes: dict[str, str]) -> Iterator[Nginx]:
    """Start nginx before two servers, with texts of its configuration changed, or skip the test."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "nginx is not installed"
        pytest.skip("nginx is not installed")
    folder.mkdir()
    make = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "rsa:2048"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    out = ["-out", folder / "fullchain.pem", "-keyout", folder / "privkey.pem"]
    subprocess.run([*make, *names, *out], check=True, capture_output=True)
    port, plain = _free_ports(2)
    text = CONFIGURATION.read_text()
    changes |= {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "server_name binairo.example.org;": "server_name localhost;",
        "server one:8000;": f"server {servers[0]};",
        "server two:8000;": f"server {servers[1]};",
        "/etc/nginx/tls": str(folder),
    }
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    (folder / "binairo.conf").write_text(text)
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder))
    command = [program, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"]
    process = subprocess.Popen(command)
    try:
        while True:
            assert process.poll() is None, (folder / "error.log").read_text()
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield Nginx(port, plain, str(folder / "fullchain.pem"))
    finally:
        process.terminate()
        process.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Site:
    """Servers behind nginx."""

    def __init__(self, front: Nginx, servers: list[Server]) -> None:
        self.front = front
        self.servers = servers
        self.trust = ssl.create_default_context(cafile=front.certificate)
        self.url = f"https://localhost:{front.port}"

    def http(self, address: str = "127.0.0.1") -> httpx.Client:
        """A client that uses an address."""
        transport = httpx.HTTPTransport(verify=self.trust, local_address=address)
        return httpx.Client(base_url=self.url, transport=transport, timeout=PATIENCE)

    def client(self) -> Client:
        transport = httpx.HTTPTransport(verify=self.trust)
        return Client(self.url, transport=transport)

    @contextmanager
    def connected(self, head: str) -> Iterator[ssl.SSLSocket]:
        """A connection over which the beginning of a request was sent."""
        with (
            socket.create_connection(("127.0.0.1", self.front.port), PATIENCE) as plain,
            self.trust.wrap_socket(plain, server_hostname="localhost") as wrapped,
        ):
            wrapped.sendall(head.replace("\n", "\r\n").encode())
            yield wrapped

    def requests(self, server: int) -> list[str]:
        """The paths of the requests that a server has answered."""
        return [each["path"] for each in self.servers[server].log if "path" in each]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with ExitStack() as stack:
        url = stack.enter_context(postgresql()).url
        options = ("--database", url, "--host-name", "localhost", "--trusted-proxies", "127.0.0.1")
        servers = [
            stack.enter_context(serving(folder / "data", *options, program=SHORT_LEASES))
            for _ in range(2)
        ]
        addresses = [server.url.removeprefix("http://") for server in servers]
        # Bodies keep their 30 s, in which even a busy machine opens more connections than allowed.
        changes = {"client_header_timeout 10s": "client_header_timeout 2s"}
        yield Site(stack.enter_context(nginx(folder / "nginx", addresses, changes)), servers)


def test_tls_is_required_and_both_servers_answer(site: Site) -> None:
    with site.http() as http:
        for _ in range(8):
            assert http.post("/v1/check", json={"puzzle": UNIQUE}).json()["solution"] == KNOWN
        # The server's own page may use the API, and no other site.
        for origin, status in ((site.url, 200), ("https://elsewhere.example", 403)):
            headers = {"Origin": origin}
            response = http.post("/v1/check", json={"puzzle": UNIQUE}, headers=headers)
            assert response.status_code == status
        assert http.get("/metrics").status_code == 404
    assert all("/v1/check" in site.requests(number) for number in range(2))
    plain = httpx.get(f"http://localhost:{site.front.plain}/v1/limits?x=1")
    assert plain.status_code == 308
    assert plain.headers["location"] == "https://localhost/v1/limits?x=1"


def test_slow_clients_reach_no_server_and_lock_nobody_out(site: Site) -> None:
    slow = "POST /v1/slow HTTP/1.1\nHost: localhost\nContent-Type: text/plain\n"
    with ExitStack() as stack:
        heads = [stack.enter_context(site.connected(slow)) for _ in range(150)]
        bodies = [
            stack.enter_context(site.connected(f"{slow}Content-Length: 99\n\n0"))
            for _ in range(110)
        ]
        with site.http(_OTHER) as http:
            assert http.post("/v1/check", json={"puzzle": UNIQUE}).status_code == 200
        assert {_answer(each) for each in heads} <= {b"", b"408"}
        # An address has 100 requests at once.
        answers = Counter(map(_answer, bodies))
        assert answers.keys() <= {b"", b"408", b"429"}
        assert 0 < answers[b"429"] <= 10
    assert not any("/v1/slow" in site.requests(number) for number in range(2))


def _answer(connection: ssl.SSLSocket) -> bytes:
    """The status that ended a connection; empty without one."""
    with connection.makefile("rb") as answer:
        return answer.read()[9:12]


_CHECK = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
_VALID = b'{"puzzle": "%s"}' % UNIQUE.encode()
_BODY = _CHECK + _CHUNKED + b"%x\r\n%s\r\n" % (len(_VALID), _VALID)
_HARD = json.dumps(HARD | {"time_limit": 9}).encode()
_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
_ENDLESS = {
    "trailers": (_BODY + b"0\r\n", b"X: y\r\n"),
    "a trailer": (_BODY + b"0\r\nX: ", b"y" * 100),
    "a chunk extension": (_BODY + b"5;x=", b"y" * 100),
    "chunk extensions": (_CHECK + _CHUNKED, b"1;" + b"x" * 1_000 + b"\r\n \r\n"),
    "a header": (_CHECK + b"X: ", b"y" * 100),
    "a path": (b"GET /", b"y" * 100),
    "a body": (_CHECK + _CHUNKED, b"64\r\n" + b"y" * 100 + b"\r\n"),
    "requests": (b"", _HEALTH),
    "requests behind a slow one": (
        _CHECK + b"Content-Length: %d\r\n\r\n%s" % (len(_HARD), _HARD),
        _HEALTH,
    ),
}
_MOST_SENT = 32 << 20


def _memory(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if "VmRSS" in line)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("part", _ENDLESS)
def test_an_endless_part_of_a_request_fills_no_memory(site: Site, part: str) -> None:
    start, more = _ENDLESS[part]
    before, sent = [_memory(server) for server in site.servers], 0
    block = more * ((1 << 18) // len(more))
    with site.connected("") as connection, suppress(ConnectionError, TimeoutError, ssl.SSLError):
        connection.settimeout(5)
        connection.sendall(start)
        while sent < _MOST_SENT:
            connection.sendall(block)
            sent += len(block)
    for server, memory in zip(site.servers, before, strict=True):
        assert _memory(server) - memory < _MOST_SENT / 2
    with site.http(_OTHER) as http:
        assert http.post("/v1/check", json={"puzzle": UNIQUE}).status_code == 200


_UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"


@pytest.mark.parametrize(("data", "status"), [
    (b"GARBAGE\r\n\r\n", b"400"),
    (_CHECK + _CHUNKED + b"zz\r\n", b"400"),
    (_CHECK + b"Transfer-Encoding: gzip\r\n" + _CHUNKED + b"0\r\n\r\n", b"400"),
    (_CHECK + b"Transfer-Encoding: gzip\r\n\r\n", b"501"),
    (b"GET /healthz HTTP/1.1\r\n" + b"x: y\r\n" * 12_000, b"400"),
    (b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 10_000), b"414"),
    (_CHECK + b"Content-Length: 100000000\r\n\r\n", b"413"),
    # What Java and curl send; a server alone would lose the body.
    (_BODY.replace(b"Content-Type", _UPGRADE + b"Content-Type") + b"0\r\n\r\n", b"200"),
])  # fmt: skip
def test_errors_of_the_protocol_end_at_nginx(site: Site, data: bytes, status: bytes) -> None:
    with site.connected("") as connection:
        connection.sendall(data)
        assert connection.recv(1 << 16)[9:12] == status


def test_an_address_that_sends_too_many_requests_leaves_others_alone(site: Site) -> None:
    with site.http("127.0.0.3") as greedy, site.http(_OTHER) as http:
        statuses = Counter(greedy.get("/healthz").status_code for _ in range(2_000))
        assert statuses.keys() == {200, 429}
        assert http.post("/v1/check", json={"puzzle": UNIQUE}).status_code == 200


def test_large_answers_are_compressed(site: Site) -> None:
    with site.http() as http:
        for path, accepted, packed in (
            ("/static/play.js", "gzip", "gzip"),
            ("/openapi.json", "gzip", "gzip"),
            ("/healthz", "gzip", None),
            ("/static/play.js", "br, gzip;q=0", None),
        ):
            answer = http.get(path, headers={"Accept-Encoding": accepted})
            assert answer.headers.get("content-encoding") == packed, path


def test_events_arrive_while_a_job_runs(site: Site) -> None:
    with site.client() as client:
        job = client.submit("count", ["14x14:" + OPEN])
        events = job.events()
        while next(events)["state"] != "running":
            pass
        job.cancel()
        assert [each["state"] for each in events][-1] == "cancelled"


def test_a_server_that_dies_loses_neither_requests_nor_jobs(site: Site) -> None:
    count = 1_500
    text = "".join(f"{UNIQUE} {number}\n" for number in range(count)).encode()
    with site.client() as client:
        jobs = [client.submit("batch", text, verb="hint") for _ in range(2)]
        until(lambda: jobs[0].refresh().progress["records"])
        site.servers[0].stop(signal.SIGKILL)
        for _ in range(4):
            assert client.check(UNIQUE).solution == KNOWN
        for job in jobs:
            assert job.wait().state == "done"
            assert [record.id for record in job.results()] == [str(k) for k in range(count)]
    # Nor does what is cleaned up after it write text between the lines of the log.
    assert all("time" in line for line in site.servers[0].log)


def test_the_compose_file_fits_the_configuration() -> None:
    compose = yaml.safe_load(CONFIGURATION.with_name("compose.yaml").read_text())
    services = compose["services"]
    assert services.keys() == {"one", "two", "database", "nginx"}
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    assert f"--trusted-proxies={network['subnet']}" in services["one"]["command"]
    for server in ("one", "two"):
        assert services[server] == services["one"]
        assert f"server {server}:8000;" in CONFIGURATION.read_text()
