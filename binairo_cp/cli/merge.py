"""The commands merge and diff."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import binairo_cp as bn
from binairo_cp.cli import endings
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import Out, Quiet
from binairo_cp.features.feature import Option
from binairo_cp.features.options import OUTPUT
from binairo_cp.workers.terminal import exit_status

Results = Annotated[
    list[str],
    Option(
        "Files of result records (NDJSON, compressed or not, or Parquet), folders, glob "
        "patterns, or - for standard input.",
        metavar="RESULTS",
        is_positional=True,
    ),
]


def merge(
    options: Annotated[Options, bn.merge],
    results: Results,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.results import merge

    endings.format_of(out, None, endings.RECORDS)
    faults = merge.merge_files(results, out, options["one_per_puzzle"], quiet)
    raise typer.Exit(exit_status(error=faults))


def diff(
    first: Annotated[
        str,
        Option("A result file, a folder or a glob pattern.", metavar="FIRST", is_positional=True),
    ],
    second: Annotated[
        str,
        Option(
            "The one to compare it with; one of the two may be - (standard input).",
            metavar="SECOND",
            is_positional=True,
        ),
    ],
    field: Annotated[
        list[str] | None,
        Option(
            "Compare this field, such as backend or grade.hardest; may be repeated.",
            absent="verdicts, exact counts, grade levels, solutions of unique puzzles",
            metavar="NAME",
        ),
    ] = None,
    to: Annotated[
        Literal["text", "ndjson"] | None,
        Option(
            "Format of the differences.", absent="from the ending of --out, or text", panel=OUTPUT
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
    form = endings.format_of(out, to, endings.DIFFERENCES) or "text"
    status = diff.compare_files(first, second, field or [], form, out, quiet)
    raise typer.Exit(status)
