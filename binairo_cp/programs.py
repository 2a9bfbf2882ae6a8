"""Programs of others, run within a time and with nothing left of them afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from binairo_cp.errors import BackendError, BackendNameError, BudgetExceeded

MAX_OUTPUT_BYTES = 256 << 20
"""How much a program may print; more is an error."""

_MOST_TOLD = 300
_SPARE_CPU_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Ended:
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


def command(text: str) -> list[str]:
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


def run(words: list[str], seconds: float | None) -> Ended:
    """Run a program without input until it ends.

    However it ends, so does all that it started (its process group).

    Raises:
        BudgetExceeded: it did not end in time.
        BackendError: it can't be started, or prints too much.
    """
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise BackendError(f"{words[0]} can't be started: {error.strerror}") from error
        _bound(process, seconds)
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            _kill(process)

        timer = threading.Timer(seconds or 0, expire)
        try:
            if seconds is not None:
                timer.start()
            output = _output(process)
            # It is seen to be dead before it is let go: until then its number is its own.
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        finally:
            timer.cancel()
            _kill(process)
            process.wait()
        if expired.is_set():
            raise BudgetExceeded("time")
        if len(output) > MAX_OUTPUT_BYTES:
            raise BackendError(f"{words[0]} printed more than {MAX_OUTPUT_BYTES:,} bytes")
        return Ended(output, _tail(errors), process.returncode)


def _output(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout
    with process.stdout:
        output = process.stdout.read(MAX_OUTPUT_BYTES + 1)
        if len(output) > MAX_OUTPUT_BYTES:
            _kill(process)
    return output


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _bound(process: subprocess.Popen[bytes], seconds: float | None) -> None:
    """Should this process be killed, the system ends the program some time after its limit."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        if seconds is not None:
            most = int(seconds * (os.cpu_count() or 1)) + _SPARE_CPU_SECONDS
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (most, most))


def _tail(errors: IO[bytes]) -> str:
    errors.seek(0, os.SEEK_END)
    errors.seek(max(0, errors.tell() - _MOST_TOLD))
    text = errors.read().decode(errors="replace")
    return " ".join(word for word in text.split() if word.isprintable())
