"""What the lines of a text may be: headers, headings, sizes, comments, and the rows of a board."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import takewhile

from binairo_cp.formats import cells, framing, layouts, markup, relations
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.grids import Size

_LONGEST_HEADING = 500
HEADER = re.compile(r"\s*(id|rules|signs|size|symbols)\s*:\s*(.*)", re.IGNORECASE)
_SIGNS = re.compile(r"\s*signs\s*:\s*(?!.*\s[=x]\s)", re.IGNORECASE)
"""The header as the text format has it, which reports what is wrong there."""
_MISSPELT = re.compile(r"\s*(?:(?:rule|sign|preset)\w*|ids?)\s*:", re.IGNORECASE)
"""What looks like a misspelt header must not be passed over."""
ID = re.compile(r"\s*#\s*id\s*:\s*(.+)", re.IGNORECASE)
OPENS = frozenset(grids.OPEN_MARKS + cells.OPEN_SYMBOLS + "\t,;|")
_SIZE = re.compile(
    r"(?:size *[:=]? *)?\(? *([1-9][0-9]{0,2})(?: *[ x\u00d7,;*] *([1-9][0-9]{0,2}))? *\)? *:?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[^\W\d_]{2,}|^\s*\w\s*:\s*$|^[\s#(\[*=_.:-]*(?:n[or]?[\s.:]*)?[0-9]+[\s#)\]*=_.:-]*$",
    re.IGNORECASE,
)
_SIZED = re.compile(r"\s*[0-9]{1,2} ?[x\u00d7] ?[0-9]{1,2}\b")
_RATING = re.compile(r"\([★☆⭐*]{1,5}\)\s*$")
_NESTED = re.compile(r"\[\[.*\]\]|\{\{.*\}\}")
_ONES = ("ones", "full circles", "moons", "full squares", "Bs", "stars")
_ZEROS = ("zeros", "open circles", "suns", "open squares", "As", "hearts")
_CAPTIONS = {
    "any number of each symbol": "balanced=no",
    "lines may repeat": "distinct_lines=no",
    "lines differ": "distinct_lines=yes",
    **dict.fromkeys((f"more {ones}" for ones in _ONES), "odd=ones"),
    **dict.fromkeys((f"more {zeros}" for zeros in _ZEROS), "odd=zeros"),
}
"""The captions of pictures (`rendering.texts.rules_caption`)."""
_RUN = re.compile(r"at most ([0-9]+) alike in a row")


@dataclass
class TextPart:
    """Lines that may be a puzzle."""

    headers: list[TextLine] = field(default_factory=list)
    headings: list[TextLine] = field(default_factory=list)
    rows: list[TextLine] = field(default_factory=list)
    signs: list[str] = field(default_factory=list)
    size: Size | None = None
    symbols: str | None = None
    id: str | None = None

    def takes(self, given: TextLine, content: str) -> bool:
        """Take a line that is neither a row nor a heading; `content` is it without a comment."""
        if found := ID.match(given.text):
            self.id = found[1].strip()
        is_comment = not content.strip(" ") and given.text.strip(" ") != ""
        if is_comment or markup.is_fence(content) or content.lower().startswith("sep="):
            return True
        if not _SIGNS.match(content) and (signs := relations.signs_in(content)):
            self.signs.append(signs)
            return True
        header = HEADER.match(content)
        name, value = (header[1].lower(), header[2]) if header else ("", "")
        if name == "size" and (size := _SIZE.fullmatch(value)):
            self.size = size_of(size)
        elif name == "symbols":
            self.symbols = value
        elif name == "signs" and not value:
            pass  # The head of a list of signs.
        elif header or _MISSPELT.match(content):
            # Below a row it is an error, which the text format reports.
            (self.rows if self.rows else self.headers).append(replace(given, text=content))
        else:
            return False
        return True


def may_have_blanks(rows: list[TextLine]) -> bool:
    """Whether blanks may be open cells, so that a number above could be the first row."""
    marks = {mark for row in rows for mark in row.text} - {" "}
    return not marks & OPENS and all(mark.isascii() and cells.is_mark(mark) for mark in marks)


def size_in(content: str) -> re.Match[str] | None:
    """The size that a line states, or perhaps the number of a puzzle."""
    match = _SIZE.fullmatch(content.strip(" \r"))
    return match if match and (match[2] is None or min(size_of(match)) > 1) else None


def size_of(match: re.Match[str]) -> Size:
    """The size in a match of `size_in`."""
    return Size(int(match[1]), int(match[2] or match[1]))


def is_heading(content: str) -> bool:
    """Whether a line is neither a row nor a row with a mistake."""
    plain = _RATING.sub("", framing.undecorated(cells.plain(content)))
    if len(plain) > _LONGEST_HEADING or plain.lstrip(" ")[:1] in {*"\t,;|&"}:
        return False
    inner = framing.inner(plain)
    if 0 < len(inner) < len(plain.strip(" ")) and layouts.is_row(inner):
        return False
    if (
        layouts.is_row(plain)
        or _NESTED.search(plain)
        or not (_HEADING.search(plain) or size_in(plain))
    ):
        return False
    words = re.split(r"[\s,;|\u2502]+", _SIZED.sub("", plain, 1).strip(" \t|\u2502"))
    marks_of = (word if cells.are_marks(word) else cells.word(word) or word for word in words)
    row = "".join(takewhile(cells.are_marks, marks_of))
    is_apart = set(plain) & set("\t,;|") or "  " in plain.strip()
    marks = [mark for mark in plain if not mark.isspace()]
    known = sum(cells.is_mark(mark) for mark in marks)
    letters = (word.strip(".,:!?()'\"") for word in words)
    is_word = any(
        word.isalpha() and sum(not cells.is_mark(mark) for mark in word) > 1 for word in letters
    )
    # A row with a name after it; an article is none.
    is_row = len(row) > 1 or (row not in ("", "A") and is_apart and not is_word)
    if not size_in(plain) and is_row:
        return False
    return (
        (is_word and not framing.tail(plain))
        or 2 * known <= len(marks)
        or size_in(plain) is not None
    )


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
