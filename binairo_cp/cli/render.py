"""The command render."""

from __future__ import annotations

from typing import Annotated

import typer

import binairo_cp as bn
from binairo_cp.cli import endings
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    Quiet,
    Sources,
    TextOptions,
    TimeLimit,
    entries_of,
)
from binairo_cp.errors import FontError, RenderError
from binairo_cp.features.feature import Option
from binairo_cp.features.options import OUTPUT
from binairo_cp.rendering.shapes import FORMS, Form


def render(
    options: Annotated[Options, bn.render],
    text: TextOptions,
    sources: Sources = None,
    out: Annotated[
        str | None,
        Option(
            "The output file, or for SVG and PNG of many puzzles a folder, with one file per "
            "puzzle, named by its id.",
            flags=("--out", "-o"),
            metavar="FILE|FOLDER/",
            panel=OUTPUT,
        ),
    ] = None,
    font: Annotated[
        str | None,
        Option("Font for PDF and PNG.", metavar="FILE.ttf", panel="Picture"),
    ] = None,
    sidecar: Annotated[
        str | None,
        Option(
            "Also write a table of the puzzles, with page, clues, solution and grade.",
            metavar="FILE.csv|.json",
            panel=OUTPUT,
        ),
    ] = None,
    time_limit: TimeLimit = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.drawing import render_puzzles
    from binairo_cp.features.render import drawing_of

    drawing = drawing_of(
        options | {"to": _form(out, options["to"])},
        out=out,
        font=font,
        sidecar=sidecar,
        time_limit=time_limit,
    )
    entries = entries_of(sources, text.stated, options["rules"], out)
    try:
        done = render_puzzles(entries, drawing, quiet)
    except FontError as error:
        raise RenderError(f"{error}; choose another font with --font FILE") from error
    raise typer.Exit(done.exit_status)


def _form(out: str | None, to: Form | None) -> Form:
    """The format: that of --to, else from the ending of --out, else text for standard output."""
    from binairo_cp.formats.output_files import is_folder

    if out is None or is_folder(out):
        form = to if out else to or "text"
    else:
        form = endings.format_of(out, to, FORMS)
    if form is None:
        known = ", ".join(sorted(each for names in FORMS.values() for each in names))
        raise typer.BadParameter(
            f"can't tell the format from {out}; add --to, or use a name that ends in {known}",
            param_hint="--out",
        )
    return form
