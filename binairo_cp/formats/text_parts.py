"""Split a text into parts: headers, headings and rows between blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

from binairo_cp.formats import cells, framing, layouts
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.grids import Size

MOST_LINES = 2 * MAX_SIDE + 64
"""Lines of one puzzle: rows, lines between them, and headers."""

_LONGEST_HEADING = 500
_HEADER = re.compile(r"\s*(id|rules|signs|size|symbols)\s*:\s*(.*)", re.IGNORECASE)
_ID = re.compile(r"\s*#\s*id\s*:\s*(.+)", re.IGNORECASE)
_OPENS = frozenset(grids.OPEN_MARKS + cells.OPEN_SYMBOLS + "\t,;|")
_SIZE = re.compile(
    r"(?:size *[:=]? *)?\(? *([1-9][0-9]{0,2})(?: *[ x\u00d7,;*] *([1-9][0-9]{0,2}))? *\)? *:?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[^\W\d_]{3,}|^[\s#(\[*=_.:-]*(?:n[or]?[\s.:]*)?[0-9]+[\s#)\]*=_.:-]*$", re.IGNORECASE
)
_NEXT_PAGE = re.compile(
    r"\W*(?:page|seite|p[aá]gina|pagina|part|teil|cont(?:inued|\.)?|forts)\b", re.IGNORECASE
)
_FENCE = re.compile(
    r"\s*(?:```|</?(?:pre|code|p|br|div)\b[^>]*>\s*$|\[/?(?:code|spoiler|quote|pre)\]\s*$)",
    re.IGNORECASE,
)
_CAPTIONS = {
    "any number of each symbol": "balanced=no",
    "lines may repeat": "distinct_lines=no",
    "lines differ": "distinct_lines=yes",
}
_CAPTIONS |= dict.fromkeys(
    (f"more {ones}" for ones in ("ones", "full circles", "moons", "full squares", "Bs", "stars")),
    "odd=ones",
)
_CAPTIONS |= dict.fromkeys(
    (
        f"more {zeros}"
        for zeros in ("zeros", "open circles", "suns", "open squares", "As", "hearts")
    ),
    "odd=zeros",
)
"""The captions of pictures (`rendering.texts.rules_caption`)."""
_RUN = re.compile(r"at most ([0-9]+) alike in a row")


def split(source: Source) -> Iterator[tuple[list[TextLine], bool] | None]:
    """The lines between blank lines, and whether more of them follow; None for no data."""
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
    return (
        len(blank.text) > 1
        and bool(block)
        and len(blank.text) == len(block[-1].text)
        and not any(set(text_line.text) & _OPENS for text_line in block)
    )


@dataclass(frozen=True)
class Piece:
    """Lines between blank lines that may be a part of a board.

    Attributes:
        texts: the rows, perhaps with labels.
        edges: whether another line stands above the rows, and below them.
        is_open: whether brackets are not closed.
        is_named: whether there is a heading.
    """

    texts: list[str]
    width: int
    edges: tuple[bool, bool]
    is_open: bool
    is_named: bool

    @property
    def rows(self) -> int:
        return len(self.texts)

    @classmethod
    def of(cls, lines: list[TextLine]) -> Piece | None:
        """The piece that lines may be; None if they have a name, or no rows."""
        given = [cells.plain(line.text) for line in lines if without_comment(line.text).strip()]
        texts = [text for text in given if not is_heading(text)]
        widths = [_width(framing.inner(text)) for text in texts]
        names = [text for text in given if is_heading(text) and not _NEXT_PAGE.match(text)]
        width = max(widths, key=widths.count, default=0)
        places = [k for k, found in enumerate(widths) if found == width]
        rows = [texts[k] for k in places]
        others = len({*widths} - {0, 1, width})
        if width < 2 or others > 1 or any(line.error for line in lines):
            return None
        has_name = any(_ID.match(line.text) for line in lines)
        if has_name or any(_HEADER.match(text) or size_in(text) for text in texts):
            return None
        if len(rows) == 1 and width >= grids.LEAST:
            return None  # a puzzle on a line
        edges = places[0] > 0, places[-1] < len(texts) - 1
        text = "".join(given)
        is_open = text.count("[") != text.count("]")
        return cls(rows, width, edges, is_open, bool(names))

    @staticmethod
    def are_between(lines: list[TextLine]) -> bool:
        """Whether lines are only the head of a page, on which a board may go on."""
        return bool(lines) and all(_NEXT_PAGE.match(line.text) for line in lines)

    def may_follow(self, other: Piece) -> bool:
        """Whether both have rows of one length, and no name stands between them."""
        return self.width == other.width and not self.is_named

    def continues(self, other: Piece) -> bool:
        """Whether this is not a board of its own below another one."""
        if other.is_open or framing.are_labelled([*other.texts, *self.texts]):
            return True
        both = (self, other)
        puzzle, solution = ("\n".join(map(framing.inner, part.texts)) for part in (other, self))
        marks = zip(puzzle, solution, strict=False)
        is_solution = self.rows == other.rows and all(a == b or a not in solution for a, b in marks)
        if is_solution or all(part.rows == part.width for part in both):
            return False
        is_part = any(part.rows < min(4, part.width) or part.rows % 2 for part in both)
        return is_part or self.edges != other.edges


@dataclass
class TextPart:
    """Lines that may be a puzzle."""

    headers: list[TextLine] = field(default_factory=list)
    headings: list[TextLine] = field(default_factory=list)
    rows: list[TextLine] = field(default_factory=list)
    size: Size | None = None
    symbols: str | None = None
    id: str | None = None

    def takes(self, given: TextLine, content: str) -> bool:
        """Take a line that is neither a row nor a heading; `content` is it without a comment."""
        if found := _ID.match(given.text):
            self.id = found[1].strip()
        is_comment = not content.strip(" ") and given.text.strip(" ") != ""
        if is_comment or is_fence(content) or content.lower().startswith("sep="):
            return True
        header = _HEADER.match(content)
        name, value = (header[1].lower(), header[2]) if header else ("", "")
        if name == "size" and (size := _SIZE.fullmatch(value)):
            self.size = size_of(size)
        elif name == "symbols":
            self.symbols = value
        elif header or _is_unknown_header(content):
            # Below a row it is an error, which the text format reports.
            (self.rows if self.rows else self.headers).append(replace(given, text=content))
        else:
            return False
        return True


def _width(text: str) -> int:
    """The number of cells of a line; 0 for the edge of a box and what is no row."""
    is_row = layouts.is_row(text) and not layouts.is_border(text)
    return framing.width_of(text) if is_row else 0


def may_have_blanks(rows: list[TextLine]) -> bool:
    """Whether blanks may be open cells, so that a number above could be the first row."""
    marks = {mark for row in rows for mark in row.text} - {" "}
    return not marks & _OPENS and all(mark.isascii() and cells.is_mark(mark) for mark in marks)


def size_in(content: str) -> re.Match[str] | None:
    """The size that a line states, or perhaps the number of a puzzle."""
    match = _SIZE.fullmatch(content.strip(" \r"))
    return match if match and (match[2] is None or min(size_of(match)) > 1) else None


def size_of(match: re.Match[str]) -> Size:
    """The size in a match of `size_in`."""
    return Size(int(match[1]), int(match[2] or match[1]))


def is_fence(content: str) -> bool:
    """Whether a line surrounds a text in Markdown, on pages or in forums."""
    return _FENCE.match(content) is not None


def without_comment(content: str) -> str:
    """The line without a comment, unless it is a link, or the comment may be cells."""
    if "#" not in content or "://" in content or re.search("#n/?a", content, re.IGNORECASE):
        return content
    before, _, after = content.partition("#")
    is_part = before.strip() and (not before[-1].isspace() or cells.may_be_cells(after))
    return content if is_part else before.rstrip("\r\n")


def may_be_wide(rows: int, width: int) -> bool:
    """Whether so many lines of so many cells, each a square, may be a board that is wide."""
    return width == grids.LEAST and rows % 2 == 0 and width // 2 <= rows <= 2 * width


def _is_unknown_header(content: str) -> bool:
    """Whether a line looks like a misspelt header, which must not be passed over."""
    return re.match(r"\s*(?:(?:rule|sign|preset)\w*|ids?)\s*:", content, re.IGNORECASE) is not None


def is_heading(content: str) -> bool:
    """Whether a line is neither a row nor a row with a mistake."""
    plain = cells.plain(content)
    if len(plain) > _LONGEST_HEADING or plain.lstrip(" ")[:1] in {*"\t,;|&"}:
        return False
    inner = framing.inner(plain)
    if 0 < len(inner) < len(plain.strip(" ")) and layouts.is_row(inner):
        return False
    if layouts.is_row(plain) or not (_HEADING.search(plain) or size_in(plain)):
        return False
    words = re.split(r"[\s,;|\u2502]+", plain.strip(" \t|\u2502"))
    marks_of = (word if cells.are_marks(word) else cells.word(word) or word for word in words)
    row = "".join(takewhile(cells.are_marks, marks_of))
    is_apart = set(plain) & set("\t,;|") or "  " in plain.strip()
    # A row with a name after it; an article is none.
    if not size_in(plain) and (len(row) > 1 or (row not in ("", "A") and is_apart)):
        return False
    marks = [mark for mark in plain if not mark.isspace()]
    known = sum(cells.is_mark(mark) for mark in marks)
    return 2 * known <= len(marks) or size_in(plain) is not None


def without_captions(heading: str) -> tuple[str, list[str]]:
    """The name in a heading, and the fields of the rules that the rest of it states."""
    names: list[str] = []
    rules: list[str] = []
    for part in heading.strip().split(", "):
        caption = part.removesuffix(" in odd lines")
        if run := _RUN.fullmatch(caption):
            rules.append(f"longest_run={run[1]}")
        elif caption in _CAPTIONS:
            rules.append(_CAPTIONS[caption])
        else:
            names.append(part)
    return ", ".join(names), rules
