"""Many certificates checked one after the other, and what is said of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.batch.reports import printable
from binairo_cp.certificates import checking, container, foreign_checkers, record
from binairo_cp.certificates.checking import CheckedCertificate
from binairo_cp.errors import BinairoError, BudgetExceeded, CertificateError, SourceError
from binairo_cp.formats.schema import ErrorRecord, RulesRecord, VerificationRecord, stated

OWN = "own"


def expand(names: Iterable[str]) -> Iterator[Path]:
    """The certificates that names stand for: themselves, or all zips below a folder, sorted.

    Raises:
        SourceError: a folder has none.
    """
    for path in map(Path, names):
        try:
            is_many = path.is_dir() and not (path / record.MANIFEST).exists()
            found = sorted(path.rglob("*.zip")) if is_many else [path]
        except OSError as error:
            raise SourceError(str(path), f"can't be read: {error.strerror}") from error
        if not found:
            raise SourceError(str(path), "holds no certificate")
        yield from found


def verify(
    path: Path, checker: str, seconds: float | None, zipped: bytes | None = None
) -> VerificationRecord:
    """What becomes of a certificate when it is checked.

    Args:
        path: a folder or a zip.
        checker: ``own``, or another checker that is asked too, as `opinions.ask` knows it.
        seconds: how long each checker may take; None for no bound.
        zipped: the bytes of a zip that is only called so, and in no file.
    """
    try:
        files = container.read(path) if zipped is None else container.unzipped(zipped)
        checked = checking.check(files, seconds)
        findings = dict(checked.findings)
        if checker != OWN and record.DRAT in files:
            findings[checker] = foreign_checkers.run_checker(checker, files, seconds)
    except BinairoError as error:
        valid = False if isinstance(error, CertificateError) else None
        told = ErrorRecord(kind=error.kind, message=getattr(error, "without_place", str(error)))
        return VerificationRecord(certificate=str(path), valid=valid, error=told)
    return _valid(path, checked, findings)


def _valid(path: Path, checked: CheckedCertificate, findings: dict[str, str]) -> VerificationRecord:
    board = checked.puzzle.board
    return VerificationRecord(
        certificate=str(path),
        valid=True,
        claim=checked.claim.value,
        id=checked.id,
        height=board.height,
        width=board.width,
        clues=board.cells,
        rules=stated(checked.puzzle),
        solutions=[solution.cells for solution in checked.solutions],
        findings=findings,
    )


def to_text(told: VerificationRecord, output: Literal["text", "ndjson"], *, details: bool) -> str:
    """What is said of a certificate, for people or for programs."""
    if output == "ndjson":
        return f"{told.to_json()}\n"
    name = printable(told.certificate)
    if told.error:
        word = "rejected" if told.valid is False else "not verified"
        return f"{name}: {word}: {printable(' '.join(told.error.message.split()))}\n"
    lines = [
        f"{name}: valid: {_CLAIMS[told.claim or '']}",
        f"  puzzle: {printable(told.id or '')} {told.height}x{told.width} {_rules(told.rules)}",
        *(f"  {printable(what)}: {said}" for what, said in (told.findings or {}).items()),
    ]
    return "".join(f"{line}\n" for line in (lines if details else lines[:1]))


def _rules(rules: str | RulesRecord | None) -> str:
    if isinstance(rules, RulesRecord):
        return ", ".join(f"{field} {value}" for field, value in rules.model_dump().items())
    return rules or ""


_CLAIMS = {
    "unique": "exactly one solution",
    "multiple": "more than one solution",
    "none": "no solution",
}


def status(records: Iterable[VerificationRecord]) -> int:
    """The exit status: rejected is a no, and what could not be read an error."""
    seen = list(records)
    undecided = [each for each in seen if each.valid is None]
    late = [each for each in undecided if each.error and each.error.kind == BudgetExceeded.kind]
    return exit_status(
        error=len(undecided) > len(late), unknown=late, no=any(each.valid is False for each in seen)
    )
