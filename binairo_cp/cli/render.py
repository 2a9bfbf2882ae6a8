"""The command render."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from binairo_cp.cli import endings, pipes
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    Quiet,
    Sources,
    TextOptions,
    TimeLimit,
    entries_of,
)
from binairo_cp.commands.requests import RenderRequest
from binairo_cp.errors import FontError, RenderError

if TYPE_CHECKING:
    from binairo_cp.rendering.shapes import Form


def render(
    request: RenderRequest,
    text: TextOptions,
    sources: Sources = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE|FOLDER/",
            help="The output file, or for SVG and PNG of many puzzles a folder, with one file per "
            "puzzle, named by its id.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    font: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.ttf",
            help="Font for PDF and PNG.",
            rich_help_panel="Picture",
            show_default=False,
        ),
    ] = None,
    sidecar: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.csv|.json",
            help="Also write a table of the puzzles, with page, clues, solution and grade.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    time_limit: TimeLimit = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
) -> None:
    """Draw puzzles in the terminal, as SVG or PNG, or as a PDF book with answers.

    [bold]binairo render puzzle.txt[/]
    [bold]binairo render puzzles.line --grade --title Puzzles --out book.pdf[/]
    [bold]binairo render puzzles.line --to svg --out pictures/[/]
    """
    from binairo_cp.commands import render, render_options

    request = replace(request, to=_form(out, request.to))
    options = render_options.options_of(
        request, out=out, font=font, sidecar=sidecar, time_limit=time_limit
    )
    with pipes.may_be_closed():
        entries = entries_of(sources, text.stated, request.rules, out)
        try:
            done = render.render_puzzles(entries, options, quiet)
        except FontError as error:
            raise RenderError(f"{error}; choose another font with --font FILE") from error
    raise typer.Exit(done.exit_status)


def _form(out: str | None, to: Form | None) -> Form:
    """The format: that of --to, else from the ending of --out, else text for standard output.

    Raises:
        typer.BadParameter: the ending of --out is unknown or contradicts --to.
    """
    from binairo_cp.formats.output_files import is_folder

    if out is None or is_folder(out):
        form = to if out else to or "text"
    else:
        form = endings.format_of(out, to, endings.pictures(), "--to")
    if form is None:
        known = ", ".join(sorted(each for names in endings.pictures().values() for each in names))
        raise typer.BadParameter(
            f"can't tell the format from {out}; add --to, or use a name that ends in {known}",
            param_hint="--out",
        )
    return form
