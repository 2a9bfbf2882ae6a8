"""Whether a certificate holds: everything is checked anew, and no solver is asked.

What must be believed: this file, `formula` with the encoder that it uses, the checkers of
`proofs`, and `rules.violations`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, Maker, comments
from binairo_cp.certificates.proofs import drat, lrat, text
from binairo_cp.certificates.record import Claim, FormulaRecord, Manifest
from binairo_cp.errors import BinairoError, BudgetExceeded, CertificateError, ProofError
from binairo_cp.formats.validation import first_error
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.encodings import dimacs
from binairo_cp.solving.encodings.cnf import Clause

_TOLD = 60
MORE_VARIABLES = 2
"""A proof may name so many times the variables of its formula: solvers add some of their own."""


_Model = TypeVar("_Model", bound=BaseModel)


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
    if manifest.formula:
        blocked = solutions[0] if solutions else None
        formula = _formula(files[record.FORMULA], puzzle, blocked, manifest.formula, end)
        findings["formula"] = f"{len(formula.clauses):,} clauses, all of which the puzzle says"
        findings |= _checked_proofs(files, formula, end)
    return Checked(manifest.claim, id, puzzle, solutions, findings)


def _validated(model: type[_Model], name: str, files: Files) -> _Model:
    """A file as a record.

    Raises:
        CertificateError: there is none, or it says something else or the same thing twice.
    """
    if name not in files:
        raise CertificateError(f"there is no {name}")
    try:
        json.loads(files[name], object_pairs_hook=_each_once)
        return model.model_validate_json(files[name])
    except ValidationError as error:
        told = ": ".join(filter(None, first_error(error)))
        raise CertificateError(f"{name}: {told}") from error
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"{name}: {error}") from error


def _each_once(pairs: list[tuple[str, object]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("it says something twice")


def _manifest(files: Files) -> Manifest:
    manifest = _validated(Manifest, record.MANIFEST, files)
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
    told = _validated(record.CertifiedPuzzle, record.PUZZLE, files)
    try:
        rules = told.stated_rules()
        assert rules is not None  # The record requires them.
        puzzle = Puzzle(told.board(), rules, told.sign_values())
    except BinairoError as error:
        raise CertificateError(f"{record.PUZZLE}: {error}") from error
    return told.id, puzzle


def _solutions(files: Files, puzzle: Puzzle) -> tuple[Board, ...]:
    boards = []
    for name in (record.SOLUTION, record.SECOND_SOLUTION):
        if name not in files:
            continue
        try:
            board = Board.from_rows(files[name].decode("ascii").split())
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
    data: bytes, puzzle: Puzzle, blocked: Board | None, told: FormulaRecord, end: float | None
) -> Formula:
    """The clauses that the puzzle says, if those of the file are the same.

    They are compared while they are made, so that no more are made than the file has.
    """
    expected = comments(puzzle, blocked)
    if not data.startswith(expected):
        raise CertificateError(_first_difference(data, expected))
    header = data.find(b"\n", len(expected)) + 1
    place = header

    def compare(clause: Clause) -> None:
        nonlocal place
        line = dimacs.line(clause).encode()
        if not data.startswith(line, place):
            raise CertificateError(_difference(data, place, line))
        place += len(line)

    formula = Maker(puzzle, blocked, told.distinct_lines, compare, lambda: _left(end)).formula
    if data[len(expected) : header] != formula.head:
        raise CertificateError(_difference(data, len(expected), formula.head))
    if place != len(data):
        raise CertificateError(_difference(data, place, b""))
    # They are the same, so the text need not be made once more.
    formula.lines = data[header:]
    return formula


def _first_difference(data: bytes, expected: bytes) -> str:
    place = 0
    for line in expected.splitlines(keepends=True):
        if not data.startswith(line, place):
            break
        place += len(line)
    return _difference(data, place, line)


def _difference(data: bytes, place: int, wanted: bytes) -> str:
    """How a file goes on in another way than it should from a place on."""
    number = data.count(b"\n", 0, place) + 1
    line = f"{record.FORMULA}, line {number}"
    if place >= len(data):
        return f"{line}: the file ends, and the puzzle says more"
    found = data[place : place + _TOLD].partition(b"\n")[0].decode(errors="replace")
    if not wanted:
        return f"{line}: {found!r}, which the puzzle does not say"
    return f"{line}: {found!r}, where the puzzle says {wanted[:_TOLD].strip().decode()!r}"


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
                told = str(error).removeprefix(f"{name}, ")
                raise CertificateError(f"{name}: {told}") from error
            findings[name] = f"{lines:,} lines refute the formula"
    return findings


def _left(end: float | None) -> float | None:
    if end is not None and monotonic() >= end:
        raise BudgetExceeded("time")
    return None if end is None else end - monotonic()
