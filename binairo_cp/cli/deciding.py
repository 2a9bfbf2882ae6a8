"""solve, check and count: what is asked of puzzles, one by one or by the million."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.cli.many import Many, run, takes_many
from binairo_cp.cli.options import BackendOption, CrossCheck, Limit, RulesOption, SatExit
from binairo_cp.errors import BackendError, LimitError

if TYPE_CHECKING:
    from binairo_cp.batch.reasoning import Logic
    from binairo_cp.batch.studies import Study
    from binairo_cp.batch.tasks import Task
    from binairo_cp.certificates.storing import Store
    from binairo_cp.solving.solutions import Verb

MOST_COUNTED = 1_000_000


@takes_many
def solve(
    many: Many,
    rules: RulesOption = None,
    backend: BackendOption = "auto",
    cross_check: CrossCheck = None,
    limit: Limit = 1,
    sat_exit: SatExit = False,
) -> None:
    """Find a solution of each puzzle, or the first few.

    [bold]binairo solve puzzle.txt[/]
    [bold]binairo solve puzzles/ --output ndjson --out solved.ndjson[/]
    [bold]cat puzzles.line | binairo solve --output line --rules unruly[/]
    """
    task = task_of("solve", backend, cross_check, limit, many.time_limit, rules)
    run(task, many, rules, sat_exit=sat_exit)


@takes_many
def check(
    many: Many,
    rules: RulesOption = None,
    backend: BackendOption = "auto",
    cross_check: CrossCheck = None,
    limit: Annotated[
        int,
        typer.Option(
            min=2, help="Stop after that many solutions of a puzzle.", rich_help_panel="Search"
        ),
    ] = 2,
    backbone: Annotated[
        bool,
        typer.Option(
            "--backbone",
            help="Tell which cells all solutions share, where there are several.",
            rich_help_panel="Search",
        ),
    ] = False,
    reasons: Annotated[
        Literal["none", "quick", "smallest"] | None,
        typer.Option(
            help="Where there is no solution, report clues that contradict each other: quick, a "
            "set of which no clue can be left out, or smallest, a set with the fewest clues, which "
            r"can take seconds.  \[default: smallest for one puzzle, quick for several, none with "
            "--output line or --certify]",
            rich_help_panel="Search",
            show_default=False,
        ),
    ] = None,
    certify: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Put a certificate of each puzzle there, as binairo certify makes it.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    sat_exit: SatExit = False,
) -> None:
    """Decide whether each puzzle has exactly one solution: unique, multiple, none or unknown.

    [bold]binairo check puzzle.txt[/]
    [bold]binairo check 'collection/*.txt' --rules both[/]
    [bold]binairo check puzzles.ndjson --cross-check pysat,cpsat --output ndjson[/]
    """
    if certify and rules == "both":
        raise typer.BadParameter("a certificate is for one reading", param_hint="--certify")
    store = (f"{certify}/", None) if certify else None
    if many.output == "line" and reasons not in (None, "none"):
        hint = "has no room on a line; expected --output text or ndjson"
        raise typer.BadParameter(hint, param_hint="--reasons")
    task = task_of("check", backend, cross_check, limit, many.time_limit, rules, backbone, store)
    if reasons is not None:
        task = replace(task, reasons=reasons)
    run(task, many, rules, sat_exit=sat_exit)


@takes_many
def count(
    many: Many,
    rules: RulesOption = None,
    backend: BackendOption = "auto",
    cross_check: CrossCheck = None,
    limit: Limit = MOST_COUNTED,
    all_solutions: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Count to the end, without a limit: one puzzle after the other, with all workers.",
            rich_help_panel="Search",
        ),
    ] = False,
    sat_exit: SatExit = False,
) -> None:
    """Count the solutions of each puzzle, up to a limit.

    [bold]binairo count puzzle.txt[/]
    [bold]binairo count puzzles.line --limit 1000 --output line[/]
    [bold]binairo count open.txt --all --time-limit 3600[/]
    """
    task = task_of("count", backend, cross_check, limit, many.time_limit, rules)
    if all_solutions:
        task = replace(task, limit=None, split=True)
    run(task, many, rules, sat_exit=sat_exit)


def task_of(
    verb: Verb,
    backend: str,
    cross_check: str | None,
    limit: int,
    time_limit: float,
    rules: str | None,
    backbone: bool = False,
    store: tuple[str, str | None] | None = None,
    logic: Logic | None = None,
    study: Study | None = None,
) -> Task:
    """A task as the options ask for it; `store` is where certificates go, and who makes proofs.

    Raises:
        typer.BadParameter: an option asks for what there is not.
    """
    from binairo_cp.batch.tasks import Task
    from binairo_cp.solving import backends

    names = [backend]
    if cross_check is not None:
        names = [name.strip() for name in cross_check.split(",")]
        if len(names) != 2:
            raise typer.BadParameter("expected two backends: A,B", param_hint="--cross-check")
    try:
        for name in names:
            backends.get(name)
        backends.Budget(time_limit)
    except LimitError as error:
        raise typer.BadParameter(str(error), param_hint="--time-limit") from error
    except BackendError as error:
        hint = "--cross-check" if cross_check else "--backend"
        raise typer.BadParameter(str(error), param_hint=hint) from error
    second = names[1] if cross_check else None
    task = Task(
        verb,
        names[0],
        second,
        limit,
        time_limit,
        both_readings=rules == "both",
        backbone=backbone,
        reasons="none" if study else None,
        logic=logic,
        study=study,
    )
    return task if store is None else replace(task, store=_store(*store), reasons="none")


def _store(out: str, solver: str | None) -> Store:
    from binairo_cp.certificates import proof_solvers
    from binairo_cp.certificates.storing import Store

    solver = solver or proof_solvers.DEFAULT_SOLVER
    try:
        proof_solvers.check_solver(solver)
    except BackendError as error:
        raise typer.BadParameter(str(error), param_hint="--solver") from error
    return Store(out, solver)
