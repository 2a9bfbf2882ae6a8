"""The commands certify, verify and census."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

import binairo_cp as bn
from binairo_cp.cli import endings
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import (
    ClusterOptions,
    Many,
    Quiet,
    Results,
    Workers,
    refusing,
    run_and_exit,
)
from binairo_cp.cli.solve import task_with
from binairo_cp.errors import BackendError
from binairo_cp.features.certify import certificates as make_certificates
from binairo_cp.features.feature import Option, feature_of
from binairo_cp.features.options import OUTPUT
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.workers.terminal import exit_status

_SECONDS_A_CERTIFICATE = 300.0


def certify(
    results: Results,
    certificates: Annotated[
        str,
        Option(
            "For one puzzle, a zip file, or a folder for its files. For many puzzles, or if the "
            "name ends in /, a folder with one zip per puzzle, named by its id.",
            flags=("--out", "-o"),
            metavar="CERT.zip|FOLDER",
            panel=OUTPUT,
        ),
    ],
    options: Annotated[Options, bn.certify],
    quiet: Quiet = False,
) -> None:
    if not Path(certificates).is_dir():
        endings.format_of(certificates, None, endings.CERTIFICATES)
    options = feature_of(bn.certify).completed(options)
    search = {"backend": options["backend"], "reasons": "none"}
    task = task_with("check", search, results.time_limit)
    with refusing("--solver", BackendError):
        proofs = make_certificates(certificates, options["solver"])
    task = replace(task, analyses=(proofs,))
    run_and_exit(task, Many(**vars(results), quiet=quiet), options["rules"])


def verify(
    options: Annotated[Options, bn.verify],
    certificates: Annotated[
        list[str],
        Option(
            "Certificates (zip files or folders), or folders of zip files.",
            metavar="CERTIFICATES",
            is_positional=True,
        ),
    ],
    time_limit: Annotated[
        float, Option("Time limit per certificate and checker.", least=0, metavar="SECONDS")
    ] = _SECONDS_A_CERTIFICATE,
    to: Annotated[
        Literal["text", "ndjson"], Option("Format of the results.", panel=OUTPUT)
    ] = "text",
    quiet: Annotated[
        bool, Option("Do not list what was checked.", flags=("--quiet", "-q"))
    ] = False,
) -> None:
    from binairo_cp.batch import verifying
    from binairo_cp.formats.output_files import open_output

    paths = list(verifying.expand(certificates))
    verified = []
    with open_output(None) as write:
        for path in paths:
            verified.append(verifying.verify(path, options["checker"], time_limit))
            details = len(paths) == 1 and not quiet
            write(verifying.to_text(verified[-1], to, details=details))
            sys.stdout.flush()
    raise typer.Exit(verifying.status(verified))


def census(
    options: Annotated[Options, bn.census],
    pool: ClusterOptions,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.counting import census_runs
    from binairo_cp.counting.sizes import Census

    rules = census_runs.DISTINCT[options["rules"]]
    boards = Census(*sides_of(options["size"]), rules, options["odd"])
    settings = pool.settings(workers)
    run = census_runs.CensusOptions(options["state"], settings, quiet, options["memory"])
    census_runs.check_memory(run)
    try:
        typer.echo(census_runs.run_census(boards, run))
    except census_runs.TooLong as error:
        typer.echo(f"binairo: {error}", err=True)
        raise typer.Exit(exit_status(unknown=True)) from error
