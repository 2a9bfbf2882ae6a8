"""Where text comes from: files, folders, patterns, standard input; as bounded, numbered lines."""

from __future__ import annotations

import glob
import gzip
import io
import logging
import select
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from binairo_cp.errors import FormatError, SourceError
from binairo_cp.formats import parquet

STDIN = "-"

MAX_LINE_BYTES = 4 << 20
"""The longest line that is read, in bytes: a record of a 255x255 board with every sign fits."""

MAX_DOCUMENT_BYTES = 64 << 20
"""The largest document that must be read whole (JSON), in bytes."""

_HEAD_BYTES = 1 << 16
_HEAD_PIECE_BYTES = 1 << 10
_SECONDS_OF_SILENCE = 0.1
_SECONDS_UNTIL_WORD = 1.0
_CHUNK_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"
_PACKED_OTHERWISE = {
    b"\x28\xb5\x2f\xfd": "zstd -dc",
    b"\xfd7zX": "xz -dc",
    b"BZh": "bzip2 -dc",
    b"PK\x03\x04": "unzip -p",
    b"7z\xbc\xaf": "7z x -so",
}
"""How files of other kinds begin, and what unpacks them."""

_READ_ERRORS = (OSError, EOFError, zlib.error)


class Stream(Protocol):
    """What is read from: `read1` gives what is there, and waits only if that is nothing."""

    def read(self, size: int, /) -> bytes: ...
    def read1(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text without its end, or why it can't be read; `number` counts from 1."""

    number: int
    text: str
    error: FormatError | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines as they are stored, the last one perhaps without its end.

    Attributes:
        number: that of the first, from 1.
        data: the lines.
        start: how many bytes of the source come before them.
    """

    number: int
    data: bytes
    start: int


def raw_lines(piece: Piece) -> list[bytes]:
    """The lines of a piece without their line feeds."""
    lines = piece.data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def text_line(number: int, raw: bytes, source: str) -> TextLine:
    """A line, decoded; what can't be is told as its error.

    Args:
        number: of the line in its source, from 1.
        raw: the line without its line feed.
        source: the name of the file, for errors.
    """

    def bad(message: str, column: int | None = None) -> TextLine:
        error = FormatError(
            message, source=source, line=number, column=column, expected="lines of UTF-8 text"
        )
        return TextLine(number, "", error)

    if len(raw) > MAX_LINE_BYTES:
        return bad(f"a line of more than {MAX_LINE_BYTES:,} bytes")
    if number == 1:
        raw = raw.removeprefix(_BYTE_ORDER_MARK)
    raw = raw.removesuffix(b"\r")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode()) + 1
        return bad(f"byte 0x{raw[error.start]:02x} is not UTF-8", column)
    for mark, called in (("\0", "a NUL character"), ("\r", "a carriage return in a line")):
        if mark in text:
            return bad(called, text.index(mark) + 1)
    return TextLine(number, text)


class Source:
    """An open source of puzzles.

    Attributes:
        name: how results and errors call it.
        position: how many bytes of its file were read, packed as they are.
        path: of the file, if it has these very bytes; None if it is packed, or a pipe.
    """

    def __init__(
        self, name: str, stream: Stream, position: Callable[[], int], path: str | None = None
    ) -> None:
        self.name = shown(name)
        self.path = path
        self.position = position
        self._fault: SourceError | None = None
        self._stream = stream
        self._kept = b""
        self._line = _pollable(stream)
        self._has_begun = self._has_ended = self._has_told = False

    def head(self, is_enough: Callable[[bytes], bool] = lambda head: False) -> bytes:
        """The first 64 KiB, for guessing the format; reading starts before them.

        Args:
            is_enough: whether less will do if a pipe gives nothing more for now.
        """
        head, self._kept = self._kept, b""
        while len(head) < _HEAD_BYTES and self._fault is None:
            if self._is_silent():
                if is_enough(head):
                    break
                self._tell_of_waiting()
            try:
                piece = self._read_some(_HEAD_BYTES if self._line else _HEAD_PIECE_BYTES)
            except SourceError as fault:
                # It is told when reading comes to it.
                self._fault = fault
                break
            if not piece:
                break
            head += piece
        self._kept = head
        return head

    def pieces(self, longest: int = MAX_LINE_BYTES) -> Iterator[Piece]:
        """The lines as they are stored, many at a time and in constant memory.

        Of a line that is too long one byte more than is allowed is left, and the rest passed over.
        While a pipe gives nothing, an empty piece comes every tenth of a second.

        Args:
            longest: how many bytes a line may have.

        Raises:
            SourceError: the file can't be read on.
        """
        number, start, kept = 1, 0, b""
        passing_over = False
        while True:
            while self._is_silent():
                yield Piece(number, b"", start)
            if not (chunk := self._read_chunk()):
                break
            if passing_over:
                passing_over = b"\n" not in chunk
                rest = chunk.partition(b"\n")[2]
                start += len(chunk) - len(rest)
                chunk = rest
            kept += chunk
            if end := kept.rfind(b"\n") + 1:
                yield Piece(number, kept[:end], start)
                number += kept.count(b"\n")
                kept, start = kept[end:], start + end
            if len(kept) > longest:
                yield Piece(number, kept[: longest + 1], start)
                number, start = number + 1, start + len(kept)
                kept, passing_over = b"", True
        if kept:
            yield Piece(number, kept, start)

    def lines(self) -> Iterator[TextLine | None]:
        """The lines one by one; None while a pipe gives nothing.

        Raises:
            SourceError: the file can't be read on.
        """
        for piece in self.pieces():
            if not piece.data:
                yield None
            for number, raw in enumerate(raw_lines(piece), piece.number):
                yield text_line(number, raw, self.name)

    def document(self) -> bytes:
        """Everything, for formats that can't be read by lines.

        Raises:
            SourceError: the file can't be read, or is too large.
        """
        whole = self._kept + self._guarded(lambda: self._stream.read(MAX_DOCUMENT_BYTES + 1))
        if len(whole) > MAX_DOCUMENT_BYTES:
            raise SourceError(
                self.name,
                f"a document of more than {MAX_DOCUMENT_BYTES:,} bytes; "
                "expected a smaller one, or NDJSON, which has no bound",
            )
        return whole.removeprefix(_BYTE_ORDER_MARK)

    def _tell_of_waiting(self) -> None:
        """Say why nothing happens, if a pipe gives nothing for long."""
        stream = cast("io.BufferedReader", self._stream)
        if self._has_told or stream.isatty() or not self._is_silent(_SECONDS_UNTIL_WORD):
            return
        self._has_told = True
        logging.getLogger(__name__).warning(
            "binairo: %s: waiting for more lines, since the format is not clear yet; "
            "with --format (line, text, ...) answers come at once",
            self.name,
        )

    def _is_silent(self, seconds: float = _SECONDS_OF_SILENCE) -> bool:
        """Whether there is nothing to read now, nor within a tenth of a second.

        The first bytes may be in the stream's buffer, where no poll sees them. All later reads are
        larger than the buffer, so they leave nothing there.
        """
        if self._line is None or self._kept or not self._has_begun or self._has_ended:
            return False
        return not self._line.poll(seconds * 1000)

    def _read_chunk(self) -> bytes:
        kept, self._kept = self._kept, b""
        return kept or self._read_some(_CHUNK_BYTES)

    def _read_some(self, most: int) -> bytes:
        """What is there; nothing at the end, after which a terminal is not asked again."""
        some = b"" if self._has_ended else self._guarded(lambda: self._stream.read1(most))
        self._has_begun, self._has_ended = True, not some
        return some

    def _guarded(self, read: Callable[[], bytes]) -> bytes:
        if self._fault:
            raise self._fault
        try:
            return read()
        except _READ_ERRORS as error:
            raise SourceError(self.name, f"can't be read: {_reason(error)}") from error


def _pollable(stream: Stream) -> select.poll | None:
    """What says whether a pipe or terminal has something to read; None for files and the like."""
    if not isinstance(stream, io.BufferedReader) or not hasattr(select, "poll"):
        return None
    try:
        if stream.seekable():
            return None
        line = select.poll()
        line.register(stream.fileno(), select.POLLIN)
    except (OSError, ValueError):
        return None
    return line


def expand(names: Iterable[str], suffixes: frozenset[str]) -> Iterator[str | SourceError]:
    """The names of the files that sources stand for, in order, or why there are none.

    A folder stands for the files below it whose names end like a format's, sorted; a pattern with
    ``*``, ``?`` or ``[`` for what it matches, sorted; anything else for itself.
    """
    for name in names:
        try:
            yield from _expanded(name, suffixes)
        except (OSError, ValueError) as error:
            yield SourceError(shown(name), f"can't be opened: {_reason(error)}")


def _expanded(name: str, suffixes: frozenset[str]) -> Iterator[str | SourceError]:
    path = Path(name)
    if name == STDIN or path.is_file():
        yield name
        return
    if path.is_dir():
        found = sorted(str(p) for p in path.rglob("*") if p.is_file() and _ends(p, suffixes))
        why = f"a folder without a file that ends in {', '.join(sorted(suffixes))}"
    elif not path.exists() and glob.has_magic(name):
        found = sorted(p for p in glob.glob(name, recursive=True) if Path(p).is_file())
        why = "no file matches this pattern"
    else:
        yield name
        return
    yield from found
    if not found:
        yield SourceError(shown(name), why)


def is_stream(name: str) -> bool:
    """Whether a source can be read only once: standard input, a pipe, a device."""
    if name == STDIN:
        return True
    try:
        path = Path(name)
        return path.exists() and not (path.is_file() or path.is_dir())
    except (OSError, ValueError):
        return False


def shown(name: str) -> str:
    """A file's name as text that can be written, whatever bytes it is made of."""
    return name.encode("utf-8", "backslashreplace").decode()


def _ends(path: Path, suffixes: frozenset[str]) -> bool:
    return Path(path.name.removesuffix(".gz")).suffix in suffixes


@contextmanager
def open_source(name: str) -> Iterator[Source]:
    """Open a file or standard input (``-``); gzip is unpacked whatever its name.

    A Parquet table is read as the lines of NDJSON that it is of.

    Raises:
        SourceError: it can't be opened or read.
    """
    with ExitStack() as stack:
        try:
            stream = _stdin() if name == STDIN else stack.enter_context(open(name, "rb"))
            position = stream.tell if stream.seekable() else lambda: 0
            start = stream.peek(4)[:4]
            _refuse_packed(start, name)
            if start == parquet.MAGIC:
                source = Source(name, _table(stream, name, stack), position)
            elif start.startswith(_GZIP_MAGIC):
                unpacked = stack.enter_context(gzip.GzipFile(fileobj=stream))
                source = Source(name, cast("Stream", unpacked), position)
            else:
                path = str(Path(name).resolve()) if stream.seekable() and name != STDIN else None
                source = Source(name, stream, position, path)
        except (OSError, ValueError) as error:
            raise SourceError(shown(name), f"can't be opened: {_reason(error)}") from error
        yield source


def _refuse_packed(start: bytes, name: str) -> None:
    """Refuse a file that is packed in another way than gzip.

    Raises:
        SourceError: it is.
    """
    for magic, command in _PACKED_OTHERWISE.items():
        if start.startswith(magic):
            called = "FILE" if name == STDIN else shown(name)
            raise SourceError(
                shown(name),
                "is packed in a way that is not read here; "
                f"expected gzip, or the text itself: {command} {called} | binairo ... -",
            )


def _table(stream: io.BufferedReader, name: str, stack: ExitStack) -> io.BufferedReader:
    if not stream.seekable():
        raise SourceError(shown(name), "a Parquet table can't be read from a pipe; expected a file")
    rows = stack.enter_context(closing(parquet.rows(stream, shown(name))))
    return io.BufferedReader(parquet.JsonLines(rows))


def total_size(names: list[str]) -> int | None:
    """The bytes of all these files together; None if one has no size."""
    try:
        sizes = [Path(name).stat() for name in names if name != STDIN]
    except (OSError, ValueError):
        return None
    return None if STDIN in names else sum(each.st_size for each in sizes)


def _stdin() -> io.BufferedReader:
    if sys.stdin is None or sys.stdin.closed:
        raise OSError("standard input is closed")
    buffer = sys.stdin.buffer
    if isinstance(buffer, io.BufferedReader):
        return buffer
    # Tests put what is in memory in its place, which is raw enough to be buffered.
    return io.BufferedReader(cast("io.RawIOBase", buffer))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
