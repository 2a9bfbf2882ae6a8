"""Lines without what surrounds rows in mails, on pages and in the sources of programs.

What is left out is no cell in any text: quotes of mails, colours, tags, comments, and the first and
last line of an array. What may be cells is left to `framing`, which reads all lines together.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace

from binairo_cp.formats import cells
from binairo_cp.formats.sources import TextLine

_QUOTES = re.compile(r"^(?:\s*>)+")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TAGS = re.compile(
    r"<\?xml[^>]*>|</?(?:pre|code|p|div|br|h[1-6]|html|head|title|body|center|blockquote|b|i|em"
    r"|strong|row|!doctype)\b[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[?!/]?[A-Za-z]")
_LINE_ENDS = re.compile(r"<br ?/?>\s*(?=[^<\s])", re.IGNORECASE)
_ARROW = re.compile(r"\s(?:[-=]+>|[\u2192\u21d2\u279c])\s")
_COLOURED_BLANKS = re.compile(r"\x1b\[[0-9;]*m\s+\x1b")
_SYNTAX = tuple((re.compile(pattern), text) for pattern, text in (
    (r"""^\s*(?:-\s+)?["']([^"']+)["'],?\s*$""", r"\1"),  # A row as a text.
    (r"""^\s*(?:\w+\s*=\s*)?(?:\"{3}|'{3})\\?""", ""),  # Python: the quotes above and below rows.
    (r"\)+,.*\bbyrow\s*=\s*T.*$", ""),  # R: the end of a matrix.
    (r"^\s*(?:\{\|.*|\|[-}]\s*)$", ""),  # Wikis: the lines of a table that are no rows.
    (r"\\(?:hline|(?:top|mid|bottom)rule|(?:begin|end)\{\w+\*?\}(?:\{[^{}]*\})?)", ""),  # LaTeX.
    (r"^[\w\s.<>\[\](:-]*(?:=\s*)?[\[({]\s*$|^\s*[\])}]+[;,]?\s*$", ""),  # The ends of an array.
    (r"\]\s*\](?:\s*,[^\[\]0-9]*(?:[a-z]\w+[^\[\]]*)?|[\s);.]*)$", "]]"),
    (r"^([^\[\](){}]*[^\[\](){}\s])\s*\][;,]?\s*$", r"\1"),
))  # fmt: skip
"""What programs and documents write around rows, and what is left of it."""
_COMMENT = re.compile(r"#|(?<=\s)(?://|\(?\*+(?=[^\W\d_]{3})|(?:\(\*|<-+|--|%+)\s)")
_FENCE = re.compile(
    r"\s*(?:```|(?:</?(?:pre|code|p|br|div)\b[^>]*>|\[/?(?:code|spoiler|quote|pre)\]"
    r"|\$|\([0-9]+ rows?\))\s*$)",
    re.IGNORECASE,
)


def bare(line: TextLine) -> TextLine:
    """The line without colours of a terminal and tags, and with blanks in place of the marks of
    quoted mail and an arrow between cells.
    """
    text = line.text
    if text.lstrip()[:1] == ">" and not text.startswith(">>>"):
        text = _QUOTES.sub(lambda quotes: " " * len(quotes[0]), text)
    if "\x1b" in text and not _COLOURED_BLANKS.search(text):
        text = _COLOURS.sub("", text)
    if "<" in text:
        text = _without_tags(text)
    arrow = _ARROW.search(text)
    if arrow and all(map(cells.are_cells, (text[: arrow.start()], text[arrow.end() :]))):
        text = _ARROW.sub(lambda arrow: " " * len(arrow[0]), text, 1)
    return line if text is line.text else replace(line, text=text)


def _without_tags(text: str) -> str:
    """The line without tags of HTML that are around rows, if it has no other ones."""
    rest = _TAGS.sub("", _LINE_ENDS.sub(r"\\n", text))
    # An empty element with attributes may be a cell.
    is_text = rest.strip() or not re.search(r"<(?:p|div|b|i|row)\s", text)
    return html.unescape(rest) if is_text and not _TAG.search(rest) else text


def is_fence(content: str) -> bool:
    """Whether a line surrounds a text in Markdown, on pages or in forums."""
    return _FENCE.match(content) is not None


def without_comment(content: str) -> str:
    """The line without a comment, unless it is a link, or the comment may be cells."""
    mark = _COMMENT.search(content)
    if not mark or "://" in content or re.search("#n/?a", content, re.IGNORECASE):
        return content
    before, after = content[: mark.start()], content[mark.end() :]
    is_part = bool(before.strip()) and (not before[-1].isspace() or cells.may_be_cells(after))
    is_part |= mark[0] not in ("#", "//") and not cells.are_cells(before)
    return content if is_part else before.rstrip("\r\n")


def content(line: str) -> str:
    """The line without a comment, and without the syntax of programs and documents."""
    text = without_comment(line)
    for pattern, rest in _SYNTAX:
        text = pattern.sub(rest, text)
    return text
