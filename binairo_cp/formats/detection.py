"""Detect the format of a source by its suffix or by its beginning.

A format that nothing but its own files looks like is read as such. Lines that are a whole puzzle
each are read one by one. All else is read by `free_text`, which tries all readings of each part.
"""

from __future__ import annotations

import re
from pathlib import Path

from binairo_cp.errors import SourceError
from binairo_cp.formats import line
from binairo_cp.formats.entry import AUTO, Choices
from binairo_cp.formats.registry import (
    FORMATS,
    FREE,
    KNOWN_RECORDS,
    Format,
    internal,
    named,
    recognized,
)
from binairo_cp.formats.sources import Source

_HEADED = re.compile(r"\s*(?:[A-Za-z_]+\s*:|sep=)")
_LIST = re.compile(r'\{\s*"puzzles"\s*:')


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
    return _guessed(_decoded(source.head(_is_certain)))


def _decoded(head: bytes) -> str:
    return head.decode(errors="replace").removeprefix("\ufeff")


def _guessed(head: str) -> str:
    head = head.lstrip("\r\n")
    begin = head.lstrip()
    if begin.startswith("["):
        return "json"
    if begin.startswith("{"):
        return "ndjson" if _is_record(begin.partition("\n")[0]) else "json"
    return _code(head) or ("lines" if _are_lines(head) else "text")


def _is_record(text: str) -> bool:
    # The braces of a record close on its line, unless the line is longer than the head.
    return (text.rstrip().endswith("}") and not _LIST.match(text)) or len(text) > 1000


def _code(head: str) -> str | None:
    """Detect a format that recognizes the first line of a text, without comments."""
    rows = (each.strip() for each in head.splitlines())
    first = next((each for each in rows if each and not each.startswith("#")), "")
    if first.lower().startswith("sep="):
        first = next((each for each in rows if each), "")
    return recognized(first)


def _is_certain(head: bytes) -> bool:
    """Whether the part of the head that has been read determines the format.

    A row of n*n cells is a puzzle or the first row of a grid. The decision must not depend on how
    quickly the next line arrives.
    """
    text = _decoded(head[: head.rfind(b"\n") + 1]).lstrip("\r\n")
    if text.lstrip().startswith(("[", "{")) or _code(text):
        return True
    rows, is_whole = _first_rows(text)
    if not rows:
        return False
    first = rows[0]
    width = _width(first)
    if is_whole or width is None or width == 0:
        return True
    return len(rows) > width or any(_width(each) != width for each in rows)


def _are_lines(head: str) -> bool:
    """Whether the first lines are whole puzzles rather than the rows of a board."""
    rows, _ = _first_rows(head)
    width = _width(rows[0]) if rows else None
    if width is None:
        return False
    return len(rows) != width or width == 0 or any(_width(each) != width for each in rows)


def _width(row: str) -> int | None:
    """The width of the board of which a line that is a whole puzzle could be a row.

    Returns:
        0 if it can't be a row; None if the line is not a whole puzzle.
    """
    if _HEADED.match(row):
        return None
    try:
        parts = line.parsed(row, line.LEAST)
    except ValueError:
        return None
    words = row.split()
    is_grouped = len(words) > 1 and "".join(words) == row.replace(" ", "") and parts.id is None
    if is_grouped and parts.solution is None:
        return None
    is_numbered = len(words) == 2 and words[0].strip(".:)").isdecimal() and parts.id is not None
    is_row = len(words) == 1 or (is_numbered and len(words[0]) < len(words[1]))
    return parts.size.cells if is_row and ":" not in row else 0


def _first_rows(head: str) -> tuple[list[str], bool]:
    """The first rows without comments, and whether a blank line ends them."""
    rows: list[str] = []
    for each in head.splitlines():
        row = each.partition("#")[0].strip()
        if row:
            rows.append(row)
        elif rows and not each.strip():
            return rows, True
    return rows, False
