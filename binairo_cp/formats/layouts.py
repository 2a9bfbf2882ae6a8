"""How the rows of one board are laid out in lines: the ways in which the lines can be read.

`readings` tries all layouts: cells side by side, with blanks or other separators between them, in
a box, with row and column names, with blanks for open cells, with signs between cells. A layout in
which the cells do not line up is not plausible.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product

from binairo_cp.formats import cells, framing
from binairo_cp.formats.cells import Words
from binairo_cp.puzzle.grids import OPEN_MARKS, empty_field
from binairo_cp.puzzle.rules import Sign

_BARS = cells.BAR_MARKS
_EDGE = "".join(chr(code) for code in range(0x2500, 0x2580) if chr(code) not in _BARS)
_SIGNS = dict.fromkeys("=🟰", "=") | dict.fromkeys("xX\u00d7\u2260✕✖❌", "x")
_PARTS = re.compile(f"[{_BARS}]|[{''.join(_SIGNS)}]|[^\\s{_BARS}{''.join(_SIGNS)}]+")
_BAR = cells.BARS
_BETWEEN_BARS = re.compile(f"[{_BARS}]([^{_BARS}]+)[{_BARS}]")
_FRAME = frozenset(_BARS + _EDGE + "+-= ")
_OPENS = frozenset(OPEN_MARKS + cells.OPEN_SYMBOLS)


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """A way to read lines.

    Attributes:
        name: what the lines are then, for messages.
        rows: the marks of the cells.
    """

    name: str
    rows: Words
    signs: tuple[Sign, ...] = ()


def is_border(line: str) -> bool:
    """Whether a line is part of a box: its upper or lower edge, or between two rows."""
    marks = set(line) - {" "}
    return marks <= _FRAME and bool(marks & {*_EDGE, "+"})


def _is_rule(line: str) -> bool:
    return not set(line) - {*"-= "} or framing.is_head_rule(line)


def is_row(line: str) -> bool:
    """Whether all characters of a line may be cells, or stand between cells."""
    words = re.split(rf"[\s,;&{_BARS}]+", line.strip().strip("[](){},;&"))
    return all(
        cells.word(word) is not None or all(cells.is_mark(mark) or mark in _SIGNS for mark in word)
        for word in words
    )


def without_signs(lines: Sequence[str]) -> list[str]:
    """The lines with blanks in place of signs, unless they may be cells."""
    marks = {mark for line in lines for mark in line}
    others = {mark for mark in marks - {*"01-"} - _SIGNS.keys() if cells.is_mark(mark)}
    if marks & {*"xX❌"} and (not others or others & {*"oO⭕"}):
        return list(lines)
    return ["".join(" " if mark in _SIGNS else mark for mark in line) for line in lines]


def readings(lines: Sequence[str]) -> list[MarkedRows]:
    """All plausible ways to read the lines of one board; the lines are not blank."""
    found: list[MarkedRows] = []
    for bare, (name, read) in product(framing.bare(lines), _LAYOUTS.items()):
        for rows, signs in read(bare):
            if rows and rows[0] and all(len(row) == len(rows[0]) for row in rows):
                reading = MarkedRows(name, rows, signs)
                if not any((layout.rows, layout.signs) == (rows, signs) for layout in found):
                    found.append(reading)
    return found


_Found = Iterator[tuple[Words, tuple[Sign, ...]]]
_Cell = tuple[int, int, str]
"""Where a cell begins and ends, and its mark."""


def _boxed(lines: Sequence[str]) -> list[list[str]] | None:
    """The rows in a box, in one or two readings; None if there is no box.

    Lines between two borders can be several rows, or one row with room above and below.
    """
    has_bars = any(_BAR.search(line) for line in lines)
    bands: list[list[str]] = [[]]
    for line in lines:
        if is_border(line) or (has_bars and _is_rule(line)):
            bands.append([])
        else:
            bands[-1].append(line)
    bands = [band for band in bands if band]
    if not has_bars and sum(map(len, bands)) == len(lines):
        return None
    if len(bands) > 1 and is_border(lines[0]) and not is_border(lines[-1]):
        return []  # A box with lines between its rows is cut off.
    rules = [line.strip() for line in lines if _is_rule(line)]
    is_short = len(bands) == 2 and len(rules) == 1 and 2 * len(rules[0]) < len(bands[0][0])
    if is_short and sum(map(len, bands)) != framing.width_of(bands[0][0]):
        return []  # It may be between two boards.
    blank = [[not set(line) - {*_BARS, " "} for line in band] for band in bands]
    whole = [line for band in bands for line in band]
    if len(bands) == 1 or any(
        len(band) - sum(empty) > 1 for band, empty in zip(bands, blank, strict=True)
    ):
        return [whole]
    one = [min(zip(empty, band, strict=True))[1] for band, empty in zip(bands, blank, strict=True)]
    return [one] if one == whole else [one, whole]


def _in_words(lines: Sequence[str]) -> _Found:
    """Cells side by side or in groups, all marked. The groups of all rows are alike."""
    if any(_BAR.search(line) or is_border(line) or set(line) & set(",;[]") for line in lines):
        return
    edges = {(line.strip(" ")[:1] == "\t", line.strip(" ")[-1:] == "\t") for line in lines}
    if len(edges) > 1 or any(empty_field(line) is not None for line in lines):
        return  # An empty field is a cell.
    rows = [line.split() for line in lines]
    if rows and all(rows) and _line_up(lines, rows):
        words = ["".join(row) for row in rows]
        if all(map(framing.may_be_dashed, words)) and set("".join(words)) != {"-"}:
            # Dashes between cells; without other marks of open cells, they may be columns of those.
            yield [list(word[::2]) for word in words], ()
            if set("".join(words)) & (_OPENS - {"-"}):
                return
        yield [list(word) for word in words], ()


def _line_up(lines: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    patterns = {tuple(map(len, row)) for row in rows if len(row) > 1}
    patterns = {pattern for pattern in patterns if set(pattern) != {1}} or patterns
    if len(patterns) > 1:
        return False
    for *groups, last in patterns:
        # Groups of one length, of which the last may be shorter; others could be numbers and rows.
        if len(set(groups)) > 1 or last > groups[0] or (last < groups[0] and len(groups) < 2):
            return False
    marks = {mark for row in rows for word in row for mark in word}
    # A third symbol is that of open cells too.
    if marks & cells._OPENS or len(marks) > 2 or any("\t" in line for line in lines):
        return True
    # Blanks may be open cells, so all rows need the same ones, and as many between all cells.
    places = _places(lines[0])
    gaps = {after - before for before, after in pairwise(places)} - {1}
    is_even = len(gaps) <= 1 and (places[0], places[-1]) == (0, len(lines[0]) - 1)
    return is_even and len({(len(line), tuple(_places(line))) for line in lines}) == 1


def _places(line: str) -> list[int]:
    return [place for place, mark in enumerate(line) if not mark.isspace()]


def _numbers(lines: Sequence[str]) -> _Found:
    """Values as a program prints them: words such as -1 and None, perhaps in brackets."""
    text = "\n".join(lines)
    texts = _BRACKETED.findall(text) if "[" in text or "(" in text else lines
    delimited = "," in text or ";" in text
    outside = [] if texts is lines else re.split(r"[\[\](){},;\n]+", _BRACKETED.sub("", text))
    widths = {cells.number_of(row) for row in texts}
    if any(cells.number_of(part) in widths for part in outside if cells.are_cells(part)):
        return  # There may be a row outside the brackets.
    if (delimited and texts is lines) or len(re.findall(r"[\[(]\s*[\[(]", text)) > 1:
        return
    split = re.compile(r"\s*[,;]\s*" if delimited else r"\s+")
    ends = " ,;\n" if delimited else " \t\n"
    rows = _marked(split.split(row.strip(ends)) for row in texts)
    is_of_numbers = texts is not lines or any(
        len(word.strip("\"'")) > 1 for row in lines for word in row.split()
    )
    if is_of_numbers and rows is not None:
        yield rows, ()


def _marked(rows: Iterable[Iterable[str]]) -> Words | None:
    """The marks that words stand for; None if one of them is not a cell."""
    marks = [[cells.word(word.strip()) for word in row] for row in rows]
    is_whole = all(word is not None for row in marks for word in row)
    return [[word or "" for word in row] for row in marks] if is_whole else None


def _fields(lines: Sequence[str]) -> _Found:
    """One cell in each field; an empty field is an open cell."""
    boxes = _boxed(lines)
    if boxes is not None:
        for rows in boxes:
            yield from _between_bars(rows)
        return
    mark = next((mark for mark in ",;\t" if any(mark in line for line in lines)), None)
    if mark is None or any("[" in line for line in lines):
        return
    try:
        words = _marked(framing.without_names(list(csv.reader(lines, delimiter=mark))))
    except csv.Error:
        return
    is_padded = mark == "\t" and any("   " in line.strip("\t").rstrip() for line in lines)
    if words is not None and not is_padded:
        yield from ((row, ()) for row in _without_edges(words))


def _between_bars(rows: Sequence[str]) -> _Found:
    """The cells between bars: one in each field, or groups of them in some fields."""
    if all(line[0] == line[-1] == " " for line in rows) and (
        words := _marked(map(_BAR.split, rows))
    ):
        yield words, ()  # The blanks at both ends may be cells.
    separated = [_BAR.split(line.strip()) for line in rows]
    is_padded = any(field.isspace() for row in separated for field in row[1:])
    begins = all(not line[0].isspace() for line in rows) and not any(row[0] for row in separated)
    if is_padded and begins and any(row[-1].strip() for row in separated):
        separated = [row[1:] for row in separated]  # There is a bar at the left only.
    if all(not row[0].strip() and not row[-1].strip() and len(row) > 2 for row in separated):
        separated = [row[1:-1] for row in separated]
    separated = framing.without_names(separated)
    if (words := _marked(separated)) is not None:
        yield from ((row, ()) for row in _without_edges(words, are_bars=True))
    elif all(field.strip() for row in separated for field in row):
        yield from _in_words([" ".join(map(str.strip, row)) for row in separated])


def _without_edges(rows: Words, *, are_bars: bool = False) -> Iterator[Words]:
    """The boards that fields can be: empty ones at the edges may be outside the board.

    A separator that ends or begins all rows is beside no cell if open cells have a mark, or if the
    number of fields between bars is odd. A sheet may have empty lines around the board.
    """
    if not rows or len({*map(len, rows)}) != 1:
        return
    height, width = len(rows), len(rows[0])
    is_marked = any(mark in OPEN_MARKS for row in rows for mark in row if mark)
    edges = [edge for edge in (-1, 0) if width > 1 and not any(row[edge] for row in rows)]
    rests = [[row[1:] if edge == 0 else row[:-1] for row in rows] for edge in edges]
    whole = [rest for rest in rests if all(map(all, rest))]
    if whole and (is_marked or (are_bars and (width % 2 or width == 2))):
        yield whole[0]
    elif not are_bars and (inner := _without_empty_lines(rows)):
        yield from inner
    else:
        yield rows
        if rests and not are_bars and (is_marked or whole or width == height + 1):
            yield rests[0]  # An empty field is an open cell, or a separator too many.


def _without_empty_lines(rows: Words) -> list[Words]:
    """The boards with even sides that are left without empty rows and columns at the edges.

    If the sides are even as it is, only two or more of both above and at the left are too many. If
    the empty lines are rows only, or columns only, they may be open cells.
    """
    columns = list(zip(*rows, strict=True))
    above, left, below, right = (
        next((k for k, line in enumerate(lines) if any(line)), 0)
        for lines in (rows, columns, rows[::-1], columns[::-1])
    )
    height, width = len(rows), len(columns)
    least = 2 if height % 2 == width % 2 == 0 else 0
    is_board = least > 0 or not (above and left)
    found = [rows] if is_board else []
    for top, start in product(range(least, above + 1), range(least, left + 1)):
        for bottom, end in product(range(below + 1), range(right + 1)):
            inner = [row[start : width - end] for row in rows[top : height - bottom]]
            if len(inner) > 2 and len(inner) % 2 == len(inner[0]) % 2 == 0 != len(inner[0]):
                found += [] if inner in found else [inner]
    return found if len(found) > is_board else []


_BRACKETED = re.compile(r"[\[(]([^\[\]()]*)[\])]")
_DOUBLE = re.compile(r"0[01]|([.?_*-])\1")


def _doubled(lines: Sequence[str]) -> _Found:
    """Cells of two digits, ``00`` and ``01``: or they are groups of two cells."""
    rows = [cells.words(line) for line in lines if not is_border(line)]
    if (
        rows
        and all(_DOUBLE.fullmatch(word) for row in rows for word in row)
        and min(map(len, rows)) > 1
    ):
        yield [[word[-1] for word in row] for row in rows], ()


def _blank_cells(lines: Sequence[str]) -> _Found:
    """A square with blanks for open cells, with or without a blank between all cells.

    All lines must have their blanks: after a missing one, cells would be in other columns. A column
    of blanks at an end may be a margin.
    """
    inside = [_BETWEEN_BARS.fullmatch(line.strip()) for line in lines]
    if len(lines) > 1 and all(inside) and len({len(line) for line in lines}) == 1:
        # The bars show where the rows begin and end.
        rows = [match[1] for match in inside if match]
        if (
            len(rows[0]) - len(rows) in (0, 2)
            and any(set(row) & {"0", "1"} for row in rows)
            and not set("".join(rows)) - {*"01 "}
        ):
            yield [[*row.replace(" ", ".")] for row in rows], ()
            if all(len(row) > 4 and row[0] == row[-1] == " " for row in rows):
                yield [[*row[1:-1].replace(" ", ".")] for row in rows], ()
        return
    side, width = len(lines), len(lines[0])
    others = set(f"\t,;=[]{_BARS}{OPEN_MARKS}{cells.OPEN_SYMBOLS}")
    if side < 4 or any(len(line) != width or set(line) & others for line in lines):
        return
    if " " not in "".join(lines) or any(
        all(line[edge] == " " for line in lines) for edge in (0, -1)
    ):
        return
    parity = {place % 2 for line in lines for place in _places(line)}
    gap = next((k for k in range(1, width - 1) if all(row[k] == " " for row in lines)), None)
    if width == side and gap is not None and len(parity) == 2:
        # Or blanks between groups of cells.
        yield [[*f"{line[:gap]}{line[gap + 1 :]}".replace(" ", ".")] for line in lines], ()
    if width == side and len(parity) == 2:
        yield [[*line.replace(" ", ".")] for line in lines], ()
    if width == 2 * side - 1 and parity == {0}:
        yield [[*line[::2].replace(" ", ".")] for line in lines], ()


def _with_signs(lines: Sequence[str]) -> _Found:
    """Signs between cells in a row, and between rows. In a box, blank fields are open cells."""
    text = "\n".join(lines)
    if "\t" in text or not set(text) & _SIGNS.keys():
        return
    rows = "\n".join(line for line in lines if not _is_frame(line))
    if not set(text) & {*_SIGNS} - {*"xX"} and re.search(r"\S[xX]|[xX]\S", rows):
        return  # The letter may be a cell.
    if "❌" in text and ("⭕" in text or not set(text) & {*"=🟰"}):
        return  # So may the emoji.
    # Emoji are two columns of a terminal wide, and one character of a text.
    for width in (lambda _: 1, lambda mark: 1 + (unicodedata.east_asian_width(mark) in "WF")):
        if (found := _signed(lines, width)) is not None:
            yield found


def _is_frame(line: str) -> bool:
    return not {*line}.isdisjoint({*_EDGE, "+"})


def _signed(
    lines: Sequence[str], width: Callable[[str], int]
) -> tuple[Words, tuple[Sign, ...]] | None:
    rows: list[list[_Cell]] = []
    between: list[tuple[int, int, str]] = []
    signs: list[Sign] = []
    # Between rules, a row of open cells may have nothing but bars and signs.
    between_rows = {*_SIGNS} if any(map(_is_frame, lines[1:-1])) else {*_SIGNS, *_BARS}
    for line in lines:
        starts = list(accumulate(map(width, line), initial=0))
        parts = [
            (starts[part.start()], starts[part.end()], part[0]) for part in _PARTS.finditer(line)
        ]
        found = [(place, _SIGNS[part]) for place, _, part in parts if part in _SIGNS]
        is_frame = _is_frame(line)
        if is_frame or (found and all(part in between_rows for *_, part in parts)):
            found = [] if is_frame and re.search(r"([=xX])\1", line) else found
            if found and (not rows or (between and between[-1][0] == len(rows))):
                return None
            between += [(len(rows), place, sign) for place, sign in found]
        elif parts:
            row = _row_with_signs(parts)
            if row is None:
                return None
            signs += (Sign(len(rows), column, "R", sign) for column, sign in row[1])  # type: ignore[arg-type]
            rows.append(row[0])
    for below, place, sign in between:
        columns = [
            [k for k, (start, end, _) in enumerate(row) if start <= place < end]
            for row in rows[below - 1 : below + 1]
        ]
        if len(columns) < 2 or not columns[0] or columns[0] != columns[1]:
            return None
        signs.append(Sign(below - 1, columns[0][0], "D", sign))  # type: ignore[arg-type]
    if (
        len(signs) == sum(len(row) - 1 for row in rows)
        and len({sign.relation for sign in signs}) == 1
    ):
        return None  # They are separators.
    return ([[mark for *_, mark in row] for row in rows], tuple(signs)) if signs else None


def _row_with_signs(parts: list[_Cell]) -> tuple[list[_Cell], list[tuple[int, str]]] | None:
    """The cells of a row, and its signs by the column before them."""
    is_boxed = len(parts) > 2 and parts[0][2] in _BARS and parts[-1][2] in _BARS
    row: list[_Cell] = []
    signs: list[tuple[int, str]] = []
    edge, is_open = 0, False
    for start, end, part in parts:
        mark = cells.word(part)
        if part not in _BARS and part not in _SIGNS:
            if mark is None or not cells.is_mark(mark):
                return None
            row.append((edge if is_boxed else start, start + 1, mark))
            is_open = False
            continue
        if is_boxed:
            if is_open:
                row.append((edge, start, ""))
            elif row:
                row[-1] = (row[-1][0], start, row[-1][2])
        elif is_open and part in _SIGNS:
            return None
        if part in _SIGNS:
            signs.append((len(row) - 1, _SIGNS[part]))
        edge, is_open = end, True
    is_whole = not signs or 0 <= signs[0][0] <= signs[-1][0] < len(row) - 1
    return (row, signs) if is_whole else None


_LAYOUTS: dict[str, Callable[[Sequence[str]], _Found]] = {
    "rows of cells": _in_words,
    "rows of numbers": _numbers,
    "cells in fields": _fields,
    "cells of two digits": _doubled,
    "blanks for open cells": _blank_cells,
    "signs between cells": _with_signs,
}
