"""The commands board and generate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
    Resume,
    SearchLimit,
    To,
    Workers,
    check_resume,
)
from binairo_cp.features.feature import Option, feature_of
from binairo_cp.puzzle.shape import sides_of
from binairo_cp.workers.terminal import exit_status

if TYPE_CHECKING:
    from binairo_cp.batch.generating import OutputOptions
    from binairo_cp.generation.runs import GenerationSpec


def board(
    options: Annotated[Options, bn.board],
    number: Annotated[
        list[int] | None,
        Option(
            "Print the board with this number (from 0, in lexicographic order); may be repeated.",
            flags=("--number", "-k"),
        ),
    ] = None,
    index: Annotated[
        str | None,
        Option("Print the number of this board (its cells, row by row).", metavar="CELLS"),
    ] = None,
    workers: Workers = None,
    to: To = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch import generating
    from binairo_cp.features.generate import spec_of

    form = (endings.format_of(out, to, endings.PUZZLES) if out else to) or "text"
    if number or index:
        drawn = {name: options[name] for name in ("size", "rules", "odd")}
        if options != feature_of(bn.board).completed(drawn):
            hint = "--number" if number else "--index"
            raise typer.BadParameter(
                "can't be used with options for random boards", param_hint=hint
            )
        if index and (number or out):
            raise typer.BadParameter("can't be used with --number or --out", param_hint="--index")
        _by_number(options, number or [], index, form, out)
        return
    _run(spec_of(options), generating.OutputOptions(workers, form, out, quiet=quiet))


def generate(
    options: Annotated[Options, bn.generate],
    exclude: Exclude = None,
    time_limit: SearchLimit = SECONDS_A_PUZZLE,
    workers: Workers = None,
    to: To = None,
    out: Out = None,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch import generating
    from binairo_cp.features.generate import spec_of

    form = (endings.format_of(out, to, endings.PUZZLES) if out else to) or "text"
    if resume:
        check_resume(out, form)
        if options["seed"] is None:
            raise typer.BadParameter("needs --seed", param_hint="--resume")
    spec = spec_of(options, graded=form == "ndjson")
    output = generating.OutputOptions(workers, form, out, resume, quiet, seconds=time_limit)
    _run(spec, output, exclude)


def _run(spec: GenerationSpec, output: OutputOptions, exclude: list[str] | None = None) -> None:
    from binairo_cp.batch import generating
    from binairo_cp.features.generate import excluding

    spec, state = excluding(spec, exclude or ())
    complete = generating.generate_puzzles(spec, output, state)
    raise typer.Exit(exit_status(unknown=not complete))


def _by_number(
    options: Options, numbers: list[int], index: str | None, to: str, out: str | None
) -> None:
    from binairo_cp.features.generate import rules_of_boards
    from binairo_cp.formats.output_files import open_output
    from binairo_cp.generation import boards
    from binairo_cp.puzzle.board import Board
    from binairo_cp.puzzle.rules import Puzzle

    height, width = sides_of(options["size"])
    rules = rules_of_boards(options)
    if index is not None:
        typer.echo(boards.number_of_board(Board(height, width, index), rules))
    found = [(number, boards.board_of_number(height, width, number, rules)) for number in numbers]
    entries = (
        formats.Entry(Puzzle(board, rules), id=f"{height}x{width}-{number}")
        for number, board in found
    )
    if found:
        with open_output(out) as write:
            for text in formats.write(entries, to):
                write(text)
