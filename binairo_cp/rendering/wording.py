"""Text in pictures: how wide it is, where lines break, what is said of a puzzle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle
from binairo_cp.rendering.symbols import NAMES, Symbols

_WIDTHS = {
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
"""In thousandths of the size: bold DejaVu Sans, which is wider than most fonts without serifs."""

_WIDTH_OF = {character: width for width, all_ in _WIDTHS.items() for character in all_}
_UNKNOWN_WIDTH = 1000


@lru_cache(maxsize=4096)
def width(text: str, size: float) -> float:
    """How wide a line of text is at most, in the unit of its size."""
    total = sum(_WIDTH_OF.get(each, _UNKNOWN_WIDTH) for each in text)
    return total * size / 1000


def wrapped(text: str, size: float, room: float) -> Iterator[str]:
    """The lines of a text that fit a width; a word that does not fit is cut."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if width(longer, size) <= room:
            line = longer
            continue
        if line:
            yield line
        line = word
        while width(line, size) > room and len(line) > 1:
            most = max(1, len(shortened(line, size, room)) - 1)
            yield line[:most]
            line = line[most:]
    if line:
        yield line


def shortened(text: str, size: float, room: float) -> str:
    """A text that fits a width, cut with an ellipsis if need be."""
    if width(text, size) <= room:
        return text
    end = "\u2026"
    most = len(text)
    while most and width(text[:most] + end, size) > room:
        most -= 1
    return text[:most] + end


def rules_words(puzzle: Puzzle, symbols: Symbols) -> str:
    """What a player must know of the rules, where they are not the classic ones."""
    rules = puzzle.rules
    said = []
    if not rules.balanced:
        said.append("any number of each symbol")
    if rules.longest_run != CLASSIC.longest_run:
        said.append(f"at most {rules.longest_run} alike in a row")
    if rules.distinct_lines is UNRULY.distinct_lines:
        said.append("lines may repeat")
    if rules.odd != CLASSIC.odd and (puzzle.board.height % 2 or puzzle.board.width % 2):
        more = NAMES[symbols][rules.odd == "ones"]
        said.append(f"more {more} in odd lines")
    return ", ".join(said)
