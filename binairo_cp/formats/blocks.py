"""Blocks of puzzles: lists of entries, or lines that are not parsed yet.

One process splits a file with one puzzle per line. The workers parse the lines, so that one reader
can feed many workers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace

from binairo_cp.errors import BinairoError, FormatError, SourceError
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.sources import Piece, Source, TextLine, raw_lines, text_line
from binairo_cp.puzzle.rules import Rules

STRICT = "BINAIRO_STRICT"
"""Environment variable. If it is set, an error that nobody foresaw ends the run.

Tests set it; otherwise they would pass even if `columnar` always failed. Worker processes and
commands that a test starts inherit it.
"""


def unforeseen(error: Exception) -> str:
    """The message of an error that no code expects: it is about one source, not about the others.

    Raises:
        Exception: it is itself a message for users, or tests run.
    """
    if os.environ.get(STRICT) or isinstance(error, BinairoError | ImportError | MemoryError):
        raise error
    return f"internal error: {type(error).__name__}: {error}"


ReadLine = Callable[[TextLine, str, Rules | None], Entry]
"""Parses a line; the other arguments are the name of the source and the default rules."""


_MANY = 64
"""Blocks of so many puzzles are cut without a look at each line."""

_USUAL_BYTES = 512
"""A block of longer lines may get fewer puzzles than requested."""

_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)+")


def _begin_usually(data: bytes, lines: int, usual: bytes) -> bool:
    """Whether so many lines begin with usual bytes. The first one does."""
    length = len(data) // lines
    if data[length - 1 :: length] == b"\n" * lines:
        # They are equally long, as most are. This takes much less time than to find them.
        return not data[::length].translate(None, usual)
    return not re.search(rb"\n[^" + re.escape(usual) + rb"]", data)


def _alike_lines(data: bytes, start: int, most: int) -> tuple[int, int] | None:
    """The end and the number of lines, of which most are as long as the first; None if not.

    This finds no place but the last, so it takes half the time of `_counted_lines`.
    """
    length = data.find(b"\n", start) + 1 - start
    if not 0 < length <= _USUAL_BYTES:
        return None
    end = data.rfind(b"\n", start, start + most * length) + 1
    lines = data.count(b"\n", start, end)
    is_short = end + length < len(data) and 2 * lines < most
    return None if lines > most or is_short else (end, lines)


def _counted_lines(data: bytes, start: int, most: int) -> tuple[int, int]:
    *lines, rest = data[start : start + most * _USUAL_BYTES].split(b"\n", most)
    return min(len(data), start + most * _USUAL_BYTES) - len(rest), len(lines)


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A format with one puzzle per line.

    Attributes:
        comment: the prefix of comment lines. They are skipped, as blank lines are.
        usual: bytes that only lines with a puzzle begin with.
    """

    name: str
    read: ReadLine
    comment: str | None = "#"
    usual: bytes = b""

    def usual_lines(self, piece: Piece, start: int, most: int) -> tuple[int, int] | None:
        """The end and the number of lines from `start` on, if all of them hold a puzzle."""
        data = piece.data
        if data[start] not in self.usual:
            return None
        if start == 0 and piece.lines and piece.lines <= most:
            end, lines = len(data), piece.lines
        else:
            end, lines = _alike_lines(data, start, most) or _counted_lines(data, start, most)
        if not lines or not _begin_usually(data[start:end], lines, self.usual):
            return None
        return end, lines

    def passes_over(self, line: TextLine) -> bool:
        """Whether a line is blank or a comment."""
        text = line.text.strip()
        return not line.error and (
            not text or (self.comment is not None and text.startswith(self.comment))
        )


@dataclass(frozen=True, slots=True)
class LineBlock:
    """A block of lines that are not parsed yet.

    Attributes:
        default_rules: the rules of puzzles that state none.
        number: the number of the first puzzle in its source, from 1.
    """

    format: LineFormat
    piece: Piece
    source: str
    default_rules: Rules | None
    number: int
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, entry in self.entries() if entry)

    def entries(self, skipped: Container[int] = ()) -> Iterator[tuple[int, Entry | None]]:
        """The puzzles: line in the block from 0, entry. Those of skipped lines are None."""
        number = self.number
        for line, raw in enumerate(raw_lines(self.piece)):
            entry = None
            if line not in skipped:
                text = text_line(self.piece.number + line, raw, self.source)
                if self.format.passes_over(text):
                    continue
                try:
                    entry = self.format.read(text, self.source, self.default_rules)
                except Exception as error:
                    fault = FormatError(unforeseen(error), source=self.source, line=text.number)
                    entry = Entry(error=fault, source=self.source, line=text.number)
                entry = with_default_id(entry, number)
            yield line, entry
            number += 1

    def parts(self, size: int) -> Iterator[LineBlock]:
        """Split into blocks of `size` puzzles."""
        return _split(self, lambda: size)


Block = LineBlock | list[Entry]


def with_default_id(entry: Entry, number: int) -> Entry:
    """Use the number of an entry in its source as its id if it has none."""
    if entry.id:
        return entry
    where = str(number), entry.source, entry.line, entry.picture, entry.level
    return Entry(entry.puzzle, entry.error, *where, entry.states_rules)


def line_blocks(
    source: Source, format: LineFormat, default_rules: Rules | None, size: Callable[[], int]
) -> Iterator[LineBlock]:
    """Split a source with one puzzle per line into blocks.

    Yields:
        The blocks; empty blocks while a pipe has no data.

    Raises:
        SourceError: the rest of the file can't be read.
    """
    number = 1
    for piece in source.pieces():
        if not piece.data:
            yield LineBlock(format, piece, source.name, default_rules, number, 0)
        for block in _split(LineBlock(format, piece, source.name, default_rules, number, 0), size):
            yield block
            number = block.number + block.size


def _split(lines: LineBlock, size: Callable[[], int]) -> Iterator[LineBlock]:
    """Split lines into blocks. Their `size` is ignored, it may be unknown."""
    piece, number = lines.piece, lines.number
    start, line = 0, piece.number
    while start < len(piece.data):
        end, passed, puzzles = _end_of_block(piece, start, line, lines.format, size())
        if puzzles:
            part = Piece(line, piece.data[start:end])
            yield replace(lines, piece=part, number=number, size=puzzles)
        start, line, number = end, line + passed, number + puzzles


def _end_of_block(
    piece: Piece, start: int, line: int, format: LineFormat, size: int
) -> tuple[int, int, int]:
    """The end of the block at `start`, and its numbers of lines and puzzles."""
    data, end, lines, puzzles = piece.data, start, 0, 0
    if size >= _MANY and (found := format.usual_lines(piece, start, size)):
        return found[0], found[1], found[1]
    while puzzles < size and end < len(data):
        begin, end = end, (data.find(b"\n", end) + 1) or len(data)
        if data[begin] in format.usual:
            puzzles += 1
        elif blank := _BLANK_LINES.match(data, begin):
            end = blank.end()
            lines += data.count(b"\n", begin, end) - 1
        else:
            text = text_line(line + lines, data[begin:end].removesuffix(b"\n"), "")
            puzzles += not format.passes_over(text)
        lines += 1
    return end, lines, puzzles


def entry_blocks(entries: Iterator[Entry | None], size: Callable[[], int]) -> Iterator[list[Entry]]:
    """Collect entries in blocks. Entries before an error are not lost.

    Yields:
        The blocks. While a pipe has no data, the entries so far, then empty blocks.

    Raises:
        SourceError: the entries raised it.
    """
    block: list[Entry] = []
    number, target = 0, size()
    source_error = None
    try:
        for entry in entries:
            if entry is not None:
                number += 1
                block.append(with_default_id(entry, number))
            if entry is None or len(block) >= target:
                is_empty = not block
                yield block
                block, target = [], target if is_empty else size()
    except SourceError as error:
        source_error = error
    if block:
        yield block
    if source_error:
        raise source_error
