"""Make certificates of verdicts, and check them without a solver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.errors import BudgetExceeded, SourceError
from binairo_cp.features.arguments import Name, path_of, puzzle_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import SEARCH, OnePuzzle, RulesOption, TimeLimit, solver_option
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backends import Backend, Budget, Meter
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.certificates.checking import CheckedCertificate
    from binairo_cp.certificates.making import Store


@feature(
    examples=(
        "[bold]binairo certify puzzle.txt -o puzzle.zip[/]",
        "[bold]binairo certify puzzles.line -o certificates/[/]",
    )
)
def certify(
    puzzle: OnePuzzle,
    out: Annotated[Name, "A zip file, or a folder for the files of the certificate."],
    *,
    rules: RulesOption = None,
    backend: Annotated[str | Backend, solver_option(over_http=False)] = backends.DEFAULT,
    solver: Annotated[
        str,
        Option(
            "The SAT solver of PySAT that writes the proofs, such as cadical195.",
            metavar="NAME",
            panel=SEARCH,
            over_http=False,
        ),
    ] = "glucose4",
    time_limit: TimeLimit = None,
) -> CheckedCertificate:
    """Write a proof that a puzzle has one solution, several or none.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> file = folder / "puzzle.zip"
    >>> print(bn.certify("..1. ...0 ..10 .0..", file))
    valid: exactly one solution

    Returns:
        The result of checking the certificate, as `verify` returns it.

    Raises:
        BudgetExceeded: the time ran out.
        BackendError: a solver failed.
        SourceError: the certificate can't be written.
        BinairoError: as in `solve`.
    """
    # Imported here and below, because the checkers take time to load.
    from binairo_cp.certificates import container, making

    path = Path(path_of(out))
    checked(certify, locals())
    making.check_solver(solver)
    meter = Meter(Budget(time_limit))
    given = puzzle_of(puzzle, rules)
    outcome = solutions.check(given, backend=backend, time_limit=time_limit, reasons="none")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    files, checked_one = making.certify(
        given,
        outcome,
        id=getattr(puzzle, "id", None) or None,
        solver=solver,
        seconds=meter.seconds_left,
    )
    container.write(files, path)
    return checked_one


@feature(
    examples=(
        "[bold]binairo verify puzzle.zip[/]",
        "[bold]binairo verify certificates/ --to ndjson[/]",
        "[bold]binairo verify puzzle.zip --checker acl2[/]",
    )
)
def verify(
    certificate: Annotated[Name | bytes, "A zip file or a folder, or the content of a zip file."],
    *,
    checker: Annotated[
        Literal["own", "acl2"], Option("acl2: also run the formally verified checker of ACL2.")
    ] = "own",
    time_limit: Annotated[float | None, "Seconds for each checker; None for no limit."] = None,
) -> CheckedCertificate:
    """Check certificates without a solver: hashes, solutions, clauses and proofs.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> made = bn.certify("..1. ...0 ..10 .0..", folder / "puzzle.zip")
    >>> print(bn.verify(folder / "puzzle.zip"))
    valid: exactly one solution

    Returns:
        What the certificate proves; `checkers` lists who accepts the proof, with their versions.

    Raises:
        CertificateError: it does not hold.
        BackendError: the other checker is not installed, or failed.
        BudgetExceeded: the time ran out.
        SourceError: it can't be read.
    """
    from binairo_cp.batch import verifying
    from binairo_cp.certificates import container

    Budget(time_limit)
    checked(verify, {"checker": checker})
    if isinstance(certificate, bytes):
        files = container.unzipped(certificate)
    else:
        files = container.read(Path(path_of(certificate, "certificate")))
    return verifying.checked(files, checker, time_limit)


def certificates(out: str, solver: str | None = None) -> Analysis:
    """A certificate of each puzzle that was decided, written to a zip or a folder, as by `Store`.

    Raises:
        BackendError: there is no such solver.
    """
    from binairo_cp.certificates import making

    solver = solver or making.DEFAULT_SOLVER
    making.check_solver(solver)
    # One search makes the proof and one checks it.
    return Analysis(
        "certify",
        _certificate,
        {"store": making.Store(out, solver)},
        record="certificate",
        columns=("certificate",),
        searches=2,
        of_run=_of_run,
    )


def _certificate(subject: Subject, *, store: Store) -> str | None:
    if subject.outcome.verdict is Verdict.UNKNOWN:
        return None
    return store.add(subject.puzzle, subject.outcome, subject.id, subject.seconds)


def _of_run(is_single: bool, *, store: Store) -> dict[str, Any]:
    if not is_single and store.out.lower().endswith(".zip"):
        raise SourceError(store.out, "is one certificate for many puzzles; expected a folder")
    return {"store": replace(store, single=is_single and store.may_be_single)}
