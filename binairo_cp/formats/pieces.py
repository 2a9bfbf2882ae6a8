"""Which lines of a text belong together: those between blank lines, or several such blocks.

The rows of one board may be torn by blank lines or by the heads of pages; blocks that may be parts
of one board are a group, which is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile

from binairo_cp.formats import cells, framing, layouts
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.formats.text_parts import HEADER, ID, OPENS, is_heading, size_in, without_comment
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE

MOST_LINES = 2 * MAX_SIDE + 64
"""Lines of one puzzle: rows, lines between them, and headers."""

_NEXT_PAGE = re.compile(
    r"\W*(?:page|seite|p[aá]gina|pagina|part|teil|cont(?:inued|\.)?|forts)\b"
    r"|\s*[-\u2013\u2014] [0-9]{1,3} [-\u2013\u2014]\s*$",
    re.IGNORECASE,
)

Block = tuple[list[TextLine], bool] | None
"""The lines between blank lines, and whether more of them follow; None for no data."""


def split(source: Source) -> Iterator[Block]:
    """The blocks of a text. At most `MOST_LINES` lines are in one."""
    block: list[TextLine] = []
    blank: TextLine | None = None
    for line in source.lines():
        if line is None:
            yield None
        elif not cells.is_blank(line.text) or line.error or _may_be_row(line, block):
            block += [blank] if blank and _may_be_row(blank, [line]) else []
            block.append(line)
            blank = None
            if len(block) > MOST_LINES:
                yield block, True
                block = []
        else:
            yield block, False
            block, blank = [], line
    yield block, False


def _may_be_row(blank: TextLine, block: list[TextLine]) -> bool:
    """Whether a line of blanks beside other lines may be a row of open cells.

    It is as long as the row beside it, in a board with no other marks for open cells.
    """
    is_long = len(blank.text) > 1 and bool(block) and len(blank.text) == len(block[-1].text)
    return is_long and not any(set(text_line.text) & OPENS for text_line in block)


@dataclass(frozen=True)
class Piece:
    """Lines between blank lines that may be a part of a board.

    Attributes:
        texts: the rows, perhaps with labels.
        edges: whether another line stands above the rows, and below them.
        is_open: whether brackets are not closed.
        is_named: whether there is a heading above the rows.
        is_next: whether there is the head of a page, on which a board may go on.
        is_below_page: whether such a head is a block of its own above.
    """

    texts: list[str]
    width: int
    edges: tuple[bool, bool]
    is_open: bool
    is_named: bool
    is_next: bool
    is_below_page: bool = False

    @property
    def rows(self) -> int:
        return len(self.texts)

    @classmethod
    def of(cls, lines: list[TextLine]) -> Piece | None:
        """The piece that lines may be; None if they have a name, or no rows."""
        given = [cells.plain(line.text) for line in lines if without_comment(line.text).strip()]
        texts = [text for text in given if not is_heading(text)]
        names = [text for text in given if is_heading(text)]
        above = takewhile(is_heading, given)
        pages = [text for text in names if _NEXT_PAGE.match(text)]
        are_closed = all(re.fullmatch(r"\|.*\|", framing.inner(text)) for text in texts)
        widths = [_width(framing.inner(text), are_closed=are_closed) for text in texts]
        width = max(widths, key=widths.count, default=0)
        places = [k for k, found in enumerate(widths) if found == width]
        if width < 2 or len({*widths} - {0, 1, width}) > 1 or any(line.error for line in lines):
            return None
        if any(ID.match(line.text) for line in lines) or any(
            HEADER.match(text) or size_in(text) for text in texts
        ):
            return None
        if len(places) == 1 and width > grids.LEAST:
            return None  # a puzzle on a line
        edges = places[0] > 0, places[-1] < len(texts) - 1
        is_open = "".join(given).count("[") != "".join(given).count("]")
        rows = [texts[k] for k in places]
        is_named = any(name not in pages for name in above)
        return cls(rows, width, edges, is_open, is_named, pages != [])

    def continues(self, other: Piece) -> bool:
        """Whether this is not a board of its own below another one."""
        if other.is_open or framing.are_labelled([*other.texts, *self.texts]):
            return True
        both = (self, other)
        if all(part.rows == 1 and part.width == grids.LEAST for part in both):
            return False  # They are a puzzle each, unless they are as many as their cells.
        puzzle, solution = ("\n".join(map(framing.inner, part.texts)) for part in (other, self))
        marks = zip(puzzle, solution, strict=False)
        is_page = self.is_next and not other.is_next
        is_solution = self.rows == other.rows and all(a == b or a not in solution for a, b in marks)
        # On the next page, the last rows of a board may fit its first ones too.
        is_solution = is_solution and not (is_page or self.is_below_page)
        if is_solution or all(part.rows == part.width for part in both):
            return False
        is_part = any(part.rows < min(4, part.width) or part.rows % 2 for part in both)
        return is_part or self.edges != other.edges or is_page


def _width(text: str, *, are_closed: bool) -> int:
    """The number of cells of a line; 0 for the edge of a box and what is no row.

    The fields at both ends may be blank, unless all lines `are_closed` by bars.
    """
    if not layouts.is_row(text) or layouts.is_border(text):
        return 0
    width = framing.width_of(text)
    return width if are_closed or "||" in text else max(width, text.count("|") + 1)


def are_between(lines: list[TextLine]) -> bool:
    """Whether lines are only the head of a page, on which a board may go on."""
    return bool(lines) and all(_NEXT_PAGE.match(line.text) for line in lines)


def groups(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Each block alone; but together those that may be the parts of one board."""
    held: list[Block] = []
    parts: list[Piece] = []
    had_more = False
    for block in _with_signs(blocks):
        if isinstance(block, list):
            yield from _held(held, parts)
            held, parts = [], []
            yield block
            continue
        if block is None or not block[0]:
            yield [block]
            continue
        if held and are_between(block[0]):
            held.append(block)
            continue
        part = None if had_more or block[1] else Piece.of(block[0])
        had_more = block[1]
        is_like = part is not None and parts != [] and part.width == parts[-1].width
        if held and not is_like and _may_go_on(held, parts, block[0]):
            yield [*held, block]
            held, parts = [], []
            continue
        if not (part and is_like and not part.is_named):
            yield from _held(held, parts)
            held, parts = [], []
        if part and held and (above := held[-1]) and are_between(above[0]):
            part = replace(part, is_below_page=True)
        if part is None or (parts and not held and not part.continues(parts[-1])):
            yield [block]
            parts = [part] if part else []
            continue
        held.append(block)
        parts.append(part)
        if sum(kept.rows for kept in parts) > part.width and not _are_torn(parts):
            # They are a list; the next one is compared with the last.
            yield from ([listed] for listed in held)
            held, parts = [], [part]
    yield from _held(held, parts)


def _with_signs(blocks: Iterable[Block]) -> Iterator[Block | list[Block]]:
    """The blocks. A blank line between rows that have signs between them is one without a sign.

    Such blocks are one, if they are a square together. Others are a list: they are not decided.
    """
    held: list[list[TextLine]] = []
    width = 0
    for block in blocks:
        if block is None:
            yield None
            continue
        lines = block[0][: -1 if block[0] and cells.is_blank(block[0][-1].text) else None]
        rows = list(dropwhile(_is_above, lines))
        is_whole = not block[1] and not any(line.error for line in rows)
        found = (
            layouts.width_with_signs([cells.plain(line.text) for line in rows]) if is_whole else 0
        )
        if held and (found != width or is_heading(block[0][0].text)):
            yield from _squares(held, width)
            held = []
        if 1 < found < grids.LEAST:
            width = found
            held.append(block[0])
        else:
            yield block
    yield from _squares(held, width)


def _is_above(line: TextLine) -> bool:
    return is_heading(line.text) or cells.is_blank(line.text)


def _squares(held: list[list[TextLine]], width: int) -> Iterator[Block | list[Block]]:
    rows = [len(list(dropwhile(_is_above, lines))) // 2 + 1 for lines in held]
    if {*rows} <= {width} or max(rows) == 1:
        yield from ((lines, False) for lines in held)
    elif sum(rows) == width:
        yield [line for lines in held for line in lines if not cells.is_blank(line.text)], False
    else:
        yield [(lines, False) for lines in held]


def _may_go_on(held: list[Block], parts: list[Piece], lines: list[TextLine]) -> bool:
    """Whether lines that are no piece may be the rest of the board above.

    They are below the head of a page, or begin with a row.
    """
    width = parts[-1].width
    if sum(part.rows for part in parts) == width:
        return False
    first = framing.inner(cells.plain(lines[0].text))
    is_next = held[-1] is not None and are_between(held[-1][0])
    return is_next or (1 < width < grids.LEAST and _width(first, are_closed=False) == width)


def _held(held: list[Block], parts: list[Piece]) -> Iterator[list[Block]]:
    is_torn = len(parts) > 1 and _are_torn(parts)
    yield from [held] if is_torn else ([block] for block in held)


def _are_torn(parts: list[Piece]) -> bool:
    """Whether the rows may be those of one board."""
    rows = sum(part.rows for part in parts)
    widths = {parts[0].width}
    if all(framing.may_be_dashed(text.replace(" ", "")) for part in parts for text in part.texts):
        widths.add(parts[0].width // 2 + 1)
    return rows in widths or any(map(Piece.continues, parts[1:], parts))
