"""The fonts for PNG and PDF: the built-in DejaVu Sans, or the user's font file for all text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from binairo_cp.errors import FontError

_FOLDER = Path(__file__).parent / "fonts"


class Typeface(NamedTuple):
    """The files of a font.

    Attributes:
        regular: a TrueType file.
        bold: the TrueType file for bold text; the same file if the font has no bold letters.
    """

    regular: str
    bold: str

    @property
    def has_bold(self) -> bool:
        """Whether bold text has its own file."""
        return self.bold != self.regular


_BUILT_IN = Typeface(str(_FOLDER / "DejaVuSans.ttf"), str(_FOLDER / "DejaVuSans-Bold.ttf"))
"""Latin, Greek and Cyrillic letters; see fonts/README.md for their origin."""


def typeface(font: str | Typeface | None) -> Typeface:
    """The built-in font, or the user's file or files."""
    if isinstance(font, Typeface):
        return font
    return _BUILT_IN if font is None else Typeface(font, font)


def check_text(text: str, has_glyph: Callable[[str], bool]) -> None:
    """Reject text with characters that would be drawn as empty boxes.

    Args:
        text: the text.
        has_glyph: returns whether the font has a glyph for a character.

    Raises:
        FontError: the font has no glyph for a character.
    """
    for character in text:
        if not has_glyph(character):
            raise FontError(character, text)
