"""The command book."""

from __future__ import annotations

from typing import Annotated

import typer

from binairo_cp.cli.options import Quiet, Workers
from binairo_cp.commands.requests import BookRequest
from binairo_cp.errors import FontError, RenderError


def _file(metavar: str, help: str, panel: str = "Output") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        metavar=metavar, help=help, rich_help_panel=panel, show_default=False
    )
    return option


def book(
    request: BookRequest,
    recipe: Annotated[
        str, _file("FILE.toml", "Which puzzles: sizes, numbers, rules, grades, seed, symbols.")
    ],
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE.pdf", help="The book.", rich_help_panel="Output"),
    ],
    cover: Annotated[
        str | None, _file("FILE.pdf", "Also write a template of the cover, with its spine.")
    ] = None,
    manifest: Annotated[
        str | None,
        _file("FILE.json|.ndjson|.csv", "Also write the ids, grades and pages of the puzzles."),
    ] = None,
    certificates: Annotated[
        str | None, _file("FOLDER", "Also write a certificate of each puzzle.")
    ] = None,
    template: Annotated[
        str | None, _file("FILE.toml", "Fonts, colours, sizes and texts of the book.", "Pages")
    ] = None,
    font: Annotated[
        str | None, _file("FILE.ttf", "Font of the book, instead of that of the template.", "Pages")
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Generate puzzles and print them as a book for a print shop, with answers.

    [bold]binairo book --title Puzzles --recipe recipe.toml --out book.pdf[/]
    [bold]binairo book --title Puzzles --recipe recipe.toml --out book.pdf --cover cover.pdf[/]
    """
    from binairo_cp.commands import book as books
    from binairo_cp.commands.book_recipe import recipe_of

    try:
        files = books.BookFiles(out, cover, manifest, certificates)
        look = books.BookLook.of(template, font)
        books.make_book(recipe_of(recipe), request, look, files, workers=workers, quiet=quiet)
    except FontError as error:
        raise RenderError(f"{error}; choose another font with --font FILE") from error
