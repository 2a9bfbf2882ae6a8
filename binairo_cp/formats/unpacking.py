"""Open files as lines of UTF-8: decompress them, convert UTF-16, and name what is no text.

gzip, xz, bz2, zip files with one member, texts in UTF-16 with a byte order mark, and lines that end
in carriage returns are detected by their first bytes. Data is decompressed as it is read, so memory
does not depend on its size.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Literal

from binairo_cp.errors import SourceError

READ_ERRORS = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What reading an unpacked file can raise."""

LARGEST_ZIP = 256 << 20
"""Size limit of a zip file that comes from a pipe, in bytes."""

HEIC = (b"ftypheic", b"ftypheix", b"ftypmif1")
"""What stands after the first four bytes of a HEIC, as phones take photos."""

_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_STREAMS: dict[bytes, Any] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"BZh": bz2.BZ2File,
}
_ZIP = b"PK\x03\x04"
_PICTURE = "is a picture; type the puzzle as text, with one row on each line"
_COMMANDS = {b"\x28\xb5\x2f\xfd": "zstd -dc", b"7z\xbc\xaf": "7z x -so"}
"""Compressions that are not supported, and the commands that decompress them."""
_OTHER_FILES = {
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*"), _PICTURE),
    b"PAR1": "is a Parquet table; it can only be read from a file that is not compressed",
    b"%PDF": "is a PDF document; copy the puzzle from it as text, with one row on each line",
    b"\xd0\xcf\x11\xe0": "is an old Office document; save it as CSV",
}
_SHEET = "is a spreadsheet; save it as CSV, or copy the cells and paste them"
_DOCUMENT = "is an Office document; copy the puzzle from it as text"
_PARTS = {
    "xl/": _SHEET,
    "word/": _DOCUMENT,
    "ppt/": _DOCUMENT,
    "content.xml": f"{_SHEET} or the text",
}
_PIECE = 1 << 16
_PEEKED = 1 << 12
_PEEKED_MAGIC = 16


def picture_in(head: bytes) -> Literal["pixels", "svg", ""]:
    """The kind of picture that begins so: a PNG, a JPEG, a WebP or a HEIC, or an SVG; or none."""
    if (
        head.startswith((b"\x89PNG\r\n", b"\xff\xd8\xff"))
        or (head.startswith(b"RIFF") and head[8:12] == b"WEBP")
        or head[4:12] in HEIC
    ):
        return "pixels"
    start = head[:512].removeprefix(codecs.BOM_UTF8).lstrip()
    is_svg = start.startswith(b"<svg") or (start.startswith((b"<?xml", b"<!")) and b"<svg" in start)
    return "svg" if is_svg else ""


@contextmanager
def unpacked(stream: io.BufferedReader, name: str, shown: str) -> Iterator[Any]:
    """The text of an open file as a stream of bytes in UTF-8; the file itself if it is that.

    Raises:
        SourceError: it is no text, or packed in an unknown way.
    """
    with ExitStack() as stack:
        start = stream.peek(_PEEKED)[:_PEEKED]
        found: Any = stream
        if start.startswith(_ZIP):
            found = stack.enter_context(_member(stream, shown))
        for magic, opened in _STREAMS.items():
            if start.startswith(magic):
                found = stack.enter_context(opened(stream))
        _refuse(start[:16], name, shown)
        if found is not stream:
            found = Unpacked(found)
            start = b""
            with suppress(*READ_ERRORS):  # reading meets the same error, and reports it
                start = found.peek(_PEEKED)[:_PEEKED]
            _refuse(start, name, shown)
        convert = _converter(start)
        yield Unpacked(Pieces(_converted(found, convert))) if convert else found


def text_stream(data: bytes, name: str) -> Any:
    """The text of bytes in memory, which are not decompressed.

    Raises:
        SourceError: they are no text.
    """
    start = data[:_PEEKED]
    _refuse(start, name, name)
    if data.startswith(_ZIP):
        _refuse_damaged(start, name)
    if len(data) > _PEEKED_MAGIC and data.startswith((_ZIP, *_STREAMS)):
        raise SourceError(name, "is compressed; send the text itself")
    convert = _converter(start)
    return io.BytesIO(convert(data, True) if convert else data)


class Unpacked(io.BufferedReader):
    """A decompressed stream. Unlike a pipe, it does not say whether more data has arrived."""


def _converter(start: bytes) -> Callable[[bytes, bool], bytes] | None:
    """The function that converts the pieces of a text with this beginning; None if none is needed.

    Its second argument is whether the piece is the last one.
    """
    if encoding := _UTF_16.get(start[:2]):
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        return lambda data, final: decoder.decode(data, final).encode(errors="replace")
    if b"\n" not in start and re.search(rb"\r[^\n]", start):
        return lambda data, final: data.replace(b"\r", b"\n")
    return None


def _converted(
    stream: io.BufferedReader, convert: Callable[[bytes, bool], bytes]
) -> Iterator[bytes]:
    while data := stream.read1(_PIECE):
        yield convert(data, False)
    yield convert(b"", True)


def _refuse(start: bytes, name: str, shown: str) -> None:
    for magic, command in _COMMANDS.items():
        if start.startswith(magic):
            file = "FILE" if name == "-" else shown
            other = f"use gzip, or decompress the file first: {command} {file} | binairo ... -"
            raise SourceError(shown, f"this compression is not supported; {other}")
    for magic, problem in _OTHER_FILES.items():
        # A text may begin with two capitals of a magic number.
        if start.startswith(magic) and (len(magic) > 2 or b"\0" in start):
            raise SourceError(shown, problem)
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        raise SourceError(shown, _PICTURE)


@contextmanager
def _member(stream: io.BufferedReader, shown: str) -> Iterator[Any]:
    """The only file in a zip file."""
    file: Any = stream
    start = stream.peek(64)[:64]
    if not stream.seekable():
        file = io.BytesIO(stream.read(LARGEST_ZIP + 1))
        if len(file.getvalue()) > LARGEST_ZIP:
            raise SourceError(shown, f"a zip file of more than {LARGEST_ZIP:,} bytes from a pipe")
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            names = [name for name in names if not name.startswith("__MACOSX/")]
            _refuse_office(names, shown)
            if len(names) != 1:
                message = f"is a zip file with {len(names)} files; expected one"
                raise SourceError(shown, f"{message} (unpack it, and name the folder)")
            with archive.open(names[0]) as member:
                yield member
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        _refuse_damaged(start, shown)
        raise SourceError(shown, "can't be read: the zip file is damaged, or encrypted") from error


def _refuse_damaged(start: bytes, shown: str) -> None:
    """Refuse an Office file of which only the beginning is known."""
    text = start.decode(errors="replace")
    _refuse_office([text[place:] for place in range(len(text))], shown)


def _refuse_office(names: list[str], shown: str) -> None:
    for name in names:
        for part, problem in _PARTS.items():
            if name.startswith(part):
                raise SourceError(shown, problem)


class Pieces(io.RawIOBase):
    """A stream of the bytes in pieces, each of which is made when it is read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._rest and (piece := next(self._pieces, None)) is not None:
            self._rest = memoryview(piece)
        size = min(len(target), len(self._rest))
        target[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
