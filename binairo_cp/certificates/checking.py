"""Check certificates from scratch, without a solver.

The trusted code is this file, `formula` with its encoder, the checkers in `proofs`, and
`rules.violations`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import version
from time import monotonic
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, FormulaBuilder, comments
from binairo_cp.certificates.proofs import (
    check_drat_proof,
    check_lrat_proof,
    parse_clauses,
    without_lrat_hints,
)
from binairo_cp.certificates.record import Claim, FormulaRecord, Manifest
from binairo_cp.errors import BinairoError, BudgetExceeded, CertificateError, ProofError
from binairo_cp.formats.results import CheckerRecord
from binairo_cp.formats.validation import first_error
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.html import Brief, Sentences
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.encodings import dimacs

OWN = "own"
"""The name of this checker, beside `acl2`."""

_MAX_EXCERPT = 60
_HEAD = b"p cnf"
MORE_VARIABLES = 2
"""How many times more variables a proof may have than its formula: solvers add some."""


_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, repr=False)
class CheckedCertificate(Brief, Sentences):
    """A valid certificate.

    Attributes:
        claim: The claim that it proves.
        id: The id of the puzzle, if it has one.
        puzzle: The puzzle.
        solutions: The solutions in the certificate: none, one or two.
        findings: What was checked, in words, by the part of the certificate.
        checkers: The checkers that accept the proof; none if the claim needs no proof.
        conflict: For the claim `none`, a board with the clues that contradict each other, if the
            certificate names them. Without any one of them, there is a solution for the others.
    """

    claim: Claim
    id: str | None
    puzzle: Puzzle
    solutions: tuple[Board, ...]
    findings: dict[str, str] = field(hash=False)
    checkers: tuple[CheckerRecord, ...] = ()
    conflict: Board | None = None

    def __str__(self) -> str:
        return f"valid: {IN_WORDS[self.claim.value]}"

    def to_dict(self) -> dict[str, Any]:
        """The fields of the verification record, except the path of the certificate."""
        name = {"id": self.id} if self.id else {}
        checkers = [checker.to_dict() for checker in self.checkers]
        return {
            "valid": True,
            "claim": self.claim.value,
            **name,
            **{key: value for key, value in self.puzzle.to_dict().items() if key != "signs"},
            "solutions": [board.cells for board in self.solutions],
            **({"conflict": self.conflict.cells} if self.conflict else {}),
            "findings": self.findings,
            **({"checkers": checkers} if checkers else {}),
        }


IN_WORDS = {
    "unique": "exactly one solution",
    "multiple": "several solutions",
    "none": "no solution",
}
"""What a certificate claims, in words."""


def check(files: Files, seconds: float | None = None) -> CheckedCertificate:
    """Check a certificate.

    Args:
        files: The files, as returned by `container.read`.
        seconds: Time limit for checking the proof; None for no limit.

    Raises:
        CertificateError: The certificate is invalid.
        BudgetExceeded: The time ran out.
    """
    end = None if seconds is None else monotonic() + seconds
    findings: dict[str, str] = {}
    manifest = _manifest(files)
    findings["files"] = _checked_hashes(files, manifest)
    id, puzzle = puzzle_of(files)
    solutions = _solutions(files, manifest.claim, puzzle, lambda: _left(end))
    if solutions:
        findings["solutions"] = f"{len(solutions):,} checked against the rules and the clues"
    conflict = _conflict(files, manifest, puzzle, lambda: _left(end))
    if conflict:
        clues = "1 clue" if conflict.clue_count == 1 else f"{conflict.clue_count} clues"
        findings["conflict"] = f"{clues}; without any one of them, there is a solution"
    checkers: tuple[CheckerRecord, ...] = ()
    if manifest.formula:
        solution = solutions[0] if solutions else None
        stated = replace(puzzle, board=conflict or puzzle.board)
        formula = _formula(files[record.FORMULA], stated, solution, manifest.formula, end)
        findings["formula"] = f"{len(formula.clauses):,} clauses, as derived from the puzzle"
        findings |= _checked_proofs(files, formula, end)
        checkers = (CheckerRecord(name=OWN, version=version("binairo-cp"), accepts=True),)
    return CheckedCertificate(manifest.claim, id, puzzle, solutions, findings, checkers, conflict)


def _validated(model: type[_Model], name: str, files: Files) -> _Model:
    if name not in files:
        raise CertificateError(f"{name} is missing")
    try:
        json.loads(files[name], object_pairs_hook=_reject_repeated_keys)
        return model.model_validate_json(files[name])
    except ValidationError as error:
        message = ": ".join(filter(None, first_error(error)))
        raise CertificateError(f"{name}: {message}") from error
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"{name}: {error}") from error


def _reject_repeated_keys(pairs: list[tuple[str, object]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a key occurs twice")


def _manifest(files: Files) -> Manifest:
    manifest = _validated(Manifest, record.MANIFEST, files)
    needed, allowed = manifest.claim.files
    if missing := needed - manifest.files.keys():
        raise CertificateError(f"the claim {manifest.claim} needs {min(missing)}")
    if others := manifest.files.keys() - needed - allowed:
        raise CertificateError(f"the claim {manifest.claim} does not allow {min(others)}")
    if (manifest.formula is not None) != (record.FORMULA in needed):
        expected = "needs" if record.FORMULA in needed else "does not allow"
        raise CertificateError(
            f"{record.MANIFEST}: formula: the claim {manifest.claim} {expected} this field"
        )
    return manifest


def _checked_hashes(files: Files, manifest: Manifest) -> str:
    names = files.keys() - {record.MANIFEST}
    if names != manifest.files.keys():
        unmatched = min(names ^ manifest.files.keys())
        where = "the manifest" if unmatched in names else "the certificate"
        raise CertificateError(f"{unmatched} is not in {where}")
    for name, expected in manifest.files.items():
        if len(files[name]) != expected.bytes:
            raise CertificateError(f"{name} has {len(files[name])} bytes, not {expected.bytes}")
        if sha256(files[name]).hexdigest() != expected.sha256:
            raise CertificateError(f"{name} does not match its SHA-256 hash in the manifest")
    return f"{len(names)} match the manifest"


def puzzle_of(files: Files) -> tuple[str | None, Puzzle]:
    """Return the id and the puzzle of a certificate.

    Raises:
        CertificateError: The puzzle is missing or invalid.
    """
    stated = _validated(record.CertifiedPuzzle, record.PUZZLE, files)
    if "distinct_lines" in stated.model_fields_set:
        raise CertificateError(f"{record.PUZZLE}: distinct_lines: expected this among the rules")
    try:
        puzzle = Puzzle(stated.board(), stated.stated_rules(), stated.sign_values())
    except BinairoError as error:
        raise CertificateError(f"{record.PUZZLE}: {error}") from error
    return stated.id, puzzle


def _formula(
    data: bytes, puzzle: Puzzle, blocked: Board | None, stated: FormulaRecord, end: float | None
) -> Formula:
    """Derive the clauses from the puzzle, and check that the file has the same.

    The clauses are compared one by one, so that no more are generated than the file has.
    """
    # Older certificates have all variables of the cells in one line.
    is_older = re.search(rb"^c p show(?: \d+){%d}" % (dimacs.SHOWN + 2), data, re.MULTILINE)
    shown = len(puzzle.board.cells) if is_older else dimacs.SHOWN
    place = 0

    def compare(line: bytes) -> None:
        nonlocal place
        if not data.startswith(line, place):
            raise CertificateError(_difference(data, place, line))
        place += len(line)

    for line in comments(puzzle, blocked, shown).splitlines(keepends=True):
        compare(line)
    begin = place
    compare(_HEAD)
    place = header = data.find(b"\n", begin) + 1 or len(data)
    formula = FormulaBuilder(
        puzzle,
        blocked,
        stated.distinct_lines,
        lambda clause: compare(dimacs.line(clause).encode()),
        lambda: _left(end),
    ).formula
    if data[begin:header] != formula.head:
        raise CertificateError(_difference(data, begin, formula.head))
    if place != len(data):
        raise CertificateError(_difference(data, place, b""))
    # The text is the same, so it need not be generated again.
    formula.lines = data[header:]
    return formula


def _difference(data: bytes, place: int, expected: bytes) -> str:
    """Describe how a formula differs from the expected text at a place."""
    number = data.count(b"\n", 0, place) + 1
    line = f"{record.FORMULA}, line {number}"
    if place >= len(data):
        return f"{line}: the file ends too early; expected {_excerpt(expected)}"
    actual = _excerpt(data[place : place + _MAX_EXCERPT].partition(b"\n")[0])
    return f"{line}: {actual}; expected {_excerpt(expected) if expected else 'the end of the file'}"


def _excerpt(text: bytes) -> str:
    return repr(text[:_MAX_EXCERPT].decode(errors="replace").rstrip("\n"))


def _checked_proofs(files: Files, formula: Formula, end: float | None) -> dict[str, str]:
    """Check that the proofs, in DRAT and perhaps in LRAT, refute a formula."""

    def check_drat(proof: bytes) -> int:
        clauses = parse_clauses(formula.lines, record.FORMULA, formula.top)
        lines = parse_clauses(proof, record.DRAT, MORE_VARIABLES * clauses.top)
        return check_drat_proof(clauses, lines, _left(end)).lines

    def check_lrat(proof: bytes) -> int:
        return check_lrat_proof(formula.clauses, proof, lambda: _left(end))

    findings = {}
    checkers = {record.DRAT: check_drat, record.LRAT: check_lrat}
    proofs = {name: container.unpacked(name, files[name]) for name in checkers if name in files}
    for name, proof in proofs.items():
        try:
            lines = checkers[name](proof)
        except ProofError as error:
            message = str(error).removeprefix(f"{name}, ")
            raise CertificateError(f"{name}: {message}") from error
        findings[name] = f"{lines:,} line{'s refute' if lines != 1 else ' refutes'} the formula"
    if record.LRAT in proofs and proofs[record.DRAT] != without_lrat_hints(proofs[record.LRAT]):
        raise CertificateError(f"{record.DRAT}: expected the clauses of {record.LRAT}")
    return findings


def _left(end: float | None) -> float | None:
    if end is not None and monotonic() >= end:
        raise BudgetExceeded("time")
    return None if end is None else end - monotonic()


def _solutions(
    files: Files, claim: Claim, puzzle: Puzzle, check_clock: Callable[[], object]
) -> tuple[Board, ...]:
    """The solutions in a certificate, which must be different ones of the puzzle."""
    found = []
    for name in claim.solution_files:
        check_clock()
        found.append(_solution(name, _text(files, name), puzzle, is_line=False))
    if len(set(found)) < len(found):
        raise CertificateError("two solutions are the same")
    return tuple(found)


def _conflict(
    files: Files, manifest: Manifest, puzzle: Puzzle, check_clock: Callable[[], object]
) -> Board | None:
    """Check and return the clues that contradict each other, if the certificate names them.

    For each of them, a board satisfies the rules, the signs and the other ones. That they
    contradict each other is what the proof shows.
    """
    if manifest.conflict is None:
        if record.WITHOUT_CLUE in files:
            raise CertificateError(f"{record.MANIFEST}: conflict: expected the clues in conflict")
        return None
    if manifest.claim is not Claim.NONE:
        raise CertificateError(
            f"{record.MANIFEST}: conflict: the claim {manifest.claim} does not allow this field"
        )
    stated = _some_clues(puzzle, manifest.conflict)
    if record.WITHOUT_CLUE not in files:
        raise CertificateError(f"{record.WITHOUT_CLUE} is missing")
    lines = list(_lines(files, record.WITHOUT_CLUE))
    if len(lines) != stated.clue_count:
        raise CertificateError(
            f"{record.WITHOUT_CLUE} has {len(lines)} lines for {stated.clue_count} clues"
        )
    for (clue, _), (place, text) in zip(stated.clues(), lines, strict=True):
        check_clock()
        others = replace(puzzle, board=stated.with_cell(clue, "."))
        _solution(place, text, others, is_line=True)
    return stated


def _some_clues(puzzle: Puzzle, cells: str) -> Board:
    """The board in the manifest with some of the clues of a puzzle."""
    where = f"{record.MANIFEST}: conflict"
    try:
        board = replace(puzzle.board, cells=cells)
    except BinairoError as error:
        raise CertificateError(f"{where}: {error}") from error
    for clue, value in board.clues():
        if puzzle.board[clue] != value:
            raise CertificateError(f"{where}: {clue} is {value}, which is no clue of the puzzle")
    return board


def _text(files: Files, name: str) -> str:
    return files[name].decode("ascii", errors="replace")


def _lines(files: Files, name: str) -> Iterator[tuple[str, str]]:
    """The lines of a file, with their places for messages."""
    lines = _text(files, name).split("\n")
    if lines.pop():
        raise CertificateError(f"{name}: the last line does not end")
    for number, line in enumerate(lines, 1):
        yield f"{name}, line {number}", line


def _solution(where: str, text: str, puzzle: Puzzle, *, is_line: bool) -> Board:
    """The board in a text, if it is a solution."""
    size = puzzle.board.height, puzzle.board.width
    try:
        board = Board(*size, text) if is_line else Board.from_rows(text.split())
        broken = violations(puzzle, board)
    except BinairoError as error:
        raise CertificateError(f"{where} is not a solution: {error}") from error
    if not board.is_full:
        raise CertificateError(f"{where} is not a solution: it has open cells")
    if broken:
        fault = f"it breaks {broken[0].rule}: {broken[0]}"
        raise CertificateError(f"{where} is not a solution: {fault}")
    return board
