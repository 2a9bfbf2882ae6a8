"""merge and diff: files of results, put together and compared."""

from __future__ import annotations

from typing import Annotated

import typer

from binairo_cp.cli import pipes
from binairo_cp.cli.options import Out, Quiet

Results = Annotated[
    list[str],
    typer.Argument(
        metavar="RESULTS...",
        help="Files of result records (NDJSON, packed or not, or Parquet), folders, patterns, or - "
        "for standard input.",
    ),
]


def merge(
    results: Results,
    distinct: Annotated[
        bool,
        typer.Option(
            "--distinct",
            help="One record for each puzzle: the one that tells most, where the first one stood.",
            rich_help_panel="Output",
        ),
    ] = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Put the records of several files into one, in the order in which they are given.

    [bold]binairo merge part-*.ndjson --out all.ndjson[/]
    [bold]binairo merge first.ndjson again.ndjson --distinct --out all.parquet[/]
    """
    from binairo_cp import merging

    with pipes.may_be_closed():
        faults = merging.run(results, out, distinct, quiet)
    raise typer.Exit(2 if faults else 0)
