"""Make files in workers: encodings for solvers, other formats, pictures and certificates.

A request succeeds or fails as a whole: if one puzzle is refused, no file is made.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from binairo_cp import formats
from binairo_cp.errors import (
    BinairoError,
    BudgetExceeded,
    ExportError,
    GenerationError,
    RenderError,
)
from binairo_cp.features import encode
from binairo_cp.features.convert import unnumbered
from binairo_cp.features.render import drawing_of
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import file_name
from binairo_cp.generation.runs import GenerationSpec, GenerationState, generated_puzzles, record
from binairo_cp.service import deciding
from binairo_cp.service.deciding import PuzzleFault, RawPuzzles
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.encodings import target_named
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.batch.books import BookOrder

OUT_OF_TIME = "the time limit was reached"

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date that a zip can hold. A fixed date makes archives reproducible."""

MakeOne = Callable[[Entry, float], tuple[str, bytes]]
"""Called with a puzzle and a deadline; returns the suffix of the file's name and its content."""

_MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "html": "text/html",
}
"""Media types of pictures that are not plain text."""

BookForm = Literal["pdf", "zip"]

MEDIA_TYPES: dict[BookForm, str] = {"pdf": "application/pdf", "zip": "application/zip"}


Refusals = list[tuple[int, PuzzleFault]]
"""Why no file was made: the indexes of puzzles, from 0, and their faults."""


class File(NamedTuple):
    """A file to download, with the name to suggest."""

    name: str
    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class FileBounds:
    """Limits for making a file: seconds, and bytes of the result."""

    seconds: float
    bytes: int


def make_each(
    make: MakeOne, media_type: str, bounds: FileBounds, puzzles: RawPuzzles
) -> File | Refusals:
    """A file for a single puzzle, or a zip with one file for each of several puzzles."""
    end = monotonic() + bounds.seconds
    entries = _read(puzzles)
    refusals, files, bytes_left = [], [], bounds.bytes
    for index, entry in enumerate(entries):
        try:
            if monotonic() >= end:
                raise BudgetExceeded("time")
            suffix, content = make(_valid(entry), end)
            bytes_left -= len(content)
            if bytes_left < 0:
                raise ExportError(f"the result is larger than {bounds.bytes:,} bytes")
            files.append((file_name(entry.id or ""), suffix, content))
        except BinairoError as error:
            refusals.append((index, fault_of(error)))
    if refusals:
        return refusals
    if len(files) == 1:
        name, suffix, content = files[0]
        return File(name + suffix, content, media_type)
    return File("puzzles.zip", zipped(files), "application/zip")


def _read(puzzles: RawPuzzles) -> list[Entry]:
    entries = deciding.read(puzzles)
    if not entries:
        raise ExportError("the request contains no puzzle")
    if len(entries) > puzzles.max_count:
        raise ExportError(f"expected at most {puzzles.max_count:,} puzzles")
    return entries


def fault_of(error: BinairoError) -> PuzzleFault:
    """Describe the error of a puzzle."""
    message = getattr(error, "without_place", str(error))
    place = (getattr(error, name, None) for name in ("line", "column", "cell"))
    return PuzzleFault(error.kind, message, *place)


def _valid(entry: Entry) -> Entry:
    if entry.puzzle is None:
        raise entry.error or ExportError("no puzzle")
    return entry


def zipped(files: Iterable[tuple[str, str, bytes]]) -> bytes:
    """Put files into a zip under distinct names. The same files make the same bytes."""
    buffer, names = io.BytesIO(), set[str]()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, suffix, content in files:
            unique, number = name, 1
            while unique.casefold() in names:
                number += 1
                unique = f"{name}-{number}"
            names.add(unique.casefold())
            info = zipfile.ZipInfo(unique + suffix, _ZIP_DATE)
            info.compress_type = zipfile.ZIP_STORED if suffix == ".zip" else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def generate_records(seconds: float, order: GenerationSpec) -> tuple[list[str], str]:
    """Generate puzzles in a worker; returns their records, and why some are missing, if so.

    Raises:
        GenerationError: no puzzle was found, for another reason than the time limit.
    """
    state, meter = GenerationState(), Meter(Budget(seconds))
    records: list[str] = []
    try:
        for puzzle in generated_puzzles(order, 1, state, meter=meter):
            records.append(record(order, puzzle).to_json())
    except BudgetExceeded:
        return records, OUT_OF_TIME
    if state.error and not records:
        raise GenerationError(str(state.error))
    return records, str(state.error or "")


def encode_puzzles(
    options: dict[str, Any], bounds: FileBounds, puzzles: RawPuzzles
) -> File | Refusals:
    """Encode puzzles for a solver."""

    def encoded(entry: Entry, end: float) -> tuple[str, bytes]:
        left = max(0.0, end - monotonic())
        content = io.BytesIO()
        for piece in encode.encoding(entry, options, left):
            content.write(piece.encode())
            if content.tell() > bounds.bytes:
                raise ExportError(f"the result is larger than {bounds.bytes:,} bytes")
        return target_named(options["to"]).suffix, content.getvalue()

    return make_each(encoded, "text/plain", bounds, puzzles)


def certify_puzzles(
    options: dict[str, Any], bounds: FileBounds, puzzles: RawPuzzles
) -> File | Refusals:
    """Solve puzzles and make certificates of the results."""
    # Imported here because it loads the checkers.
    from binairo_cp.certificates import container, making

    def certified(entry: Entry, end: float) -> tuple[str, bytes]:
        if entry.puzzle is None:
            raise ExportError("no puzzle")
        left = max(0.0, end - monotonic())
        outcome = solutions.check(entry.puzzle, time_limit=left, reasons="none")
        if outcome.verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("time")
        parts, _ = making.certify(
            entry.puzzle, outcome, id=entry.id, seconds=max(0.0, end - monotonic())
        )
        return ".zip", container.zipped(parts)

    return make_each(certified, "application/zip", bounds, puzzles)


def convert_puzzles(
    options: dict[str, Any], bounds: FileBounds, puzzles: RawPuzzles
) -> File | Refusals:
    """Write puzzles in another format to one file."""
    to = options["to"]
    entries = list(unnumbered(_read(puzzles)))
    refusals = []
    for index, entry in enumerate(entries):
        try:
            list(formats.write([_valid(entry)], to))
        except BinairoError as error:
            refusals.append((index, fault_of(error)))
    if refusals:
        return refusals
    content = "".join(formats.write(entries, to)).encode()
    format = formats.FORMATS[to]
    return File(f"puzzles{format.suffixes[0]}", content, format.media_type)


@contextmanager
def hide_install_command(form: str) -> Iterator[None]:
    """Replace errors about missing libraries: clients of a server can't run `pip install`.

    Raises:
        RenderError: a library is missing, or the picture can't be drawn.
    """
    try:
        yield
    except RenderError as error:
        if isinstance(error.__cause__, ImportError):
            raise RenderError(f"this server can't make {form.upper()} files") from error
        raise


def draw_puzzles(
    options: dict[str, Any], bounds: FileBounds, puzzles: RawPuzzles
) -> File | Refusals:
    """Draw puzzles as pictures or pages."""
    # Imported here because the import is slow.
    from binairo_cp.batch import drawing
    from binairo_cp.batch.summaries import OutputSummary

    entries = _read(puzzles)
    refusals: Refusals = []
    indexes = {id(entry): index for index, entry in enumerate(entries)}

    def refuse(verdict: Verdict, entry: Entry, reason: object) -> None:
        index = indexes.get(id(entry), 0)
        if isinstance(reason, BinairoError):
            refusals.append((index, fault_of(reason)))
        else:
            kind = "budget" if verdict is Verdict.UNKNOWN else "not-unique"
            refusals.append((index, PuzzleFault(kind, str(reason))))

    meter = Meter(Budget(bounds.seconds))
    left = bounds.seconds / max(1, len(entries))
    form = options["to"]
    is_many = len(entries) > 1 and form in ("svg", "png")
    out = "puzzles/" if is_many else f"puzzles.{form}"
    written: dict[str, io.BytesIO] = {}
    order = replace(
        drawing_of(options, out=out, time_limit=left), files=written, check_clock=meter.check_clock
    )
    with hide_install_command(form):
        drawing.render_puzzles(entries, order, quiet=True, summary=OutputSummary(on_problem=refuse))
    if refusals:
        return refusals
    contents = {name: file.getvalue() for name, file in sorted(written.items())}
    if sum(map(len, contents.values())) > bounds.bytes:
        raise ExportError(f"the result is larger than {bounds.bytes:,} bytes")
    if is_many:
        files = [(Path(name).stem, Path(name).suffix, data) for name, data in contents.items()]
        return File("puzzles.zip", zipped(files), "application/zip")
    return File(out, contents[out], _MEDIA_TYPES.get(form, "text/plain"))


class BookSpec(NamedTuple):
    """A book that is to be made.

    Attributes:
        to: only the book as PDF, or a zip with its manifest, too.
    """

    order: BookOrder
    options: dict[str, Any]
    to: BookForm


def printed_book(
    spec: BookSpec,
    seconds: float,
    max_bytes: int | None = None,
    workers: int = 1,
    on_puzzle: Callable[[int], object] = lambda _: None,
) -> File:
    """Make a book within a time limit, in a worker, or in the process of a job.

    The file has at most `max_bytes`, unless that is None. With more than one worker, processes draw
    the puzzles. `on_puzzle` is called with the number of puzzles so far.

    Raises:
        BinairoError: as `batch.books.make_book`.
        ExportError: the file is too large.
    """
    # Imported here because drawing loads much.
    from binairo_cp.batch.books import BookFiles, make_book

    book, manifest = io.BytesIO(), io.BytesIO()
    with hide_install_command("pdf"):
        wanted = BookFiles(book, manifest if spec.to == "zip" else None)
        make_book(
            spec.order,
            spec.options,
            wanted,
            workers=workers,
            quiet=True,
            meter=Meter(Budget(seconds)),
            on_puzzle=on_puzzle,
        )
    content = book.getvalue()
    if spec.to == "zip":
        parts = [("book", ".pdf", content), ("manifest", ".json", manifest.getvalue())]
        content = zipped(parts)
    if max_bytes is not None and len(content) > max_bytes:
        raise ExportError(f"the book is larger than {max_bytes:,} bytes")
    return File(f"book.{spec.to}", content, MEDIA_TYPES[spec.to])
