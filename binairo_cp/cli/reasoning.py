"""hint, explain and grade: how a person solves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from binairo_cp.cli.deciding import task_of
from binairo_cp.cli.many import Many, run, takes_many
from binairo_cp.cli.options import OneRules, cells_of

if TYPE_CHECKING:
    from binairo_cp.batch.reasoning import Kind
    from binairo_cp.batch.tasks import Task

Begun = Annotated[
    str | None,
    typer.Option(
        "--board",
        metavar="CELLS|FILE",
        help="How far somebody has come: the cells row by row, or a file with them.",
        rich_help_panel="Input",
        show_default=False,
    ),
]


@takes_many
def hint(
    many: Many,
    board: Begun = None,
    rules: OneRules = None,
) -> None:
    """Tell the next step that a person could take, and why; or where a board is wrong.

    [bold]binairo hint puzzle.txt[/]
    [bold]binairo hint puzzle.txt --board begun.txt[/]
    """
    task = _task("hint", board, many.time_limit, rules)
    run(task, many, rules)


@takes_many
def explain(
    many: Many,
    board: Begun = None,
    rules: OneRules = None,
) -> None:
    """Tell all steps to the solution, each with its reason.

    [bold]binairo explain puzzle.txt[/]
    [bold]binairo explain puzzle.txt --output ndjson[/]
    """
    task = _task("explain", board, many.time_limit, rules)
    run(task, many, rules)


@takes_many
def grade(
    many: Many,
    rules: OneRules = None,
) -> None:
    """Tell how hard puzzles are for a person: beginner, easy, medium, hard, expert, beyond logic.

    [bold]binairo grade puzzles/[/]
    [bold]binairo grade puzzles.line --output ndjson --out graded.ndjson[/]
    """
    task = _task("grade", None, many.time_limit, rules)
    run(task, many, rules)


def _task(kind: Kind, board: str | None, time_limit: float, rules: str | None) -> Task:
    from binairo_cp.batch.reasoning import Logic

    logic = Logic(kind, None if board is None else cells_of(board, "--board"))
    return task_of("check", "auto", None, 2, time_limit, rules, logic=logic)
