"""The command book."""

from __future__ import annotations

from typing import Annotated

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.cli.options import Quiet, Workers
from binairo_cp.errors import FontError, RenderError
from binairo_cp.features.feature import Option, feature_of
from binairo_cp.features.options import OUTPUT


def _file(metavar: str, help: str, panel: str = OUTPUT) -> Option:
    return Option(help, metavar=metavar, panel=panel)


def book(
    options: Annotated[Options, bn.book],
    recipe: Annotated[
        str, _file("FILE.toml", "Which puzzles: sizes, numbers, rules, grades, seed, symbols.")
    ],
    out: Annotated[
        str,
        Option("The book.", flags=("--out", "-o"), metavar="FILE.pdf", panel=OUTPUT),
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
        str | None,
        _file(
            "FILE.typ|.toml",
            "The layout of the pages, or only fonts, colours, sizes and texts.",
            "Pages",
        ),
    ] = None,
    font: Annotated[
        str | None, _file("FILE.ttf", "Font of the book, instead of that of the template.", "Pages")
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    from binairo_cp.batch.book_recipe import recipe_of
    from binairo_cp.batch.books import BookFiles, BookLook, make_book
    from binairo_cp.features.book import order_of

    options = feature_of(bn.book).completed(options)
    try:
        files = BookFiles(out, cover, manifest, certificates)
        look = BookLook.of(template, font)
        make_book(order_of(recipe_of(recipe)), options, look, files, workers=workers, quiet=quiet)
    except FontError as error:
        raise RenderError(f"{error}; choose another font with --font FILE") from error
