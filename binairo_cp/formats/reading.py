"""Read the puzzles of files, folders, patterns, standard input, and sources in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from binairo_cp.errors import ArgumentError, SourceError
from binairo_cp.formats.blocks import Block
from binairo_cp.formats.detection import sniff
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.registry import FORMATS, named, suffixes
from binairo_cp.formats.sources import (
    Source,
    expand,
    open_source,
    shown,
    text_source,
    total_size,
)
from binairo_cp.puzzle.rules import Rules

AUTO = "auto"

ARGUMENT = "argument"
"""The name of a source that is itself a puzzle."""

Name = str | os.PathLike[str]
Names = Name | Iterable[Name]
"""One or several sources: names of files, folders and patterns, or ``-`` for standard input."""


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
        named(format)
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
                chosen = named(sniff(source) if format == AUTO else format)
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
    chosen = named(sniff(source) if format == AUTO else format)
    any_puzzle = False
    try:
        for block in chosen.blocks(source, default_rules, lambda: 1):
            any_puzzle = True
            yield from block
        if not any_puzzle:
            raise SourceError(name, "contains no puzzle")
    except SourceError as error:
        yield Entry(error=error, source=name)
