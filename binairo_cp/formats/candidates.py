"""The boards that the rows of a text can mean, and the errors if there is none or several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from binairo_cp.errors import BinairoError, FormatError
from binairo_cp.formats import cells, framing, layouts
from binairo_cp.formats.layouts import MarkedRows
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Sign
from binairo_cp.workers.terminal import option


@dataclass(frozen=True, slots=True)
class Candidate:
    """A board that rows can mean."""

    name: str
    rows: list[str]
    signs: tuple[Sign, ...]
    solution: str | None = None

    @property
    def size(self) -> Size:
        return Size(len(self.rows), len(self.rows[0]))

    @property
    def content(self) -> object:
        return self.rows, self.signs, self.solution


def readings_of(rows: Sequence[TextLine]) -> list[MarkedRows]:
    """All plausible ways to read the marks of rows."""
    return layouts.readings([cells.plain(row.text) for row in rows])


def of(
    rows: Sequence[TextLine], symbols: str | None, *, may_be_pair: bool, is_stated: bool
) -> list[Candidate]:
    """The different boards that rows can mean.

    Args:
        rows: the rows.
        symbols: the symbols that are stated.
        may_be_pair: the rows may be a puzzle and its solution.
        is_stated: the format is stated, as in `cells.boards`.
    """
    found: list[Candidate] = []
    for reading in readings_of(rows):
        for name, board in cells.boards(reading.rows, symbols, is_stated=is_stated).items():
            pair = _pair(board) if may_be_pair and not reading.signs else None
            whole = Candidate(
                f"a board of {len(board)}x{len(board[0])} ({reading.name}, symbols {name})",
                board,
                reading.signs,
            )
            # A square may be such a pair by chance.
            ways = [whole] if pair is None else [pair, whole][: 1 + (len(board) == len(board[0]))]
            known = [candidate.content for candidate in found]
            found += [candidate for candidate in ways if candidate.content not in known]
    return found


def _pair(board: list[str]) -> Candidate | None:
    """The board, if it is a puzzle with its solution beside or below it."""
    height, half = len(board), len(board[0]) // 2
    is_gap = all(row[half] == "." and "." not in row[half + 1 :] for row in board)
    has_open_cells = any("." in row[:half] for row in board)
    # A sheet has an empty column between the two.
    gap = len(board[0]) % 2 and len(board[0]) > 5 and is_gap and has_open_cells
    beside = [[row[:half] for row in board], [row[half + gap :] for row in board]]
    below = [board[: height // 2], board[height // 2 :]]
    for halves in (beside, below):
        puzzle, solution = ("".join(rows) for rows in halves)
        if len(puzzle) != len(solution) or "." not in puzzle or "." in solution:
            continue
        size = Size(len(halves[0]), len(halves[0][0]))
        agree = all(a in (".", b) for a, b in zip(puzzle, solution, strict=True))
        if min(size) > 2 and (size.height == size.width or agree):
            return Candidate(f"a puzzle and its solution of {size}", halves[0], (), solution)
    return None


def check(found: list[Candidate], rows: Sequence[TextLine], *, has_headers: bool) -> None:
    """Refuse boards of rows that could also be something else, unless headers show that they are.

    Raises:
        FormatError: separate cells are a whole puzzle in each row, or the sides are odd and numbers
            of clues may stand at an edge.
    """
    plain = [cells.plain(row.text) for row in rows]
    for candidate in [] if has_headers else found:
        height, width = candidate.size
        side = grids.square(width) if width >= grids.LEAST and height != width else None
        if side and len(rows[0].text) != width:
            raise unclear([f"{height} puzzles of {side}", candidate.name], rows)
        if other := _other_way(candidate, plain):
            raise unclear([candidate.name, other], rows)


def _other_way(candidate: Candidate, rows: list[str]) -> str:
    """What rows may be instead of a board; empty if they can't."""
    places = [k for k, row in enumerate(rows) if framing.is_between(row)]
    parts = [b - a - 1 for a, b in pairwise([-1, *places, len(rows)]) if b > a + 1]
    height, width = candidate.size
    if candidate.solution is None:
        if all(map(_BESIDE.fullmatch, rows)) or _are_beside(candidate, rows):
            return "several boards side by side"
        is_tall = height != width and min(parts, default=0) > 3
        if len(parts) > 1 and len({*parts}) == 1 and (is_tall or parts[0] == width):
            return "several boards with lines between"
    clues = sum(mark != "." for row in candidate.rows for mark in row)
    if 0 < len(_BOLD.findall("\n".join(rows))) < clues:
        return "a puzzle with its clues in bold"
    if not candidate.signs and _may_have_totals(candidate.rows):
        return "a smaller board with numbers beside it"
    is_ruled = _may_have_rules(candidate.rows, rows)
    return "a smaller board with lines between its rows" if is_ruled else ""


def _are_beside(candidate: Candidate, rows: list[str]) -> bool:
    """Whether rows are in groups of as many cells as there are rows."""
    height, width = candidate.size
    if width % height or width == height:
        return False
    for gap in _GAPS:
        groups = [re.split(gap, row.strip(" \t|\u2502")) for row in rows]
        widths = {cells.number_of(group) for row in groups for group in row}
        if min(map(len, groups)) > 1 and widths == {height}:
            return True
    return False


_BOLD = re.compile(r"(?:^|(?<=[|,;\s]))(\*\*|__)[^*_\s]\1(?=[|,;\s]|$)", re.MULTILINE)
_GAPS = (rf"\s*[{cells.BAR_MARKS}]+\s*", r"\t+", r"\s{2,}", r"\s+")
_BESIDE = re.compile(r"\s*\S+(?: {1,2}\S+)*(?: {4,}|\t{2,})\S+(?: {1,2}\S+)*\s*")
"""A row in two groups of cells that stand far apart."""


def _may_have_totals(rows: list[str]) -> bool:
    """Whether a line at an edge is full, and others are not, in the direction of an odd side."""
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    is_odd = len(rows) % 2 == 1 or len(columns) % 2 == 1
    for lines in (rows, columns):
        is_full = any("." not in edge for edge in (lines[0], lines[-1]))
        if is_odd and is_full and len(lines) > 4 and any("." in line for line in lines[1:-1]):
            return True
    is_open = any(set(edge) == {"."} for edge in (columns[0], columns[-1]))
    return is_open and 4 < len(columns) != len(rows) and len(columns) % 2 == 1


def _may_have_rules(rows: list[str], lines: list[str]) -> bool:
    """Whether each second row is open, but none at an edge; or underscores are around a square."""
    is_between = len(rows) % 2 == 1 and {*"".join(rows[1::2])} == {"."}
    is_barred = "|" in lines[0] and "|" not in lines[0].strip(" |")
    is_around = (is_barred or len(rows) == len(rows[0]) + 2) and (
        {*lines[0].strip(" |"), *lines[-1].strip(" |")} == {"_"}
    )
    is_between &= len(rows) > 4 and all(set(row) != {"."} for row in rows[::2])
    return is_between or is_around


def none_of(
    rows: Sequence[TextLine], symbols: str | None, strict: BinairoError | None
) -> FormatError:
    """The error of rows that are no board in any reading; `strict` is that of the text format."""
    for reading in readings_of(rows):
        marks = "".join(sorted({mark for row in reading.rows for mark in row}))
        if all(map(cells.is_mark, marks)) and not cells.boards(reading.rows, symbols):
            return FormatError(
                f"the symbols {marks} in one board: it is not clear which are equal",
                line=rows[0].number,
                expected="two kinds of symbols and '.' for an open cell, or the symbols of 0, 1 "
                "and open cells: --symbols 'XO.'",
            )
    if isinstance(strict, FormatError):
        is_mark = strict.message.endswith("is not a cell")
        return (_first_unread(rows) if is_mark else None) or strict
    plain = [cells.plain(row.text) for row in rows]
    message, expected = "no board", grids.EXPECTED
    if len(plain[0].split()) > 1 or len(rows) > 1:
        is_column = min(len(row.strip()) for row in plain) == 1
        message = "rows of one cell each" if is_column else "the cells of the rows do not line up"
        expected = "the same places in all rows, or --format text"
    return FormatError(message, line=rows[0].number, expected=expected)


def _first_unread(rows: Sequence[TextLine]) -> FormatError | None:
    """The error of the first mark that is no cell, or of the first row of another length."""
    lines = [row for row in rows if not layouts.is_border(row.text)]
    for row in lines:
        for word in re.finditer(r"\S+", row.text):
            for part in cells.words(word[0]):
                is_cell = len(part) > 1 and cells.word(part) is not None
                wrong = [] if is_cell else [mark for mark in part if not cells.is_mark(mark)]
                if wrong:
                    shown = part[:20] if part.isalpha() else wrong[0]
                    column = word.start() + max(0, word[0].find(shown)) + 1
                    message, expected = f"{shown!r} is not a cell", grids.EXPECTED
                    return FormatError(message, line=row.number, column=column, expected=expected)
    lengths = [cells.number_of(row.text) for row in lines]
    usual = max(lengths, key=lengths.count, default=0)
    other = next((k for k, length in enumerate(lengths) if length != usual), None)
    if other is None or lengths.count(usual) < 2:
        return None
    message, expected = f"a row of length {lengths[other]}", f"{usual}, as in other rows"
    return FormatError(message, line=lines[other].number, expected=expected)


def unclear(ways: list[str], rows: Sequence[TextLine] = ()) -> FormatError:
    """The error of rows that can be read in several ways."""
    choose = (
        f"one way to read it: choose with {option('format')}, {option('size')} or "
        f"{option('symbols')}, or with lines such as size: 4x4 and symbols: 12. above the rows"
    )
    number = rows[0].number if rows else None
    return FormatError(f"this could be {' or '.join(ways)}", line=number, expected=choose)
