"""The commands merge and diff."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import binairo_cp as bn
from binairo_cp.batch.exit_status import exit_status
from binairo_cp.cli import endings, pipes
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import Out, Quiet

Results = Annotated[
    list[str],
    typer.Argument(
        metavar="RESULTS",
        help="Files of result records (NDJSON, compressed or not, or Parquet), folders, glob "
        "patterns, or - for standard input.",
    ),
]


def merge(
    options: Annotated[Options, bn.merge],
    results: Results,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.results import merge

    endings.format_of(out, None, endings.records())
    with pipes.may_be_closed():
        faults = merge.merge_files(results, out, options["one_per_puzzle"], quiet)
    raise typer.Exit(exit_status(error=faults))


def diff(
    first: Annotated[
        str, typer.Argument(metavar="FIRST", help="A result file, a folder or a glob pattern.")
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="SECOND",
            help="The one to compare it with; one of the two may be - (standard input).",
        ),
    ],
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Compare this field, such as backend or grade.hardest; may be repeated.  "
            r"\[default: verdicts, exact counts, grade levels, solutions of unique puzzles]",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Literal["text", "ndjson"] | None,
        typer.Option(
            "--to",
            help=r"Format of the differences.  \[default: from the ending of --out, or text]",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Compare two result files and list the puzzles with different results.

    Exit status: 0 no differences, 1 some, 2 contradictions or unreadable records, 3 one file has
    an answer where the other has none.

    [bold]binairo diff bitboard.ndjson cpsat.ndjson[/]
    [bold]binairo diff old.parquet new.parquet --field grade.level --to ndjson[/]
    """
    from binairo_cp.batch.results import diff

    if first == second == "-":
        raise typer.BadParameter("only one of the two can be standard input", param_hint="SECOND")
    form = endings.format_of(out, to, endings.differences()) or "text"
    with pipes.may_be_closed():
        status = diff.compare_files(first, second, field or [], form, out, quiet)
    raise typer.Exit(status)
