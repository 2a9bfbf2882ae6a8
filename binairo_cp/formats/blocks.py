"""Blocks: puzzles that are handed on together, as entries or as lines that are yet to be read.

A format with a puzzle a line is split where it is read and parsed where it is decided, so that one
process can feed many.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace

from binairo_cp.errors import SourceError
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.sources import Piece, Source, TextLine, raw_lines, text_line
from binairo_cp.puzzle.rules import Rules

ReadLine = Callable[[TextLine, str, Rules | None], Entry]
"""Reads a line of the source of a name, with the rules asked for."""


@dataclass(frozen=True, slots=True)
class LineFormat:
    """How a puzzle is read from a line.

    Attributes:
        name: of the format.
        read: makes the entry of a line that is not passed over.
        comment: what a line begins with that is passed over, as blank ones are.
        usual: the bytes that an ordinary line begins with.
    """

    name: str
    read: ReadLine
    comment: str | None
    usual: bytes

    def passes_over(self, line: TextLine) -> bool:
        """Whether there is no puzzle on a line."""
        text = line.text.strip()
        return not line.error and (
            not text or (self.comment is not None and text.startswith(self.comment))
        )


@dataclass(frozen=True, slots=True)
class Lines:
    """A block of lines as they are stored.

    Attributes:
        format: what they are in.
        piece: the lines.
        source: the file's name.
        asked: the rules of puzzles that state none.
        number: of the first puzzle in its source, from 1.
        size: how many puzzles there are.
        path: of a file that has these bytes; None if there is none.
    """

    format: LineFormat
    piece: Piece
    source: str
    asked: Rules | None
    number: int
    size: int
    path: str | None = None

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, _, entry in self.entries() if entry)

    def entries(self, skipped: Container[int] = ()) -> Iterator[tuple[int, int, Entry | None]]:
        """Of each puzzle its line, from 0, its number in the source, and the puzzle itself.

        Args:
            skipped: the lines, each with a puzzle, that need not be read.
        """
        number = self.number
        for line, raw in enumerate(raw_lines(self.piece)):
            entry = None
            if line not in skipped:
                text = text_line(self.piece.number + line, raw, self.source)
                if self.format.passes_over(text):
                    continue
                entry = named(self.format.read(text, self.source, self.asked), number)
            yield line, number, entry
            number += 1

    def parts(self, size: int) -> Iterator[Lines]:
        """The same in blocks of so many puzzles."""
        return _cut(self, lambda: size)


@dataclass(frozen=True, slots=True)
class Placed:
    """Lines of which it is only told where they are, for whoever has the file too.

    Attributes:
        lines: the block without its bytes.
        length: how many bytes they are.
        crc: of them.
    """

    lines: Lines
    length: int
    crc: int

    @classmethod
    def of(cls, lines: Lines) -> Placed:
        """Where lines of a file are."""
        data = lines.piece.data
        empty = replace(lines.piece, data=b"")
        return cls(replace(lines, piece=empty), len(data), zlib.crc32(data))

    def __len__(self) -> int:
        return len(self.lines)

    def read(self) -> Lines:
        """The lines themselves.

        Raises:
            SourceError: the file is not there, or is another.
        """
        lines = self.lines
        name = lines.path or ""
        try:
            with open(name, "rb") as file:
                file.seek(lines.piece.start)
                data = file.read(self.length)
        except OSError as error:
            raise SourceError(name, f"can't be read by a worker: {error.strerror}") from error
        if zlib.crc32(data) != self.crc:
            raise SourceError(name, "has other puzzles where a worker reads it")
        return replace(lines, piece=replace(lines.piece, data=data))


Block = Lines | list[Entry]


def named(entry: Entry, number: int) -> Entry:
    """An entry without an id is called by its number in its source."""
    return entry if entry.id else replace(entry, id=str(number))


def cut(
    source: Source, format: LineFormat, asked: Rules | None, size: Callable[[], int]
) -> Iterator[Lines]:
    """The blocks of a source with a puzzle a line.

    Args:
        source: what is read.
        format: what it is in.
        asked: the rules of puzzles that state none.
        size: how many puzzles the next block should have; it may have fewer.

    Yields:
        The blocks; an empty one while a pipe gives nothing.

    Raises:
        SourceError: the file can't be read on.
    """
    number = 1
    for piece in source.pieces():
        if not piece.data:
            yield Lines(format, piece, source.name, asked, number, 0)
        for block in _cut(Lines(format, piece, source.name, asked, number, 0, source.path), size):
            yield block
            number = block.number + block.size


def _cut(lines: Lines, size: Callable[[], int]) -> Iterator[Lines]:
    """Blocks of some lines, whose number of puzzles need not be known."""
    piece, number = lines.piece, lines.number
    start, line = 0, piece.number
    while start < len(piece.data):
        end, passed, puzzles = _end_of_block(piece, start, line, lines.format, size())
        if puzzles:
            part = Piece(line, piece.data[start:end], piece.start + start)
            yield replace(lines, piece=part, number=number, size=puzzles)
        start, line, number = end, line + passed, number + puzzles


def _end_of_block(
    piece: Piece, start: int, line: int, format: LineFormat, size: int
) -> tuple[int, int, int]:
    """Where a block from a place on ends, and how many lines and puzzles it has."""
    data, end, lines, puzzles = piece.data, start, 0, 0
    while puzzles < size and end < len(data):
        begin, end = end, (data.find(b"\n", end) + 1) or len(data)
        if data[begin] in format.usual:
            puzzles += 1
        else:
            text = text_line(line + lines, data[begin:end].removesuffix(b"\n"), "")
            puzzles += not format.passes_over(text)
        lines += 1
    return end, lines, puzzles


def grouped(entries: Iterator[Entry | None], size: Callable[[], int]) -> Iterator[list[Entry]]:
    """Entries in blocks, as they come; those that came before a fault are not lost.

    Args:
        entries: the entries; None while a pipe gives nothing.
        size: how many the next block should have.

    Yields:
        The blocks. While a pipe gives nothing, what there is, then empty blocks.

    Raises:
        SourceError: what the entries raise.
    """
    block: list[Entry] = []
    number, wanted = 0, size()
    fault = None
    try:
        for entry in entries:
            if entry is not None:
                number += 1
                block.append(named(entry, number))
            if entry is None or len(block) >= wanted:
                is_begun = bool(block)
                yield block
                block, wanted = [], size() if is_begun else wanted
    except SourceError as error:
        fault = error
    if block:
        yield block
    if fault:
        raise fault
