"""Which lines of a text belong together: those between blank lines, or several such blocks.

The rows of one board may be torn by blank lines or by the heads of pages; blocks that may be parts
of one board are a group, which is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from binairo_cp.formats import cells, framing, layouts, markup, relations
from binairo_cp.formats.doubts import ANSWER, DOUBT
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.formats.text_parts import HEADER, ID, OPENS, is_heading, size_in
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE

MOST_LINES = 2 * MAX_SIDE + 64
"""Lines of one puzzle: rows, lines between them, and headers."""

_NEXT_PAGE = re.compile(
    r"\W*(?:page|seite|p[aá]gina|pagina|part|teil|cont(?:inued|\.)?|forts)\b"
    r"|\W*(?:the )?(?:lower|upper|second|other|next|bottom|rest)\b|.*, cont(?:inued|\.)"
    r"|\s*[-\u2013\u2014] [0-9]{1,3} [-\u2013\u2014]\s*$",
    re.IGNORECASE,
)

_CORRECTION = re.compile(r"\b(?:row|line|typo|mistake|correct(?:ion)?|should)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"\bcontinue[sd]\b|\bpage [0-9]+\s*$", re.IGNORECASE)
_DIGITS = frozenset("0123456789")
_MOST_HELD = 64
"""So many blocks wait for what stands below them."""
_MOST_SIGNS = 2 * MAX_SIDE**2
_USUAL = frozenset("01._?- ")
"""The marks of most rows, which are known at once."""

Block = tuple[list[TextLine], bool] | None
"""The lines between blank lines, and whether more of them follow; None for no data."""


def split(source: Source) -> Iterator[Block]:
    """The blocks of a text. At most `MOST_LINES` lines are in one, beside those with signs.

    Signs that are listed in a block of their own belong to the board above. If they stand above
    the first board, they belong to the board below.
    """
    held: list[Block] = []
    signs: list[TextLine] = []
    is_first = is_below = True
    for block in _blocks(source):
        lines, more = block or ([], False)
        target = held[0][0] if held and held[0] and is_below else signs
        if are_signs(lines) and (held or is_first) and len(target) < _MOST_SIGNS:
            is_below &= held != []
            target += lines
        elif not all(map(_is_words, lines)):
            yield from _released(held)
            held, is_first = [([*signs, *lines], more)], False
            signs = []
            if HEADER.match(lines[0].text) or ID.match(lines[0].text):
                yield held.pop()  # Our own text has its signs above.
        elif block and len(held) in range(1, _MOST_HELD):
            held.append(block)
        else:
            yield block
    yield from _released(held)
    if signs:
        yield signs, False


def _released(held: list[Block]) -> Iterator[Block]:
    """The blocks, of which the first one has the lines below that speak against its board."""
    for block in held[1:]:
        if block and held[0]:
            lines = [line for line in block[0] if DOUBT.search(line.text)]
            held[0][0].extend(lines)
    yield from held


def are_signs(lines: list[TextLine]) -> bool:
    """Whether lines list signs and nothing else, perhaps below a heading."""
    others = [line.text for line in lines if not _is_words(line)]
    signs = [relations.are_in(text) for text in others]
    # The head of a table of signs is no row.
    are_no_rows = all(
        is_sign
        or framing.is_head_rule(text)
        or not (layouts.is_row(text) or grids.stated_size(text)[0])
        for text, is_sign in zip(others, signs, strict=True)
    )
    return any(signs) and (are_no_rows or relations.are_told(lines[0].text))


def _is_words(line: TextLine) -> bool:
    """Whether a line is neither a row nor signs."""
    text = line.text
    return not (line.error or set(text) <= _USUAL or relations.are_in(text)) and is_heading(text)


def _blocks(source: Source) -> Iterator[Block]:
    block: list[TextLine] = []
    blank: TextLine | None = None
    for given in source.lines():
        line = given and markup.bare(given)
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
        has_signs: whether there are lines with nothing but signs.
        is_next: whether the head of a page is above the rows.
    """

    texts: list[str]
    width: int
    edges: tuple[bool, bool]
    is_open: bool
    is_named: bool
    has_signs: bool
    is_next: bool

    @property
    def rows(self) -> int:
        return len(self.texts)

    @classmethod
    def of(cls, lines: list[TextLine]) -> Piece | None:
        """The piece that lines may be; None if they have no rows, or state what they are."""
        given = [
            cells.plain(line.text) for line in lines if markup.without_comment(line.text).strip()
        ]
        others = [text for text in given if not is_heading(text)]
        texts = layouts.without_signs([framing.inner(text) for text in others])
        are_closed = all(re.fullmatch(r"\|.*\|", text) for text in texts if text.strip())
        widths = [_width(text, are_closed=are_closed) for text in texts]
        width = max(reversed(widths), key=widths.count, default=0)
        places = [k for k, found in enumerate(widths) if found == width]
        if width < 2 or any(line.error or ID.match(line.text) for line in lines):
            return None
        if len({*widths[: places[-1]]} - {0, 1, width}) > 1 or any(map(HEADER.match, given)):
            return None
        if any(map(size_in, others[: places[0]])) or (len(places) == 1 and width > grids.LEAST):
            return None  # They have their size, or are a puzzle on a line.
        edges = places[0] > 0, places[-1] < len(texts) - 1
        is_open = "".join(given).count("[") != "".join(given).count("]")
        rows = [others[k] for k in places]
        above = list(takewhile(is_heading, given))
        pages = [text for text in above if _is_page(text)]
        has_signs = not all(map(str.strip, texts))
        return cls(rows, width, edges, is_open, above != pages, has_signs, pages != [])

    def continues(self, other: Piece) -> bool:
        """Whether this is not a board of its own below another one."""
        if other.is_open or framing.are_labelled([*other.texts, *self.texts]):
            return True
        both = (self, other)
        if all(part.rows == 1 and part.width == grids.LEAST for part in both):
            return False  # They are a puzzle each, unless they are as many as their cells.
        puzzle, solution = ("\n".join(map(framing.inner, part.texts)) for part in (other, self))
        marks = zip(puzzle, solution, strict=False)
        is_page = self.is_next > other.is_next
        is_solution = self.rows == other.rows and all(a == b or a not in solution for a, b in marks)
        # On the next page, the last rows of a board may fit its first ones too.
        is_solution &= not (is_page or self.has_signs)
        if is_solution or all(part.rows == part.width for part in both):
            return False
        is_part = any(part.rows < min(4, part.width) or part.rows % 2 for part in both)
        return is_part or self.edges != other.edges or is_page


def _width(text: str, *, are_closed: bool) -> int:
    """The number of cells of a line; 0 for the edge of a box and what is no row.

    The fields at both ends may be blank, unless all lines `are_closed` by bars.
    """
    if not layouts.is_row(text) or layouts.is_border(text) or framing.is_head_rule(text):
        return 0
    width = framing.width_of(text)
    return width if are_closed or "||" in text else max(width, text.count("|") + 1)


def _corrects(part: Piece, lines: list[TextLine]) -> bool:
    """Whether a row below words may be one of the board above."""
    return part.rows == 1 and any(_CORRECTION.search(line.text) for line in lines)


def _is_head(text: str) -> bool:
    """Whether words say that another board follows: they have a number, or name a solution."""
    return not _DIGITS.isdisjoint(text) or ANSWER.search(text) is not None


def _is_page(text: str) -> bool:
    """Whether words are the head of a page on which a board may go on."""
    return bool(_NEXT_PAGE.match(text) or _GOES_ON.search(text))


def are_between(lines: list[TextLine]) -> bool:
    """Whether lines are only the head of a page, on which a board may go on."""
    return bool(lines) and all(_NEXT_PAGE.match(line.text) for line in lines)


def groups(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Each block alone; but together those that may be the parts of one board.

    A blank line between rows that have signs between them is one without a sign: such blocks are
    one, if they are a square together.
    """
    held: list[Block] = []
    parts: list[Piece] = []
    had_more = False
    page: list[TextLine] = []
    for block in blocks:
        if block is None or not block[0]:
            yield [block]
            continue
        is_page = are_between(block[0])
        if is_page or all(map(_is_words, block[0])):
            is_page = is_page or any(_is_page(line.text) for line in block[0])
            page = block[0] if is_page else page
            is_head = not is_page and any(_is_head(line.text) for line in block[0])
            if len(held) in range(1, _MOST_HELD) and not is_head:
                held.append(block)
                continue
            yield from _held(held, parts)
            held, parts = [], []
            yield [block]
            continue
        part = None if had_more or block[1] else Piece.of([*page, *block[0]])
        had_more, page = block[1], []
        is_like = part is not None and parts != [] and part.width == parts[-1].width
        if held and not is_like and _may_go_on(held, parts, block[0]):
            yield [*held, block]
            held, parts = [], []
            continue
        is_named = part is not None and part.is_named and not _corrects(part, block[0])
        if not (part and is_like and not is_named) or _are_a_list([*parts, part]):
            yield from _held(held, parts)
            held, parts = [], []
        if part is None:
            yield [block]
            continue
        held.append(block)
        parts.append(part)
    yield from _held(held, parts)


def _may_go_on(held: list[Block], parts: list[Piece], lines: list[TextLine]) -> bool:
    """Whether lines that are no piece may be the rest of the board above.

    They are below the head of a page, begin with a row, or correct one.
    """
    width = parts[-1].width
    tail = framing.tail(cells.plain(lines[0].text))
    if tail and cells.number_of(tail[0]) == width and _CORRECTION.search(lines[0].text):
        return True
    if sum(part.rows for part in parts) == width:
        return False
    first = framing.inner(cells.plain(lines[0].text))
    is_next = held[-1] is not None and are_between(held[-1][0])
    is_row = 1 < width < grids.LEAST and set(first) - {*"-=| "} != set()
    return is_next or (is_row and _width(first, are_closed=False) == width)


def _held(held: list[Block], parts: list[Piece]) -> Iterator[list[Block]]:
    if len(parts) < 2 or not _are_torn(parts):
        yield from ([block] for block in held)
    elif _is_square(parts) and (any(part.has_signs for part in parts) or _are_rows(parts)):
        lines = [line for block in held if block for line in block[0]]
        yield [([line for line in lines if not cells.is_blank(line.text)], False)]
    else:
        yield held


def _are_rows(parts: list[Piece]) -> bool:
    """Whether blank lines stand between all rows, none of which is a puzzle."""
    return all(part.rows == 1 for part in parts) and parts[0].width < grids.LEAST


def _are_a_list(parts: list[Piece]) -> bool:
    return sum(part.rows for part in parts) > parts[0].width and not _are_torn(parts)


def _is_square(parts: list[Piece]) -> bool:
    return sum(part.rows for part in parts) == parts[0].width


def _are_torn(parts: list[Piece]) -> bool:
    """Whether the rows may be those of one board."""
    are_dashed = all(
        framing.may_be_dashed(text.replace(" ", "")) for part in parts for text in part.texts
    )
    is_half = sum(part.rows for part in parts) == parts[0].width // 2 + 1
    is_square = _is_square(parts) or (are_dashed and is_half)
    return is_square or any(map(Piece.continues, parts[1:], parts))
