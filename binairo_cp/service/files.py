"""Files that workers make of puzzles: for solvers, in formats, as pictures, as certificates.

All of a request or nothing: what can't be made of one puzzle is told, and no file is made.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from binairo_cp import formats
from binairo_cp.commands import convert, encode, verify
from binairo_cp.errors import BinairoError, BudgetExceeded, ExportError, FormatError, RenderError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import file_name
from binairo_cp.service import work
from binairo_cp.service.work import Given, Place
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.encodings import TARGETS
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.commands.requests import RenderRequest

_LONG_AGO = (1980, 1, 1, 0, 0, 0)


class Refusal(NamedTuple):
    """Why nothing was made: of which puzzle, from 0, what is wrong, and where."""

    number: int
    kind: str
    message: str
    place: Place = Place()


class File(NamedTuple):
    """What was made.

    Attributes:
        name: how it may be called.
        content: its bytes.
        media_type: what it is.
    """

    name: str
    content: bytes
    media_type: str


MakeOne = Callable[[Entry, float], tuple[str, bytes]]
"""Makes of a puzzle, until a time, the ending of a file's name and its content."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a worker works, and how much it makes: in seconds, and in bytes."""

    seconds: float
    bytes: int


def make_each(make: MakeOne, media_type: str, bounds: Bounds, given: Given) -> File | list[Refusal]:
    """A file for a puzzle, or a zip with one for each of several."""
    end = monotonic() + bounds.seconds
    entries = _some(given)
    refusals, made, room = [], [], bounds.bytes
    for number, entry in enumerate(entries):
        try:
            if monotonic() >= end:
                raise BudgetExceeded("time")
            suffix, content = make(_sound(entry), end)
            room -= len(content)
            if room < 0:
                raise ExportError(f"what is made has more than {bounds.bytes:,} bytes")
            made.append((file_name(entry.id or ""), suffix, content))
        except BinairoError as error:
            refusals.append(refusal(number, error))
    if refusals:
        return refusals
    if len(made) == 1:
        name, suffix, content = made[0]
        return File(name + suffix, content, media_type)
    return File("puzzles.zip", _zipped(made), "application/zip")


def _some(given: Given) -> list[Entry]:
    """The puzzles of a request that wants a file of them.

    Raises:
        ExportError: there is none, or there are more than allowed.
    """
    entries = work.read(given)
    if not entries:
        raise ExportError("there is no puzzle")
    if len(entries) > given.most:
        raise ExportError(f"expected at most {given.most:,} puzzles")
    return entries


def refusal(number: int, error: BinairoError) -> Refusal:
    """What is said of a puzzle that nothing can be made of."""
    message = getattr(error, "without_place", str(error))
    cell = getattr(error, "cell", None)
    if isinstance(error, FormatError):
        return Refusal(number, error.kind, message, Place(error.line, error.column, cell))
    return Refusal(number, error.kind, message)


def _sound(entry: Entry) -> Entry:
    if entry.puzzle is None:
        raise entry.error or ExportError("no puzzle")
    return entry


def _zipped(made: Iterable[tuple[str, str, bytes]]) -> bytes:
    """Files in a zip, each with a name of its own; the same ones make the same zip."""
    buffer, names = io.BytesIO(), set[str]()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, suffix, content in made:
            called, number = name, 1
            while called.casefold() in names:
                number += 1
                called = f"{name}-{number}"
            names.add(called.casefold())
            info = zipfile.ZipInfo(called + suffix, _LONG_AGO)
            info.compress_type = zipfile.ZIP_STORED if suffix == ".zip" else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def encoded(order: encode.EncodeOptions, most: int, entry: Entry, end: float) -> tuple[str, bytes]:
    """A puzzle written for a solver."""
    left = max(0.0, end - monotonic())
    content = io.BytesIO()
    for piece in encode.text(entry, replace(order, time_limit=left)):
        content.write(piece.encode())
        if content.tell() > most:
            raise ExportError(f"what is written has more than {most:,} bytes")
    return TARGETS[order.target].suffix, content.getvalue()


def certified(entry: Entry, end: float) -> tuple[str, bytes]:
    """A certificate of what a puzzle is."""
    # Imported here, since it loads the checkers.
    from binairo_cp.certificates import container, making

    if entry.puzzle is None:
        raise ExportError("no puzzle")
    left = max(0.0, end - monotonic())
    outcome = solutions.check(entry.puzzle, time_limit=left, reasons="none")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    left = max(0.0, end - monotonic())
    files, _ = making.certify(entry.puzzle, outcome, id=entry.id, seconds=left)
    return ".zip", container.zipped(files)


def verified(seconds: float, zipped: bytes) -> str:
    """What becomes of a certificate when it is checked, as JSON."""
    path, own = Path(work.SOURCE), verify.OWN
    return verify.verify(path, own, seconds, zipped).to_json()


def converted(to: str, bounds: Bounds, given: Given) -> File | list[Refusal]:
    """Puzzles in another format, in one file."""
    entries = list(convert.unnumbered(_some(given)))
    refusals = []
    for number, entry in enumerate(entries):
        try:
            list(formats.write([_sound(entry)], to))
        except BinairoError as error:
            refusals.append(refusal(number, error))
    if refusals:
        return refusals
    content = "".join(formats.write(entries, to)).encode()
    name = f"puzzles{formats.FORMATS[to].suffixes[0]}"
    return File(name, content, _MEDIA_TYPES.get(to, "text/plain"))


_MEDIA_TYPES = {
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "html": "text/html",
}
"""What files are that are not plain text."""


@contextmanager
def _without_advice(form: str) -> Iterator[None]:
    """Say that a library is missing to those who can't install it: without the command that does.

    Raises:
        RenderError: it is missing.
    """
    try:
        yield
    except RenderError as error:
        if isinstance(error.__cause__, ImportError):
            raise RenderError(f"this server can't make {form.upper()} files") from error
        raise


def drawn(request: RenderRequest, bounds: Bounds, given: Given) -> File | list[Refusal]:
    """Puzzles as pictures or pages."""
    # Imported here, since it takes time.
    from binairo_cp.commands import render, render_options

    entries = _some(given)
    refusals: list[Refusal] = []
    numbers = {id(entry): number for number, entry in enumerate(entries)}

    def tell(verdict: Verdict, entry: Entry, why: object) -> None:
        number = numbers.get(id(entry), 0)
        if isinstance(why, BinairoError):
            refusals.append(refusal(number, why))
        else:
            kind = "budget" if verdict is Verdict.UNKNOWN else "not-unique"
            refusals.append(Refusal(number, kind, str(why)))

    meter = Meter(Budget(bounds.seconds))
    left = bounds.seconds / max(1, len(entries))
    with TemporaryDirectory(prefix="binairo-") as folder:
        form = request.to or "svg"
        is_many = len(entries) > 1 and form in ("svg", "png")
        out = f"{folder}/" if is_many else f"{folder}/puzzles.{form}"
        order = render_options.options_of(request, out=out, time_limit=left)
        order = replace(order, check_clock=meter.check_clock)
        with _without_advice(form):
            render.render_puzzles(
                entries, order, quiet=True, summary=encode.OutputSummary(on_problem=tell)
            )
        if refusals:
            return refusals
        paths = sorted(Path(folder).iterdir())
        if sum(path.stat().st_size for path in paths) > bounds.bytes:
            raise ExportError(f"what is drawn has more than {bounds.bytes:,} bytes")
        made = [(path.stem, path.suffix, path.read_bytes()) for path in paths]
    if is_many:
        return File("puzzles.zip", _zipped(made), "application/zip")
    return File(paths[0].name, made[0][2], _MEDIA_TYPES.get(form, "text/plain"))
