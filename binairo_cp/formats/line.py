"""The line format: one puzzle per line, row by row, followed by a blank and a name.

::

    .1..0...1..0.... easy-1
    2x6:01....1..0.1 a rectangle
    17 .1..0...1..0.... 0110010110011010

Without ``HxW:`` the board is a square. A number or a name may come before the cells, and the
solution after them. After a size, blanks between cells are ignored. The format contains boards and
ids, but no rules, and can't express signs. Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import NamedTuple, cast

from binairo_cp.errors import BinairoError, BoardError, FormatError
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import Entry, one_line, placed, with_solution, without_signs
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.grids import LEAST, first_wrong
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules

_EXPECTED = f"{grids.EXPECTED}, of a square board or after its HEIGHTxWIDTH:"
_WHOLE = (
    "a whole board on the line (16, 25, 36, ... cells), one row per line, "
    "or the size before the cells, as in"
)
_WORD = re.compile(r"[^\s,;|]+")
_JOINED = re.compile(r"[\s,;|/\[\](){}\"']|\\n")
_LONG = re.compile(r"(?:^|[\s,;|])[01._?-]{16,}(?:$|[\s,;|])")
_USUAL_NAME = re.compile(r"(?!r[0-9]|rules|signs)[a-z#]", re.IGNORECASE)
_SIGNED = re.compile(r"[+-][0-9]{1,4}")
_NO_NAME = re.compile(r"r[0-9]+c[0-9]+[=x]|(?:rules|signs):", re.IGNORECASE)
_NUMBER = re.compile(r"[(#]?[0-9]+[.:)]?|[-*]")


class Parts(NamedTuple):
    """The parts of a line.

    Attributes:
        cells: its cells, with ``.`` for open ones.
    """

    size: grids.Size
    cells: str
    id: str | None = None
    solution: str | None = None

    @property
    def rows(self) -> list[str]:
        """The rows of the board."""
        width = self.size.width
        return [self.cells[k : k + width] for k in range(0, len(self.cells), width)]


def read(line: TextLine, source: str, default_rules: Rules | None, *, least: int = 1) -> Entry:
    """Parse a line."""
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    try:
        parts = parsed(line.text, least)
        puzzle = Puzzle(Board(*parts.size, parts.cells), default_rules or CLASSIC)
        entry = Entry(puzzle, None, parts.id, source, line.number)
        return entry if parts.solution is None else with_solution(entry, parts.solution)
    except FormatError as error:
        fault = error
    except BoardError as error:
        fault = FormatError(str(error), expected=_EXPECTED)
    begin = len(line.text) - len(line.text.lstrip()) + 1
    fault = placed(fault, source, line.number, fault.column or begin)
    _, *name = line.text.split(maxsplit=1)
    return Entry(None, fault, name[0].strip() if name else None, source, line.number)


LINES = LineFormat("line", read, usual=b"01.-_?")
PLAUSIBLE_LINES = LineFormat("plausible line", partial(read, least=LEAST), usual=b"01.-_?")
"""Lines in a text whose format is not stated."""


def parsed(text: str, least: int = 1, size: grids.Size | None = None) -> Parts:
    """The parts of a line.

    Args:
        text: the line.
        least: the fewest cells of a board that does not state its size.
        size: the size of the board, if it is known.

    Raises:
        FormatError: the line is not a puzzle, or may be several. It has no line number.
        BoardError: it has more or fewer cells than its size.
    """
    stated, start = grids.stated_size(text)
    if stated or size:
        parts = _sized(text, start, stated or cast("grids.Size", size))
        if stated is None and parts.id and first_wrong(parts.id.split()[0]) is None:
            # Without the size on the line, more cells are not a name.
            raise _unclear(text, [f"a board of {size} and a name", "a larger board"], f"{size}:")
        if len(parts.cells) != parts.size.cells:
            number = parts.size.cells
            raise BoardError(f"a board of {parts.size} has {number} cells, not {len(parts.cells)}")
        return parts
    rows = [row for row in _JOINED.split(text) if row]
    if len(rows) > 3 and {*map(len, rows)} == {len(rows)} and first_wrong("".join(rows)) is None:
        return Parts(grids.Size(len(rows), len(rows)), grids.normalised("".join(rows)))
    words = list(_WORD.finditer(text))
    squares = (word for word in words if grids.square(len(word[0])))
    boards = [word for word in squares if len(word[0]) >= LEAST and first_wrong(word[0]) is None]
    if boards:
        return _whole(text, words, boards, least)
    first = words[0].group() if words else ""
    if (wrong := first_wrong(first)) is not None:
        column = text.index(first) + wrong + 1
        expected = _EXPECTED if least == 1 else grids.EXPECTED
        raise FormatError(f"{first[wrong]!r} is not a cell", column=column, expected=expected)
    groups = [word.group() for word in words if first_wrong(word.group()) is None]
    if len(groups) == len(words) > 1 and not re.search("[,;|]", text):
        return _grouped(groups, least)
    flat = grids.square(len(first))
    if flat is None or flat.cells < least or looks_like_more(first, text[words[0].end() :].strip()):
        raise _not_whole(text, groups)
    name = text[words[0].end() :].lstrip(" \t,;|").rstrip()
    return Parts(flat, grids.normalised(first), name or None)


def _whole(text: str, words: list[re.Match[str]], boards: list[re.Match[str]], least: int) -> Parts:
    """The parts of a line with words that are boards."""
    board, cells = boards[0], grids.normalised(boards[0].group())
    size = cast("grids.Size", grids.square(len(cells)))
    place = words.index(board)
    before, after = words[:place], words[place + 1 :]
    solution = None
    if after and after[0] in boards and _is_solution(after[0].group(), len(cells)):
        solution = after.pop(0).group()
    numbers = [match.group() for match in before if first_wrong(match.group()) is None]
    rest_words = [match.group() for match in after]
    is_more = solution is None and after and looks_like_more(cells, rest_words[0])
    ways = []
    if len(boards) > 1 + (solution is not None):
        ways = [f"{len(boards)} puzzles", f"one board of {len(boards)} rows"]
    elif len(numbers) > 1 or len(before) > 3 or not all(map(_NUMBER.fullmatch, numbers)):
        ways = [f"a name and a board of {size}", "rows that do not line up"]
    elif is_more or (least > 1 and after and _is_part_of_row(*rest_words)):
        ways = [f"a board of {size} and a name", "rows that do not line up"]
    if ways:
        raise _unclear(text, ways, f"{size}:")
    name = text[: board.start()].strip(" \t,;|")
    if before and _NUMBER.fullmatch(name):
        name = name.strip("(#.:)-*")
    rest = text[after[0].start() :].strip() if after else ""
    if _NO_NAME.match(rest):
        message = f"{rest.split()[0]!r} after the cells"
        raise FormatError(message, expected="rules and signs on lines above the rows")
    return Parts(size, cells, f"{name} {rest}".strip() or None, solution)


def _is_part_of_row(word: str, *others: str) -> bool:
    """Whether a word after the cells may be more of them. Before a name, ``-1`` is a number."""
    if _SIGNED.fullmatch(word) and others and first_wrong(others[0]) is not None:
        return False
    return len(word) > 1 and word[0] in grids.OPEN_MARKS and first_wrong(word) is None


def _is_solution(word: str, size: int) -> bool:
    return len(word) == size and set(word) <= {"0", "1"}


def _sized(text: str, start: int, size: grids.Size) -> Parts:
    """The parts of a line whose size is known. Blanks between cells are ignored."""
    end, left = start, size.cells
    for word in re.finditer(r"\S+", text[start:]):
        left -= len(word.group())
        if end > start and (left < 0 or first_wrong(word.group()) is not None):
            break
        end = start + word.end()
    cells = "".join(text[start:end].split())
    if (wrong := first_wrong(cells)) is not None:
        column = text.index(cells[wrong], start) + 1
        raise FormatError(f"{cells[wrong]!r} is not a cell", column=column, expected=_EXPECTED)
    name = text[end:].strip()
    first = name.partition(" ")[0]
    if first and size.cells >= LEAST and _is_solution(first, size.cells):
        return Parts(size, grids.normalised(cells), name[len(first) :].strip() or None, first)
    return Parts(size, grids.normalised(cells), name or None)


def _grouped(groups: list[str], least: int) -> Parts:
    """A board whose cells or rows are separated by blanks."""
    text = " ".join(groups)
    if all(re.fullmatch(r"[01]\.0?", group) for group in groups):
        raise _unclear(text, ["numbers", "groups of cells"], "1x1:")
    lengths = {len(group) for group in groups}
    cells = "".join(groups)
    flat = grids.square(len(cells))
    if lengths == {1} and flat and flat.cells >= least:
        return Parts(flat, grids.normalised(cells))
    rows = grids.Size(len(groups), len(groups[0]))
    if len(lengths) == 1 and min(rows) > 2 and flat in (None, rows) and rows.cells >= least:
        return Parts(rows, grids.normalised(cells))
    if least == 1 and len(lengths) > 1 and not looks_like_more(groups[0], " ".join(groups[1:])):
        size = grids.square(len(groups[0]))
        if size is not None:
            return Parts(size, grids.normalised(groups[0]), " ".join(groups[1:]))
    raise _not_whole(text, groups)


def _not_whole(text: str, groups: list[str]) -> FormatError:
    """The error of a line that is not a whole board: the ways to read it."""
    cells = sum(map(len, groups))
    lengths = {len(group) for group in groups}
    ways: list[str] = []
    flat = grids.square(cells)
    if len(groups) > 1 and groups[0].isdecimal() and len(lengths) > 1:
        ways.append(f"number {groups[0]} and a row of length {cells - len(groups[0])}")
        flat = grids.square(cells - len(groups[0]))
    elif len(groups) > 1 and len(groups[0]) > 1 and (flat_of_first := grids.square(len(groups[0]))):
        ways.append(f"a board of {flat_of_first} and a name")
    if len(groups) > 1 and len(lengths) == 1 and lengths != {1}:
        ways.append(f"a board of {len(groups)}x{len(groups[0])}")
    if flat and flat.cells == cells > 1:
        ways.append(f"a board of {flat}")
    ways.append(f"a row of length {cells}" if cells else "a line without cells")
    if cells and flat is None and len(groups) == 1:
        return FormatError(f"{cells} cells do not make a square", expected=f"{_WHOLE} 1x{cells}:")
    other = grids.Size(len(groups), len(groups[0])) if len(lengths) == 1 else None
    sizes = [f"{size}:" for size in dict.fromkeys((flat, other)) if size and size.cells <= cells]
    return _unclear(text, list(dict.fromkeys(ways)), " or ".join(sizes) or f"1x{cells}:")


def _unclear(text: str, ways: list[str], size: str) -> FormatError:
    shown = text.strip()
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return FormatError(f"{shown!r} could be {' or '.join(ways)}", expected=f"{_WHOLE} {size}")


def looks_like_more(cells: str, name: str) -> bool:
    """Whether the name after the cells could also be cells: the next row, or a solution."""
    if _LONG.search(name):
        return True
    word = name.split(maxsplit=1)[0] if name else ""
    return bool(word) and len(word) >= len(cells) and first_wrong(word) is None


def write(entry: Entry) -> str:
    """Write a puzzle as a line, without its rules.

    Raises:
        FormatError: the puzzle has signs, or an id that can't be written on one line.
    """
    board, id = without_signs(entry, "the line format").board, entry.id or ""
    is_square = board.height == board.width and len(board.cells) >= LEAST
    name = "" if entry.id is None else f" {one_line(entry.id)}"
    if is_square and (not id or _USUAL_NAME.match(id)) and not looks_like_more(board.cells, id):
        return f"{board.cells}{name}\n"
    for size in ("", f"{board.height}x{board.width}:")[not is_square :]:
        line = f"{size}{board.cells}{name}"
        with suppress(BinairoError):
            read = parsed(line)
            if (read.id, read.cells, read.solution) == (entry.id, board.cells, None):
                return f"{line}\n"
    raise FormatError(f"the line format can't hold the id {id!r} after the cells")
