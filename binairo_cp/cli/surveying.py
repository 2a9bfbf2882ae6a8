"""The command census."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.cli.options import Quiet, Workers, cells_of
from binairo_cp.cli.worker_options import ClusterOption, TlsCa, TlsCert, TlsKey, worker_settings
from binairo_cp.commands.requests import sides_of

if TYPE_CHECKING:
    from binairo_cp.commands.census_runs import CensusOptions
    from binairo_cp.counting.sizes import Census

MOST_SAMPLES = 1_000_000_000
SECONDS_WITH_CLUES = 600.0


def census(
    size: Annotated[
        str,
        typer.Argument(
            metavar="SIZE", help="Board size: 8 for 8x8, or 8x10 for 8 rows and 10 columns."
        ),
    ],
    rules: Annotated[
        Literal["classic", "unruly", "plain", "rows", "columns"],
        typer.Option(
            "--rules",
            "-r",
            help="classic: distinct rows and columns; unruly or plain: lines may repeat; rows, "
            "columns: only the rows or only the columns are distinct.",
        ),
    ] = "classic",
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        typer.Option(help="The symbol that occurs once more in lines of odd length."),
    ] = "either",
    puzzle: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS|FILE",
            help="Count only boards with these clues: cells, row by row, or a file with a puzzle.",
            show_default=False,
        ),
    ] = None,
    up_to_symmetry: Annotated[
        bool,
        typer.Option(
            "--up-to-symmetry",
            help="Also count the boards up to rotation, reflection and symbol swap.",
        ),
    ] = False,
    estimate: Annotated[
        int | None,
        typer.Option(
            metavar="SAMPLES",
            min=2,
            max=MOST_SAMPLES,
            help="Estimate the count, with its error, from this many random boards.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(help="Random seed for --estimate and --verify."),
    ] = "census",
    state: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save each counted unit to this file, and continue from it.",
            show_default=False,
            rich_help_panel="Long runs",
        ),
    ] = None,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast",
            help="Only print how much time and memory the count will take.",
            rich_help_panel="Long runs",
        ),
    ] = False,
    verify: Annotated[
        int | None,
        typer.Option(
            metavar="UNITS",
            min=1,
            help="Count this many random units of --state again and compare.",
            show_default=False,
            rich_help_panel="Long runs",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="Time limit with --puzzle."),
    ] = SECONDS_WITH_CLUES,
    workers: Workers = None,
    cluster: ClusterOption = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    quiet: Quiet = False,
) -> None:
    """Count all solved boards of a size.

    [bold]binairo census 8[/]
    [bold]binairo census 12 --state census-12x12.gz[/]
    [bold]binairo census 14 --estimate 100000[/]
    """
    from binairo_cp.commands import census_runs
    from binairo_cp.counting.sizes import Census

    modes = {"--puzzle": puzzle, "--estimate": estimate, "--forecast": forecast, "--verify": verify}
    if len(chosen := [name for name, value in modes.items() if value]) > 1:
        raise typer.BadParameter(f"can't be used with {chosen[0]}", param_hint=chosen[1])
    if chosen and up_to_symmetry:
        raise typer.BadParameter(f"can't be used with {chosen[0]}", param_hint="--up-to-symmetry")
    height, width = sides_of(size)
    what = Census(height, width, census_runs.DISTINCT[rules], odd)
    settings = worker_settings(workers, None, cluster, (tls_ca, tls_cert, tls_key))
    options = census_runs.CensusOptions(state, settings, quiet)
    if estimate is not None:
        typer.echo(census_runs.sample(what, options, estimate, seed))
    elif forecast:
        typer.echo(census_runs.forecast_text(what, options))
    elif verify is not None:
        _verify(what, options, verify, seed)
    elif puzzle is not None:
        _count_with_clues(what, options, cells_of(puzzle, "--puzzle"), time_limit)
    else:
        _count(what, options, up_to_symmetry)


def _count(census: Census, options: CensusOptions, symmetry: bool) -> None:
    from binairo_cp.commands import census_runs
    from binairo_cp.counting.orbits import check_reach, count_orbits

    if symmetry:
        check_reach(census)
    try:
        boards = census_runs.run_census(census, options)
    except census_runs.TooLong as error:
        typer.echo(f"binairo: {error}", err=True)
        raise typer.Exit(exit_status(unknown=True)) from error
    typer.echo(boards)
    for found in count_orbits(census, boards) if symmetry else ():
        typer.echo(f"{found.orbits} up to {found.symmetries} symmetries{found.without}")


def _count_with_clues(census: Census, options: CensusOptions, cells: str, seconds: float) -> None:
    from binairo_cp.commands import census_runs

    outcome = census_runs.with_clues(census, cells, seconds, options)
    typer.echo(f"{'' if outcome.complete else 'at least '}{outcome.count}")
    raise typer.Exit(exit_status(unknown=not outcome.complete))


def _verify(census: Census, options: CensusOptions, units: int, seed: str) -> None:
    from binairo_cp.commands import census_runs

    found = census_runs.verify(census, options, units, seed)
    for digits in found.wrong:
        typer.echo(f"{digits}: differs from {options.state}")
    agree = found.units - len(found.wrong)
    typer.echo(f"{agree} of {found.units} units counted again agree; {found.known} are in the file")
    raise typer.Exit(exit_status(no=found.wrong))
