"""The commands solve, check and count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from binairo_cp.cli.many import Many, run_and_exit
from binairo_cp.cli.options import SatExit
from binairo_cp.commands.requests import (
    CheckRequest,
    CountRequest,
    SearchRequest,
    SolveRequest,
)
from binairo_cp.errors import BackendError, LimitError

if TYPE_CHECKING:
    from binairo_cp.batch.tasks import Task
    from binairo_cp.reduction.fewest import Among

ASearch = TypeVar("ASearch", bound=SearchRequest)

CrossCheck = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Decide each puzzle with two backends; a disagreement is an error.",
        rich_help_panel="Search",
        show_default=False,
    ),
]


def solve(
    many: Many, request: SolveRequest, cross_check: CrossCheck = None, sat_exit: SatExit = False
) -> None:
    """Solve each puzzle: find one solution, or several with --limit.

    [bold]binairo solve puzzle.txt[/]
    [bold]binairo solve puzzles/ --to ndjson --out solved.ndjson[/]
    [bold]cat puzzles.line | binairo solve --to line --rules unruly[/]
    """
    task = search_of(request, cross_check, many.time_limit)
    run_and_exit(task, many, request.rules, sat_exit=sat_exit)


def check(
    many: Many,
    request: CheckRequest,
    cross_check: CrossCheck = None,
    certify: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Also write a certificate for each puzzle to this folder, as binairo certify "
            "does.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    sat_exit: SatExit = False,
) -> None:
    """Check that each puzzle has exactly one solution: unique, multiple, none or unknown.

    [bold]binairo check puzzle.txt[/]
    [bold]binairo check 'collection/*.txt' --rules both[/]
    [bold]binairo check puzzles.ndjson --cross-check pysat,cpsat --to ndjson[/]
    """
    if certify and request.rules == "both":
        raise typer.BadParameter("can't be used with --rules both", param_hint="--certify")
    if many.to == "line" and not many.columns and request.reasons not in (None, "none"):
        hint = "don't fit on a line; expected --to text or ndjson, or --columns"
        raise typer.BadParameter(hint, param_hint="--reasons")
    task = search_of(request, cross_check, many.time_limit)
    if certify:
        task = with_certificates(replace(task, reasons=request.reasons or "none"), f"{certify}/")
    run_and_exit(task, many, request.rules, sat_exit=sat_exit)


def count(
    many: Many,
    request: CountRequest,
    cross_check: CrossCheck = None,
    all_solutions: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Count without a limit, one puzzle after another, with all workers on each.",
            rich_help_panel="Search",
        ),
    ] = False,
    sat_exit: SatExit = False,
) -> None:
    """Count the solutions of each puzzle, up to a limit.

    [bold]binairo count puzzle.txt[/]
    [bold]binairo count puzzles.line --limit 1000 --to line[/]
    [bold]binairo count open.txt --all --time-limit 3600[/]
    """
    task = search_of(request, cross_check, many.time_limit)
    if all_solutions:
        task = replace(task, limit=None, split=True)
    run_and_exit(task, many, request.rules, sat_exit=sat_exit)


def search_of(request: ASearch, cross_check: str | None, time_limit: float) -> Task:
    """The task of a request, with two backends if `cross_check` names them.

    Raises:
        typer.BadParameter: there is no such backend or time limit.
    """
    from binairo_cp.commands.tasks import task_of

    if cross_check is not None:
        names = [name.strip() for name in cross_check.split(",")]
        if len(names) != 2:
            raise typer.BadParameter("expected two backends: A,B", param_hint="--cross-check")
        request = replace(request, backend=names[0], cross_check=names[1])
    hint = "--cross-check" if cross_check else "--backend"
    check_backends([request.backend, request.cross_check], hint)
    check_time_limit(time_limit)
    return task_of(request, time_limit)


def check_backends(names: list[str | None], hint: str) -> None:
    """Refuse backends that do not exist.

    Raises:
        typer.BadParameter: one of them does not; `hint` is the option that named it.
    """
    from binairo_cp.solving import backends

    try:
        for name in names:
            if name is not None:
                backends.get(name)
    except BackendError as error:
        raise typer.BadParameter(str(error), param_hint=hint) from error


def check_time_limit(seconds: float) -> None:
    """Refuse time limits that no search can have.

    Raises:
        typer.BadParameter: it is one of them.
    """
    from binairo_cp.solving import backends

    try:
        backends.Budget(seconds)
    except LimitError as error:
        raise typer.BadParameter(str(error), param_hint="--time-limit") from error


def with_certificates(
    task: Task,
    out: str,
    solver: str | None = None,
    *,
    count: bool = False,
    fewest: Among | None = None,
) -> Task:
    """The task with a certificate of each puzzle.

    Args:
        task: a check.
        out: the place for certificates: a zip, or a folder.
        solver: the solver that writes the proofs.
        count: certify the number of solutions.
        fewest: certify the fewest clues, chosen among these.

    Raises:
        typer.BadParameter: there is no such solver.
    """
    from binairo_cp.batch.certifying import CertificateAddition
    from binairo_cp.certificates import proof_solvers
    from binairo_cp.certificates.storing import Store

    solver = solver or proof_solvers.DEFAULT_SOLVER
    try:
        proof_solvers.check_solver(solver)
    except BackendError as error:
        raise typer.BadParameter(str(error), param_hint="--solver") from error
    addition = CertificateAddition(Store(out, solver, count, fewest))
    return replace(task, additions=(*task.additions, addition))
