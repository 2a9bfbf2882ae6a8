"""The commands convert, encode and decode."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.cli import endings, pipes
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    OneRules,
    Out,
    Quiet,
    SatExit,
    Sources,
    TextOptions,
    entries_of,
    rules_named,
)
from binairo_cp.commands.requests import ConvertRequest, EncodeRequest

if TYPE_CHECKING:
    from binairo_cp.solving.solutions import Verb


def encode(
    request: EncodeRequest,
    text: TextOptions,
    sources: Sources = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE|FOLDER/",
            help="A file for one puzzle (compressed if it ends in .gz), or a folder for many, with "
            "one file per puzzle, named by its id.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    gzip: Annotated[
        bool,
        typer.Option("--gzip", help="Compress the files in the folder.", rich_help_panel="Output"),
    ] = False,
    time_limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Time limit per puzzle, including the search for --unique auto.",
        ),
    ] = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
) -> None:
    """Encode puzzles for SAT, MaxSAT, QBF, pseudo-Boolean, ASP, CP, SMT and MIP solvers.

    [bold]binairo encode puzzle.txt | kissat[/]
    [bold]binairo encode puzzles.ndjson --unique auto --out cnf/[/]
    [bold]binairo encode puzzle.txt --to opb --out puzzle.opb.gz[/]
    """
    from binairo_cp.commands import encode
    from binairo_cp.formats import output_files

    # The files in a folder have one format, regardless of the name of the folder.
    file = None if output_files.is_folder(out) else out
    target = endings.format_of(file, request.to, endings.models(), "--to") or "dimacs"
    request = replace(request, to=target)
    options = encode.EncodeOptions(
        target,
        request.balance,
        request.unique,
        time_limit,
        out,
        gzip,
        request.fewest,
        request.clues,
    )
    if gzip and not options.to_folder:
        raise typer.BadParameter(
            "needs a folder; to compress a single file, end its name in .gz", param_hint="--gzip"
        )
    with pipes.may_be_closed():
        entries = entries_of(sources, text.stated, request.rules, out)
        done = encode.encode_puzzles(entries, options, quiet)
    raise typer.Exit(done.exit_status)


def decode(
    text: TextOptions,
    puzzle: Annotated[
        str, typer.Argument(metavar="PUZZLE", help="The file of the puzzle that was encoded.")
    ],
    answer: Annotated[
        str,
        typer.Argument(
            metavar="ANSWER",
            help="The solver's output, or MiniSat's result file; - for standard input.",
        ),
    ] = "-",
    id: Annotated[
        str | None,
        typer.Option(help="The id of the puzzle, if the file has several.", show_default=False),
    ] = None,
    unique: Annotated[
        str | None,
        typer.Option(
            metavar="SOLUTION",
            help="The solution that was blocked; then no model means that the puzzle is unique.",
            show_default=False,
        ),
    ] = None,
    rules: OneRules = None,
    to: Annotated[
        Literal["text", "line", "ndjson"],
        typer.Option("--to", help="Format of the result.", rich_help_panel="Output"),
    ] = "text",
    sat_exit: SatExit = False,
) -> None:
    """Read a solver's answer to an encoded puzzle and check it against the rules.

    [bold]kissat puzzle.cnf > answer.txt; binairo decode puzzle.txt answer.txt[/]
    [bold]clasp puzzle.opb | binairo decode puzzle.txt -[/]
    """
    from binairo_cp import formats
    from binairo_cp.batch import reports, summaries
    from binairo_cp.commands import decode
    from binairo_cp.formats import output_files
    from binairo_cp.formats.output_files import open_output

    default_rules = rules_named(rules)
    if puzzle == answer == "-":
        raise typer.BadParameter("only one of the two can be standard input", param_hint="ANSWER")
    output_files.refuse_collisions([puzzle, answer], None)
    entries = list(formats.read_sources([puzzle], text.stated, default_rules))
    if id is not None:
        named = [entry for entry in entries if entry.id == id]
        entries = named or [entry for entry in entries if entry.error][:1]
    if len(entries) != 1:
        message = (
            "more than one puzzle; choose one with --id"
            if entries
            else f"no puzzle has the id {id!r}"
        )
        if id is not None and entries:
            message = f"{len(entries)} puzzles have the id {id!r}"
        raise typer.BadParameter(message, param_hint="PUZZLE")
    record = decode.decode(entries[0], answer, unique)
    verb: Verb = "solve" if record.verdict == "solved" else "check"
    summary = summaries.Summary(verb)
    summary.add(record)
    with pipes.may_be_closed(), open_output(None) as write:
        write(reports.writer(to, verb)(record))
    raise typer.Exit(
        summary.sat_exit_status if sat_exit and not summary.failed else summary.exit_status
    )


def convert(
    request: ConvertRequest,
    text: TextOptions,
    sources: Sources = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Convert puzzles to another format.

    [bold]binairo convert puzzles.txt --to ndjson --out puzzles.ndjson[/]
    [bold]echo 10x10u:... | binairo convert - --to text[/]
    """
    from binairo_cp.commands import convert

    form = endings.format_of(out, request.to, endings.puzzles(), "--to") or "text"
    with pipes.may_be_closed():
        entries = entries_of(sources, text.stated, request.rules, out)
        failed = convert.convert_puzzles(entries, form, out, quiet)
    raise typer.Exit(exit_status(error=failed))
