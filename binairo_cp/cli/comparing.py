"""merge and diff: files of results, put together and compared."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.cli import endings, pipes
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
    from binairo_cp.batch.results import merge

    endings.format_of(out, None, endings.records())
    with pipes.may_be_closed():
        faults = merge.run(results, out, distinct, quiet)
    raise typer.Exit(exit_status(error=faults))


def diff(
    first: Annotated[
        str, typer.Argument(metavar="FIRST", help="A file of results, a folder or a pattern.")
    ],
    second: Annotated[
        str, typer.Argument(metavar="SECOND", help="Another one; one of them may be -.")
    ],
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Compare this field, such as backend or grade.hardest; may be repeated.  "
            r"\[default: the verdict, exact counts, levels, solutions of unique puzzles]",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Literal["text", "ndjson"] | None,
        typer.Option(
            "--output",
            help=r"The form of the differences.  \[default: as --out ends, or text]",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Tell which puzzles two files of results do not say the same of.

    Ends with 0 if all is the same, 2 with contradictions or faults, 3 if one file knows what the
    other does not, and otherwise 1.

    [bold]binairo diff bitboard.ndjson cpsat.ndjson[/]
    [bold]binairo diff old.parquet new.parquet --field grade.level --output ndjson[/]
    """
    from binairo_cp.batch.results import diff

    if first == second == "-":
        raise typer.BadParameter("only one of the two can be standard input", param_hint="SECOND")
    form = endings.format_of(out, output, endings.differences()) or "text"
    with pipes.may_be_closed():
        status = diff.run(first, second, field or [], form, out, quiet)
    raise typer.Exit(status)
