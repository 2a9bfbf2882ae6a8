"""Make certificates of verdicts, and check them without a solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from binairo_cp.api.files import Name
from binairo_cp.errors import ArgumentError, BudgetExceeded
from binairo_cp.features.arguments import PuzzleLike, RulesLike, path_of, puzzle_of
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backends import Backend, Budget, Meter
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.certificates.checking import CheckedCertificate


def certify(
    puzzle: PuzzleLike,
    out: Name,
    *,
    rules: RulesLike | None = None,
    backend: str | Backend = backends.DEFAULT,
    count: bool = False,
    fewest: bool = False,
    all_cells: bool = False,
    solver: str = "glucose4",
    time_limit: float | None = None,
) -> CheckedCertificate:
    """Write a certificate that a puzzle has one solution, several or none.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> file = folder / "puzzle.zip"
    >>> print(bn.certify("..1. ...0 ..10 .0..", file))
    valid: exactly one solution
    >>> print(bn.certify("1..0 .... ..1. ....", file, count=True))
    valid: exactly 12 solutions

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        out: a zip file, or a folder for the files of the certificate.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        backend: the backend that decides the puzzle.
        count: certify the number of solutions if there are several: list all of them, at most
            50,000, and prove that there is no other.
        fewest: certify the smallest number of clues that make the puzzle unique.
        all_cells: with `fewest`, choose among all cells of the solution, not only the clues.
        solver: the SAT solver that writes the proof: one of PySAT, or ``external:COMMAND``.
        time_limit: seconds; None for no limit.

    Returns:
        The result of checking the certificate, as `verify` returns it.

    Raises:
        BudgetExceeded: the time ran out.
        BackendError: a solver failed.
        SourceError: the certificate can't be written.
        CertificateError: there are too many solutions to list, or the minimum was not found.
        OptionError: `count` or `all_cells` is not possible with the other options.
        BinairoError: as in `solve`.
    """
    # Imported here and below, because the checkers take time to load.
    from binairo_cp.certificates import container, making, proof_solvers
    from binairo_cp.commands.requests import CertifyRequest

    path = Path(path_of(out))
    request = CertifyRequest(count=count, fewest=fewest, all_cells=all_cells)
    proof_solvers.check_solver(solver)
    meter = Meter(Budget(time_limit))
    given = puzzle_of(puzzle, rules)
    outcome = solutions.check(given, backend=backend, time_limit=time_limit, reasons="none")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    id = getattr(puzzle, "id", None)
    files, checked = making.certify(
        given,
        outcome,
        id=id or None,
        solver=solver,
        seconds=meter.seconds_left,
        count=count,
        fewest=request.among,
    )
    container.write(files, path)
    return checked


def verify(
    certificate: Name | bytes,
    *,
    checker: str = "own",
    time_limit: float | None = None,
) -> CheckedCertificate:
    """Check a certificate without a solver: hashes, solutions, clauses and proofs.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> made = bn.certify("..1. ...0 ..10 .0..", folder / "puzzle.zip")
    >>> print(bn.verify(folder / "puzzle.zip"))
    valid: exactly one solution

    Args:
        certificate: a zip file or a folder, or the content of a zip file.
        checker: another checker of the proof to run too: acl2, dratify, all, or a command such as
            drat-trim.
        time_limit: seconds for each checker; None for no limit.

    Returns:
        What the certificate proves; `checkers` lists who accepts the proof, with their versions.

    Raises:
        CertificateError: it does not hold.
        BackendError: the other checker is not installed, or failed.
        BudgetExceeded: the time ran out.
        SourceError: it can't be read.
    """
    from binairo_cp.certificates import container
    from binairo_cp.commands import verify as commands

    Budget(time_limit)
    if not isinstance(checker, str):
        raise ArgumentError.of("checker", "a name or a command", checker)
    if isinstance(certificate, bytes):
        files = container.unzipped(certificate)
    else:
        files = container.read(Path(path_of(certificate, "certificate")))
    return commands.checked(files, checker, time_limit)
