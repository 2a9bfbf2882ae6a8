"""Read files, folders, patterns and standard input as numbered lines of bounded length."""

from __future__ import annotations

import glob
import io
import logging
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from gzip import BadGzipFile
from pathlib import Path
from typing import Any

from binairo_cp.errors import FormatError, SourceError
from binairo_cp.formats import pictures
from binairo_cp.formats.unpacking import READ_ERRORS, Pieces, picture_in, text_stream, unpacked
from binairo_cp.kernels.records import count_lines
from binairo_cp.workers.extras import require_extra

STDIN = "-"

MAX_LINE_BYTES = 4 << 20
"""Length limit of a line in bytes. A record of a 255x255 board with all signs fits."""

MAX_DOCUMENT_BYTES = 64 << 20
"""Size limit of a document that must be read whole (JSON), in bytes."""

MAX_TOML_BYTES = 1 << 18
"""Size limit of a file of settings, in bytes."""

MAX_SKIPPED_BYTES = 256 << 20
"""How much of a line beyond its limit is skipped: then the source may never end the line."""

_HEAD_BYTES = 1 << 16
_HEAD_PIECE_BYTES = 1 << 10
_POLL_SECONDS = 0.1
_SECONDS_BEFORE_NOTICE = 1.0
_CHUNK_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PARQUET = ".parquet"
RUN = ".run"
"""The suffix of the file with the `runs.RunRecord` of results."""

openers: dict[str, Callable[..., Any]] = {}
"""What makes lines of files that are no text. `registry` enters it, which knows the formats."""

_PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text without its line ending, or its error; `number` counts from 1."""

    number: int
    text: str
    error: FormatError | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines as bytes. The last line may lack its line feed.

    Attributes:
        number: the number of the first line, from 1.
        lines: the number of line feeds, if it is known.
    """

    number: int
    data: bytes
    lines: int | None = field(default=None, compare=False)


def raw_lines(piece: Piece) -> list[bytes]:
    """The lines of a piece without their line feeds."""
    lines = piece.data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def text_line(number: int, raw: bytes, source: str) -> TextLine:
    """Decode a line; on failure, the result contains the error."""

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
    for mark, message in (("\0", "a NUL character"), ("\r", "a carriage return in a line")):
        if mark in text:
            return bad(message, text.index(mark) + 1)
    return TextLine(number, text)


class Source:
    """An open source of puzzles.

    Attributes:
        name: its name in results and errors.
        position: returns the number of bytes of the file that were read, before decompression.
    """

    def __init__(self, name: str, stream: io.BufferedIOBase, position: Callable[[], int]) -> None:
        self.name = shown(name)
        self.position = position
        self._error: SourceError | None = None
        self._stream = stream
        self._unread = b""
        self._poll = _poll_object(stream)
        self._has_begun = self._has_ended = self._has_warned = False

    def head(self, is_enough: Callable[[bytes], bool] = lambda head: False) -> bytes:
        """Peek at the first 64 KiB, for detecting the format.

        Args:
            is_enough: whether a shorter head is enough if a pipe has no more data for now.
        """
        head, self._unread = self._unread, b""
        while len(head) < _HEAD_BYTES and self._error is None:
            if self._has_no_data():
                if is_enough(head):
                    break
                self._warn_of_waiting()
            try:
                piece = self._read_some(_HEAD_BYTES if self._poll else _HEAD_PIECE_BYTES)
            except SourceError as error:
                # Raise it when reading reaches this position.
                self._error = error
                break
            if not piece:
                break
            head += piece
        self._unread = head
        return head

    def pieces(self, longest: int = MAX_LINE_BYTES) -> Iterator[Piece]:
        """The lines as bytes, many at a time and in constant memory.

        A line that is too long is cut one byte beyond the limit, and the rest is skipped, up to
        `MAX_SKIPPED_BYTES`. While a pipe has no data, an empty piece is yielded every tenth of a
        second. `longest` is in bytes.

        Raises:
            SourceError: the rest of the file can't be read, or a line seems to have no end.
        """
        number, buffer = 1, b""
        skipping, skipped = False, 0
        while True:
            while self._has_no_data():
                yield Piece(number, b"")
            chunk, self._unread = self._unread or self._read_some(_CHUNK_BYTES), b""
            if not chunk:
                break
            if skipping:
                skipping = b"\n" not in chunk
                rest = chunk.partition(b"\n")[2]
                skipped += len(chunk) - len(rest)
                chunk = rest
                if skipped > MAX_SKIPPED_BYTES:
                    message = f"a line of more than {longest + MAX_SKIPPED_BYTES:,} bytes"
                    raise SourceError(self.name, f"{message}; what follows is not read")
            if end := chunk.rfind(b"\n") + 1:
                data = b"".join((buffer, memoryview(chunk)[:end]))
                lines = count_lines(data)
                yield Piece(number, data, lines)
                number += lines
                buffer = chunk[end:]
            else:
                buffer += chunk
            if len(buffer) > longest:
                yield Piece(number, buffer[: longest + 1])
                number += 1
                buffer, skipping, skipped = b"", True, 0
        if buffer:
            yield Piece(number, buffer)

    def lines(self) -> Iterator[TextLine | None]:
        """The lines one by one; None while a pipe has no data.

        Raises:
            SourceError: the rest of the file can't be read.
        """
        for piece in self.pieces():
            if not piece.data:
                yield None
            for number, raw in enumerate(raw_lines(piece), piece.number):
                yield text_line(number, raw, self.name)

    def document(self) -> bytes:
        """The whole source, for formats that can't be read line by line.

        Raises:
            SourceError: the file can't be read, or is too large.
        """
        whole = self._unread + self._guarded(self._stream.read, MAX_DOCUMENT_BYTES + 1)
        if len(whole) > MAX_DOCUMENT_BYTES:
            message = f"a document of more than {MAX_DOCUMENT_BYTES:,} bytes"
            raise SourceError(self.name, f"{message}; use NDJSON, which has no size limit")
        return whole.removeprefix(_BYTE_ORDER_MARK)

    def _warn_of_waiting(self) -> None:
        """Explain why nothing happens if a pipe has no data for some time."""
        is_terminal = self._stream.isatty()
        if self._has_warned or is_terminal or not self._has_no_data(_SECONDS_BEFORE_NOTICE):
            return
        self._has_warned = True
        logging.getLogger(__name__).warning(
            "binairo: %s: waiting for more lines to detect the format; "
            "set --format (line, text, ...) to get results immediately",
            self.name,
        )

    def _has_no_data(self, seconds: float = _POLL_SECONDS) -> bool:
        """Whether a pipe or terminal has no data, even after a short wait.

        The first bytes may be in the stream's buffer, where poll does not see them. Later reads are
        larger than the buffer, so they leave nothing there.
        """
        if self._poll is None or self._unread or not self._has_begun or self._has_ended:
            return False
        return not self._poll.poll(seconds * 1000)

    def _read_some(self, limit: int) -> bytes:
        """The available bytes; empty at the end, after which a terminal is not read again."""
        data = b"" if self._has_ended else self._guarded(self._stream.read1, limit)
        self._has_begun, self._has_ended = True, not data
        return data

    def _guarded(self, read: Callable[[int], bytes], limit: int) -> bytes:
        if self._error:
            raise self._error
        try:
            return read(limit)
        except READ_ERRORS as error:
            raise SourceError(self.name, f"can't be read: {reason(error)}") from error


def _poll_object(stream: io.BufferedIOBase) -> select.poll | None:
    """A poll object for a pipe or terminal; None for seekable files."""
    if type(stream) is not io.BufferedReader or not hasattr(select, "poll"):
        return None
    try:
        if stream.seekable():
            return None
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLIN)
    except (OSError, ValueError):
        return None
    return poll


def expanded(name: str, suffixes: Callable[[], frozenset[str]]) -> Sequence[str | SourceError]:
    """The names of the files that a name of a folder or a pattern stands for; else this name.

    A folder stands for all files below it with one of the suffixes, a pattern with ``*``, ``?`` or
    ``[`` for the files that it matches, both sorted. If there are none, there is an error.
    """
    path = Path(name)
    if name == STDIN or path.is_file():
        return [name]
    if path.is_dir():
        ends = suffixes()
        inside = (p for p in path.rglob("*") if Path(p.name.removesuffix(".gz")).suffix in ends)
        found = sorted(str(p) for p in inside if p.is_file())
        error = f"the folder has no file that ends in {', '.join(sorted(ends))}"
    elif not path.exists() and glob.has_magic(name):
        found = sorted(p for p in glob.glob(name, recursive=True) if Path(p).is_file())
        error = "no file matches this pattern"
    else:
        return [name]
    return found or [SourceError(shown(name), error)]


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
    """The name of a file as printable text; undecodable bytes are escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


def text_source(name: str, data: bytes) -> Source:
    """A source in memory, a text or a picture; it is not decompressed.

    Raises:
        SourceError: it is neither.
    """
    found = _pictured(data, lambda _: data, name) or text_stream(data, shown(name))
    return Source(name, found, lambda: 0)


def _pictured(
    head: bytes, read: Callable[[int], bytes], name: str, *, notes: bool = False
) -> io.BytesIO | None:
    """The puzzles of a picture that begins so; None if it is none."""
    kind = picture_in(head)
    if kind == "pixels":
        # Imported here, because most files are text.
        with require_extra("pictures", partial(SourceError, shown(name))):
            from binairo_cp.formats.pictures import reading

        data = read(reading.MAX_BYTES + 1)
        return io.BytesIO(reading.lines(data, shown(name), notes=notes))
    if kind == "svg":
        return io.BytesIO(pictures.svg_lines(read(pictures.MAX_SVG_BYTES + 1), shown(name)))
    return None


@contextmanager
def open_source(name: str, *, only_puzzles: bool = False) -> Iterator[Source]:
    """Open a file or standard input (``-``), and unpack it as in `unpacking`.

    A Parquet table is read as lines of NDJSON, and so are pictures.

    Args:
        name: the name of the file.
        only_puzzles: skip the columns of a table that no reader of puzzles needs.

    Raises:
        SourceError: it can't be opened or read.
    """
    with ExitStack() as stack:
        try:
            stream = _stdin() if name == STDIN else stack.enter_context(open(name, "rb"))
            position = stream.tell if stream.seekable() else lambda: 0
            if stream.peek(4)[:4] == _PARQUET_MAGIC or name.lower().endswith(PARQUET):
                found: Any = _table(stream, name, only_puzzles, stack)
            else:
                found = _pictured(stream.peek(12), stream.read, name, notes=True)
                found = found or stack.enter_context(unpacked(stream, name, shown(name)))
            source = Source(name, found, position)
        except (OSError, ValueError) as error:
            raise SourceError(shown(name), f"can't be opened: {reason(error)}") from error
        yield source


def _table(
    stream: io.BufferedReader, name: str, only_puzzles: bool, stack: ExitStack
) -> io.BufferedReader:
    if not stream.seekable():
        raise SourceError(shown(name), "a Parquet table can't be read from a pipe; use a file")
    with require_extra("parquet", partial(SourceError, shown(name))):
        lines = openers["parquet"](stream, shown(name), only_puzzles=only_puzzles)
    stack.enter_context(closing(lines))
    return io.BufferedReader(Pieces(lines))


def total_size(names: list[str]) -> int | None:
    """The total size of the files in bytes; None if one has no size."""
    try:
        sizes = [Path(name).stat() for name in names if name != STDIN]
    except (OSError, ValueError):
        return None
    return None if STDIN in names else sum(size.st_size for size in sizes)


def _stdin() -> io.BufferedReader:
    if sys.stdin is None or sys.stdin.closed:
        raise OSError("standard input is closed")
    buffer: Any = sys.stdin.buffer
    # Tests replace standard input by a BytesIO object.
    return buffer if isinstance(buffer, io.BufferedReader) else io.BufferedReader(buffer)


def reason(error: Exception) -> str:
    """Why a file can't be opened or read, in words."""
    if isinstance(error, OSError) and not isinstance(error, BadGzipFile):
        return error.strerror or str(error)
    return "the compressed data are damaged, or end too early"


def read_toml(path: str) -> tuple[dict[str, Any], str]:
    """The values in a TOML file, and its text.

    Raises:
        SourceError: the file can't be read, or is not TOML.
    """
    # Imported here, because few machines have such a file.
    import tomllib

    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_TOML_BYTES + 1)
        if len(data) > MAX_TOML_BYTES:
            raise SourceError(path, f"more than {MAX_TOML_BYTES:,} bytes")
        text = data.decode()
        return tomllib.loads(text), text
    except OSError as error:
        raise SourceError(path, f"can't be read: {error.strerror}") from error
    except ValueError as error:
        raise SourceError(path, f"is not valid TOML: {error}") from error
    except RecursionError as error:
        raise SourceError(path, "is not valid TOML: it is nested too deeply") from error
