"""Where text comes from: files, folders, patterns, standard input; as bounded, numbered lines."""

from __future__ import annotations

import glob
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from binairo_cp.errors import FormatError, SourceError

STDIN = "-"

MAX_LINE_BYTES = 4 << 20
"""The longest line that is read, in bytes: a record of a 255x255 board with every sign fits."""

MAX_DOCUMENT_BYTES = 64 << 20
"""The largest document that must be read whole (JSON), in bytes."""

_HEAD_BYTES = 1 << 16
_PIECE_BYTES = 1 << 10
_GZIP_MAGIC = b"\x1f\x8b"
_READ_ERRORS = (OSError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text without its end, or why it can't be read; `number` counts from 1."""

    number: int
    text: str
    error: FormatError | None = None


class Source:
    """An open source of puzzles.

    Attributes:
        name: how results and errors call it.
        head: its first 64 KiB, for guessing its format; reading starts before them.
        position: how many bytes of its file were read, packed as they are.
    """

    def __init__(self, name: str, stream: IO[bytes], position: Callable[[], int]) -> None:
        self.name = shown(name)
        self.position = position
        self._fault: SourceError | None = None
        self._stream = stream
        self.head = self._read_head()
        self._at_head = io.BytesIO(self.head)

    def lines(self) -> Iterator[TextLine]:
        """The lines, in constant memory: one that is too long is passed over, with an error.

        Raises:
            SourceError: the file can't be read on.
        """
        number = 0
        while raw := self._read_line(MAX_LINE_BYTES + 1):
            number += 1
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                while raw and not raw.endswith(b"\n"):
                    raw = self._read_line(MAX_LINE_BYTES)
                yield self._bad(number, f"a line of more than {MAX_LINE_BYTES:,} bytes", None)
                continue
            yield self._decoded(number, raw.removesuffix(b"\n").removesuffix(b"\r"))

    def document(self) -> bytes:
        """Everything, for formats that can't be read by lines.

        Raises:
            SourceError: the file can't be read, or is too large.
        """
        whole = self._at_head.read() + self._guarded(
            lambda: self._stream.read(MAX_DOCUMENT_BYTES + 1)
        )
        if len(whole) > MAX_DOCUMENT_BYTES:
            raise SourceError(
                self.name,
                f"a document of more than {MAX_DOCUMENT_BYTES:,} bytes; "
                "expected a smaller one, or NDJSON, which has no bound",
            )
        return whole.removeprefix(b"\xef\xbb\xbf")

    def _read_head(self) -> bytes:
        """The first bytes; a fault among them is kept until reading comes to it."""
        head = b""
        try:
            while len(head) < _HEAD_BYTES and (piece := self._guarded(self._piece)):
                head += piece
        except SourceError as fault:
            self._fault = fault
        return head

    def _piece(self) -> bytes:
        return self._stream.read(_PIECE_BYTES)

    def _read_line(self, size: int) -> bytes:
        line = self._at_head.readline(size)
        if not line.endswith(b"\n") and len(line) < size:
            line += self._guarded(lambda: self._stream.readline(size - len(line)))
        return line

    def _decoded(self, number: int, raw: bytes) -> TextLine:
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode()) + 1
            return self._bad(number, f"byte 0x{raw[error.start]:02x} is no UTF-8", column)
        for mark, called in (("\0", "a NUL character"), ("\r", "a carriage return in a line")):
            if mark in text:
                return self._bad(number, called, text.index(mark) + 1)
        return TextLine(number, text)

    def _bad(self, number: int, message: str, column: int | None) -> TextLine:
        error = FormatError(
            message, source=self.name, line=number, column=column, expected="lines of UTF-8 text"
        )
        return TextLine(number, "", error)

    def _guarded(self, read: Callable[[], bytes]) -> bytes:
        if self._fault:
            raise self._fault
        try:
            return read()
        except _READ_ERRORS as error:
            raise SourceError(self.name, f"can't be read: {_reason(error)}") from error


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
        why = "no file is called like that"
    else:
        yield name
        return
    yield from found
    if not found:
        yield SourceError(shown(name), why)


def shown(name: str) -> str:
    """A file's name as text that can be written, whatever bytes it is made of."""
    return name.encode("utf-8", "backslashreplace").decode()


def _ends(path: Path, suffixes: frozenset[str]) -> bool:
    return Path(path.name.removesuffix(".gz")).suffix in suffixes


@contextmanager
def open_source(name: str) -> Iterator[Source]:
    """Open a file or standard input (``-``); gzip is unpacked whatever its name.

    Raises:
        SourceError: it can't be opened or read.
    """
    with ExitStack() as stack:
        try:
            stream = _stdin() if name == STDIN else stack.enter_context(open(name, "rb"))
            position = stream.tell if stream.seekable() else lambda: 0
            if stream.peek(2)[:2] == _GZIP_MAGIC:
                unpacked = stack.enter_context(gzip.GzipFile(fileobj=stream))
                source = Source(name, cast("IO[bytes]", unpacked), position)
            else:
                source = Source(name, stream, position)
        except (OSError, ValueError) as error:
            raise SourceError(shown(name), f"can't be opened: {_reason(error)}") from error
        yield source


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
    return buffer if isinstance(buffer, io.BufferedReader) else io.BufferedReader(buffer)  # type: ignore[arg-type]


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
