"""Whether a certificate holds: everything is checked anew, and no solver is asked.

What must be believed: this file, `formula` with the encoder that it uses, the checkers of
`proofs`, and `rules.violations`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic

from pydantic import ValidationError

from binairo_cp.board import Board
from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, fewest_clauses, made_again
from binairo_cp.certificates.record import Claim, FormulaRecord, Manifest
from binairo_cp.errors import BinairoError, BudgetExceeded, CertificateError, ProofError
from binairo_cp.proofs import drat, lrat, text
from binairo_cp.rules import Puzzle, violations
from binairo_cp.schema import PuzzleRecord, first_fault

_BYTES_A_CLAUSE = 6
MORE_VARIABLES = 2
"""A proof may name so many times the variables of its formula: solvers add some of their own."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A certificate that holds.

    Attributes:
        claim: what is thereby known.
        id: the name of the puzzle, if it has one.
        puzzle: the puzzle.
        solutions: the solution, or two.
        findings: what was checked, in words, by what it was checked of.
    """

    claim: Claim
    id: str | None
    puzzle: Puzzle
    solutions: tuple[Board, ...]
    findings: dict[str, str]


def check(files: Files, seconds: float | None = None) -> Checked:
    """Check a certificate.

    Args:
        files: as `container.read` gives them.
        seconds: how long the proof may take; None for no bound.

    Raises:
        CertificateError: it does not hold, and why.
        BudgetExceeded: the time ran out.
    """
    end = None if seconds is None else monotonic() + seconds
    findings: dict[str, str] = {}
    manifest = _manifest(files)
    findings["files"] = _checked_hashes(files, manifest)
    id, puzzle = puzzle_of(files)
    solutions = _solutions(files, puzzle)
    if solutions:
        findings["solutions"] = f"{len(solutions)} that the rules and the clues allow"
    if manifest.claim is not Claim.MULTIPLE:
        blocked = solutions[0] if solutions else None
        formula = _formula(files[record.FORMULA], puzzle, blocked, manifest.formula)
        findings["formula"] = f"{len(formula.clauses):,} clauses, all of which the puzzle says"
        findings |= _checked_proofs(files, formula, end)
    return Checked(manifest.claim, id, puzzle, solutions, findings)


def _manifest(files: Files) -> Manifest:
    if record.MANIFEST not in files:
        raise CertificateError(f"there is no {record.MANIFEST}")
    try:
        manifest = Manifest.model_validate_json(files[record.MANIFEST])
    except ValidationError as error:
        where, what = first_fault(error)
        raise CertificateError(f"{record.MANIFEST}: {where}: {what}") from error
    needed, allowed = manifest.claim.files
    if missing := needed - manifest.files.keys():
        raise CertificateError(f"a claim of {manifest.claim} needs {min(missing)}")
    if others := manifest.files.keys() - needed - allowed:
        raise CertificateError(f"a claim of {manifest.claim} has no {min(others)}")
    if (manifest.formula is not None) != (record.FORMULA in needed):
        raise CertificateError(f"{record.MANIFEST}: formula: wrong for a claim of {manifest.claim}")
    return manifest


def _checked_hashes(files: Files, manifest: Manifest) -> str:
    names = files.keys() - {record.MANIFEST}
    if names != manifest.files.keys():
        odd = min(names ^ manifest.files.keys())
        where = "the manifest" if odd in names else "the certificate"
        raise CertificateError(f"{odd} is not in {where}")
    for name, told in manifest.files.items():
        if len(files[name]) != told.bytes:
            raise CertificateError(f"{name} has {len(files[name])} bytes, not {told.bytes}")
        if sha256(files[name]).hexdigest() != told.sha256:
            raise CertificateError(f"{name} is not what was hashed")
    return f"{len(names)} as in the manifest"


def puzzle_of(files: Files) -> tuple[str | None, Puzzle]:
    """The puzzle of a certificate, and its name if it has one.

    Raises:
        CertificateError: there is none.
    """
    try:
        told = PuzzleRecord.model_validate_json(files.get(record.PUZZLE, b""))
        rules = told.stated_rules()
        if rules is None:
            raise CertificateError(f"{record.PUZZLE} states no rules")
        puzzle = Puzzle(told.board(), rules, told.sign_values())
    except ValidationError as error:
        where, what = first_fault(error)
        raise CertificateError(f"{record.PUZZLE}: {where}: {what}") from error
    except CertificateError:
        raise
    except BinairoError as error:
        raise CertificateError(f"{record.PUZZLE}: {error}") from error
    return None if told.id is None else str(told.id), puzzle


def _solutions(files: Files, puzzle: Puzzle) -> tuple[Board, ...]:
    boards = []
    for name in (record.SOLUTION, record.SECOND_SOLUTION):
        if name not in files:
            continue
        try:
            board = Board.parse(files[name].decode("ascii"))
            broken = violations(puzzle, board)
        except (UnicodeDecodeError, BinairoError) as error:
            raise CertificateError(f"{name} is no solution: {error}") from error
        if not board.is_full:
            raise CertificateError(f"{name} is no solution: it has open cells")
        if broken:
            fault = f"it breaks {broken[0].rule}: {broken[0]}"
            raise CertificateError(f"{name} is no solution: {fault}")
        boards.append(board)
    if len(set(boards)) < len(boards):
        raise CertificateError("the two solutions are the same")
    return tuple(boards)


def _formula(
    data: bytes, puzzle: Puzzle, blocked: Board | None, told: FormulaRecord | None
) -> Formula:
    """The clauses that the puzzle says, if those of the file are the same."""
    assert told is not None
    # To make them takes room, so there must be hope that it is not in vain.
    if len(data) < _BYTES_A_CLAUSE * fewest_clauses(puzzle, len(told.distinct_lines)):
        raise CertificateError(f"{record.FORMULA} has fewer clauses than the puzzle says")
    formula = made_again(puzzle, blocked, told)
    begin = 0 if data.startswith(b"p cnf ") else data.find(b"\np cnf ") + 1
    head, body = data[:begin].split(b"\n"), data[begin:]
    if any(line and not line.startswith(b"c") for line in head):
        raise CertificateError(f"{record.FORMULA} begins with something else than comments")
    expected = formula.body
    if body != expected:
        raise CertificateError(f"{record.FORMULA} {_first_difference(head, body, expected)}")
    return formula


def _first_difference(head: list[bytes], body: bytes, expected: bytes) -> str:
    found, wanted = (text.removesuffix(b"\n").split(b"\n") for text in (body, expected))
    shorter = min(len(found), len(wanted))
    same = next((k for k in range(shorter) if found[k] != wanted[k]), shorter)
    line = f"line {len(head) + same}"
    if same == len(found) == len(wanted):
        return f"has no end of {line}"
    if same == len(found):
        return f"ends before {line}: the puzzle says more"
    told = found[same][:60].decode(errors="replace")
    if same == len(wanted):
        return f"goes on in {line} with {told!r}, which the puzzle does not say"
    return f"has in {line} {told!r}, where the puzzle says {wanted[same][:60].decode()!r}"


def _checked_proofs(files: Files, formula: Formula, end: float | None) -> dict[str, str]:
    def check_drat(proof: bytes) -> int:
        clauses = text.parse(formula.lines, record.FORMULA, formula.top)
        lines = text.parse(proof, record.DRAT, MORE_VARIABLES * formula.top)
        return drat.check(clauses, lines, _left(end)).lines

    def check_lrat(proof: bytes) -> int:
        return lrat.check(formula.clauses, proof, lambda: _left(end))

    checkers: dict[str, Callable[[bytes], int]] = {record.DRAT: check_drat, record.LRAT: check_lrat}
    findings = {}
    for name, check_proof in checkers.items():
        if name in files:
            try:
                lines = check_proof(container.unpacked(name, files[name]))
            except ProofError as error:
                raise CertificateError(f"{name}: {error}") from error
            findings[name] = f"{lines:,} lines refute the formula"
    return findings


def _left(end: float | None) -> float | None:
    if end is not None and monotonic() >= end:
        raise BudgetExceeded("time")
    return None if end is None else end - monotonic()
