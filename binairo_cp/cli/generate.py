"""The commands board and generate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import binairo_cp as bn
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
from binairo_cp.workers.terminal import exit_status

if TYPE_CHECKING:
    from binairo_cp.batch.generating import OutputOptions
    from binairo_cp.generation.runs import GenerationSpec


def board(
    options: Annotated[Options, bn.board],
    workers: Workers = None,
    to: To = None,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch import generating
    from binairo_cp.features.generate import spec_of

    form = endings.format_of(out, to, endings.PUZZLES) or "text"
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

    form = endings.format_of(out, to, endings.PUZZLES) or "text"
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
