"""The command census."""

from __future__ import annotations

from typing import Annotated

import typer

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.cli.many import ClusterOptions
from binairo_cp.cli.options import Quiet, Workers
from binairo_cp.features.feature import Option
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.workers.terminal import exit_status


def census(
    options: Annotated[Options, bn.census],
    pool: ClusterOptions,
    verify: Annotated[
        int | None,
        Option(
            "Count this many random units of --state again and compare.",
            least=1,
            metavar="UNITS",
            panel="Long runs",
        ),
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.counting import census_runs
    from binairo_cp.counting.sizes import Census

    state = options["state"]
    rules = census_runs.DISTINCT[options["rules"]]
    boards = Census(*sides_of(options["size"]), rules, options["odd"])
    run = census_runs.CensusOptions(state, pool.settings(workers), quiet, options["memory"])
    census_runs.check_memory(run)
    if verify is None:
        try:
            typer.echo(census_runs.run_census(boards, run))
        except census_runs.TooLong as error:
            typer.echo(f"binairo: {error}", err=True)
            raise typer.Exit(exit_status(unknown=True)) from error
        return
    found = census_runs.verify(boards, run, verify)
    for digits in found.wrong:
        typer.echo(f"{digits}: differs from {state}")
    agree = found.units - len(found.wrong)
    typer.echo(f"{agree} of {found.units} units counted again agree; {found.known} are in the file")
    raise typer.Exit(exit_status(no=found.wrong))
