"""Books over HTTP: what is requested, its bounds, and making the file."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from binairo_cp.errors import ExportError
from binairo_cp.rendering.printed.template import Design
from binairo_cp.service import files
from binairo_cp.service.files import File
from binairo_cp.solving.backends import Budget, Meter

if TYPE_CHECKING:
    from binairo_cp.batch.books import BookOrder

BookForm = Literal["pdf", "zip"]

MEDIA_TYPES: dict[BookForm, str] = {"pdf": "application/pdf", "zip": "application/zip"}


class BookSpec(NamedTuple):
    """A book that is to be made.

    Attributes:
        order: which puzzles.
        options: all options of the feature `book`.
        design: its look.
        to: only the book as PDF, or a zip with its cover and its manifest, too.
    """

    order: BookOrder
    options: dict[str, Any]
    design: Design
    to: BookForm


def make(
    spec: BookSpec,
    seconds: float,
    max_bytes: int | None = None,
    workers: int = 1,
    on_puzzle: Callable[[int], object] = lambda _: None,
) -> File:
    """Make a book. Runs in a worker, or in the process of a job.

    Args:
        spec: the book.
        seconds: the time limit.
        max_bytes: the maximum size of the file; None for no limit.
        workers: number of worker processes; 1 for none.
        on_puzzle: called with the number of puzzles so far.

    Raises:
        BinairoError: as `batch.books.make_book`.
        ExportError: the file is too large.
    """
    # Imported here because drawing loads much.
    from binairo_cp.batch.books import BookFiles, BookLook, make_book

    book, cover, manifest = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with files.hide_install_command("pdf"):
        look = BookLook(spec.design, None)
        wanted = BookFiles(book)
        if spec.to == "zip":
            wanted = BookFiles(book, cover, manifest)
        make_book(
            spec.order,
            spec.options,
            look,
            wanted,
            workers=workers,
            quiet=True,
            meter=Meter(Budget(seconds)),
            on_puzzle=on_puzzle,
        )
    content = book.getvalue()
    if spec.to == "zip":
        parts = [
            ("book", ".pdf", content),
            ("cover", ".pdf", cover.getvalue()),
            ("manifest", ".json", manifest.getvalue()),
        ]
        content = files.zipped(parts)
    if max_bytes is not None and len(content) > max_bytes:
        raise ExportError(f"the book is larger than {max_bytes:,} bytes")
    return File(f"book.{spec.to}", content, MEDIA_TYPES[spec.to])
