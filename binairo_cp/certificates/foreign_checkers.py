"""Run other proof checkers on the proof of a certificate, in addition to ours.

The LRAT checker of ACL2, whose soundness is a theorem proved with ACL2, is that of Heule, Hunt,
Kaufmann and Wetzler, "Efficient, verified checking of propositional proofs", 2017:
``projects/sat/lrat/list-based`` in the books of ACL2.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError
from binairo_cp.formats.results import CheckerRecord
from binairo_cp.workers import child_processes
from binairo_cp.workers.child_processes import CompletedProgram

_ACL2 = "acl2"

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

ALL = "all"
"""All checkers of `CHECKERS`."""

CNF, DRAT, LRAT = "{cnf}", "{drat}", "{lrat}"
"""Placeholders in a command for the formula, the DRAT proof, and the LRAT proof."""

_DRATIFY = "dratify"
# In a process of its own, since a library can't be stopped at a time limit.
_DRATIFY_SCRIPT = """\
import sys, dratify
formula, proof = (open(name).read() for name in sys.argv[1:])
result = dratify.check_proof(dratify.parse_dimacs(formula), proof)
print(result.ok and result.reached_empty)
"""


def check_with_acl2(files: Files, seconds: float | None = None) -> CheckerRecord:
    """Check the LRAT proof of a certificate.

    Raises:
        BackendError: ACL2 is not installed or fails, or the certificate has no LRAT proof.
        BudgetExceeded: The time ran out.
    """
    program = shutil.which("acl2")
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
        name=_ACL2, version=_text(version[1]), accepts=accepts, reason=reason or None
    )


def _text(output: bytes) -> str:
    return " ".join(output.decode(errors="replace").split())[:_MAX_REASON]


def run_checkers(
    checker: str, files: Files, seconds: float | None = None
) -> tuple[CheckerRecord, ...]:
    """Check the proof of a certificate with other checkers.

    Args:
        checker: A name of `CHECKERS`, `ALL` of them, or a command. The formula and the proof are
            appended to a command without any of the placeholders `CNF`, `DRAT` and `LRAT`.
        files: A valid certificate with a proof.
        seconds: Time limit of each checker; None for no limit.

    Raises:
        BackendError: A checker can't be run, or the certificate lacks the proof that it reads.
        BudgetExceeded: The time ran out.
    """
    if checker == ALL:
        return tuple(check(files, seconds) for check in CHECKERS.values())
    if checker in CHECKERS:
        return (CHECKERS[checker](files, seconds),)
    return (_by_command(checker, files, seconds),)


def about_fewer_clues(files: Files) -> Files:
    """The second formula of a certificate of a minimum and its proofs, in place of the first."""
    names = {
        record.FORMULA: record.FEWER_FORMULA,
        record.DRAT: record.FEWER_DRAT,
        record.LRAT: record.FEWER_LRAT,
    }
    return {name: files[other] for name, other in names.items() if other in files}


def _by_command(command: str, files: Files, seconds: float | None) -> CheckerRecord:
    words = child_processes.split_command(command)
    if not any(mark in word for word in words for mark in (CNF, DRAT, LRAT)):
        words += [CNF, DRAT]
    ended = _run(words, files, seconds)
    output = ended.output.decode(errors="replace")
    if "VERIFIED" in output and "NOT VERIFIED" not in output and not ended.status:
        return CheckerRecord(name=words[0], accepts=True)
    last = (output.split("\n")[-2:] or [""])[0].strip()
    return CheckerRecord(name=words[0], accepts=False, reason=last or ended.reason)


def _dratify(files: Files, seconds: float | None) -> CheckerRecord:
    try:
        number = version(_DRATIFY)
    except PackageNotFoundError as error:
        raise BackendError("dratify is not installed; pip install dratify") from error
    words = [sys.executable, "-P", "-c", _DRATIFY_SCRIPT, CNF, DRAT]
    ended = _run(words, files, seconds, MAX_MEMORY)
    answers = {b"True": True, b"False": False}
    if ended.status or ended.output.strip() not in answers:
        raise BackendError(f"dratify failed ({ended.reason})")
    return CheckerRecord(name=_DRATIFY, version=number, accepts=answers[ended.output.strip()])


CHECKERS: dict[str, Callable[[Files, float | None], CheckerRecord]] = {
    _DRATIFY: _dratify,
    _ACL2: check_with_acl2,
}
"""The other checkers by name."""


def _run(
    words: list[str], files: Files, seconds: float | None, memory: int | None = None
) -> CompletedProgram:
    """Run a command with the files of a certificate in place of its placeholders."""
    with TemporaryDirectory(prefix="binairo-") as folder:
        filled = child_processes.fill_placeholders(words, _written(files, Path(folder)))
        if any(LRAT in word for word in filled):
            raise BackendError("the certificate has no LRAT proof")
        return child_processes.run_program(filled, seconds, memory=memory)


def _written(files: Files, folder: Path) -> dict[str, Path]:
    marks = {CNF: folder / "puzzle.cnf"}
    marks[CNF].write_bytes(files[record.FORMULA])
    for mark, name in ((DRAT, record.DRAT), (LRAT, record.LRAT)):
        if name in files:
            path = folder / name.removesuffix(".gz")
            path.write_bytes(container.unpacked(name, files[name]))
            marks[mark] = path
    return marks
