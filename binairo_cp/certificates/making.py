"""Create and store certificates: a solver proves that there is no other solution.

A certificate of no solution states only clues that contradict each other, with a solution of the
others for each of them, if such clues are found. Proofs come from the solvers of PySAT.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from binairo_cp.certificates import checking, container, proofs, record
from binairo_cp.certificates.checking import CheckedCertificate
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import Formula, FormulaBuilder
from binairo_cp.certificates.record import Claim, FileRecord, FormulaRecord, Manifest
from binairo_cp.errors import (
    BackendError,
    BackendNameError,
    BinairoError,
    BudgetExceeded,
    CertificateError,
    SourceError,
)
from binairo_cp.formats.output_files import file_name
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.clues import with_only
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.minimal_conflicts import find_conflict
from binairo_cp.solving.solutions import Outcome, Verdict

DEFAULT_SOLVER = "glucose4"


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a certificate states, without the proof."""

    claim: Claim
    stated: Puzzle  # with only the clues that the formula states
    files: Files  # those with solutions
    fields: dict[str, str] = field(default_factory=dict)  # further ones of the manifest


def certify(
    puzzle: Puzzle,
    outcome: Outcome,
    *,
    id: str | None = None,
    solver: str = DEFAULT_SOLVER,
    seconds: float | None = None,
) -> tuple[Files, CheckedCertificate]:
    """Create and check the certificate of an outcome.

    Args:
        puzzle: The puzzle.
        outcome: The result of `solutions.check` for it.
        id: The id of the puzzle.
        solver: The solver that writes the proof, as in `check_solver`.
        seconds: Time limit; None for no limit.

    Returns:
        The files of the certificate, and the result of checking it.

    Raises:
        CertificateError: The verdict is unknown, or the certificate does not pass the check.
        BackendError: The solver failed, or disagrees with the outcome.
        BudgetExceeded: The time ran out.
    """
    meter = Meter(Budget(seconds))
    if outcome.verdict is Verdict.UNKNOWN:
        raise CertificateError("the verdict is unknown, so there is nothing to certify")
    statement = _stated(puzzle, outcome, meter)
    files: Files = {record.PUZZLE: record.puzzle_text(puzzle, id)} | statement.files
    formula_record, solver_name = None, None
    if statement.claim is not Claim.MULTIPLE:
        proof_files, formula_record = _refuted(statement.stated, outcome.solution, solver, meter)
        files |= proof_files
        solver_name = f"{solver} of python-sat {version('python-sat')}"
    files[record.MANIFEST] = _manifest(statement, files, formula_record, solver_name)
    # Never return a certificate that does not pass the check.
    return files, checking.check(files, meter.seconds_left)


def _stated(puzzle: Puzzle, outcome: Outcome, meter: Meter) -> _Statement:
    claim = Claim(outcome.verdict.value)
    if claim is Claim.NONE and (found := _find_conflict(puzzle, meter)):
        stated, without = found
        files = {record.WITHOUT_CLUE: _text(board.cells for board in without)}
        return _Statement(claim, stated, files, {"conflict": stated.board.cells})
    boards = zip(claim.solution_files, outcome.solutions, strict=True)
    return _Statement(claim, puzzle, {name: _text(board.rows) for name, board in boards})


def _find_conflict(puzzle: Puzzle, meter: Meter) -> tuple[Puzzle, list[Board]] | None:
    """The puzzle with clues that contradict each other, none of which can be left out, and for each
    of them a solution for the others. None if there are no such clues, if they were not found in
    the budget, or if the solutions take too much room.
    """
    board = puzzle.board
    found = find_conflict(puzzle, Budget(meter.seconds_left), smallest=False)
    if isinstance(found, Board) or not found.irreducible:
        return None
    if len(found.clues) * len(board.cells) > container.MAX_BYTES[record.WITHOUT_CLUE] // 2:
        return None
    stated = with_only(puzzle, map(board.place, found.clues), board)
    without = []
    for clue in found.clues:
        others = replace(stated, board=stated.board.with_cell(clue, "."))
        outcome = solutions.solve(others, time_limit=meter.seconds_left)
        if outcome.solution is None:
            raise BudgetExceeded("time")
        without.append(outcome.solution)
    return stated, without


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


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
    puzzle: Puzzle, blocked: Board | None, solver: str, meter: Meter
) -> tuple[Files, FormulaRecord]:
    """Create the formula and its proof; return the files and how the formula was generated.

    Clauses of distinct lines are added lazily: for lines that are equal in a model, until there is
    no model.
    """
    # Imported here and below because it loads the solvers.
    from binairo_cp.solving.backends.engines import refute

    builder = FormulaBuilder(puzzle, blocked, check_clock=meter.check_clock)
    size = len(puzzle.board.cells)
    while True:
        formula = builder.formula
        answer = refute(solver, formula.clauses, meter)
        if isinstance(answer, bytes):
            break
        # The model ends before the last cells if they occur in no clause.
        cells = "".join("01"[value > 0] for value in answer[:size]).ljust(size, "0")
        board = replace(puzzle.board, cells=cells)
        if not builder.add_repeated(board):
            raise BackendError(
                f"{solver} found this solution instead of a proof:\n{board}\nPuzzle:\n{puzzle}"
            )
    files = {record.FORMULA: builder.text}
    files |= _proofs(formula, answer, meter)
    return files, builder.record


def _proofs(formula: Formula, proof: bytes, meter: Meter) -> Files:
    """Trim a proof to the lines that it needs, and write it as DRAT and LRAT."""
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
        return {record.DRAT: container.packed(proof)}
    files = {record.DRAT: "".join(proofs.trimmed_lines(lines, reasons)).encode()}
    hinted = "".join(proofs.lrat_lines(len(clauses), lines, reasons)).encode()
    longest = max(map(len, hinted.splitlines()))
    if len(hinted) <= container.MAX_UNPACKED[record.LRAT] and longest < proofs.MAX_LINE_BYTES:
        files[record.LRAT] = hinted
    return {name: container.packed(data) for name, data in files.items()}


@dataclass(frozen=True, slots=True)
class Store:
    """Where to store certificates, and how to create them.

    Attributes:
        out: The path of a zip or a folder.
        solver: The solver that writes the proofs.
        single: Whether `out` is the certificate itself, not a folder of certificates.
    """

    out: str
    solver: str = DEFAULT_SOLVER
    single: bool = False

    @property
    def may_be_single(self) -> bool:
        """Whether `out` can be the certificate of a single puzzle, and is not a folder for many."""
        path = Path(self.out)
        is_folder = path.is_dir() and not (path / record.MANIFEST).exists()
        return not (self.out.endswith("/") or is_folder)

    def add(self, puzzle: Puzzle, outcome: Outcome, id: str, seconds: float | None) -> str:
        """Create and store the certificate of an outcome.

        Returns:
            The path of the certificate.

        Raises:
            CertificateError, BackendError, BudgetExceeded: As for `certify`.
            SourceError: The certificate can't be written.
        """
        files, _ = certify(puzzle, outcome, id=id or None, solver=self.solver, seconds=seconds)
        path = Path(self.out)
        if self.single:
            container.write(files, path)
            return str(path)
        return str(_put(files, puzzle, path, file_name(id)))


def _put(files: Files, puzzle: Puzzle, folder: Path, name: str) -> Path:
    """Write a zip; if another puzzle has the name, append a hash of the puzzle to it."""
    path = folder / f"{name}.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Exclusive creation reserves the name, since other processes choose names too.
            path.open("xb").close()
        except FileExistsError:
            if not _is_of(path, puzzle):
                mark = sha256(files[record.PUZZLE]).hexdigest()[:8]
                path = folder / f"{name}-{mark}.zip"
    except OSError as error:
        raise SourceError(str(path), f"can't be written: {error.strerror or error}") from error
    container.write(files, path)
    return path


def _is_of(path: Path, puzzle: Puzzle) -> bool:
    with suppress(BinairoError):
        _, other = checking.puzzle_of(container.read(path))
        return other == puzzle
    return False


def check_solver(solver: str) -> None:
    """Check that a solver can write proofs.

    Raises:
        BackendNameError: The solver can't write proofs.
    """
    from binairo_cp.solving.backends.engines import PROOF_SOLVERS

    if solver not in PROOF_SOLVERS:
        raise BackendNameError(
            f"{solver!r} can't write proofs; expected one of {', '.join(PROOF_SOLVERS)}"
        )
