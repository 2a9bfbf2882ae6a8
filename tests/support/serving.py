"""A server process for tests, started as users do and called over HTTP."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import httpx

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
