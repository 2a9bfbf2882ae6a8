"""The commands certify and verify."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from binairo_cp.cli import endings, pipes
from binairo_cp.cli.deciding import search_of, with_certificates
from binairo_cp.cli.many import Many, run_and_exit
from binairo_cp.cli.options import BackendOption, Solver
from binairo_cp.commands.requests import CertifyRequest

_SECONDS_A_CERTIFICATE = 300.0


def certify(
    many: Many,
    certificates: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="CERT.zip|FOLDER",
            help="For one puzzle, a zip file, or a folder for its files. For many puzzles, or if "
            "the name ends in /, a folder with one zip per puzzle, named by its id.",
            rich_help_panel="Output",
        ),
    ],
    request: CertifyRequest,
    solver: Solver = None,
    backend: BackendOption = "auto",
    out: Annotated[
        str | None,
        typer.Option(
            "--results",
            metavar="FILE",
            help="Write the results to this file, which appears only when it is complete.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write certificates that a puzzle has one solution, several or none.

    [bold]binairo certify puzzle.txt -o puzzle.zip[/]
    [bold]binairo certify puzzles.line -o certificates/[/]
    [bold]binairo certify puzzle.txt --count -o puzzle.zip[/]
    [bold]binairo certify solved.txt --fewest -o puzzle.zip[/]
    """
    if not Path(certificates).is_dir():
        endings.format_of(certificates, None, endings.certificates())
    task = search_of("check", {"backend": backend, "reasons": "none"}, None, many.time_limit)
    task = with_certificates(task, certificates, solver, request)
    run_and_exit(task, replace(many, out=out), request.rules, out_option="--results")


def verify(
    certificates: Annotated[
        list[str],
        typer.Argument(
            metavar="CERTIFICATES",
            help="Certificates (zip files or folders), or folders of zip files.",
        ),
    ],
    checker: Annotated[
        str,
        typer.Option(
            metavar="NAME|COMMAND",
            help="Also run another proof checker: acl2 (formally verified), dratify, all of them, "
            "or a command such as drat-trim, with {cnf}, {drat} and {lrat} for the files.",
        ),
    ] = "own",
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="Time limit per certificate and checker."),
    ] = _SECONDS_A_CERTIFICATE,
    to: Annotated[
        Literal["text", "ndjson"],
        typer.Option("--to", help="Format of the results.", rich_help_panel="Output"),
    ] = "text",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not list what was checked.")
    ] = False,
) -> None:
    """Check certificates without a solver: hashes, solutions, clauses and proofs.

    [bold]binairo verify puzzle.zip[/]
    [bold]binairo verify certificates/ --to ndjson[/]
    [bold]binairo verify puzzle.zip --checker acl2[/]
    """
    from binairo_cp.commands import verify as reports
    from binairo_cp.formats.output_files import open_output

    paths = list(reports.expand(certificates))
    verified = []
    with pipes.may_be_closed(), open_output(None) as write:
        for path in paths:
            verified.append(reports.verify(path, checker, time_limit))
            details = len(paths) == 1 and not quiet
            write(reports.to_text(verified[-1], to, details=details))
            sys.stdout.flush()
    raise typer.Exit(reports.status(verified))
