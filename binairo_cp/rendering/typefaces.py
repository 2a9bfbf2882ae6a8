"""The fonts of PNG and PDF: the built-in DejaVu Sans, or one file of the user for all text."""

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
        bold: another one; the same file if the font has no bold letters.
    """

    regular: str
    bold: str

    @property
    def has_bold(self) -> bool:
        """Whether bold text has letters of its own."""
        return self.bold != self.regular


_BUILT_IN = Typeface(str(_FOLDER / "DejaVuSans.ttf"), str(_FOLDER / "DejaVuSans-Bold.ttf"))
"""Latin, Greek and Cyrillic letters; the README beside them says where they come from."""


def typeface(font: str | None) -> Typeface:
    """The built-in font, or the user's file."""
    return _BUILT_IN if font is None else Typeface(font, font)


def check_text(text: str, has: Callable[[str], bool]) -> None:
    """Refuse text with characters that would be drawn as empty boxes.

    Args:
        text: the text.
        has: says whether the font has a character.

    Raises:
        FontError: the font lacks one.
    """
    for each in text:
        if not has(each):
            raise FontError(each, text)
