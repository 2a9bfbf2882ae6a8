"""The commands that answer with one record for each puzzle: solve, check, hint, grade and so on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from binairo_cp.cli.derived import Command, Options
from binairo_cp.cli.options import DrawReading, Many, cells_of, run_and_exit
from binairo_cp.errors import BackendError, LimitError
from binairo_cp.features import search, steps
from binairo_cp.features.certify import certificates
from binairo_cp.features.feature import Option, feature_named, options_of, task_of
from binairo_cp.features.options import OUTPUT, SEARCH
from binairo_cp.solving import backends

if TYPE_CHECKING:
    from binairo_cp.batch.tasks import Task

CrossCheck = Annotated[
    str | None,
    Option(
        "Decide each puzzle with two backends; a disagreement is an error.",
        metavar="A,B",
        panel=SEARCH,
    ),
]


Draw = Annotated[
    str | None,
    Option(
        "Also draw the answer over the picture that the puzzle is read from.",
        metavar="FILE.png",
        panel=OUTPUT,
    ),
]


def command_named(name: str) -> Command:
    """The command of a feature that result records answer.

    Raises:
        KeyError: there is no such feature.
    """
    if not feature_named(name).verb:
        raise KeyError(name)
    command = _SEARCHES.get(name) or _analysis(name)
    command.__name__ = name
    return command


def _analysis(name: str) -> Command:
    function = feature_named(name).function

    # The options come first: --symbols of hint and explain is for what they show.
    def command(options: Options, many: Many) -> None:
        for field in options_of(function):
            if field.option.is_board and options[field.name]:
                options[field.name] = cells_of(options[field.name], f"--{field.name}")
        run_and_exit(task_with(name, options, many.time_limit), many, options["rules"])

    command.__annotations__["options"] = Annotated[Options, function]
    return command


def _hint(options: Annotated[Options, steps.hint], many: Many, draw: Draw = None) -> None:
    if draw:
        from binairo_cp.cli.drawing import draw_hint

        options = draw_hint(many.sources, draw, options, many.time_limit)
    _analysis("hint")(options, many)


def _solve(
    many: Many,
    options: Annotated[Options, search.solve],
    cross_check: CrossCheck = None,
    draw: Draw = None,
) -> None:
    task = task_with("solve", options, many.time_limit, cross_check)
    if draw:
        from binairo_cp.cli.drawing import draw_solution

        draw_solution(many.sources, draw, options, many.time_limit)
    run_and_exit(task, many, options["rules"])


def _check(
    many: Many,
    options: Annotated[Options, search.check],
    cross_check: CrossCheck = None,
    certify: Annotated[
        str | None,
        Option(
            "Also write a certificate for each puzzle to this folder, as binairo certify does.",
            metavar="FOLDER",
            panel=OUTPUT,
        ),
    ] = None,
    draw: DrawReading = None,
) -> None:
    if certify and options["rules"] == "both":
        raise typer.BadParameter("can't be used with --rules both", param_hint="--certify")
    if many.to == "line" and not many.columns and options["reasons"] not in (None, "none"):
        hint = "don't fit on a line; expected --to text or ndjson, or --columns"
        raise typer.BadParameter(hint, param_hint="--reasons")
    task = task_with("check", options, many.time_limit, cross_check)
    if certify:
        task = replace(task, reasons=options["reasons"] or "none")
        task = replace(task, analyses=(*task.analyses, certificates(f"{certify}/")))
    if draw:
        from binairo_cp.cli.drawing import draw_reading

        draw_reading(many.sources, draw)
    run_and_exit(task, many, options["rules"])


def _count(
    many: Many,
    options: Annotated[Options, search.count],
    cross_check: CrossCheck = None,
    all_solutions: Annotated[
        bool, Option("Count without a limit.", flags=("--all",), panel=SEARCH)
    ] = False,
) -> None:
    task = task_with("count", options, many.time_limit, cross_check)
    if all_solutions:
        task = replace(task, limit=None)
    run_and_exit(task, many, options["rules"])


_SEARCHES: dict[str, Command] = {"solve": _solve, "check": _check, "count": _count, "hint": _hint}
"""The commands that have more options than their feature, by its name."""


def task_with(
    name: str, options: dict[str, Any], time_limit: float, cross_check: str | None = None
) -> Task:
    """The task of a feature; a search has two backends if `cross_check` names them.

    Raises:
        typer.BadParameter: there is no such backend or time limit.
    """
    if cross_check is not None:
        names = [name.strip() for name in cross_check.split(",")]
        if len(names) != 2:
            raise typer.BadParameter("expected two backends: A,B", param_hint="--cross-check")
        options = options | {"backend": names[0], "cross_check": names[1]}
    task = task_of(name, options, time_limit=time_limit)
    try:
        for option in ("backend", "cross_check"):
            if options.get(option) is not None:
                backends.get(options[option])
        backends.Budget(time_limit)
    except (BackendError, LimitError) as error:
        flag = "--cross-check" if cross_check else "--backend"
        flag = flag if isinstance(error, BackendError) else "--time-limit"
        raise typer.BadParameter(str(error), param_hint=flag) from error
    return task
