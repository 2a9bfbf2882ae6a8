"""Measure, wrap and shorten the text in pictures, and choose the fonts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from binairo_cp.errors import FontError, RenderError

_WIDTHS = {
    0: "\u2060",
    306: "'",
    343: "ijl",
    355: " ",
    380: ".,/\\|IJ",
    400: ":;",
    440: "-f",
    478: "!()[]t",
    525: '_`*"r',
    600: "?zcs",
    665: "Lxvyk",
    697: "ae$0123456789TEFo",
    725: "hnu{}bdgpqSYZ",
    775: "PCBRXAVK",
    840: "UGDHN#+<=>^~",
    880: "&OQ",
    930: "w",
    1002: "M@%",
    1105: "mW",
    1440: "ÆæŒœЉЊЖШЩЫЮшщ№‰",
}
"""Character widths in thousandths of the text size, of bold DejaVu Sans, which is wider than most
sans-serif fonts."""

_WIDTH_OF = {character: width for width, all_ in _WIDTHS.items() for character in all_}
_UNKNOWN_WIDTH = 1000

_ALONE = "\u3041-\u30ff\u3400-\u9fff"
"""The characters after which a line may end without a space."""

_OPENING = "\u300c\u300e\uff08\u3010\u3008\u300a"
_CLOSING = (
    "\u3001\u3002\u300d\u300f\u3011\u3009\u300b\u30fb\u30fc\u3005\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
    "ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
_PART = rf"[{_ALONE}]|[^\s{_ALONE}{_OPENING}{_CLOSING}]+"
_WORD = re.compile(rf"(\s*)([{_OPENING}]*(?:{_PART})[{_CLOSING}]*|[{_OPENING}{_CLOSING}]+)")

_FOLDER = Path(__file__).parent / "fonts"


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return an upper bound on the width of a line of text, in the same unit as `size`."""
    total = sum(_WIDTH_OF.get(letter, _UNKNOWN_WIDTH) for letter in text)
    return total * size / 1000


def wrap(text: str, size: float, max_width: float) -> Iterator[str]:
    """Yield the lines of a text, each at most `max_width` wide; words that are too long are cut.

    Chinese and Japanese lines may end after each character, but not within a number, before a
    closing sign or after an opening one. What keeps symbols together is left out: not all fonts
    have it.
    """
    line = ""
    for space, word in _WORD.findall(text.replace("\u2060", "")):
        longer = f"{line}{space and ' '}{word}" if line else word
        if text_width(longer, size) <= max_width:
            line = longer
            continue
        if line:
            yield line
        line = word
        while text_width(line, size) > max_width and len(line) > 1:
            length = max(1, len(shorten(line, size, max_width)) - 1)
            yield line[:length]
            line = line[length:]
    if line:
        yield line


def shorten(text: str, size: float, max_width: float) -> str:
    """Return a text that fits a width, cut with an ellipsis if necessary."""
    if text_width(text, size) <= max_width:
        return text
    ellipsis = "\u2026"
    length = len(text)
    while length and text_width(text[:length] + ellipsis, size) > max_width:
        length -= 1
    return text[:length] + ellipsis


class Typeface(NamedTuple):
    """The files of a font.

    Attributes:
        bold: the TrueType file for bold text; the same file if the font has no bold letters.
    """

    regular: str
    bold: str

    @property
    def has_bold(self) -> bool:
        """Whether bold text has its own file."""
        return self.bold != self.regular


BUILT_IN = Typeface(str(_FOLDER / "DejaVuSans.ttf"), str(_FOLDER / "DejaVuSans-Bold.ttf"))
"""Latin, Greek and Cyrillic letters; see fonts/README.md for their origin."""


def typeface(font: str | None) -> Typeface:
    """The built-in font, or the user's file."""
    return BUILT_IN if font is None else Typeface(font, font)


def unusable(font: str, reason: object) -> RenderError:
    """The error for a file that is no font."""
    return RenderError(
        f"{font} can't be used as a font ({reason}); expected a TrueType file (.ttf)"
    )


def check_text(text: str, has_glyph: Callable[[str], bool]) -> None:
    """Reject text with characters that would be drawn as empty boxes.

    Raises:
        FontError: the font has no glyph for a character.
    """
    for character in text:
        if not has_glyph(character):
            raise FontError(character, text)
