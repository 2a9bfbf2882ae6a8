"""census: how many solved boards a size has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.cli.crews import ClusterOption, TlsCa, TlsCert, TlsKey, crew_of
from binairo_cp.cli.options import Quiet, Workers, cells_of
from binairo_cp.commands.requests import sides_of

if TYPE_CHECKING:
    from binairo_cp.census.sizes import Census
    from binairo_cp.commands.census_runs import Run

MOST_SAMPLES = 1_000_000_000
SECONDS_WITH_CLUES = 600.0


def census(
    size: Annotated[
        str,
        typer.Argument(metavar="SIZE", help="Of the boards: 8x10 (rows x columns), or 8 for 8x8."),
    ],
    rules: Annotated[
        Literal["classic", "unruly", "plain", "rows", "columns"],
        typer.Option(
            "--rules",
            "-r",
            help="classic: no two rows and no two columns are the same; unruly or plain: lines may "
            "repeat; rows, columns: only those differ.",
        ),
    ] = "classic",
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        typer.Option(help="Which symbol a line of odd length has one more of."),
    ] = "either",
    puzzle: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS|FILE",
            help="Only boards with these clues: cells row by row, or a file with a puzzle.",
            show_default=False,
        ),
    ] = None,
    symmetry: Annotated[
        bool,
        typer.Option(
            "--symmetry",
            help="Tell also how many there are if boards that are turned, mirrored or with 0 for 1 "
            "count as one.",
        ),
    ] = False,
    estimate: Annotated[
        int | None,
        typer.Option(
            metavar="SAMPLES",
            min=2,
            max=MOST_SAMPLES,
            help="Draw so many boards, and tell about how many there are, with an error.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(help="The same seed draws the same samples and units."),
    ] = "census",
    state: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Keep what is counted there, unit by unit, and go on with it.",
            show_default=False,
            rich_help_panel="Long runs",
        ),
    ] = None,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast",
            help="Only tell how long it will take, and how much memory.",
            rich_help_panel="Long runs",
        ),
    ] = False,
    verify: Annotated[
        int | None,
        typer.Option(
            metavar="UNITS",
            min=1,
            help="Count so many units of --state again, drawn at random, and compare.",
            show_default=False,
            rich_help_panel="Long runs",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="With --puzzle: how long it may take."),
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
    from binairo_cp.census.sizes import Census
    from binairo_cp.commands import census_runs

    asked = {"--puzzle": puzzle, "--estimate": estimate, "--forecast": forecast, "--verify": verify}
    if len(chosen := [name for name, value in asked.items() if value]) > 1:
        raise typer.BadParameter(f"can't be with {chosen[0]}", param_hint=chosen[1])
    if chosen and symmetry:
        raise typer.BadParameter(f"can't be with {chosen[0]}", param_hint="--symmetry")
    height, width = sides_of(size)
    what = Census(height, width, census_runs.DISTINCT[rules], odd)
    crew = crew_of(workers, None, cluster, (tls_ca, tls_cert, tls_key))
    run = census_runs.Run(state, crew, quiet)
    if estimate is not None:
        typer.echo(census_runs.sample(what, run, estimate, seed))
    elif forecast:
        typer.echo(census_runs.tell_forecast(what, run))
    elif verify is not None:
        _verify(what, run, verify, seed)
    elif puzzle is not None:
        _count_with_clues(what, run, cells_of(puzzle, "--puzzle"), time_limit)
    else:
        _count(what, run, symmetry)


def _count(census: Census, run: Run, symmetry: bool) -> None:
    from binairo_cp.census.orbits import check_reach, count_orbits
    from binairo_cp.commands import census_runs

    if symmetry:
        check_reach(census)
    try:
        boards = census_runs.take(census, run)
    except census_runs.TooLong as error:
        typer.echo(f"binairo: {error}", err=True)
        raise typer.Exit(exit_status(unknown=True)) from error
    typer.echo(boards)
    for found in count_orbits(census, boards) if symmetry else ():
        typer.echo(f"{found.orbits} up to {found.symmetries} symmetries{found.without}")


def _count_with_clues(census: Census, run: Run, cells: str, seconds: float) -> None:
    from binairo_cp.commands import census_runs

    outcome = census_runs.with_clues(census, cells, seconds, run)
    typer.echo(f"{'' if outcome.complete else 'at least '}{outcome.count}")
    raise typer.Exit(exit_status(unknown=not outcome.complete))


def _verify(census: Census, run: Run, units: int, seed: str) -> None:
    from binairo_cp.commands import census_runs

    found = census_runs.verify(census, run, units, seed)
    for digits in found.wrong:
        typer.echo(f"{digits}: counted otherwise than in {run.state}")
    agree = found.units - len(found.wrong)
    typer.echo(f"{agree} of {found.units} units counted again agree; {found.known} are in the file")
    raise typer.Exit(exit_status(no=found.wrong))
