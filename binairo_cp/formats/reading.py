"""Read the puzzles of files, folders, patterns, standard input, and sources in memory.

The format of a source is detected by its suffix or by its beginning. A format that nothing but its
own files looks like is read as such. Lines that are a whole puzzle each are read one by one. All
else is read by `free_text`, which tries all readings of each part.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from binairo_cp.errors import ArgumentError, FormatError, OptionError, SourceError
from binairo_cp.formats import cells, framing, line
from binairo_cp.formats.blocks import Block, unforeseen
from binairo_cp.formats.entry import AUTO, Choices, Entry
from binairo_cp.formats.lists import may_be_wide
from binairo_cp.formats.registry import (
    FORMATS,
    FREE,
    KNOWN_RECORDS,
    Format,
    internal,
    named,
    suffixes,
)
from binairo_cp.formats.sources import (
    Source,
    expanded,
    open_source,
    reason,
    shown,
    text_source,
    total_size,
)
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE, plain_board
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules
from binairo_cp.puzzle.shape import sides_of

ARGUMENT = "argument"
"""The name of a source that is itself a puzzle."""

FormatLike = str | Choices
"""The name of a format, ``auto``, or more that the user states about a source."""

Name = str | os.PathLike[str]
Names = Name | Iterable[Name]
"""One or several sources: names of files, folders and patterns, or ``-`` for standard input."""

_HEADED = re.compile(r"\s*(?:[A-Za-z_]+\s*:|sep=)")
_RULE = re.compile(r"(?:^|[\s|])([-_=~*])\1{15,}\|?$")
_LIST = re.compile(r'\{\s*"puzzles"\s*:')


@dataclass
class Tally:
    """Progress of reading, in bytes of the files as they are stored (perhaps compressed).

    `total` is None if a source such as standard input has no size.
    """

    done: int = 0
    total: int | None = None


def read_sources(
    names: Names, format: FormatLike = AUTO, default_rules: Rules | None = None
) -> Iterator[Entry]:
    """All puzzles of files, folders, patterns and standard input (``-``), in order.

    The id of a puzzle defaults to its number in its source. A puzzle or file that can't be read
    yields an entry with the error, and reading continues after it.

    Args:
        names: one or several sources, as str or Path.
        format: a name of `FORMATS`, ``auto`` to detect the format of each source, or `Choices`
            with the size and symbols of its boards too.
        default_rules: rules for puzzles that state none; None for plus with signs, else classic.

    Raises:
        ArgumentError: a name is neither a str nor a Path.
        FormatError: there is no format of that name.
    """
    if (choices := _choices(format)).format != AUTO:
        named(choices.format)
    several = [names] if isinstance(names, str | os.PathLike) else names
    if not isinstance(several, Iterable):
        raise ArgumentError.of("names", "a str, a Path or several", names)
    files = files_of(map(_name, several))
    blocks = read_blocks(files, lambda: 1, choices, default_rules, Tally())
    return (entry for block in blocks for entry in block)


def _choices(format: FormatLike) -> Choices:
    """What is stated about a source, of which perhaps only the format is known."""
    return Choices(format) if isinstance(format, str) else format


def stated(format: str, size: str | int | None, symbols: str | None) -> Choices:
    """What a user states about texts, by the options of commands and requests.

    Args:
        format: a name of `FORMATS`, or ``auto``.
        size: the size of the boards, as in 6 or 4x6; None if it is not stated.
        symbols: the symbols of 0, 1 and open cells (see `cells.stated_symbols`); None as above.

    Raises:
        OptionError: the size or the symbols are not valid.
    """
    shape = None
    if size is not None:
        with suppress(OptionError):
            shape = grids.Size(*sides_of(size))
        if shape is None or max(shape) > MAX_SIDE:
            raise OptionError("size", f"expected a size as in 6 or 4x6, not {str(size)[:20]!r}")
    if symbols is not None:
        try:
            cells.stated_symbols(symbols)
        except FormatError as error:
            raise OptionError("symbols", error.without_place) from error
    return Choices(format, shape, symbols)


def _name(name: Name) -> str:
    if not isinstance(name, str | os.PathLike):
        raise ArgumentError.of("names", "a str or a Path", name)
    return os.fsdecode(name)


def files_of(names: Iterable[str]) -> list[str | SourceError]:
    """The names of the files of puzzles in folders and patterns, in order.

    Where there are none, or a name is no name of a file, there is an error.
    """
    files: list[str | SourceError] = []
    for name in names:
        try:
            files += expanded(name, suffixes)
        except (OSError, ValueError) as error:
            files.append(SourceError(shown(name), f"can't be opened: {reason(error)}"))
    return files


def read_blocks(
    files: list[str | SourceError],
    size: Callable[[], int],
    choices: Choices,
    default_rules: Rules | None,
    tally: Tally,
    on_unread: Callable[[SourceError], object] | None = None,
) -> Iterator[Block]:
    """Like `read_sources`, but in blocks.

    Args:
        files: the sources, without folders and patterns, as `files_of` returns them.
        size: returns the size of the next block, in puzzles. The block may be smaller.
        choices: what is stated about the sources.
        default_rules: as in `read_sources`.
        tally: is updated after each block.
        on_unread: called with the error of a source that can't be read or contains no puzzle. By
            default the error becomes an entry.

    Yields:
        The blocks. While a pipe has no data, an empty block every tenth of a second.
    """
    tally.total = total_size([name for name in files if isinstance(name, str)])
    for name in files:
        before = tally.done
        try:
            if isinstance(name, SourceError):
                raise name
            opened: AbstractContextManager[Source] = open_source(name, only_puzzles=True)
            if is_puzzle(name):
                opened = nullcontext(text_source(ARGUMENT, name.encode()))
            with opened as source:
                for block in _blocks_in(source, size, choices, default_rules):
                    tally.done = before + source.position()
                    yield block
        except SourceError as error:
            if on_unread:
                on_unread(error)
            else:
                yield [Entry(error=error, source=error.source)]


def _blocks_in(
    source: Source, size: Callable[[], int], choices: Choices, default_rules: Rules | None
) -> Iterator[Block]:
    """The blocks of one source.

    Raises:
        SourceError: it can't be read, or contains no puzzle.
    """
    any_puzzle = False
    try:
        for block in chosen(source, choices).blocks(source, default_rules, size, choices):
            any_puzzle = any_puzzle or len(block) > 0
            yield block
    except Exception as error:
        # The other sources are not lost.
        raise SourceError(shown(source.name), unforeseen(error)) from error
    if not any_puzzle:
        raise SourceError(shown(source.name), "contains no puzzle")


def is_puzzle(name: str) -> bool:
    """Whether a source is itself a puzzle, and no file has this name.

    It is a row of cells, perhaps with the size before it, several rows, a link, or a code of
    another program.
    """
    if os.path.lexists(name):
        return False
    is_link = re.match(r"https?://\S+[#?]", name)
    if is_link or _ROW.fullmatch(name) or _ROWS.fullmatch(name):
        return True
    if FORMATS["unruly"].recognizes(name):
        return True
    # A mistyped name could be a task too, but hardly with several clues or a size.
    return FORMATS["task"].recognizes(name) and len(re.findall("[01:]", name)) > 2


_ROW = re.compile(r"(?:[0-9]{1,3}x[0-9]{1,3}:)?[01.]{4,65536}")
_ROWS = re.compile(
    r"(?:[0-9]{1,3}x[0-9]{1,3}:)?\s*[01._?-]{1,255}(?:\s[01._?-]{1,65536}){1,65536}\s*"
)


def read_bytes(
    data: bytes, name: str, format: FormatLike = AUTO, default_rules: Rules | None = None
) -> Iterator[Entry]:
    """The puzzles of a source in memory, which is not decompressed. The other arguments are those
    of `read_sources`.
    """
    choices = _choices(format)
    try:
        for block in _blocks_in(text_source(name, data), lambda: 1, choices, default_rules):
            yield from block
    except SourceError as error:
        yield Entry(error=error, source=name)


def read_one(text: str, number: int, source: str, choices: Choices, rules: Rules | None) -> Entry:
    """The entry of a text, which is the one with this number among others; it has an error if the
    text is not exactly one puzzle.
    """
    if choices in _PLAIN and (board := plain_board(text)):
        return Entry(Puzzle(board, rules or CLASSIC), None, str(number), source, 1)
    data = text.encode(errors="surrogatepass")
    entries = list(islice(read_bytes(data, source, choices, rules), 2))
    if len(entries) == 1:
        # "1" is only the position in this text.
        entry = entries[0]
        return replace(entry, id=str(number)) if entry.id in (None, "", "1") else entry
    error = FormatError("a text with several puzzles", source=source, expected="one")
    return Entry(error=error, id=str(number), source=source, line=entries[1].line)


_PLAIN = (Choices(), Choices("text"))


def chosen(source: Source, choices: Choices) -> Format:
    """The format that reads a source.

    Raises:
        FormatError: there is no format of the stated name.
        SourceError: the format states a size or symbols itself.
    """
    format = choices.format
    stated = None if format == AUTO else named(format)
    if choices.size is None and choices.symbols is None:
        return stated or internal()[sniff(source)]
    if not stated:
        format = sniff(source)
    if format in ("ndjson", "json"):
        return internal()[format] if format == "json" else KNOWN_RECORDS
    if format in ("text", "line", "lines", "symbols", "csv"):
        return FREE
    raise SourceError(source.name, f"the format {format} states the size and the symbols itself")


def sniff(source: Source) -> str:
    """Detect the format of a source by its suffix or by its beginning.

    Returns:
        The name of a row of `registry.internal`.
    """
    ending = Path(source.name.removesuffix(".gz")).suffix
    for name, format in FORMATS.items():
        if ending in format.suffixes and not format.needs_look:
            return name
    return _guess(source.head(_is_certain))[0]


def _is_certain(head: bytes) -> bool:
    """Whether the part of the head that has been read determines the format.

    The decision must not depend on how quickly the next line arrives.
    """
    return _guess(head[: head.rfind(b"\n") + 1])[1]


def _guess(head: bytes) -> tuple[str, bool]:
    """The format of a text that begins so, and whether more text can't change it."""
    text = head.decode(errors="replace").removeprefix("\ufeff").lstrip("\r\n")
    begin = text.lstrip()
    if begin.startswith("["):
        return "json", True
    if begin.startswith("{"):
        line = begin.partition("\n")[0]
        # The braces of a record close on its line, unless the line is longer than the head.
        is_closed = line.rstrip().endswith("}") and not _LIST.match(line)
        return "ndjson" if is_closed or len(line) > 1000 else "json", True
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if first.lower().startswith("sep="):
        first = next(filter(None, lines), "")
    for name, format in internal().items():
        if format.recognizes(first):
            return name, True
    rows, is_whole = _first_rows(text)
    width = _width(rows[0]) if rows else None
    is_open = len(rows) > 1 and not {*rows[0]} & {*"01"}
    if width is None or framing.are_rows(rows) or (is_open and _width(rows[1]) is None):
        return "text", bool(rows)
    # A row of n*n cells is a puzzle, or the first row of a grid.
    widths = [_width(row) for row in rows]
    number = widths.count(width)
    are_lines = width == 0 or {*widths} - {None, width} != set()
    is_narrow = any(len(row.split()) > 1 for row in rows) or width != grids.LEAST
    is_certain = are_lines or is_whole or len(rows) > (1 if is_narrow else 2) * width
    may_be_rows = width in (number, len(rows)) or (not is_narrow and may_be_wide(number, width))
    return "lines" if are_lines or not may_be_rows else "text", is_certain


def _width(row: str) -> int | None:
    """The width of the board of which a line that is a whole puzzle could be a row.

    Returns:
        0 if it can't be a row; None if the line is not a whole puzzle.
    """
    if _HEADED.match(row) or _RULE.search(row) or framing.are_rows([row]):
        return None
    try:
        parts = line.parsed(row, grids.LEAST)
    except ValueError:
        return None
    words = row.split()
    if len(words) > 1 and parts.id is None and parts.solution is None:
        return None
    is_last = len(words[-1]) == parts.size.cells and grids.first_wrong(words[-1]) is None
    is_counted = len(words) == 2 and words[1].isdecimal() and len(words[1]) < 3
    is_row = len(words) == 1 or (is_last and parts.solution is None) or is_counted
    return parts.size.cells if is_row and ":" not in row else 0


def _first_rows(head: str) -> tuple[list[str], bool]:
    """The first rows without comments, and whether a blank line ends them.

    Blank lines between the first ones are passed over if each stands alone.
    """
    rows: list[str] = []
    is_alone = was_blank = False
    for text_line in head.splitlines():
        row = text_line.partition("#")[0].strip()
        if row:
            rows.append(row)
            is_alone = len(rows) == 1 or was_blank
            was_blank = False
        elif rows and not text_line.strip():
            if not is_alone:
                return rows, True
            was_blank = True
    return rows, False
