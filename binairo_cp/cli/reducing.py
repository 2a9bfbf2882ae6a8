"""clues, fewest and repair: which clues a puzzle needs."""

from __future__ import annotations

from typing import Annotated

import typer

from binairo_cp.cli.deciding import task_of
from binairo_cp.cli.many import Many, run, takes_many
from binairo_cp.cli.options import OneRules, cells_of

MOST_SETS = 1_000


@takes_many
def clues(
    many: Many,
    limit: Annotated[
        int,
        typer.Option(
            min=1,
            help="Stop after that many irreducible sets of clues.",
            rich_help_panel="Search",
        ),
    ] = MOST_SETS,
    rules: OneRules = None,
) -> None:
    """Tell which clues may go, each alone and together; of several solutions, what would help.

    [bold]binairo clues puzzle.txt[/]
    [bold]binairo clues puzzles.line --limit 1 --output line[/]: an irreducible puzzle of each
    """
    from binairo_cp.batch.studies import Study

    study = Study("clues", limit=limit)
    task = task_of("check", "auto", None, 2, many.time_limit, rules, study=study)
    run(task, many, rules)


@takes_many
def fewest(
    many: Many,
    all_cells: Annotated[
        bool,
        typer.Option(
            "--all-cells",
            help="Choose among all cells of the solution, not only the clues.",
            rich_help_panel="Search",
        ),
    ] = False,
    rules: OneRules = None,
) -> None:
    """Find the fewest clues that keep the solution the only one, of a puzzle or a full board.

    [bold]binairo fewest solved.txt[/]
    [bold]binairo fewest puzzle.txt --all-cells --time-limit 600[/]
    """
    from binairo_cp.batch.studies import Study

    study = Study("fewest", all_cells)
    task = task_of("check", "auto", None, 2, many.time_limit, rules, study=study)
    run(task, many, rules)


@takes_many
def repair(
    many: Many,
    solution: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS|FILE",
            help="The solution that is to stay, of a puzzle with several: its cells row by row, or "
            r"a file with them.  \[default: whichever takes the fewest cells]",
            rich_help_panel="Input",
            show_default=False,
        ),
    ] = None,
    rules: OneRules = None,
) -> None:
    """Make a puzzle unique: by the fewest cells added, or, without solution, clues dropped.

    [bold]binairo repair puzzle.txt[/]
    [bold]binairo repair puzzles.line --output line[/]: the repaired puzzles
    """
    from binairo_cp.batch.studies import Study

    kept = None if solution is None else cells_of(solution, "--solution")
    study = Study("repair", solution=kept)
    task = task_of("check", "auto", None, 2, many.time_limit, rules, study=study)
    run(task, many, rules)
