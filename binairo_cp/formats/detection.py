"""Detect the format of a source by its suffix or by its beginning."""

from __future__ import annotations

import re
from itertools import takewhile
from math import isqrt
from pathlib import Path

from binairo_cp.formats.registry import FORMATS
from binairo_cp.formats.sources import Source
from binairo_cp.puzzle.grids import OPEN_MARKS, first_wrong


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
