"""census: how many solved boards a size has."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from binairo_cp.cli.making import sides
from binairo_cp.cli.options import Quiet, Workers


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
    state: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Keep what is counted there, and go on with it.",
            show_default=False,
        ),
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Count all solved boards of a size.

    [bold]binairo census 8x8[/]
    [bold]binairo census 12x12 --state census-12x12.gz[/]
    """
    from binairo_cp import surveys
    from binairo_cp.census.sizes import Census

    height, width = sides(size)
    distinct = surveys.DISTINCT[rules]
    print(surveys.take(Census(height, width, distinct, odd), state, workers, quiet))
