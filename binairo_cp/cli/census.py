"""The command census."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.cli.many import ClusterOptions
from binairo_cp.cli.options import Quiet, Workers, cells_of
from binairo_cp.features.feature import Option
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.workers.terminal import exit_status

if TYPE_CHECKING:
    from binairo_cp.counting.census_runs import CensusOptions, TooLong, VerifiedUnits
    from binairo_cp.counting.sizes import Census

SECONDS_WITH_CLUES = 600.0


def census(
    options: Annotated[Options, bn.census],
    pool: ClusterOptions,
    puzzle: Annotated[
        str | None,
        Option(
            "Count only boards with these clues: cells, row by row, or a file with a puzzle.",
            metavar="CELLS|FILE",
        ),
    ] = None,
    fewest: Annotated[
        bool,
        Option(
            "Find the fewest clues of every board (up to 64 cells), and count the boards that "
            "need each number.",
            panel="Sets of clues",
        ),
    ] = False,
    all_puzzles: Annotated[
        bool,
        Option(
            "Count all puzzles with one solution by their number of clues (up to 36 cells), and "
            "those of them that need every clue.",
            panel="Sets of clues",
        ),
    ] = False,
    at_most: Annotated[
        int | None,
        Option(
            "With --fewest, only find boards that need at most this number of clues. This is "
            "faster.",
            least=0,
            most=34,
            metavar="CLUES",
            panel="Sets of clues",
        ),
    ] = None,
    puzzles: Annotated[
        int | None,
        Option(
            "With --fewest, print a puzzle with this number of clues for each board that needs so"
            " many (up to symmetry). With --all-puzzles, print one that needs all its clues for "
            "each board that has one.",
            least=0,
            metavar="CLUES",
            panel="Sets of clues",
        ),
    ] = None,
    forecast: Annotated[
        bool,
        Option("Only print how much time and memory the count will take.", panel="Long runs"),
    ] = False,
    verify: Annotated[
        int | None,
        Option(
            "Count this many random units of --state again and compare.",
            least=1,
            metavar="UNITS",
            panel="Long runs",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        Option("Time limit with --puzzle.", least=0, metavar="SECONDS"),
    ] = SECONDS_WITH_CLUES,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.counting import census_runs
    from binairo_cp.counting.sizes import Census

    estimate, state, seed = options["estimate"], options["state"], options["seed"]
    _check_modes(
        {"--fewest": fewest, "--all-puzzles": all_puzzles},
        {
            "--puzzle": puzzle is not None,
            "--estimate": estimate is not None,
            "--up-to-symmetry": options["up_to_symmetry"],
            "--forecast": forecast,
            "--verify": verify is not None,
            "--puzzles": puzzles is not None,
        },
    )
    if at_most is not None and not fewest:
        raise typer.BadParameter("needs --fewest", param_hint="--at-most")
    if at_most is not None and puzzles is not None and puzzles > at_most:
        raise typer.BadParameter("is more than --at-most", param_hint="--puzzles")
    long_run = {
        "--forecast": forecast,
        "--state": state is not None,
        "--verify": verify is not None,
    }
    if all_puzzles and (other := next((name for name, given in long_run.items() if given), None)):
        raise typer.BadParameter("can't be used with --all-puzzles", param_hint=other)
    sides = sides_of(options["size"])
    what = Census(*sides, census_runs.DISTINCT[options["rules"]], options["odd"])
    settings = pool.settings(workers)
    way = census_runs.CensusOptions(state, settings, quiet, options["memory"])
    census_runs.check_memory(way)
    if all_puzzles:
        _all_puzzles(what, way, puzzles)
    elif fewest:
        _fewest(what, way, at_most, puzzles, forecast, verify, seed)
    elif estimate is not None:
        typer.echo(census_runs.sample(what, way, estimate, seed))
    elif forecast:
        typer.echo(census_runs.forecast_text(what, way))
    elif verify is not None:
        _report_verified(census_runs.verify(what, way, verify, seed), way)
    elif puzzle is not None:
        _count_with_clues(what, way, cells_of(puzzle, "--puzzle"), time_limit)
    else:
        _count(what, way, options["up_to_symmetry"])


def _check_modes(clue_sets: dict[str, bool], chosen: dict[str, bool]) -> None:
    """Check that options that choose what to do are not combined."""
    modes = [name for name, is_chosen in clue_sets.items() if is_chosen]
    if chosen["--puzzles"] and not modes:
        raise typer.BadParameter("needs --fewest or --all-puzzles", param_hint="--puzzles")
    if len(modes) > 1:
        raise typer.BadParameter(f"can't be used with {modes[0]}", param_hint=modes[1])
    names = [name for name, is_chosen in chosen.items() if is_chosen]
    for name in names:
        if modes and name in ("--puzzle", "--estimate", "--up-to-symmetry"):
            raise typer.BadParameter(f"can't be used with {modes[0]}", param_hint=name)
    if len(names) > 1:
        raise typer.BadParameter(f"can't be used with {names[0]}", param_hint=names[1])


def _count(census: Census, options: CensusOptions, symmetry: bool) -> None:
    from binairo_cp.counting import census_runs
    from binairo_cp.counting.orbits import check_reach, count_orbits

    if symmetry:
        check_reach(census)
    try:
        boards = census_runs.run_census(census, options)
    except census_runs.TooLong as error:
        _stop_too_long(error)
    typer.echo(boards)
    for found in count_orbits(census, boards) if symmetry else ():
        typer.echo(f"{found.orbits} up to {found.symmetries} symmetries{found.without}")


def _fewest(
    census: Census,
    options: CensusOptions,
    at_most: int | None,
    puzzles: int | None,
    forecast: bool,
    verify: int | None,
    seed: str,
) -> None:
    from binairo_cp.counting import census_runs
    from binairo_cp.counting import fewest_clues as runs

    limit = runs.NO_LIMIT if at_most is None else at_most
    if forecast:
        typer.echo(runs.forecast_text(census, options, limit))
        return
    if verify is not None:
        _report_verified(runs.verify(census, options, verify, seed, limit), options)
    try:
        classes, clues = runs.find_fewest(census, options, limit)
    except census_runs.TooLong as error:
        _stop_too_long(error)
    lines = (
        runs.table(classes, clues, limit)
        if puzzles is None
        else runs.puzzles(census, classes, clues, puzzles)
    )
    for line in lines:
        typer.echo(line)


def _all_puzzles(census: Census, options: CensusOptions, clues: int | None) -> None:
    from binairo_cp.counting import puzzle_counts
    from binairo_cp.counting.fewest_clues import puzzle_of

    lines = (
        puzzle_counts.table(puzzle_counts.count_puzzles(census, options))
        if clues is None
        else (
            puzzle_of(board, chosen, census)
            for board, chosen in puzzle_counts.irreducible_puzzles(census, clues)
        )
    )
    for line in lines:
        typer.echo(line)


def _count_with_clues(census: Census, options: CensusOptions, cells: str, seconds: float) -> None:
    from binairo_cp.counting import census_runs

    outcome = census_runs.with_clues(census, cells, seconds, options)
    typer.echo(f"{'' if outcome.complete else 'at least '}{outcome.count}")
    raise typer.Exit(exit_status(unknown=not outcome.complete))


def _stop_too_long(error: TooLong) -> NoReturn:
    typer.echo(f"binairo: {error}", err=True)
    raise typer.Exit(exit_status(unknown=True)) from error


def _report_verified(found: VerifiedUnits, options: CensusOptions) -> NoReturn:
    for digits in found.wrong:
        typer.echo(f"{digits}: differs from {options.state}")
    agree = found.units - len(found.wrong)
    typer.echo(f"{agree} of {found.units} units counted again agree; {found.known} are in the file")
    raise typer.Exit(exit_status(no=found.wrong))
