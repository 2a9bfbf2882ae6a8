"""The commands render and book."""

from __future__ import annotations

from typing import Annotated

import typer

import binairo_cp as bn
from binairo_cp.cli import endings
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    Exclude,
    Quiet,
    SearchLimit,
    Sources,
    TextOptions,
    TimeLimit,
    Workers,
    entries_of,
)
from binairo_cp.errors import FontError, RenderError
from binairo_cp.features.feature import Option, feature_of
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
        str | None, Option("Font for PDF and PNG.", metavar="FILE.ttf", panel="Picture")
    ] = None,
    time_limit: TimeLimit = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.drawing import render_puzzles
    from binairo_cp.features.render import drawing_of

    drawn = options | {"to": _form(out, options["to"])}
    drawing = drawing_of(drawn, out=out, font=font, time_limit=time_limit)
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
        known = ", ".join(sorted(name for names in FORMS.values() for name in names))
        raise typer.BadParameter(
            f"can't tell the format from {out}; add --to, or use a name that ends in {known}",
            param_hint="--out",
        )
    return form


def _file(metavar: str, help: str, panel: str = OUTPUT) -> Option:
    return Option(help, metavar=metavar, panel=panel)


def book(
    options: Annotated[Options, bn.book],
    recipe: Annotated[
        str, _file("FILE.toml", "Which puzzles: sizes, numbers, rules, grades, seed, symbols.")
    ],
    out: Annotated[
        str, Option("The book.", flags=("--out", "-o"), metavar="FILE.pdf", panel=OUTPUT)
    ],
    manifest: Annotated[
        str | None,
        _file("FILE.json|.ndjson|.csv", "Also write the ids, grades and pages of the puzzles."),
    ] = None,
    certificates: Annotated[
        str | None, _file("FOLDER", "Also write a certificate of each puzzle.")
    ] = None,
    template: Annotated[str | None, _file("FILE.typ", "The layout of the pages.", "Pages")] = None,
    font: Annotated[str | None, _file("FILE.ttf", "Font of the book.", "Pages")] = None,
    exclude: Exclude = None,
    time_limit: SearchLimit = SECONDS_A_PUZZLE,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.book_recipe import recipe_of
    from binairo_cp.batch.books import BookFiles, make_book
    from binairo_cp.features.book import order_of

    options = feature_of(bn.book).completed(options)
    try:
        files = BookFiles(out, manifest, certificates)
        order = order_of(recipe_of(recipe), recipe, exclude or [])
        make_book(
            order,
            options,
            files,
            font=font,
            layout=template,
            workers=workers,
            quiet=quiet,
            seconds=time_limit,
        )
    except FontError as error:
        raise RenderError(f"{error}; choose another font with --font FILE") from error
