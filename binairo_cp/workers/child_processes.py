"""Run programs with a time limit, and kill their whole session afterwards."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO

from binairo_cp.errors import BackendError, BudgetExceeded

MAX_OUTPUT_BYTES = 256 << 20
"""Limit of a program's standard output. More is an error."""

_READ_BYTES = 1 << 16
_MAX_STDERR_BYTES = 300
_POLL_SECONDS = 0.2
"""How often to check for a program that exited while another process keeps its pipes open."""

_SPARE_CPU_SECONDS = 10


@dataclass(frozen=True, slots=True)
class CompletedProgram:
    """The result of a program.

    Attributes:
        output: its standard output.
        errors: the end of its standard error, in one line.
        status: its exit status; negative if a signal ended it.
    """

    output: bytes
    errors: str
    status: int

    @property
    def reason(self) -> str:
        """How the program ended, for an error message."""
        errors = f": {self.errors}" if self.errors else ""
        status = f"signal {-self.status}" if self.status < 0 else f"exit status {self.status}"
        return f"{status}{errors}"


def run_program(
    words: list[str],
    seconds: float | None,
    *,
    stdin: BinaryIO | None = None,
    folder: Path | None = None,
    memory: int | None = None,
) -> CompletedProgram:
    """Run a program until it ends.

    All processes of its session are killed afterwards, however it ended.

    Args:
        words: the program and its arguments.
        seconds: time limit; None for no limit.
        stdin: a file as its standard input; None for no input.
        folder: its working directory; None for the current one.
        memory: memory limit in bytes; None for that of this process. Only on Linux.

    Raises:
        BudgetExceeded: the program did not end in time.
        BackendError: it can't be started, or prints too much.
    """
    end = None if seconds is None else monotonic() + seconds
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise BackendError(f"{words[0]} can't be started: {error.strerror}") from error
    try:
        _limit(process, seconds, memory)
        output, errors = _read(process, end)
    finally:
        _kill(process)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
    if len(output) > MAX_OUTPUT_BYTES:
        raise BackendError(f"{words[0]} printed more than {MAX_OUTPUT_BYTES:,} bytes")
    words = errors.decode(errors="replace").split()
    return CompletedProgram(output, " ".join(filter(str.isprintable, words)), process.returncode)


def _read(process: subprocess.Popen[bytes], end: float | None) -> tuple[bytes, bytes]:
    """Read standard output and the end of standard error until the program ends.

    Raises:
        BudgetExceeded: the program did not end in time.
    """
    pieces, size, errors = [], 0, b""
    with selectors.DefaultSelector() as selector:
        for pipe in filter(None, (process.stdout, process.stderr)):
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map() and size <= MAX_OUTPUT_BYTES:
            left = _POLL_SECONDS if end is None else min(_POLL_SECONDS, end - monotonic())
            if left <= 0:
                raise BudgetExceeded("time")
            ready = selector.select(left)
            for key, _ in ready:
                piece = os.read(key.fd, _READ_BYTES)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    pieces.append(piece)
                    size += len(piece)
                else:
                    errors = (errors + piece)[-_MAX_STDERR_BYTES:]
            if not ready and _has_ended(process):
                # The output of other processes that hold its pipes does not matter.
                break
    while size <= MAX_OUTPUT_BYTES and not _has_ended(process):
        if end is not None and monotonic() >= end:
            raise BudgetExceeded("time")
        sleep(_POLL_SECONDS / 20)
    return b"".join(pieces), errors


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Check without reaping the process, so that its pid can't be reused before `_kill`."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all processes of its session, whose leader it is."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            # The name may contain anything. State, parent, group and session follow it.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[3]) == process.pid:
                os.kill(int(folder.name), signal.SIGKILL)


def _limit(process: subprocess.Popen[bytes], seconds: float | None, memory: int | None) -> None:
    """Let the kernel limit the memory, and end the program some time after its limit.

    The second matters if this process gets killed.
    """
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        if seconds is not None:
            limit = int(seconds * (os.cpu_count() or 1)) + _SPARE_CPU_SECONDS
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit))
        if memory is not None:
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (memory, memory))
