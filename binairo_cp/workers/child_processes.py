"""Programs of others, run within a time and with nothing left of them afterwards."""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from binairo_cp.errors import BackendError, BackendNameError, BudgetExceeded

MAX_OUTPUT_BYTES = 256 << 20
"""How much a program may print; more is an error."""

_PIECE_BYTES = 1 << 16
_KEPT_OF_ERRORS = 300
_PATIENCE = 0.2
"""So often is looked whether a program has ended whose output somebody else keeps open."""

_SPARE_CPU_SECONDS = 10


@dataclass(frozen=True, slots=True)
class CompletedProgram:
    """What a program left.

    Attributes:
        output: what it printed.
        errors: the end of what it printed on standard error, in one line.
        status: its exit status, below 0 if a signal ended it.
    """

    output: bytes
    errors: str
    status: int

    @property
    def reason(self) -> str:
        """How it ended, for an error message."""
        said = f": {self.errors}" if self.errors else ""
        how = f"signal {-self.status}" if self.status < 0 else f"exit status {self.status}"
        return f"{how}{said}"


def split_command(text: str) -> list[str]:
    """The words of a command.

    Raises:
        BackendNameError: there is none, or no such program.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BackendNameError(f"the command {text!r} is broken: {error}") from error
    if not words:
        raise BackendNameError("expected a command, as in external:kissat")
    if shutil.which(words[0]) is None:
        raise BackendNameError(f"there is no program {words[0]!r}")
    return words


def fill_placeholders(words: Iterable[str], files: Mapping[str, Path]) -> list[str]:
    """The words of a command with files in the places of their marks."""
    made = []
    for word in words:
        for mark, file in files.items():
            word = word.replace(mark, str(file))
        made.append(word)
    return made


def run(words: list[str], seconds: float | None) -> CompletedProgram:
    """Run a program without input until it ends.

    However it ends, so does all that it started: its whole session.

    Raises:
        BudgetExceeded: it did not end in time.
        BackendError: it can't be started, or prints too much.
    """
    end = None if seconds is None else monotonic() + seconds
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise BackendError(f"{words[0]} can't be started: {error.strerror}") from error
    try:
        _bound(process, seconds)
        output, errors = _read(process, end)
    finally:
        _kill(process)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
    if len(output) > MAX_OUTPUT_BYTES:
        raise BackendError(f"{words[0]} printed more than {MAX_OUTPUT_BYTES:,} bytes")
    told = errors.decode(errors="replace").split()
    return CompletedProgram(output, " ".join(filter(str.isprintable, told)), process.returncode)


def _read(process: subprocess.Popen[bytes], end: float | None) -> tuple[bytes, bytes]:
    """What a program prints until it ends, and the end of what it prints on standard error.

    Raises:
        BudgetExceeded: it did not end in time.
    """
    pieces, size, errors = [], 0, b""
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            assert pipe
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map() and size <= MAX_OUTPUT_BYTES:
            left = _PATIENCE if end is None else min(_PATIENCE, end - monotonic())
            if left <= 0:
                raise BudgetExceeded("time")
            ready = selector.select(left)
            for key, _ in ready:
                piece = os.read(key.fd, _PIECE_BYTES)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    pieces.append(piece)
                    size += len(piece)
                else:
                    errors = (errors + piece)[-_KEPT_OF_ERRORS:]
            if not ready and _has_ended(process):
                # Whoever else holds its pipes has nothing to say.
                break
    while size <= MAX_OUTPUT_BYTES and not _has_ended(process):
        if end is not None and monotonic() >= end:
            raise BudgetExceeded("time")
        sleep(_PATIENCE / 20)
    return b"".join(pieces), errors


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has; until it is let go afterwards, its number is its own."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and its session, of which it is the leader."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            # After the name, which may hold anything, come state, parent, group and session.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[3]) == process.pid:
                os.kill(int(folder.name), signal.SIGKILL)


def _bound(process: subprocess.Popen[bytes], seconds: float | None) -> None:
    """Should this process be killed, the system ends the program some time after its limit."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        if seconds is not None:
            most = int(seconds * (os.cpu_count() or 1)) + _SPARE_CPU_SECONDS
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (most, most))
