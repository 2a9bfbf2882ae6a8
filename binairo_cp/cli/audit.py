"""The commands about collections of puzzles: audit and dataset."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated, Literal

import typer

import binairo_cp as bn
from binairo_cp import formats
from binairo_cp.cli import endings
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    Exclude,
    Out,
    Quiet,
    Sources,
    TextOptions,
    TimeLimit,
    WorkerOptions,
    Workers,
    named_sources,
)
from binairo_cp.features.feature import Option
from binairo_cp.features.options import OUTPUT
from binairo_cp.puzzle.rules import PRESETS


def audit(
    options: Annotated[Options, bn.audit],
    text: TextOptions,
    sources: Sources = None,
    time_limit: TimeLimit = SECONDS_A_PUZZLE,
    workers: Workers = None,
    fail_on: Annotated[
        list[str] | None,
        Option(
            "Let this kind of note set the exit status too: redundant-clue, spike or "
            "beyond-logic; may be repeated.",
            metavar="KIND",
            panel=OUTPUT,
        ),
    ] = None,
    to: Annotated[
        Literal["text", "ndjson"] | None,
        Option(
            "Write a summary (text), or a record for each puzzle (ndjson).",
            absent="from the ending of --out, or text",
            panel=OUTPUT,
        ),
    ] = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Find out what is wrong with a collection of puzzles.

    Exit status: 0 nothing, 1 something is wrong, 2 not readable, 3 unknown.

    [bold]binairo audit puzzles.ndjson[/]
    [bold]binairo audit train.ndjson test.ndjson[/]: also what leaks between the two
    """
    from binairo_cp.batch.audit.collection import NOTES, audit_files
    from binairo_cp.formats import output_files
    from binairo_cp.formats.record_base import to_json
    from binairo_cp.workers import terminal
    from binairo_cp.workers.executors import cores

    form = endings.format_of(out, to, endings.AUDITS) or "text"
    if unknown := set(fail_on or ()) - NOTES:
        expected = f"expected one of {', '.join(sorted(NOTES))}, not {min(unknown)!r}"
        raise typer.BadParameter(expected, param_hint="--fail-on")
    files = formats.files_of(named_sources(sources))
    output_files.refuse_collisions(files, out)
    with output_files.open_output(out) as write:
        with terminal.bar(quiet) as show:
            found = audit_files(
                files,
                text.stated,
                PRESETS.get(options["rules"] or ""),
                workers=workers or cores(),
                deep=options["deep"],
                time_limit=time_limit,
                show=show,
            )
        found = replace(found, fail_on=frozenset(fail_on or ()))
        is_seen = terminal.is_terminal(out) or (out is None and terminal.outputs_are_one())
        if quiet if form == "ndjson" else not is_seen:
            # No summary names them on the terminal.
            for error in found.collection.unread:
                typer.echo(f"binairo: {error}", err=True)
        if form == "ndjson":
            for record in found.records():
                write(to_json(record) + "\n")
        else:
            write(f"{found}\n")
    if form == "ndjson" and not quiet:
        print(found, file=sys.stderr)
    raise typer.Exit(found.exit_status)


def dataset(
    options: Annotated[Options, bn.dataset],
    recipe: Annotated[
        str,
        Option(
            "Which puzzles: sizes, numbers, rules, grades, splits, seed.",
            metavar="RECIPE.toml",
            is_positional=True,
        ),
    ],
    out: Annotated[
        str, Option("The folder to write.", flags=("--out", "-o"), metavar="FOLDER", panel=OUTPUT)
    ],
    pool: WorkerOptions,
    exclude: Exclude = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.features.audit import make

    settings = pool.settings(pool.workers, pool.memory_limit)
    make(recipe, out, settings, exclude or [], options["resume"], quiet=quiet)
