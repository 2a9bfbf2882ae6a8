"""How a certificate is made: solve, let a solver prove that there is no other, check the proof."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version

from binairo_cp.certificates import checking, container, proof_solvers, record
from binairo_cp.certificates.checking import Checked
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, Maker
from binairo_cp.certificates.proofs import drat, lrat, text
from binairo_cp.certificates.record import Claim, FileRecord, FormulaRecord, Manifest
from binairo_cp.errors import BackendError, CertificateError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Outcome


def certify(
    puzzle: Puzzle,
    outcome: Outcome,
    *,
    id: str | None = None,
    solver: str = proof_solvers.DEFAULT_SOLVER,
    seconds: float | None = None,
) -> tuple[Files, Checked]:
    """The certificate of what is known of a puzzle, and what checking it found.

    Args:
        puzzle: the puzzle.
        outcome: what `solutions.check` said of it.
        id: its name.
        solver: who makes the proof, as `proving.check_solver` allows.
        seconds: how long it may take; None for no bound.

    Raises:
        CertificateError: nothing is known, or what was made does not hold when it is checked.
        BackendError: the solver failed, or says that the outcome is wrong.
        BudgetExceeded: the time ran out.
    """
    meter = Meter(Budget(seconds))
    try:
        claim = Claim(outcome.verdict.value)
    except ValueError:
        raise CertificateError("nothing is known that could be certified") from None
    files: Files = {record.PUZZLE: record.puzzle_text(puzzle, id)}
    for name, board in zip(
        (record.SOLUTION, record.SECOND_SOLUTION), outcome.solutions, strict=False
    ):
        files[name] = "".join(f"{row}\n" for row in board.rows).encode()
    told, by = None, None
    if claim is not Claim.MULTIPLE:
        made, told = _refuted(puzzle, outcome.solution, solver, meter)
        files |= made
        by = proof_solvers.described(solver)
    files[record.MANIFEST] = _manifest(claim, files, told, by)
    # What does not pass the own check is not given away.
    return files, checking.check(files, meter.seconds_left)


def _manifest(claim: Claim, files: Files, told: FormulaRecord | None, solver: str | None) -> bytes:
    manifest = Manifest(
        schema_version=record.CERTIFICATE_VERSION,
        claim=claim,
        files={
            name: FileRecord(sha256=sha256(data).hexdigest(), bytes=len(data))
            for name, data in files.items()
        },
        formula=told,
        solver=solver,
        made_by=f"binairo_cp {version('binairo-cp')}",
    )
    return f"{manifest.model_dump_json(indent=1, exclude_none=True)}\n".encode()


def _refuted(
    puzzle: Puzzle, blocked: Board | None, solver: str, meter: Meter
) -> tuple[Files, FormulaRecord]:
    """The formula with its proof, and how it was made.

    Lines are made to differ where a model has them the same, until there is no model.
    """
    maker = Maker(puzzle, blocked, check_clock=meter.check_clock)
    while True:
        formula = maker.formula
        answer = proof_solvers.refute(solver, formula, len(puzzle.board.cells), meter)
        if isinstance(answer, bytes):
            break
        board = replace(puzzle.board, cells="".join("01"[value > 0] for value in answer))
        if not maker.add_repeated(board):
            raise BackendError(f"{solver} gave this instead of a proof:\n{board}\nof\n{puzzle}")
    files = {record.FORMULA: maker.text}
    files |= _proofs(formula, answer, meter)
    return files, maker.record


def _proofs(formula: Formula, proof: bytes, meter: Meter) -> Files:
    """A proof without what it does not need, as DRAT and as LRAT."""
    clauses = text.parse(formula.lines, record.FORMULA, formula.top)
    if b"\n0\n" not in b"\n" + proof:
        # A solver that needs no search may not say so; whether it needs none is checked below.
        proof += b"0\n"
    lines = text.parse(proof, "the solver's proof", checking.MORE_VARIABLES * formula.top)
    checked = drat.check(clauses, lines, meter.seconds_left, hints=True)
    reasons = checked.reasons()
    if reasons is None:
        # It rests on more than can be told apart, so it stays as it is.
        return {record.DRAT: container.packed(proof)}
    files = {record.DRAT: "".join(drat.trimmed(lines, reasons)).encode()}
    hinted = "".join(lrat.write(len(clauses), lines, reasons)).encode()
    longest = max(map(len, hinted.splitlines()))
    if len(hinted) <= container.MAX_UNPACKED[record.LRAT] and longest < lrat.MAX_LINE_BYTES:
        files[record.LRAT] = hinted
    return {name: container.packed(data) for name, data in files.items()}
