"""Print new puzzles as a book."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Literal

from binairo_cp.api.files import Name
from binairo_cp.features.arguments import check_workers, path_of, request


def book(
    recipe: Name | Mapping[str, Any],
    *,
    title: str,
    author: str = "",
    subject: str = "",
    trim: Literal["6x9in", "7x10in", "8x10in", "8.5x11in", "a4", "a5"] = "6x9in",
    bleed: bool = False,
    printer: Literal["kdp", "ingramspark"] = "kdp",
    paper: Literal["white", "cream", "colour"] = "white",
    order: Literal["strict", "flexible"] = "flexible",
    per_page: int | None = None,
    large: bool = False,
    notes: int = 0,
    plain: bool = False,
    template: Name | None = None,
    font: Name | None = None,
    out: Name | None = None,
    cover: Name | None = None,
    manifest: Name | None = None,
    certificates: Name | None = None,
    workers: int = 1,
) -> bytes:
    """Generate puzzles and print them as a book for a print shop, with answers.

    >>> import binairo_cp as bn
    >>> recipe = {"seed": 1, "puzzles": [{"size": 6, "count": 4, "grade": "easy"}]}
    >>> bn.book(recipe, title="Four puzzles")[:8]
    b'%PDF-1.6'

    Args:
        recipe: a TOML file, or a dictionary with the same keys: which puzzles.
        title: the title of the book.
        author: the author, on the title page.
        subject: the subject, in the properties of the PDF.
        trim: the size of the pages after cutting: 6x9in, 7x10in, 8x10in, 8.5x11in, a4 or a5.
        bleed: add 0.125 in to the three sides that are cut.
        printer: whose margins to keep: kdp or ingramspark.
        paper: the paper, for the width of the spine: white, cream or colour.
        order: the order of the puzzles of a grade: strict (by difficulty alone) or flexible
            (sizes stay together).
        per_page: the number of puzzles per page; None for as many as fit comfortably.
        large: large print, also for the answers.
        notes: the number of pages for notes.
        plain: only puzzles and answers.
        template: a TOML file with fonts, colours, sizes and texts.
        font: a TrueType file, instead of the font of the template.
        out: write the book to this file.
        cover: also write a template of the cover to this file.
        manifest: also write the ids, grades and pages of the puzzles to this file.
        certificates: also write a certificate of each puzzle to this folder.
        workers: the number of worker processes; 1 for none.

    Returns:
        The book as PDF; empty if it is written to `out`.

    Raises:
        OptionError: an option is out of bounds.
        SourceError: the recipe or the template has a mistake, or a file can't be written.
        GenerationError: a puzzle of the recipe was not found.
        LimitError: a puzzle of the recipe can't exist.
        RenderError: a board does not fit its page, or the font lacks a character.
    """
    options = request(
        "book",
        title=title,
        author=author,
        subject=subject,
        trim=trim,
        bleed=bleed,
        printer=printer,
        paper=paper,
        order=order,
        per_page=per_page,
        large=large,
        notes=notes,
        plain=plain,
    )
    check_workers(workers)
    # Imported here because drawing loads much.
    from binairo_cp.commands import book as commands
    from binairo_cp.commands.book_recipe import recipe_of

    read = recipe_of(recipe if isinstance(recipe, Mapping) else path_of(recipe, "recipe"))
    look = commands.BookLook.of(_path(template, "template"), _path(font, "font"))
    memory = io.BytesIO()
    files = commands.BookFiles(
        memory if out is None else path_of(out),
        _path(cover, "cover"),
        _path(manifest, "manifest"),
        _path(certificates, "certificates"),
    )
    commands.make_book(read, options, look, files, workers=workers, quiet=True)
    return memory.getvalue()


def _path(name: Name | None, what: str) -> str | None:
    return None if name is None else path_of(name, what)
