"""Run other proof checkers on the proof of a certificate, in addition to ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import acl2, container, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError
from binairo_cp.formats.schema import CheckerRecord
from binairo_cp.workers import child_processes
from binairo_cp.workers.child_processes import CompletedProgram

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
    ended = _run(words, files, seconds, acl2.MAX_MEMORY)
    answers = {b"True": True, b"False": False}
    if ended.status or ended.output.strip() not in answers:
        raise BackendError(f"dratify failed ({ended.reason})")
    return CheckerRecord(name=_DRATIFY, version=number, accepts=answers[ended.output.strip()])


CHECKERS: dict[str, Callable[[Files, float | None], CheckerRecord]] = {
    _DRATIFY: _dratify,
    acl2.NAME: acl2.check,
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
