"""Files of puzzles: the formats by name, the guess which one a file is in, reading and writing.

A format is a file of this package and a row of `FORMATS`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from math import isqrt
from pathlib import Path

from binairo_cp.errors import ArgumentError, FormatError, SourceError
from binairo_cp.formats import codes, json, line, ndjson, tables, text
from binairo_cp.formats.blocks import Block, LineFormat, Lines, Placed, cut, grouped
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.sources import STDIN, Source, expand, open_source, shown, total_size
from binairo_cp.puzzle.grids import first_wrong
from binairo_cp.puzzle.rules import Rules

__all__ = [
    "AUTO",
    "FORMATS",
    "STDIN",
    "Block",
    "Entry",
    "Format",
    "Lines",
    "Placed",
    "Tally",
    "read_blocks",
    "read_bytes",
    "read_sources",
    "sniff",
    "write",
]

AUTO = "auto"

Name = str | os.PathLike[str]
Names = Name | Iterable[Name]
"""A source or several: the names of files, folders and patterns, or ``-``."""


@dataclass(frozen=True, slots=True)
class Format:
    """How puzzles are read from a source and written as pieces of text.

    Attributes:
        read: how a line is read, if it has a puzzle a line; otherwise it yields the puzzles of a
            source, None while a pipe gives nothing, and raises `SourceError` if the source can't be
            read.
        write_all: makes text of puzzles.
        suffixes: the endings of its files' names.
    """

    read: LineFormat | Callable[[Source, Rules | None], Iterator[Entry | None]]
    write_all: Callable[[Iterable[Entry]], Iterator[str]]
    suffixes: tuple[str, ...]

    def blocks(
        self, source: Source, asked: Rules | None, size: Callable[[], int]
    ) -> Iterator[Block]:
        """The puzzles of a source, as many together as `size` says of each block.

        Raises:
            SourceError: the file can't be read on.
        """
        if isinstance(self.read, LineFormat):
            return cut(source, self.read, asked, size)
        return grouped(self.read(source, asked), size)


def _each(write: Callable[[Entry], str]) -> Callable[[Iterable[Entry]], Iterator[str]]:
    return lambda entries: map(write, entries)


_LINES = LineFormat("line", line.read, line.COMMENT, b"01.-_?")
_RECORDS = LineFormat("ndjson", ndjson.read, None, b"{")
_TASKS = LineFormat("task", codes.read_task, codes.COMMENT, b"")
_GAME_IDS = LineFormat("unruly", codes.read_game_id, codes.COMMENT, b"")

FORMATS = {
    "text": Format(text.read, _each(text.write), (".txt",)),
    "line": Format(_LINES, _each(line.write), (".line", ".lines")),
    "ndjson": Format(_RECORDS, _each(ndjson.write), (".ndjson", ".jsonl", ".parquet")),
    "json": Format(json.read, json.write_all, (".json",)),
    "task": Format(_TASKS, _each(codes.write_task), (".task", ".tasks")),
    "unruly": Format(_GAME_IDS, _each(codes.write_game_id), (".unruly",)),
    "janko": Format(tables.read_janko, _each(tables.write_janko), (".janko",)),
    "csv": Format(tables.read_csv, _each(tables.write_csv), (".csv", ".tsv")),
}

SUFFIXES = frozenset(suffix for each in FORMATS.values() for suffix in each.suffixes)


@dataclass
class Tally:
    """How far the reading of sources has come, in bytes of their files as they are stored.

    `total` is None if a source has no size, as standard input.
    """

    done: int = 0
    total: int | None = None


def read_sources(names: Names, format: str = AUTO, asked: Rules | None = None) -> Iterator[Entry]:
    """All puzzles of files, folders, patterns and standard input (``-``), in order.

    A puzzle without an id is called by its number in its source. What can't be read is an entry
    with its error, and reading goes on after it.

    Args:
        names: a source or several, as str or Path.
        format: a name of `FORMATS`, or ``auto``: each source is in the format that it looks like.
        asked: the rules of puzzles that state none; None for the usual ones.

    Raises:
        ArgumentError: a name is neither a str nor a Path.
        FormatError: there is no format of that name.
    """
    if format != AUTO:
        _named(format)
    blocks = read_blocks(_each_name(names), lambda: 1, format, asked, Tally())
    return (entry for block in blocks for entry in block)


def _each_name(names: Names) -> list[str]:
    several = [names] if isinstance(names, str | os.PathLike) else names
    if not isinstance(several, Iterable):
        raise ArgumentError.of("names", "a str, a Path or several", names)
    return [_name(each) for each in several]


def _name(name: Name) -> str:
    if not isinstance(name, str | os.PathLike):
        raise ArgumentError.of("names", "a str or a Path", name)
    return os.fsdecode(name)


def read_blocks(
    names: Iterable[str],
    size: Callable[[], int],
    format: str,
    asked: Rules | None,
    tally: Tally,
    tell: Callable[[SourceError], object] | None = None,
) -> Iterator[Block]:
    """The same in blocks.

    What folders and patterns stand for is looked up at once, and not when the first block is read:
    files that the caller creates in the meantime are not among them.

    Args:
        names: the sources.
        size: how many puzzles the next block should have; it may have fewer.
        format: as in `read_sources`.
        asked: as in `read_sources`.
        tally: is kept up to date.
        tell: is told of a source that can't be read or contains no puzzle; without it, that is an
            entry with the error.

    Yields:
        The blocks. While a pipe gives nothing, an empty one every tenth of a second.
    """
    files = list(expand(names, SUFFIXES))
    tally.total = total_size([name for name in files if isinstance(name, str)])
    return _blocks_of(files, size, format, asked, tally, tell)


def _blocks_of(
    files: list[str | SourceError],
    size: Callable[[], int],
    format: str,
    asked: Rules | None,
    tally: Tally,
    tell: Callable[[SourceError], object] | None,
) -> Iterator[Block]:
    for name in files:
        any_puzzle, before = False, tally.done
        try:
            if isinstance(name, SourceError):
                raise name
            with open_source(name) as source:
                chosen = _named(sniff(source) if format == AUTO else format)
                for block in chosen.blocks(source, asked, size):
                    any_puzzle = any_puzzle or len(block) > 0
                    tally.done = before + source.position()
                    yield block
            if not any_puzzle:
                raise SourceError(shown(name), "contains no puzzle")
        except SourceError as error:
            if tell:
                tell(error)
            else:
                yield [Entry(error=error, source=error.source)]


def read_bytes(
    data: bytes, name: str, format: str = AUTO, asked: Rules | None = None
) -> Iterator[Entry]:
    """The puzzles of a source that is in memory, as `read_sources` reads those of a file.

    Args:
        data: the source; it is not unpacked.
        name: how results and errors call it.
        format: as in `read_sources`.
        asked: as in `read_sources`.
    """
    source = Source(name, io.BytesIO(data), lambda: 0)
    chosen = _named(sniff(source) if format == AUTO else format)
    any_puzzle = False
    try:
        for block in chosen.blocks(source, asked, lambda: 1):
            any_puzzle = True
            yield from block
        if not any_puzzle:
            raise SourceError(name, "contains no puzzle")
    except SourceError as error:
        yield Entry(error=error, source=name)


def write(entries: Iterable[Entry], format: str) -> Iterator[str]:
    """Puzzles as text of a format, in pieces.

    Raises:
        FormatError: the format can't hold one of them, or there is no format of that name.
    """
    return _named(format).write_all(entries)


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise FormatError(f"there is no format {format!r}", expected=f"one of {', '.join(FORMATS)}")
    return FORMATS[format]


def sniff(source: Source) -> str:
    """The format that a source looks like, by the ending of its name or by how it begins.

    A single row of cells is a puzzle of the line format if it is a square, and so are rows of 16
    or more cells that make squares; but as many rows as each has cells are a grid.
    """
    suffixes = Path(source.name.removesuffix(".gz")).suffixes[-1:]
    for name in ("line", "ndjson", "task", "unruly", "janko", "csv"):
        if set(suffixes) & set(FORMATS[name].suffixes):
            return name
    return _guessed(_decoded(source.head(_is_certain)))


def _decoded(head: bytes) -> str:
    return head.decode(errors="replace").removeprefix("\ufeff")


def _guessed(head: str) -> str:
    if _looks_like_a_sheet(head):
        return "csv"
    head = head.lstrip()
    if head.startswith("["):
        return "json"
    if head.startswith("{"):
        return "ndjson" if _is_record(head.partition("\n")[0]) else "json"
    return _code(head) or ("line" if _looks_like_lines(head) else "text")


def _is_certain(head: bytes) -> bool:
    """Whether the format of a source is known from a part of its head, whatever comes after.

    A row of cells that make a square is a puzzle, or the first row of a grid. Which of them it is
    must not depend on how quickly the next line comes.
    """
    text = _decoded(head[: head.rfind(b"\n") + 1])
    if _may_be_an_unfinished_sheet(text):
        return False
    text = text.lstrip()
    if text.startswith(("[", "{")) or _code(text):
        return True
    rows, is_whole = _first_rows(text)
    if not rows:
        return False
    cells = rows[0][0]
    if is_whole or not _is_square(cells):
        return True
    if any(len(words) > 1 for words in rows):
        return not _are_groups(rows)
    return len(rows) > len(cells) >= _SHORTEST_OF_LINES


def _looks_like_a_sheet(head: str) -> bool:
    """Whether the first puzzle has rows with a cell or none in each field, and tabs between them.

    Its first row may have no clue, so no tabs are stripped.
    """
    rows = [row for row in _first_lines(head) if not row.startswith("#")]
    has_tabs = len(rows) > 1 and any("\t" in row for row in rows)
    return has_tabs and all(map(_SHEET_ROW.fullmatch, rows))


def _may_be_an_unfinished_sheet(head: str) -> bool:
    lines = _first_lines(head)
    is_whole = len(lines) < len(head.lstrip("\r\n").splitlines())
    return not is_whole and any("\t" in line for line in lines)


def _first_lines(head: str) -> list[str]:
    """The lines up to the first blank one; one of tabs is a row without clues."""
    lines = head.lstrip("\r\n").splitlines()
    return list(takewhile(lambda line: line.strip(" "), lines))


_SHEET_ROW = re.compile(r" *[01._?-]? *(?:\t *[01._?-]? *)*")


def _code(head: str) -> str | None:
    """The format of other programs that a text begins like."""
    lines = (each.strip() for each in head.splitlines())
    first = next((each for each in lines if each and not each.startswith("#")), "")
    word = first.partition(" ")[0]
    if first.lower() == "begin" or word.lower() == "puzzle":
        return "janko"
    if codes.GAME_ID.fullmatch(word):
        return "unruly"
    if codes.is_task(word):
        return "task"
    return "csv" if _CSV.fullmatch("".join(first.split())) else None


_CSV = re.compile(r"[01._?-]?(?:[,;][01._?-]?)+")


def _is_record(text: str) -> bool:
    # A record on one line: its braces close there, or the line is longer than the head.
    return (text.rstrip().endswith("}") and not _LIST.match(text)) or len(text) > 1000


_LIST = re.compile(r'\{\s*"puzzles"\s*:')
_SHORTEST_OF_LINES = 16
_SIZED = re.compile(r"[0-9]{1,3}x[0-9]{1,3}:", re.IGNORECASE)


def _looks_like_lines(head: str) -> bool:
    rows, _ = _first_rows(head)
    if not rows:
        return False
    cells = rows[0][0]
    if size := _SIZED.match(cells):
        # A size on a line of its own stands above a grid.
        return rows[0] != [size.group()]
    if not _is_square(cells):
        return False
    length = len(cells)
    if any(len(words) > 1 for words in rows):
        return not _are_groups(rows) or _are_squares(rows, length)
    return len(rows) == 1 or (length >= _SHORTEST_OF_LINES and len(rows) != length)


def _first_rows(head: str) -> tuple[list[list[str]], bool]:
    """The words of the lines up to the first blank one after them, and whether that is there."""
    rows: list[list[str]] = []
    for each in head.splitlines():
        words = each.partition("#")[0].split()
        if words:
            rows.append(words)
        elif rows and not each.strip():
            return rows, True
    return rows, False


def _is_square(cells: str) -> bool:
    return isqrt(len(cells)) ** 2 == len(cells) and first_wrong(cells) is None


def _are_groups(rows: list[list[str]]) -> bool:
    """Whether all words are cells in groups of one length: a grid; words that differ are ids."""
    length = len(rows[0][0])
    return all(len(word) == length and first_wrong(word) is None for row in rows for word in row)


def _are_squares(rows: list[list[str]], side: int) -> bool:
    """Whether rows of groups are boards on a line each, their rows apart by blanks.

    The line format refuses them: they could be one board of as many rows.
    """
    each_is_square = side > 2 and all(len(words) == side for words in rows)
    return each_is_square and len(rows) not in (1, side * side)
