"""Lines in a text that are a whole puzzle each, or the rows of one board."""

from __future__ import annotations

import re

from binairo_cp.errors import BoardError, FormatError
from binairo_cp.formats import candidates, cells, framing, line
from binairo_cp.formats.candidates import unclear
from binairo_cp.formats.entry import Choices, placed
from binairo_cp.formats.sources import TextLine
from binairo_cp.formats.text_parts import TextPart, size_in, size_of
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.grids import Size

Found = line.Parts | FormatError
_WORD = re.compile(r"[^\s,;|]+")


def puzzles_of(part: TextPart, choices: Choices) -> list[tuple[TextLine, Found]] | None:
    """The puzzles of rows that are a whole puzzle each; None if the rows are a board.

    Raises:
        FormatError: it is not clear, or a single row is no puzzle.
    """
    rows, symbols = part.rows, part.symbols
    if len(rows) == 2 and (above := size_in(rows[0].text)):
        found = puzzle(rows[1], symbols, size_of(above), choices)
        if isinstance(found, line.Parts) and min(found.size) > 1:
            return [(rows[1], found)]
    size = part.size or choices.size
    parts = [puzzle(row, symbols, size, choices) for row in rows]
    if len(rows) == 1:
        if isinstance(parts[0], FormatError):
            if "[" in rows[0].text:
                return None
            raise parts[0]
    elif part.headers or part.id or not _is_list(rows, parts, symbols):
        return None
    return list(zip(rows, parts, strict=True))


def _is_list(rows: list[TextLine], parts: list[Found], symbols: str | None) -> bool:
    """Whether several rows are puzzles, rather than the rows of a board; an error if they may be
    both.
    """
    whole = [found for found in parts if isinstance(found, line.Parts)]
    if framing.are_rows([row.text for row in rows]):
        return False
    boards = [found for found in whole if {*found.cells} != {"."}] or whole
    if not whole:
        return False
    if len(whole) < len(parts):
        # Some have a word that may be a whole board.
        words = [word for row in rows for word in re.split(r"[\s,;|:]+", row.text)]
        is_long = any(len(word) >= grids.LEAST and set(word) != {"-"} for word in words)
        if {*boards[0].cells} == {"."} or not is_long:
            return False
    is_grid = any(cells.boards(found.rows, symbols) for found in candidates.readings_of(rows))
    if len(whole) < len(parts) / 2 or (is_grid and len(rows) == whole[0].size.cells):
        return False
    width = len(whole[0].cells)
    if len(whole) < len(parts) and width == grids.LEAST <= 2 * len(parts):
        raise unclear([f"{len(whole)} puzzles of {whole[0].size}", "the rows of one board"])
    long = sum(any(len(word) == width for word in row.text.split()) for row in rows)
    numbers = {len(boards), len(whole), len(parts), long}
    if (is_grid and len(rows[0].text.split()) > 1) or _may_be_wide(whole, numbers):
        raise unclear([f"{len(parts)} puzzles of {whole[0].size}", "the rows of one board"])
    return True


def may_be_wide(rows: int, width: int) -> bool:
    """Whether so many lines of so many cells, each a square, may be a board that is wide."""
    return width == grids.LEAST and rows % 2 == 0 and width // 2 <= rows <= 2 * width


def _may_be_wide(puzzles: list[line.Parts], numbers: set[int]) -> bool:
    """Whether lines that are a puzzle each may be the rows of a wide board, beside other lines."""
    if not any(may_be_wide(number, len(puzzles[0].cells)) for number in numbers):
        return False
    is_list = len(puzzles) == max(numbers) and all(
        cells.is_possible(puzzle.rows) for puzzle in puzzles
    )
    return not is_list or cells.is_possible([puzzle.cells for puzzle in puzzles])


def has_marks_between(row: str) -> bool:
    """Whether marks in a row that is a puzzle may be between cells, or all of it between rows."""
    return len({*row} & {*grids.OPEN_MARKS}) > 1 or (len(row) > 3 and {*row} == {"-"})


def puzzle(given: TextLine, symbols: str | None, size: Size | None, choices: Choices) -> Found:
    """The parts of a line, with digits in place of other symbols in its longest words."""
    content = cells.plain(given.text)
    begin = grids.stated_size(content)[1]
    words = _WORD.findall(content, begin)
    longest = max(map(len, words), default=0)
    marks = "".join(word for word in words if len(word) == longest)
    if size is None and not choices.is_stated and has_marks_between(marks):
        ways = ["a puzzle", "marks between cells", "a line between rows"]
        return unclear(ways, [given])
    chosen = [word for word in words if len(word) == longest and cells.are_marks(word)]
    if symbols is not None or any(grids.first_wrong(word) is not None for word in chosen):
        rows = [list(word) for word in chosen]
        found = cells.boards(rows, symbols, is_stated=choices.is_stated) if chosen else {}
        if len(found) == 1:
            digits = iter(next(iter(found.values())))
            rest = _WORD.sub(
                lambda word: next(digits) if word[0] in chosen else word[0], content[begin:]
            )
            content = content[:begin] + rest
    try:
        return line.parsed(content, 1 if choices.is_stated else grids.LEAST, size)
    except FormatError as error:
        return placed(error, "", given.number)
    except BoardError as error:
        return FormatError(str(error), line=given.number)
