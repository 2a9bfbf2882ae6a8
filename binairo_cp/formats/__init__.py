"""Read and write files of puzzles: the table of formats, and detection of a file's format.

Each format is a module of this package and a row of `FORMATS`. The module is imported on first use,
so that the help of the command line can list the formats without waiting for their libraries.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from math import isqrt
from pathlib import Path
from typing import Any, cast

from binairo_cp.errors import ArgumentError, FormatError, SourceError
from binairo_cp.formats.blocks import (
    Block,
    FileRange,
    LineBlock,
    LineFormat,
    entry_blocks,
    line_blocks,
)
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.sources import (
    STDIN,
    Source,
    expand,
    open_source,
    shown,
    text_source,
    total_size,
)
from binairo_cp.puzzle.grids import OPEN_MARKS, first_wrong
from binairo_cp.puzzle.rules import Rules

__all__ = [
    "AUTO",
    "FORMATS",
    "STDIN",
    "Block",
    "Entry",
    "FileRange",
    "Format",
    "LineBlock",
    "Tally",
    "read_blocks",
    "read_bytes",
    "read_sources",
    "sniff",
    "write",
]

AUTO = "auto"

ARGUMENT = "argument"
"""The name of a source that is itself a puzzle."""

Name = str | os.PathLike[str]
Names = Name | Iterable[Name]
"""One or several sources: names of files, folders and patterns, or ``-`` for standard input."""


Reader = LineFormat | Callable[[Source, Rules | None], Iterator[Entry | None]]
"""A `LineFormat` if the format has one puzzle per line. Otherwise a function that yields the
puzzles of a source, or None while a pipe has no data; it raises `SourceError` if the source can't
be read.
"""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: where it is, and what menus and file names say about it.

    Attributes:
        module: the module of this package that defines it.
        title: its name in menus.
        suffixes: the suffixes of its files, the usual one first.
        media_type: the media type of its files over HTTP.
        reader: the name of its `Reader` in the module.
        writer: the name of the function that writes a puzzle.
        recognizer: the name of a function that says whether the first line of a text, without
            blanks around it, is in this format; empty if there is none.
        is_document: the writer takes all puzzles and yields pieces of text.
        needs_look: the suffix is too common to decide, so the beginning of the file does.
    """

    module: str
    title: str
    suffixes: tuple[str, ...]
    media_type: str = "text/plain"
    reader: str = "read"
    writer: str = "write"
    recognizer: str = ""
    is_document: bool = False
    needs_look: bool = False

    @property
    def read(self) -> Reader:
        """Its reader."""
        return cast("Reader", self._named(self.reader))

    def write_all(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Convert puzzles to pieces of text.

        Raises:
            FormatError: the format can't express a puzzle.
        """
        write = self._named(self.writer)
        return cast("Iterator[str]", write(entries) if self.is_document else map(write, entries))

    def recognizes(self, line: str) -> bool:
        """Whether a text whose first line is this one is in this format."""
        return bool(self.recognizer and self._named(self.recognizer)(line))

    def _named(self, name: str) -> Any:
        return getattr(import_module(f"binairo_cp.formats.{self.module}"), name)

    def blocks(
        self, source: Source, default_rules: Rules | None, size: Callable[[], int]
    ) -> Iterator[Block]:
        """The puzzles of a source in blocks; `size` returns the size of the next block.

        Raises:
            SourceError: the rest of the file can't be read.
        """
        read = self.read
        if isinstance(read, LineFormat):
            return line_blocks(source, read, default_rules, size)
        return entry_blocks(read(source, default_rules), size)


FORMATS = {
    "text": Format("text", "Text, a grid", (".txt",), needs_look=True),
    "line": Format("line", "Line", (".line", ".lines"), reader="LINES"),
    "ndjson": Format(
        "ndjson",
        "NDJSON",
        (".ndjson", ".jsonl", ".parquet"),
        "application/x-ndjson",
        reader="RECORDS",
    ),
    "json": Format(
        "json",
        "JSON",
        (".json",),
        "application/json",
        writer="write_all",
        is_document=True,
        needs_look=True,
    ),
    "task": Format(
        "codes",
        "Code of puzzle-binairo.com",
        (".task", ".tasks"),
        reader="TASKS",
        writer="write_task",
        recognizer="begins_with_task",
    ),
    "unruly": Format(
        "codes",
        "Game id of Unruly",
        (".unruly",),
        reader="GAME_IDS",
        writer="write_game_id",
        recognizer="begins_with_game_id",
    ),
    "janko": Format(
        "tables",
        "Text of janko.at",
        (".janko",),
        reader="read_janko",
        writer="write_janko",
        recognizer="is_keyword_of_janko",
    ),
    "symbols": Format(
        "symbols",
        "Text, X and O",
        (".symbols",),
        recognizer="is_row_of_symbols",
    ),
    "csv": Format(
        "tables",
        "CSV",
        (".csv", ".tsv"),
        "text/csv",
        reader="read_csv",
        writer="write_csv",
        recognizer="is_row_of_csv",
    ),
}
"""The formats by name."""


def suffixes() -> frozenset[str]:
    """The suffixes of all formats."""
    return frozenset(suffix for each in FORMATS.values() for suffix in each.suffixes)


@dataclass
class Tally:
    """Progress of reading, in bytes of the files as they are stored (perhaps compressed).

    `total` is None if a source such as standard input has no size.
    """

    done: int = 0
    total: int | None = None


def read_sources(
    names: Names, format: str = AUTO, default_rules: Rules | None = None
) -> Iterator[Entry]:
    """All puzzles of files, folders, patterns and standard input (``-``), in order.

    The id of a puzzle defaults to its number in its source. A puzzle or file that can't be read
    yields an entry with the error, and reading continues after it.

    Args:
        names: one or several sources, as str or Path.
        format: a name of `FORMATS`, or ``auto`` to detect the format of each source.
        default_rules: rules for puzzles that state none; None for plus with signs, else classic.

    Raises:
        ArgumentError: a name is neither a str nor a Path.
        FormatError: there is no format of that name.
    """
    if format != AUTO:
        _named(format)
    blocks = read_blocks(_each_name(names), lambda: 1, format, default_rules, Tally())
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
    default_rules: Rules | None,
    tally: Tally,
    on_unread: Callable[[SourceError], object] | None = None,
) -> Iterator[Block]:
    """Like `read_sources`, but in blocks.

    Folders and patterns are expanded immediately, not when the first block is read, so files that
    the caller creates later are not included.

    Args:
        names: the sources.
        size: returns the size of the next block, in puzzles. The block may be smaller.
        format: as in `read_sources`.
        default_rules: as in `read_sources`.
        tally: is updated after each block.
        on_unread: called with the error of a source that can't be read or contains no puzzle. By
            default the error becomes an entry.

    Yields:
        The blocks. While a pipe has no data, an empty block every tenth of a second.
    """
    files = list(expand(names, suffixes()))
    tally.total = total_size([name for name in files if isinstance(name, str)])
    return _blocks_of(files, size, format, default_rules, tally, on_unread)


def _blocks_of(
    files: list[str | SourceError],
    size: Callable[[], int],
    format: str,
    default_rules: Rules | None,
    tally: Tally,
    on_unread: Callable[[SourceError], object] | None,
) -> Iterator[Block]:
    for name in files:
        any_puzzle, before = False, tally.done
        try:
            if isinstance(name, SourceError):
                raise name
            with _open_puzzles(name) as source:
                chosen = _named(sniff(source) if format == AUTO else format)
                for block in chosen.blocks(source, default_rules, size):
                    any_puzzle = any_puzzle or len(block) > 0
                    tally.done = before + source.position()
                    yield block
            if not any_puzzle:
                raise SourceError(shown(name), "contains no puzzle")
        except SourceError as error:
            if on_unread:
                on_unread(error)
            else:
                yield [Entry(error=error, source=error.source)]


def _open_puzzles(name: str) -> AbstractContextManager[Source]:
    """Open a file, or a puzzle that stands in place of a file name."""
    if is_puzzle(name):
        return nullcontext(text_source(ARGUMENT, name.encode()))
    return open_source(name)


def is_puzzle(name: str) -> bool:
    """Whether a source is itself a puzzle on one line, and no file has this name.

    It is a row of cells, perhaps with the size before it, or a code of another program.
    """
    if os.path.lexists(name):
        return False
    if _ROW.fullmatch(name) or FORMATS["unruly"].recognizes(name):
        return True
    # A mistyped name could be a task too, but hardly with several clues or a size.
    return FORMATS["task"].recognizes(name) and len(re.findall("[01:]", name)) > 2


_ROW = re.compile(r"(?:[0-9]{1,3}x[0-9]{1,3}:)?[01.]{4,65536}")


def read_bytes(
    data: bytes, name: str, format: str = AUTO, default_rules: Rules | None = None
) -> Iterator[Entry]:
    """The puzzles of a source in memory.

    Args:
        data: the source; it is not decompressed.
        name: its name in results and errors.
        format: as in `read_sources`.
        default_rules: as in `read_sources`.
    """
    source = text_source(name, data)
    chosen = _named(sniff(source) if format == AUTO else format)
    any_puzzle = False
    try:
        for block in chosen.blocks(source, default_rules, lambda: 1):
            any_puzzle = True
            yield from block
        if not any_puzzle:
            raise SourceError(name, "contains no puzzle")
    except SourceError as error:
        yield Entry(error=error, source=name)


def write(entries: Iterable[Entry], format: str) -> Iterator[str]:
    """Convert puzzles to a format, in pieces of text.

    Raises:
        FormatError: the format can't express a puzzle, or there is no format of that name.
    """
    return _named(format).write_all(entries)


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise FormatError(f"there is no format {format!r}", expected=f"one of {', '.join(FORMATS)}")
    return FORMATS[format]


def sniff(source: Source) -> str:
    """Detect the format of a source by its suffix or by its beginning.

    A single row of n*n cells is in the line format, and so are several rows of 16 or more square
    numbers of cells. But n rows of n cells are a grid.
    """
    ending = Path(source.name.removesuffix(".gz")).suffix
    for name, format in FORMATS.items():
        if ending in format.suffixes and not format.needs_look:
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
    """Whether the part of the head that has been read determines the format.

    A row of n*n cells is a puzzle or the first row of a grid. The decision must not depend on how
    quickly the next line arrives.
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
    if is_whole:
        return True
    are_too_many = _are_too_many_for_a_grid(len(rows), len(cells))
    if not (are_too_many or _first_row_with_clues(text)):
        return False
    if not _is_square(cells):
        return True
    if any(len(words) > 1 for words in rows):
        return not _are_groups(rows)
    return are_too_many


def _are_too_many_for_a_grid(rows: int, width: int) -> bool:
    """Whether rows of this many cells are puzzles on one line each, rather than a grid."""
    return rows > width >= _SHORTEST_OF_LINES


def _looks_like_a_sheet(head: str) -> bool:
    """Whether the rows of the first puzzle are fields of at most one cell, separated by tabs.

    The first row may have no clue, so leading tabs are significant.
    """
    rows = [row for row in _first_lines(head) if not row.startswith("#")]
    has_tabs = len(rows) > 1 and any("\t" in row for row in rows)
    return has_tabs and all(map(_SHEET_ROW.fullmatch, rows))


def _may_be_an_unfinished_sheet(head: str) -> bool:
    lines = _first_lines(head)
    is_whole = len(lines) < len(head.lstrip("\r\n").splitlines())
    return not is_whole and any("\t" in line for line in lines)


def _first_lines(head: str) -> list[str]:
    """The lines before the first blank line. A line of tabs is a row without clues."""
    lines = head.lstrip("\r\n").splitlines()
    return list(takewhile(lambda line: line.strip(" "), lines))


_SHEET_ROW = re.compile(r" *[01._?-]? *(?:\t *[01._?-]? *)*")


def _code(head: str) -> str | None:
    """Detect a format that recognizes the first line of a text, without comments."""
    lines = (each.strip() for each in head.splitlines())
    first = next((each for each in lines if each and not each.startswith("#")), "")
    if FORMATS["symbols"].recognizes(_first_row_with_clues(head)):
        return "symbols"
    return next((name for name, each in FORMATS.items() if each.recognizes(first)), None)


def _first_row_with_clues(head: str) -> str:
    """The first row of the first puzzle that shows how clues are written, or an empty text."""
    is_begun, rows = False, 0
    for line in head.splitlines():
        text = line.partition("#")[0].strip()
        is_row = bool(text) and not _HEADER.match(text)
        if is_row and text.strip(_OPEN_ROW):
            return text
        rows += is_row
        if _are_too_many_for_a_grid(rows, len(text)) or (is_begun and not line.strip()):
            break
        is_begun = is_begun or bool(text)
    return ""


_HEADER = re.compile(r"(?:id|rules|signs)\s*:", re.IGNORECASE)
_OPEN_ROW = f"{OPEN_MARKS} \t"


def _is_record(text: str) -> bool:
    # The braces of a record close on its line, unless the line is longer than the head.
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
        # A line with only a size begins a grid.
        return rows[0] != [size.group()]
    if not _is_square(cells):
        return False
    length = len(cells)
    if any(len(words) > 1 for words in rows):
        return not _are_groups(rows) or _are_squares(rows, length)
    return len(rows) == 1 or (length >= _SHORTEST_OF_LINES and len(rows) != length)


def _first_rows(head: str) -> tuple[list[list[str]], bool]:
    """The words of the first rows, and whether a blank line ends them."""
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
    """Whether all words are groups of cells of one length, as in a grid. Other words are ids."""
    length = len(rows[0][0])
    return all(len(word) == length and first_wrong(word) is None for row in rows for word in row)


def _are_squares(rows: list[list[str]], side: int) -> bool:
    """Whether each line is a board whose rows are separated by blanks.

    The line format refuses such lines, since they could also be the rows of one board.
    """
    each_is_square = side > 2 and all(len(words) == side for words in rows)
    return each_is_square and len(rows) not in (1, side * side)
