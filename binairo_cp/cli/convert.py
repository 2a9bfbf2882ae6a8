"""The commands convert, filter, encode and decode."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import binairo_cp as bn
from binairo_cp import formats
from binairo_cp.cli import endings
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    DrawReading,
    Out,
    Quiet,
    Sources,
    TextOptions,
    TimeLimit,
    To,
    Workers,
    entries_of,
)
from binairo_cp.errors import BinairoError, BudgetExceeded
from binairo_cp.features.encode import Target
from binairo_cp.features.feature import Option, feature_of, help_of
from binairo_cp.features.options import OUTPUT
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.solving.encodings import ALIASES

if TYPE_CHECKING:
    from binairo_cp.batch.summaries import OutputSummary
    from binairo_cp.formats import Entry
    from binairo_cp.solving.solutions import Verb


def encode(
    options: Annotated[Options, bn.encode],
    text: TextOptions,
    sources: Sources = None,
    out: Annotated[
        str | None,
        Option(
            "A file for one puzzle (compressed if it ends in .gz), or a folder for many, with one"
            " file per puzzle, named by its id, and a list of them in files.ndjson. An empty 20x20"
            " board takes 0.8 MB, 50x50 15 MB, 100x100 129 MB (25 MB compressed).",
            flags=("--out", "-o"),
            metavar="FILE|FOLDER/",
            panel=OUTPUT,
        ),
    ] = None,
    to: Annotated[
        Target | None,
        Option(
            help_of(bn.encode, "to"), absent="from the ending of --out, or dimacs", panel=OUTPUT
        ),
    ] = None,
    gzip: Annotated[bool, Option("Compress the files in the folder.", panel=OUTPUT)] = False,
    time_limit: Annotated[
        float,
        Option(
            "Time limit per puzzle, including the search for --unique auto.",
            least=0,
            metavar="SECONDS",
        ),
    ] = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    from binairo_cp.features.encode import encode_puzzles
    from binairo_cp.formats import output_files

    # The files in a folder have one format, regardless of the name of the folder.
    to_folder = output_files.is_folder(out)
    stated = ALIASES.get(to or "", to)
    target = endings.format_of(None if to_folder else out, stated, endings.models())
    options = feature_of(bn.encode).completed(options | {"to": target or "dimacs"})
    if gzip and not to_folder:
        raise typer.BadParameter(
            "needs a folder; to compress a single file, end its name in .gz", param_hint="--gzip"
        )
    entries = entries_of(sources, text.stated, options["rules"], out)
    done = encode_puzzles(
        entries, options, out=out, packed=gzip, time_limit=time_limit, quiet=quiet, workers=workers
    )
    raise typer.Exit(done.exit_status)


def decode(
    options: Annotated[Options, bn.decode],
    text: TextOptions,
    puzzle: Annotated[
        str,
        Option(
            "The file that encode wrote, or that of the puzzle, if no solution was blocked.",
            metavar="FORMULA|PUZZLE",
            is_positional=True,
        ),
    ],
    answer: Annotated[
        str,
        Option(
            "The solver's output, or MiniSat's result file; - for standard input.",
            metavar="ANSWER",
            is_positional=True,
        ),
    ] = "-",
    id: Annotated[
        str | None, Option("The id of the puzzle, if the file has several.", metavar="ID")
    ] = None,
    to: Annotated[
        Literal["text", "line", "ndjson"], Option("Format of the result.", panel=OUTPUT)
    ] = "text",
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch import reports, summaries
    from binairo_cp.features.decode import formula_in, record_of
    from binairo_cp.formats import output_files
    from binairo_cp.formats.output_files import open_output

    if puzzle == answer == "-":
        raise typer.BadParameter("only one of the two can be standard input", param_hint="ANSWER")
    output_files.refuse_collisions([puzzle, answer], None)
    if formula := formula_in(puzzle):
        entries = [formats.Entry(formula.puzzle, id=formula.id, source=puzzle)]
    else:
        rules = PRESETS.get(options["rules"] or "")
        entries = list(formats.read_sources([puzzle], text.stated, rules))
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
    record = record_of(entries[0], answer, options["unique"], formula)
    verb: Verb = "solve" if record.verdict == "solved" else "check"
    summary = summaries.Summary(verb)
    summary.add(record)
    with open_output(None) as write:
        write(reports.written(record, to, verb, reports.Reader(has_one=True)))
    raise typer.Exit(summary.exit_status)


def convert(
    options: Annotated[Options, bn.convert],
    text: TextOptions,
    sources: Sources = None,
    to: To = None,
    out: Out = None,
    draw: DrawReading = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.summaries import OutputSummary

    form = endings.format_of(out, to, endings.PUZZLES) or "text"
    if draw:
        from binairo_cp.cli.drawing import draw_reading

        draw_reading(sources, draw)
    summary = OutputSummary()
    entries = entries_of(sources, text.stated, options["rules"], out, may_replace=True)
    _write(entries, form, out, summary)
    if not quiet:
        print(f"{summary}".replace("written", "converted"), file=sys.stderr)
    raise typer.Exit(summary.exit_status)


def filter(
    options: Annotated[Options, bn.filter],
    text: TextOptions,
    sources: Sources = None,
    time_limit: TimeLimit = SECONDS_A_PUZZLE,
    to: To = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.summaries import OutputSummary
    from binairo_cp.features.filter import fitting
    from binairo_cp.solving.solutions import Verdict

    form = endings.format_of(out, to, endings.PUZZLES) or "text"
    summary, fits, read = OutputSummary(), fitting(options, time_limit), 0
    entries = entries_of(sources, text.stated, options["rules"], out, may_replace=True)

    def kept() -> Iterator[Entry]:
        nonlocal read
        for entry in entries:
            read += 1
            try:
                if entry.puzzle is None or fits(entry.puzzle):
                    yield entry
            except BudgetExceeded as error:
                summary.add_problem(Verdict.UNKNOWN, entry, error)

    _write(kept(), form, out, summary)
    if not quiet:
        print(f"kept {summary.written:,} of {read - summary.unread:,} puzzles", file=sys.stderr)
    raise typer.Exit(summary.exit_status)


def _write(entries: Iterator[Entry], form: str, out: str | None, summary: OutputSummary) -> None:
    from binairo_cp.formats.output_files import open_output
    from binairo_cp.formats.schema import PuzzleRecord

    with open_output(out, PuzzleRecord if form == "ndjson" else None) as write:
        for text in formats.write(_writable(entries, form, summary), form):
            write(text)
            if out is None:
                # A reader at the other end of a pipe may be waiting for it.
                sys.stdout.flush()


def _writable(entries: Iterator[Entry], form: str, summary: OutputSummary) -> Iterator[Entry]:
    from binairo_cp.features.convert import unnumbered
    from binairo_cp.solving.solutions import Verdict

    for entry in unnumbered(entries):
        try:
            if entry.error:
                raise entry.error
            list(formats.write([entry], form))
        except BinairoError as error:
            summary.add_problem(Verdict.INVALID, entry, error)
        else:
            summary.written += 1
            yield entry
