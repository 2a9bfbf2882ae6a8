"""Print new puzzles as a book."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from binairo_cp.errors import OptionError
from binairo_cp.features import generate
from binairo_cp.features.arguments import Name, check_workers, names_of, path_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import LONGEST_TITLE, per_page
from binairo_cp.rendering.pages import Printer

if TYPE_CHECKING:
    from binairo_cp.batch.book_recipe import BookRecipe
    from binairo_cp.batch.books import BookOrder

_PRINT, _PAGES = "Print", "Pages"


def order_of(recipe: BookRecipe, path: str | None = None, exclude: Sequence[str] = ()) -> BookOrder:
    """The puzzles of a recipe, of which none may be a twin of one in the files to exclude.

    Errors name the `path` of the recipe, if a file has it.

    Raises:
        BinairoError: a set has a mistake.
    """
    # Imported here and below because drawing loads much.
    from binairo_cp.batch.books import BookOrder

    specs = generate.specs_of(recipe.puzzles, recipe.seed, path, distinct=True)
    return BookOrder(recipe, specs, exclude)


def _check(title: str, **others: Any) -> None:
    if not title.strip():
        raise OptionError("title", "expected a title")
    texts = {"title": title, "author": others["author"], "subject": others["subject"]}
    for name, text in texts.items():
        if not text.isprintable():
            raise OptionError(name, "expected text without line breaks and control characters")


@feature(
    check=_check,
    examples=(
        "[bold]binairo book --title Puzzles --recipe recipe.toml --out book.pdf[/]",
        "[bold]binairo book --title Puzzles --recipe my.toml -o book.pdf --manifest my.csv[/]",
    ),
)
def book(
    recipe: Annotated[
        Name | Mapping[str, Any], "A TOML file, or a dictionary with the same keys: which puzzles."
    ],
    *,
    title: Annotated[str, Option("Title of the book.", longest=LONGEST_TITLE)],
    author: Annotated[str, Option("Author, on the title page.", longest=LONGEST_TITLE)] = "",
    subject: Annotated[
        str,
        Option(
            "Subject, in the properties of the PDF.",
            absent="Binairo puzzles",
            longest=LONGEST_TITLE,
        ),
    ] = "",
    trim: Annotated[
        str,
        Option(
            "Size of the pages after cutting: 6x9in, 5x8in, a5, or another width and height.",
            panel=_PRINT,
            metavar="SIZE",
        ),
    ] = "6x9in",
    bleed: Annotated[
        bool, Option("Add 0.125 in to the three sides that are cut.", panel=_PRINT)
    ] = False,
    printer: Annotated[
        Printer,
        Option("Whose margins to keep: kdp, or ingramspark (at least 0.5 in).", panel=_PRINT),
    ] = "kdp",
    order: Annotated[
        Literal["strict", "flexible"],
        Option(
            "Order of the puzzles of a grade: strict (by difficulty alone), or flexible (sizes "
            "stay together, which fills pages better).",
            panel=_PAGES,
        ),
    ] = "flexible",
    per_page: Annotated[int | None, per_page(panel=_PAGES)] = None,
    large: Annotated[
        bool,
        Option(
            "Large print: text of at least 18 points, and one puzzle per page unless --per-page "
            "says otherwise.",
            panel=_PAGES,
        ),
    ] = False,
    notes: Annotated[
        int, Option("Number of pages for notes.", least=0, most=100, panel=_PAGES)
    ] = 0,
    plain: Annotated[
        bool,
        Option(
            "Only puzzles and answers: no title page, contents, rules and section pages.",
            panel=_PAGES,
        ),
    ] = False,
    template: Annotated[Name | None, "A Typst file (.typ) that lays out the pages."] = None,
    font: Annotated[Name | None, "A TrueType file for all text."] = None,
    out: Annotated[Name | None, "Write the book to this file."] = None,
    manifest: Annotated[
        Name | None, "Also write the ids, grades and pages of the puzzles to this file."
    ] = None,
    certificates: Annotated[
        Name | None, "Also write a certificate of each puzzle to this folder."
    ] = None,
    exclude: Annotated[
        Name | Iterable[Name],
        "Files with puzzles of which none may be a twin, such as the manifest of a book.",
    ] = (),
    workers: Annotated[int, "The number of worker processes; 1 for none."] = 1,
) -> bytes:
    """Generate puzzles and print them as a book with answers.

    >>> import binairo_cp as bn
    >>> recipe = {"seed": 1, "puzzles": [{"size": 6, "count": 4, "grade": "easy"}]}
    >>> bn.book(recipe, title="Four puzzles")[:8]
    b'%PDF-1.6'

    Returns:
        The book as PDF; empty if it is written to `out`.

    Raises:
        OptionError: an option is out of bounds.
        SourceError: the recipe or the template has a mistake, or a file can't be written.
        GenerationError: a puzzle of the recipe was not found.
        LimitError: a puzzle of the recipe can't exist.
        RenderError: a board does not fit its page, or the font lacks a character.
    """
    options = checked(book, locals())
    check_workers(workers)
    from binairo_cp.batch.book_recipe import recipe_of
    from binairo_cp.batch.books import BookFiles, make_book

    path = None if isinstance(recipe, Mapping) else path_of(recipe, "recipe")
    read = recipe_of(path or cast("Mapping[str, Any]", recipe))
    puzzles = order_of(read, path, names_of(exclude, "exclude"))
    memory = io.BytesIO()
    files = BookFiles(
        memory if out is None else path_of(out),
        _path(manifest, "manifest"),
        _path(certificates, "certificates"),
    )
    make_book(
        puzzles,
        options,
        files,
        font=_path(font, "font"),
        layout=_path(template, "template"),
        workers=workers,
        quiet=True,
    )
    return memory.getvalue()


def _path(name: Name | None, what: str) -> str | None:
    return None if name is None else path_of(name, what)
