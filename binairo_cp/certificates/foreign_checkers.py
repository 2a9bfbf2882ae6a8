"""Run other proof checkers on the proof of a certificate, in addition to ours."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError, CertificateError
from binairo_cp.workers import child_processes

DRATIFY = "dratify"

CNF, DRAT, LRAT = "{cnf}", "{drat}", "{lrat}"
"""Placeholders in a command for the formula, the DRAT proof, and the LRAT proof."""


def run_checker(checker: str, files: Files, seconds: float | None = None) -> str:
    """Check the proof of a certificate with another checker.

    Args:
        checker: ``dratify`` for the library, or a command. The formula and the proof are appended
            to a command without any of the placeholders `CNF`, `DRAT` and `LRAT`.
        files: A valid certificate with a proof.
        seconds: Time limit for a command; None for no limit. The library can't be stopped.

    Returns:
        The finding, in words.

    Raises:
        CertificateError: The checker rejects the proof.
        BackendError: The checker can't be run.
        BudgetExceeded: The time ran out.
    """
    if checker == DRATIFY:
        return _dratify(files)
    words = child_processes.split_command(checker)
    if not any(mark in word for word in words for mark in (CNF, DRAT, LRAT)):
        words += [CNF, DRAT]
    with TemporaryDirectory(prefix="binairo-") as folder:
        filled = child_processes.fill_placeholders(words, _written(files, Path(folder)))
        if any(LRAT in word for word in filled):
            raise CertificateError("the certificate has no LRAT proof")
        ended = child_processes.run_program(filled, seconds)
    output = ended.output.decode(errors="replace")
    if "VERIFIED" not in output or "NOT VERIFIED" in output or ended.status:
        last = (output.split("\n")[-2:] or [""])[0].strip()
        raise CertificateError(f"{words[0]} does not accept the proof ({last or ended.reason})")
    return "accepts the proof"


def _dratify(files: Files) -> str:
    try:
        import dratify
    except ImportError as error:
        raise BackendError("dratify is not installed; pip install dratify") from error
    formula = dratify.parse_dimacs(files[record.FORMULA].decode())
    proof = container.unpacked(record.DRAT, files[record.DRAT]).decode()
    result = dratify.check_proof(formula, proof)
    if not (result.ok and result.reached_empty):
        raise CertificateError("dratify does not accept the proof")
    return "accepts the proof"


def _written(files: Files, folder: Path) -> dict[str, Path]:
    marks = {CNF: folder / "puzzle.cnf"}
    marks[CNF].write_bytes(files[record.FORMULA])
    for mark, name in ((DRAT, record.DRAT), (LRAT, record.LRAT)):
        if name in files:
            path = folder / name.removesuffix(".gz")
            path.write_bytes(container.unpacked(name, files[name]))
            marks[mark] = path
    return marks
