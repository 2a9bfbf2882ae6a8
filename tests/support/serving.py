"""Servers for tests: ours, started as users do and called over HTTP; PostgreSQL; of files."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import httpx
import pytest

PATIENCE = 300.0
"""Seconds that a test waits for an expected event."""

_START = f"""
from binairo_cp import cli
from binairo_cp.service import limits
limits.USUAL_SECONDS = {PATIENCE}
cli.main()
"""
"""`binairo` with a default time limit for requests that is long enough for a busy machine."""

SHORT_LEASES = (
    sys.executable,
    "-c",
    f"from binairo_cp.service.jobs import store\nstore.LEASE_SECONDS = 3.0\n{_START}",
)
"""The same, for tests in which another process takes a job over: they wait less."""


class Server:
    """A running server, with its process, its base URL and its log so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.log: list[dict[str, Any]] = []
        self._lines: Queue[dict[str, Any] | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.url = self.until("listening")["url"]
        self.until("ready")
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE)

    def _read(self) -> None:
        if self.process.stderr is None:
            raise RuntimeError("the server's standard error is not a pipe")
        with self.process.stderr as lines:
            for line in lines:
                try:
                    record = json.loads(line)
                except json.JSONDecodeError:
                    record = {"level": "text", "message": line}
                self.log.append(record)
                self._lines.put(record)
        self._lines.put(None)

    def until(self, message: str) -> dict[str, Any]:
        """Wait for a log record with a message, and return it."""
        while True:
            try:
                record = self._lines.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"no {message!r} in {self.log}") from None
            assert record is not None, f"ended with {self.process.poll()}: {self.log}"
            if record["message"] == message:
                return record

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.http.post(path, json=body)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the exit status."""
        self.http.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(
    data: Path, *options: str, program: Sequence[str] = (sys.executable, "-c", _START)
) -> Iterator[Server]:
    """Start a server, and stop it afterwards.

    Requests have a time limit of five minutes unless the options or the request set another.
    """
    command = ["serve", "--port", "0", "--data", str(data), "--drain", "0"]
    process = subprocess.Popen(
        [*program, *command, "--time-limit", f"{PATIENCE:g}", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        server = Server(process)
        yield server
        server.stop()
    finally:
        process.kill()
        process.wait()


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """Serve the files of a folder; the value is the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


_USER = "nobody"
"""Who runs the server if the tests run as root, which PostgreSQL refuses."""


class PostgreSql:
    """A running server, which listens only on a socket in its folder."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._made = 0
        self._folder = folder
        self.url = f"postgresql://binairo@/postgres?host={folder}"
        self._run("initdb", "-A", "trust", "-U", "binairo", "-N")
        self.start()

    def new_database(self) -> str:
        """Make an empty database, which takes a fraction of the time of a server; return its URL."""
        self._made += 1
        name = f"made_{self._made}"
        command = [self._programs / "createdb", "-h", self._folder, "-U", "binairo", name]
        subprocess.run(command, check=True)
        return self.url.replace("/postgres?", f"/{name}?")

    def start(self) -> None:
        options = f"-k {self._folder} -c listen_addresses='' -F"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._programs / program, "-D", self._folder / "data", *arguments],
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
            user=_USER if os.geteuid() == 0 else None,
        )


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """Start a server in a temporary folder. Skips the test if PostgreSQL is not installed."""
    # Debian does not put these programs on the path.
    found = [*Path("/usr/lib/postgresql").glob("*/bin/initdb"), shutil.which("initdb")]
    programs = next((Path(each).resolve().parent for each in found if each), None)
    if programs is None:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "PostgreSQL is not installed"
        pytest.skip("PostgreSQL (initdb) is not installed")
    with tempfile.TemporaryDirectory(prefix="binairo-postgresql-", dir="/tmp") as name:
        if os.geteuid() == 0:
            shutil.chown(name, _USER)
        server = PostgreSql(programs, Path(name))
        try:
            yield server
        finally:
            server.stop()
