"""Run the LRAT checker of ACL2 on the proof of a certificate, in addition to ours.

Its soundness is a theorem proved with ACL2. It is that of Heule, Hunt,
Kaufmann and Wetzler, "Efficient, verified checking of propositional proofs", 2017:
``projects/sat/lrat/list-based`` in the books of ACL2.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError, BudgetExceeded
from binairo_cp.formats.results import CheckerRecord

ACL2 = "acl2"
"""The name of this checker."""

PACKAGES = "acl2 acl2-books acl2-books-source acl2-books-certs"
"""The packages of Debian and Ubuntu with ACL2 and its certified books."""

_ACL2_CNF, _ACL2_LRAT, _ACL2_COMMANDS = "formula.cnf", "proof.lrat", "commands.lisp"
_OUTPUT = "output"
_LISP = f"""\
(include-book "projects/sat/lrat/list-based/run" :dir :system)
(lrat::lrat-check "{_ACL2_CNF}" "{_ACL2_LRAT}")
"""

MAX_MEMORY = 4 << 30
"""Memory limit in bytes."""

_MAX_OUTPUT_BLOCKS = 1 << 17
"""Limit of what it prints, in blocks of 512 bytes."""

_SPARE_CPU_SECONDS = 10

# ACL2 plans its memory when it starts, so the limit must hold from the first moment. The checker is
# recursive: long proofs need a larger stack than usual. The limit of its CPU time matters if this
# process is killed.
_SHELL = (
    "ulimit -f {blocks}; ulimit -t {cpu}; ulimit -d {kibibytes}; "
    'ulimit -s "$(ulimit -H -s)"; exec "$0"'
)

_VERSION = re.compile(rb"ACL2 Version (\S+)")
_REJECTION = re.compile(rb"^s FAILED$|^HARD ACL2 ERROR in LRAT::[^:]*:\s*([^.]*\.?)", re.MULTILINE)
_FAILURE = re.compile(rb"^.*(?:Error|ERROR|ABORTING).*$", re.MULTILINE)
_MAX_REASON = 200

_CNF_COMMENT = re.compile(rb"^c.*\n", re.MULTILINE)
_LINES = {
    _ACL2_CNF: re.compile(rb"p cnf [0-9]+ [0-9]+|[-0-9 ]*"),
    _ACL2_LRAT: re.compile(rb"[0-9]+ (?:d )?[-0-9 ]*"),
}
"""ACL2 reads its files as Lisp, so nothing else may get there."""


def check(files: Files, seconds: float | None = None) -> CheckerRecord:
    """Check the LRAT proof of a certificate.

    Raises:
        BackendError: ACL2 is not installed or fails, or the certificate has no LRAT proof.
        BudgetExceeded: The time ran out.
    """
    program = shutil.which(ACL2)
    if program is None:
        raise BackendError(f"acl2 is not installed; apt-get install {PACKAGES}")
    with TemporaryDirectory(prefix="binairo-") as name:
        folder = Path(name)
        _write(files, folder)
        status = _run(program, folder, seconds)
        return _answer((folder / _OUTPUT).read_bytes(), status)


def _run(program: str, folder: Path, seconds: float | None) -> int:
    """Run ACL2 on the files in a folder; returns its exit status, negative if a signal ended it."""
    cpu = "unlimited" if seconds is None else int(seconds) + _SPARE_CPU_SECONDS
    limits = _SHELL.format(blocks=_MAX_OUTPUT_BLOCKS, cpu=cpu, kibibytes=MAX_MEMORY >> 10)
    with (folder / _ACL2_COMMANDS).open("rb") as commands, (folder / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", limits, program],
            cwd=folder,
            stdin=commands,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise BudgetExceeded("time") from error
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _write(files: Files, folder: Path) -> None:
    if record.LRAT not in files:
        raise BackendError("acl2 reads LRAT proofs, but the certificate has only a DRAT proof")
    texts = {
        _ACL2_CNF: _CNF_COMMENT.sub(b"", files[record.FORMULA]),
        _ACL2_LRAT: container.unpacked(record.LRAT, files[record.LRAT]),
    }
    for name, text in texts.items():
        if not all(map(_LINES[name].fullmatch, text.splitlines())):
            raise BackendError(f"acl2 can't check this: {name} has lines that are not numbers")
        (folder / name).write_bytes(text)
    (folder / _ACL2_COMMANDS).write_text(_LISP)


def _answer(output: bytes, status: int) -> CheckerRecord:
    """Judge the output. What is neither acceptance nor rejection is a failure of the program."""
    version = _VERSION.search(output)
    rejection = _REJECTION.search(output)
    accepts = not status and b"s VERIFIED" in output.splitlines() and not rejection
    if not version or not (accepts or rejection):
        failure = _FAILURE.search(output)
        ended = f"signal {-status}" if status < 0 else f"exit status {status}"
        reason = _text(failure[0]) if failure else f"{ended} {_text(output[-_MAX_REASON:])}"
        raise BackendError(f"acl2 failed: {reason.strip()}; expected the packages {PACKAGES}")
    reason = _text(rejection[1] or b"") if rejection else ""
    return CheckerRecord(
        name=ACL2, version=_text(version[1]), accepts=accepts, reason=reason or None
    )


def _text(output: bytes) -> str:
    return " ".join(output.decode(errors="replace").split())[:_MAX_REASON]
