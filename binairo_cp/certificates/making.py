"""Create certificates: let a solver prove that there is no other solution, and check the proof.

A certificate of a count lists all solutions. A certificate of no solution states only clues that
contradict each other, with a solution of the others for each of them, if such clues are found. A
certificate of a minimum has a second formula and proof: fewer clues are not enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import version

from binairo_cp.certificates import checking, container, minima, proof_solvers, record
from binairo_cp.certificates.checking import CheckedCertificate
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, FormulaBuilder
from binairo_cp.certificates.proofs import drat, lrat, text
from binairo_cp.certificates.record import Claim, FileRecord, FormulaRecord, Manifest
from binairo_cp.errors import BackendError, BudgetExceeded, CertificateError
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.fewest import Among, fewest_clues
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.minimal_conflicts import find_contradiction
from binairo_cp.solving.solutions import Outcome

MAX_SOLUTIONS = 50_000
"""Maximum number of solutions in a certificate. The proof for 40,000 takes a minute to check.

Boards larger than 9x9 may have fewer, since their file is limited too.
"""


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a certificate states, without the proofs.

    Attributes:
        claim: the claim.
        puzzle: the puzzle with the clues that the formula states.
        boards: the solutions that the formula excludes.
        files: the boards, as files.
        fields: further fields of the manifest.
    """

    claim: Claim
    puzzle: Puzzle
    boards: tuple[Board, ...]
    files: Files
    fields: dict[str, str] = field(default_factory=dict)


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
    try:
        claim = Claim(outcome.verdict.value)
    except ValueError:
        raise CertificateError("the verdict is unknown, so there is nothing to certify") from None
    if fewest and claim is Claim.UNIQUE and outcome.solution:
        puzzle = replace(puzzle, board=outcome.solution) if fewest == "all cells" else puzzle
        statement = _fewest_clues(puzzle, outcome.solution, meter)
    elif fewest:
        raise CertificateError("only a puzzle with exactly one solution has a minimum of clues")
    elif count and claim is Claim.MULTIPLE:
        statement = _count(puzzle, meter)
    else:
        statement = _verdict(claim, puzzle, outcome.solutions, meter)
    files: Files = {record.PUZZLE: record.puzzle_text(puzzle, id)} | statement.files
    formula_record, solver_name = None, None
    if statement.claim is not Claim.MULTIPLE:
        proof_files, formula_record = _refuted(statement.puzzle, statement.boards, solver, meter)
        files |= proof_files
        solver_name = proof_solvers.described(solver)
    if statement.claim is Claim.FEWEST:
        files |= _refuted_fewer(puzzle, statement, solver, meter)
    files[record.MANIFEST] = _manifest(statement, files, formula_record, solver_name)
    # Never return a certificate that does not pass the check.
    return files, checking.check(files, meter.seconds_left)


def _verdict(claim: Claim, puzzle: Puzzle, boards: tuple[Board, ...], meter: Meter) -> _Statement:
    if claim is Claim.NONE and (found := _find_conflict(puzzle, meter)):
        conflict, without = found
        stated = replace(puzzle, board=conflict)
        files = {record.WITHOUT_CLUE: _lines(without)}
        return _Statement(claim, stated, (), files, {"conflict": conflict.cells})
    files = {
        name: "".join(f"{row}\n" for row in board.rows).encode()
        for name, board in zip(claim.solution_files, boards, strict=True)
    }
    return _Statement(claim, puzzle, boards, files)


def _count(puzzle: Puzzle, meter: Meter) -> _Statement:
    boards = _all_solutions(puzzle, meter)
    return _Statement(Claim.COUNT, puzzle, boards, {record.SOLUTIONS: _lines(boards)})


def _fewest_clues(puzzle: Puzzle, solution: Board, meter: Meter) -> _Statement:
    """State the smallest number of clues, with other solutions that show that fewer are too few.

    Raises:
        CertificateError: The minimum is zero, or was not found in the budget.
        BudgetExceeded: The time ran out.
    """
    found = fewest_clues(puzzle, solution, budget=Budget(meter.seconds_left))
    if found.stopped_by == "time":
        raise BudgetExceeded("time")
    if not found.proved:
        raise CertificateError(
            f"the minimum was not found: it is between {found.at_least} and {found.at_most} clues"
        )
    if not found.at_most:
        raise CertificateError("the puzzle is unique without clues, so there is no fewer number")
    others = [
        _other_solution(puzzle, solution, difference, meter) for difference in found.differences
    ]
    files = {
        record.SOLUTION: "".join(f"{row}\n" for row in solution.rows).encode(),
        record.OTHERS: _lines(others),
    }
    fields = {"fewest": found.puzzle.board.cells}
    return _Statement(Claim.FEWEST, found.puzzle, (solution,), files, fields)


def _other_solution(
    puzzle: Puzzle, solution: Board, difference: frozenset[int], meter: Meter
) -> Board:
    """Another solution of the rules and signs, which agrees with all clues outside a set."""
    values = enumerate(puzzle.board.cells)
    cells = "".join(OPEN if place in difference else value for place, value in values)
    rest = replace(puzzle, board=replace(puzzle.board, cells=cells))
    outcome = solutions.check(rest, time_limit=meter.seconds_left, reasons="none")
    for board in outcome.solutions:
        if board != solution:
            return board
    raise BudgetExceeded("time")


def _refuted_fewer(puzzle: Puzzle, statement: _Statement, solver: str, meter: Meter) -> Files:
    """The proof that fewer clues than those of the statement are not enough."""
    lines = statement.files[record.OTHERS].decode().split()
    others = [replace(puzzle.board, cells=line) for line in lines]
    most = statement.puzzle.board.clue_count - 1
    fewer = minima.formula(puzzle, others, most)
    proof = proof_solvers.refute(solver, fewer, 0, meter)
    if not isinstance(proof, bytes):
        raise BackendError(f"{solver} finds that {most} clues may be enough")
    names = (record.FEWER_DRAT, record.FEWER_LRAT)
    text = minima.comments(len(others), most) + fewer.head + fewer.lines
    return {record.FEWER_FORMULA: text} | _proofs(fewer, proof, meter, names)


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
    statement: _Statement, files: Files, formula: FormulaRecord | None, solver: str | None
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
        return {drat_name: container.packed(proof)}
    files = {drat_name: "".join(drat.trimmed(lines, reasons)).encode()}
    hinted = "".join(lrat.write(len(clauses), lines, reasons)).encode()
    longest = max(map(len, hinted.splitlines()))
    if len(hinted) <= container.MAX_UNPACKED[lrat_name] and longest < lrat.MAX_LINE_BYTES:
        files[lrat_name] = hinted
    return {name: container.packed(data) for name, data in files.items()}
