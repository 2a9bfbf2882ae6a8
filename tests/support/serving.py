"""A server of its own for tests, as a user starts it: a process that is reached over HTTP."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import httpx

PATIENCE = 300.0
"""Seconds that a test waits for what must happen."""

_START = f"""
from binairo_cp import cli
from binairo_cp.service import limits
limits.USUAL_SECONDS = {PATIENCE}
cli.main()
"""
"""`binairo`, with a default time limit of requests that a busy machine can keep."""


class Server:
    """A running server.

    Attributes:
        url: where it is.
        process: what runs.
        log: what it has said.
    """

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
            raise RuntimeError("nothing can be heard")
        with self.process.stderr as lines:
            for line in lines:
                with suppress(json.JSONDecodeError):
                    told = json.loads(line)
                    self.log.append(told)
                    self._lines.put(told)
        self._lines.put(None)

    def until(self, message: str) -> dict[str, Any]:
        """Wait for a line of the log."""
        while True:
            try:
                told = self._lines.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"no {message!r} in {self.log}") from None
            assert told is not None, f"ended with {self.process.poll()}: {self.log}"
            if told["message"] == message:
                return told

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.http.post(path, json=body)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it; how it ended."""
        self.http.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(data: Path, *options: str) -> Iterator[Server]:
    """A server for a while.

    A request may work for five minutes, unless the options or the request say otherwise.
    """
    command = ["serve", "--port", "0", "--data", str(data), "--drain", "0"]
    process = subprocess.Popen(
        [sys.executable, "-c", _START, *command, "--time-limit", f"{PATIENCE:g}", *options],
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
