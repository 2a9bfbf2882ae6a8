"""Verify certificates one after the other, and report each result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

from binairo_cp.batch.reports import printable
from binairo_cp.certificates import acl2, checking, container, record
from binairo_cp.certificates.checking import CheckedCertificate
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BinairoError, BudgetExceeded, CertificateError, SourceError
from binairo_cp.formats.results import ErrorRecord, VerificationRecord
from binairo_cp.puzzle.rules import Rules
from binairo_cp.workers.terminal import exit_status


def expand(names: Iterable[str]) -> Iterator[Path]:
    """The certificates for the given names; a folder stands for all zip files below it, sorted.

    Raises:
        SourceError: a folder has no certificate.
    """
    for path in map(Path, names):
        try:
            is_many = path.is_dir() and not (path / record.MANIFEST).exists()
            paths = sorted(path.rglob("*.zip")) if is_many else [path]
        except OSError as error:
            raise SourceError(str(path), f"can't be read: {error.strerror}") from error
        if not paths:
            raise SourceError(str(path), "holds no certificate")
        yield from paths


def verify(
    path: Path, checker: str, seconds: float | None, zipped: bytes | None = None
) -> VerificationRecord:
    """The result of verifying a certificate.

    Args:
        path: a folder or a zip file.
        checker: ``own``, or ``acl2`` to run this checker too.
        seconds: the time limit of each checker; None for no limit.
        zipped: the content of the zip file; then `path` is only its name in the record.
    """
    try:
        files = container.read(path) if zipped is None else container.unzipped(zipped)
        result = checked(files, checker, seconds)
    except BinairoError as error:
        valid = False if isinstance(error, CertificateError) else None
        record_of_error = ErrorRecord(
            kind=error.kind, message=getattr(error, "without_place", str(error))
        )
        checkers = getattr(error, "checkers", None) or None
        return VerificationRecord(
            certificate=str(path), valid=valid, checkers=checkers, error=record_of_error
        )
    return VerificationRecord.of({"certificate": str(path)} | result.to_dict())


def checked(files: Files, checker: str, seconds: float | None) -> CheckedCertificate:
    """The result of checking a certificate.

    Raises:
        CertificateError: it does not hold.
        BinairoError: a checker failed, or the time ran out.
    """
    result = checking.check(files, seconds)
    if checker == checking.OWN or record.DRAT not in files:
        return result
    answers = (*result.checkers, acl2.check(files, seconds))
    rejections = [
        f"{answer} does not accept the proof{f' ({answer.reason})' if answer.reason else ''}"
        for answer in answers
        if not answer.accepts
    ]
    if rejections:
        accepting = ", ".join(str(answer) for answer in answers if answer.accepts)
        raise CertificateError(f"{'; '.join(rejections)}; accepted by {accepting}", answers)
    return replace(result, checkers=answers)


def to_text(result: VerificationRecord, output: Literal["text", "ndjson"], *, details: bool) -> str:
    """The result for a certificate as text or as NDJSON."""
    if output == "ndjson":
        return f"{result.to_json()}\n"
    certificate = printable(result.certificate)
    if result.error:
        word = "rejected" if result.valid is False else "not verified"
        return f"{certificate}: {word}: {printable(' '.join(result.error.message.split()))}\n"
    rules: str | Rules = result.rules or ""
    if isinstance(rules, Rules):
        rules = ", ".join(f"{field} {value}" for field, value in asdict(rules).items())
    # Our own answer is among the findings.
    others = [checker for checker in result.checkers or () if checker.name != checking.OWN]
    lines = [
        f"{certificate}: valid: {checking.IN_WORDS[result.claim or 'none']}",
        f"  puzzle: {printable(result.id or '')} {result.height}x{result.width} {rules or ''}",
        *(f"  {printable(name)}: {finding}" for name, finding in (result.findings or {}).items()),
        *(f"  {printable(str(other))}: accepts the proof" for other in others),
    ]
    return "".join(f"{line}\n" for line in (lines if details else lines[:1]))


def status(records: Iterable[VerificationRecord]) -> int:
    """The exit status: 2 if a certificate can't be read, 3 on a timeout, 1 if one is rejected."""
    seen = list(records)
    kinds = {found.error.kind for found in seen if found.valid is None and found.error}
    return exit_status(
        error=kinds - {BudgetExceeded.kind},
        unknown=kinds,
        no=any(found.valid is False for found in seen),
    )
