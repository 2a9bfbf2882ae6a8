"""Create certificates: let a solver prove that there is no other solution, and check the proof.

A certificate of a minimum has a second formula and proof: fewer clues are not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version

from binairo_cp.certificates import (
    checking,
    container,
    formula,
    proof_solvers,
    proofs,
    record,
    statements,
)
from binairo_cp.certificates.checking import CheckedCertificate
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, FormulaBuilder
from binairo_cp.certificates.record import Claim, FileRecord, FormulaRecord, Manifest
from binairo_cp.certificates.statements import Statement
from binairo_cp.errors import BackendError, CertificateError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.fewest import Among
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Outcome, Verdict


def certify(
    puzzle: Puzzle,
    outcome: Outcome,
    *,
    id: str | None = None,
    solver: str = proof_solvers.DEFAULT_SOLVER,
    seconds: float | None = None,
    count: bool = False,
    fewest: Among | None = None,
) -> tuple[Files, CheckedCertificate]:
    """Create and check the certificate of an outcome.

    Args:
        puzzle: The puzzle.
        outcome: The result of `solutions.check` for it.
        id: The id of the puzzle.
        solver: The solver that writes the proof, as in `proof_solvers.check_solver`.
        seconds: Time limit; None for no limit.
        count: If there are several solutions, list all of them and prove that there is no other.
        fewest: Certify how many of the clues, or of all cells of the solution, are needed.

    Returns:
        The files of the certificate, and the result of checking it.

    Raises:
        CertificateError: The verdict is unknown, there are too many solutions to list, the minimum
            can't be proved, or the certificate does not pass the check.
        BackendError: The solver failed, or disagrees with the outcome.
        BudgetExceeded: The time ran out.
    """
    meter = Meter(Budget(seconds))
    if outcome.verdict is Verdict.UNKNOWN:
        raise CertificateError("the verdict is unknown, so there is nothing to certify")
    if fewest:
        statement = statements.fewest_clues(puzzle, outcome, fewest, meter)
    elif count and outcome.verdict is Verdict.MULTIPLE:
        statement = statements.count(puzzle, meter)
    else:
        statement = statements.verdict(puzzle, outcome, meter)
    files: Files = {record.PUZZLE: record.puzzle_text(statement.puzzle, id)} | statement.files
    formula_record, solver_name = None, None
    if statement.claim is not Claim.MULTIPLE:
        proof_files, formula_record = _refuted(statement.stated, statement.boards, solver, meter)
        files |= proof_files
        solver_name = proof_solvers.described(solver)
    if statement.claim is Claim.FEWEST:
        files |= _refuted_fewer(statement, solver, meter)
    files[record.MANIFEST] = _manifest(statement, files, formula_record, solver_name)
    # Never return a certificate that does not pass the check.
    return files, checking.check(files, meter.seconds_left)


def _refuted_fewer(statement: Statement, solver: str, meter: Meter) -> Files:
    """The proof that fewer clues than those of the statement are not enough."""
    most = statement.stated.board.clue_count - 1
    fewer = formula.formula_of_minimum(statement.puzzle, statement.others, most)
    proof = proof_solvers.refute(solver, fewer, 0, meter)
    if not isinstance(proof, bytes):
        raise BackendError(f"{solver} finds that {most} clues may be enough")
    names = (record.FEWER_DRAT, record.FEWER_LRAT)
    text = formula.comments_of_minimum(len(statement.others), most) + fewer.head + fewer.lines
    return {record.FEWER_FORMULA: text} | _proofs(fewer, proof, meter, names)


def _manifest(
    statement: Statement, files: Files, formula: FormulaRecord | None, solver: str | None
) -> bytes:
    manifest = Manifest(
        schema_version=record.CERTIFICATE_VERSION,
        claim=statement.claim,
        files={
            name: FileRecord(sha256=sha256(data).hexdigest(), bytes=len(data))
            for name, data in files.items()
        },
        formula=formula,
        **statement.fields,
        solver=solver,
        made_by=f"binairo_cp {version('binairo-cp')}",
    )
    return f"{manifest.model_dump_json(indent=1, exclude_none=True)}\n".encode()


def _refuted(
    puzzle: Puzzle, blocked: Sequence[Board], solver: str, meter: Meter
) -> tuple[Files, FormulaRecord]:
    """Create the formula and its proof; return the files and how the formula was generated.

    Clauses of distinct lines are added lazily: for lines that are equal in a model, until there is
    no model.
    """
    builder = FormulaBuilder(puzzle, blocked, check_clock=meter.check_clock)
    while True:
        formula = builder.formula
        answer = proof_solvers.refute(solver, formula, len(puzzle.board.cells), meter)
        if isinstance(answer, bytes):
            break
        board = replace(puzzle.board, cells="".join("01"[value > 0] for value in answer))
        if not builder.add_repeated(board):
            raise BackendError(
                f"{solver} found this solution instead of a proof:\n{board}\nPuzzle:\n{puzzle}"
            )
    files = {record.FORMULA: builder.text}
    files |= _proofs(formula, answer, meter)
    return files, builder.record


def _proofs(
    formula: Formula,
    proof: bytes,
    meter: Meter,
    names: tuple[str, str] = (record.DRAT, record.LRAT),
) -> Files:
    """Trim a proof to the lines that it needs, and write it as DRAT and LRAT."""
    drat_name, lrat_name = names
    clauses = proofs.parse_clauses(formula.lines, record.FORMULA, formula.top)
    if b"\n0\n" not in b"\n" + proof:
        # Solvers may omit the empty clause if they need no search. If it does not follow, the check
        # below fails.
        proof += b"0\n"
    lines = proofs.parse_clauses(proof, "the solver's proof", checking.MORE_VARIABLES * formula.top)
    checked = proofs.check_drat_proof(clauses, lines, meter.seconds_left, hints=True)
    reasons = checked.reasons()
    if reasons is None:
        # The proof has RAT lines, which may depend on any clause, so it can't be trimmed.
        return {drat_name: container.packed(proof)}
    files = {drat_name: "".join(proofs.trimmed_lines(lines, reasons)).encode()}
    hinted = "".join(proofs.lrat_lines(len(clauses), lines, reasons)).encode()
    longest = max(map(len, hinted.splitlines()))
    if len(hinted) <= container.MAX_UNPACKED[lrat_name] and longest < proofs.MAX_LINE_BYTES:
        files[lrat_name] = hinted
    return {name: container.packed(data) for name, data in files.items()}
