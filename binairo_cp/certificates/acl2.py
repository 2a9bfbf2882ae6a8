"""Run the LRAT checker of ACL2 on the proof of a certificate, in addition to ours.

Its soundness is a theorem proved with ACL2. It is that of Heule, Hunt,
Kaufmann and Wetzler, "Efficient, verified checking of propositional proofs", 2017:
``projects/sat/lrat/list-based`` in the books of ACL2.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError
from binairo_cp.formats.results import CheckerRecord
from binairo_cp.workers import child_processes

ACL2 = "acl2"
"""The name of this checker."""

PACKAGES = "acl2 acl2-books acl2-books-source acl2-books-certs"
"""The packages of Debian and Ubuntu with ACL2 and its certified books."""

_ACL2_CNF, _ACL2_LRAT, _ACL2_COMMANDS = "formula.cnf", "proof.lrat", "commands.lisp"
_LISP = f"""\
(include-book "projects/sat/lrat/list-based/run" :dir :system)
(lrat::lrat-check "{_ACL2_CNF}" "{_ACL2_LRAT}")
"""

MAX_MEMORY = 4 << 30
"""Memory limit in bytes."""

# ACL2 plans its memory when it starts, so the limit must hold from the first moment. The checker is
# recursive: long proofs need a larger stack than usual.
_SHELL = 'ulimit -d {kibibytes}; ulimit -s "$(ulimit -H -s)"; exec "$0"'

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
        with open(folder / _ACL2_COMMANDS, "rb") as commands:
            ended = child_processes.run_program(
                ["sh", "-c", _SHELL.format(kibibytes=MAX_MEMORY >> 10), program],
                seconds,
                stdin=commands,
                folder=folder,
            )
    return _answer(ended)


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


def _answer(ended: child_processes.CompletedProgram) -> CheckerRecord:
    """Judge the output. What is neither acceptance nor rejection is a failure of the program."""
    version = _VERSION.search(ended.output)
    rejection = _REJECTION.search(ended.output)
    accepts = not ended.status and b"s VERIFIED" in ended.output.splitlines() and not rejection
    if not version or not (accepts or rejection):
        failure = _FAILURE.search(ended.output)
        reason = _text(failure[0]) if failure else ended.reason
        raise BackendError(f"acl2 failed: {reason}; expected the packages {PACKAGES}")
    reason = _text(rejection[1] or b"") if rejection else ""
    return CheckerRecord(
        name=ACL2, version=_text(version[1]), accepts=accepts, reason=reason or None
    )


def _text(output: bytes) -> str:
    return " ".join(output.decode(errors="replace").split())[:_MAX_REASON]
