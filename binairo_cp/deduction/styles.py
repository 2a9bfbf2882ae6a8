"""How sentences are written: the language, the names of the symbols, and how cells are named."""

from __future__ import annotations

from typing import Literal, NamedTuple

Language = Literal["en", "de", "es", "fr", "ja", "nl"]
Symbols = Literal["digits", "circles", "sunmoon", "squares", "letters", "hearts"]
Coordinates = Literal["rc", "a1", "none"]
ScaleName = Literal["sgt", "puzzle-binairo"]
"""A publisher whose names of levels a grade can have too."""


LANGUAGES: dict[Language, str] = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "nl": "Nederlands",
}
"""The languages and their names in themselves."""


class Style(NamedTuple):
    """How sentences are written.

    Attributes:
        symbols: The symbols that the player sees for 0 and 1.
        coordinates: How cells are named: ``r4c3``, ``C4``, or not at all (the highlighted cell).
    """

    language: Language = "en"
    symbols: Symbols = "digits"
    coordinates: Coordinates = "rc"


USUAL = Style()

CHARACTERS: dict[Symbols, tuple[str, str]] = {
    "digits": ("0", "1"),
    "circles": ("\u25cb", "\u25cf"),
    "sunmoon": ("\u2600", "\u263e"),
    "squares": ("\u25a1", "\u25a0"),
    "letters": ("A", "B"),
    "hearts": ("\u2665", "\u2606"),
}
"""A character for each value."""


def column_name(number: int, coordinates: Coordinates) -> str:
    """The name of a column, counted from 0: a number, or with ``a1`` letters as in spreadsheets."""
    if coordinates != "a1":
        return str(number + 1)
    name, rest = "", number + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
