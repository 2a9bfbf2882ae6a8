"""Create certificates: let a solver prove that there is no other solution, and check the proof.

A certificate of a count lists all solutions. A certificate of no solution states only clues that
contradict each other, with a solution of the others for each of them, if such clues are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version

from binairo_cp.certificates import checking, container, proof_solvers, record
from binairo_cp.certificates.checking import CheckedCertificate
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, FormulaBuilder
from binairo_cp.certificates.proofs import drat, lrat, text
from binairo_cp.certificates.record import Claim, FileRecord, FormulaRecord, Manifest
from binairo_cp.errors import BackendError, BudgetExceeded, CertificateError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.minimal_conflicts import find_contradiction
from binairo_cp.solving.solutions import Outcome

MAX_SOLUTIONS = 50_000
"""Maximum number of solutions in a certificate. The proof for 40,000 takes a minute to check.

Boards larger than 9x9 may have fewer, since their file is limited too.
"""


def certify(
    puzzle: Puzzle,
    outcome: Outcome,
    *,
    id: str | None = None,
    solver: str = proof_solvers.DEFAULT_SOLVER,
    seconds: float | None = None,
    count: bool = False,
) -> tuple[Files, CheckedCertificate]:
    """Create and check the certificate of an outcome.

    Args:
        puzzle: The puzzle.
        outcome: The result of `solutions.check` for it.
        id: The id of the puzzle.
        solver: The solver that writes the proof, as in `proof_solvers.check_solver`.
        seconds: Time limit; None for no limit.
        count: If there are several solutions, list all of them and prove that there is no other.

    Returns:
        The files of the certificate, and the result of checking it.

    Raises:
        CertificateError: The verdict is unknown, there are too many solutions to list, or the
            certificate does not pass the check.
        BackendError: The solver failed, or disagrees with the outcome.
        BudgetExceeded: The time ran out.
    """
    meter = Meter(Budget(seconds))
    try:
        claim = Claim(outcome.verdict.value)
    except ValueError:
        raise CertificateError("the verdict is unknown, so there is nothing to certify") from None
    files: Files = {record.PUZZLE: record.puzzle_text(puzzle, id)}
    boards, stated, conflict = outcome.solutions, puzzle, None
    if claim is Claim.MULTIPLE and count:
        claim, boards = Claim.COUNT, _all_solutions(puzzle, meter)
        files[record.SOLUTIONS] = _lines(boards)
    elif claim is Claim.NONE:
        found = _find_conflict(puzzle, meter)
        if found:
            conflict, without = found
            stated = replace(puzzle, board=conflict)
            files[record.WITHOUT_CLUE] = _lines(without)
    else:
        for name, board in zip(claim.solution_files, boards, strict=True):
            files[name] = "".join(f"{row}\n" for row in board.rows).encode()
    formula_record, solver_name = None, None
    if claim is not Claim.MULTIPLE:
        proof_files, formula_record = _refuted(stated, boards, solver, meter)
        files |= proof_files
        solver_name = proof_solvers.described(solver)
    files[record.MANIFEST] = _manifest(claim, files, formula_record, conflict, solver_name)
    # Never return a certificate that does not pass the check.
    return files, checking.check(files, meter.seconds_left)


def _lines(boards: Iterable[Board]) -> bytes:
    """Boards as a file, one per line."""
    return "".join(f"{board.cells}\n" for board in boards).encode()


def _all_solutions(puzzle: Puzzle, meter: Meter) -> tuple[Board, ...]:
    """All solutions, in the order of their cells.

    Raises:
        CertificateError: There are too many.
    """
    line_bytes = len(puzzle.board.cells) + 1
    most = min(MAX_SOLUTIONS, container.MAX_BYTES[record.SOLUTIONS] // line_bytes)
    found = solutions.enumerate_solutions(puzzle, limit=most + 1, time_limit=meter.seconds_left)
    boards = sorted(found, key=lambda board: board.cells)
    if len(boards) > most:
        raise CertificateError(
            f"the puzzle has more than {most:,} solutions; expected at most {most:,} "
            "for a certificate of their number"
        )
    return tuple(boards)


def _find_conflict(puzzle: Puzzle, meter: Meter) -> tuple[Board, list[Board]] | None:
    """Find clues that contradict each other, none of which can be left out.

    Returns:
        A board with these clues, and for each of them a solution for the others. None if there are
        no such clues, if they were not found in the budget, or if the solutions take too much room.

    Raises:
        BudgetExceeded: The time ran out.
    """
    board = puzzle.board
    found = find_contradiction(puzzle, Budget(meter.seconds_left), smallest=False)
    if isinstance(found, Board) or not found.irreducible:
        return None
    if len(found.clues) * len(board.cells) > container.MAX_BYTES[record.WITHOUT_CLUE] // 2:
        return None
    kept = set(found.clues)
    cells = (
        board[cell] if cell in kept else "." for cell in map(board.cell, range(len(board.cells)))
    )
    conflict = replace(board, cells="".join(cells))
    without = []
    for clue in found.clues:
        others = replace(puzzle, board=conflict.with_cell(clue, "."))
        outcome = solutions.solve(others, time_limit=meter.seconds_left)
        if outcome.solution is None:
            raise BudgetExceeded("time")
        without.append(outcome.solution)
    return conflict, without


def _manifest(
    claim: Claim,
    files: Files,
    formula: FormulaRecord | None,
    conflict: Board | None,
    solver: str | None,
) -> bytes:
    manifest = Manifest(
        schema_version=record.CERTIFICATE_VERSION,
        claim=claim,
        files={
            name: FileRecord(sha256=sha256(data).hexdigest(), bytes=len(data))
            for name, data in files.items()
        },
        formula=formula,
        conflict=conflict.cells if conflict else None,
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


def _proofs(formula: Formula, proof: bytes, meter: Meter) -> Files:
    """Trim a proof to the lines that it needs, and write it as DRAT and LRAT."""
    clauses = text.parse(formula.lines, record.FORMULA, formula.top)
    if b"\n0\n" not in b"\n" + proof:
        # Solvers may omit the empty clause if they need no search. If it does not follow, the check
        # below fails.
        proof += b"0\n"
    lines = text.parse(proof, "the solver's proof", checking.MORE_VARIABLES * formula.top)
    checked = drat.check(clauses, lines, meter.seconds_left, hints=True)
    reasons = checked.reasons()
    if reasons is None:
        # The proof has RAT lines, which may depend on any clause, so it can't be trimmed.
        return {record.DRAT: container.packed(proof)}
    files = {record.DRAT: "".join(drat.trimmed(lines, reasons)).encode()}
    hinted = "".join(lrat.write(len(clauses), lines, reasons)).encode()
    longest = max(map(len, hinted.splitlines()))
    if len(hinted) <= container.MAX_UNPACKED[record.LRAT] and longest < lrat.MAX_LINE_BYTES:
        files[record.LRAT] = hinted
    return {name: container.packed(data) for name, data in files.items()}
