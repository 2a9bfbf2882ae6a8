"""encode and decode: puzzles for programs of others, and what those answer."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from binairo_cp.cli import pipes
from binairo_cp.cli.options import SECONDS_A_PUZZLE, Format, Quiet, Sources, named_sources

OneRules = Annotated[
    Literal["classic", "unruly", "plus", "tango"] | None,
    typer.Option(
        "--rules",
        "-r",
        help="The rules of puzzles that state none.  "
        r"\[default: plus for puzzles with signs, or classic]",
        rich_help_panel="Input",
        show_default=False,
    ),
]


def encode(
    sources: Sources = None,
    to: Annotated[
        Literal["dimacs", "opb", "lp", "dzn", "smt2", "mps"],
        typer.Option(
            help="dimacs: CNF; opb: pseudo-Boolean; lp: facts for clingo; dzn: data for MiniZinc; "
            "smt2: SMT-LIB 2; mps: integer program.",
            rich_help_panel="Output",
        ),
    ] = "dimacs",
    balance: Annotated[
        Literal[
            "grid",
            "seqcounter",
            "mtotalizer",
            "kmtotalizer",
            "totalizer",
            "sortnetwrk",
            "cardnetwrk",
        ],
        typer.Option(
            help="How clauses say balance. With the last three a solution has many models.",
            rich_help_panel="Output",
        ),
    ] = "grid",
    unique: Annotated[
        str | None,
        typer.Option(
            metavar="SOLUTION|auto",
            help="Forbid this solution, given by its cells row by row, or one that is found: "
            "then no model means that it is the only one.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE|FOLDER/",
            help="A file for one puzzle, packed if it ends in .gz; a folder for many, with files "
            "called by their ids.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    gzip: Annotated[
        bool,
        typer.Option("--gzip", help="Pack the files of a folder.", rich_help_panel="Output"),
    ] = False,
    format: Format = "auto",
    rules: OneRules = None,
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="For finding the solution of --unique auto."),
    ] = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
) -> None:
    """Write puzzles for SAT, pseudo-Boolean, ASP, CP, SMT and MIP solvers.

    [bold]binairo encode puzzle.txt | kissat[/]
    [bold]binairo encode puzzles.ndjson --unique auto --out cnf/[/]
    [bold]binairo encode puzzle.txt --to opb --out puzzle.opb.gz[/]
    """
    from binairo_cp import exports, formats
    from binairo_cp.rules import PRESETS

    order = exports.Order(to, balance, unique, time_limit, out, gzip)
    asked = PRESETS[rules] if rules else None
    with pipes.may_be_closed():
        entries = formats.read_sources(named_sources(sources), format, asked)
        done = exports.run(entries, order, quiet)
    raise typer.Exit(done.exit_status)
