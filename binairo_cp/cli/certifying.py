"""certify and verify: certificates, made and checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from binairo_cp.cli import endings, pipes
from binairo_cp.cli.deciding import search_of, store
from binairo_cp.cli.many import Many, run
from binairo_cp.cli.options import BackendOption, OneRules, Solver
from binairo_cp.commands.requests import CheckRequest

_SECONDS_A_CERTIFICATE = 300.0


def certify(
    many: Many,
    certificates: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="CERT.zip|FOLDER",
            help="The certificate of one puzzle: a zip, or else a folder with its files. For many "
            "puzzles, or with a / at its end: a folder with a zip for each, called by their ids.",
            rich_help_panel="Output",
        ),
    ],
    solver: Solver = None,
    rules: OneRules = None,
    backend: BackendOption = "auto",
    out: Annotated[
        str | None,
        typer.Option(
            "--results",
            metavar="FILE",
            help="Write the results to a file, which appears when it is complete.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write certificates that puzzles have one solution, several or none, for anyone to check.

    [bold]binairo certify puzzle.txt -o puzzle.zip[/]
    [bold]binairo certify puzzles.line -o certificates/[/]
    """
    if not Path(certificates).is_dir():
        endings.format_of(certificates, None, endings.certificates())
    task = search_of(CheckRequest(backend=backend, reasons="none"), None, many.time_limit)
    task = replace(task, store=store(certificates, solver))
    run(task, replace(many, out=out), rules, out_option="--results")


def verify(
    certificates: Annotated[
        list[str],
        typer.Argument(
            metavar="CERT...", help="Certificates, zips or folders; or folders of zips."
        ),
    ],
    checker: Annotated[
        str,
        typer.Option(
            metavar="NAME|COMMAND",
            help="Ask another checker too: dratify, or a command such as drat-trim; {cnf}, {drat} "
            "and {lrat} stand for the files.",
        ),
    ] = "own",
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="For each certificate and checker.")
    ] = _SECONDS_A_CERTIFICATE,
    output: Annotated[
        Literal["text", "ndjson"],
        typer.Option("--output", help="The form of the results.", rich_help_panel="Output"),
    ] = "text",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing of what was checked.")
    ] = False,
) -> None:
    """Check certificates anew, without a solver: hashes, solutions, clauses, proofs.

    [bold]binairo verify puzzle.zip[/]
    [bold]binairo verify certificates/ --output ndjson[/]
    [bold]binairo verify puzzle.zip --checker dratify[/]
    """
    from binairo_cp.commands import verify as reports

    paths = list(reports.expand(certificates))
    told = []
    with pipes.may_be_closed():
        for path in paths:
            told.append(reports.verify(path, checker, time_limit))
            details = len(paths) == 1 and not quiet
            typer.echo(reports.to_text(told[-1], output, details=details), nl=False)
    raise typer.Exit(reports.status(told))
