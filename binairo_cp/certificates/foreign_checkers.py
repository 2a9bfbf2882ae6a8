"""Checkers of others, asked about a certificate's proof after our own."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError, CertificateError
from binairo_cp.workers import child_processes

DRATIFY = "dratify"

CNF, DRAT, LRAT = "{cnf}", "{drat}", "{lrat}"
"""What stands in a command for the formula, the proof, and the proof with hints."""


def ask(checker: str, files: Files, seconds: float | None = None) -> str:
    """Let another checker decide.

    Args:
        checker: ``dratify``, the library; or a command, which gets the formula and the proof as its
            last two words if it has none of `CNF`, `DRAT` and `LRAT`.
        files: a certificate that holds, with a proof.
        seconds: how long a command may take; None for no bound. The library can't be stopped.

    Returns:
        What it says.

    Raises:
        CertificateError: it rejects the proof.
        BackendError: it can't be asked.
        BudgetExceeded: the time ran out.
    """
    if checker == DRATIFY:
        return _dratify(files)
    words = child_processes.split_command(checker)
    if not any(mark in word for word in words for mark in (CNF, DRAT, LRAT)):
        words += [CNF, DRAT]
    with TemporaryDirectory(prefix="binairo-") as folder:
        filled = child_processes.fill_placeholders(words, _written(files, Path(folder)))
        if any(LRAT in word for word in filled):
            raise CertificateError("there is no proof with hints")
        ended = child_processes.run(filled, seconds)
    said = ended.output.decode(errors="replace")
    if "VERIFIED" not in said or "NOT VERIFIED" in said or ended.status:
        last = (said.split("\n")[-2:] or [""])[0].strip()
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
