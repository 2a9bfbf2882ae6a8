"""Give the built-in fonts the symbols of boards as characters, for sentences that show symbols.

Run it after a new subset of the fonts is made, as `rendering/fonts/README.md` says, and after a
change of the symbols. The same fonts and symbols give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import atan2, cos, pi, sin

from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from binairo_cp.deduction.styles import CHARACTERS, Symbols
from binairo_cp.rendering.shapes import (
    CAP_HEIGHT,
    SYMBOL_SIZE,
    Circle,
    Mark,
    Polygon,
    Rect,
    Segments,
    Shape,
    shapes_of,
)
from binairo_cp.rendering.text_layout import BUILT_IN

DRAWN: tuple[Symbols, ...] = ("circles", "sunmoon", "squares", "hearts")
"""The symbols that are no letters or digits."""

_CORNERS = 64
"""A circle is a polygon with so many corners."""

Points = list[tuple[float, float]]

_WIDTH = 0.92
_NO_BREAK = "\u2060"


def main() -> None:
    """Change both files."""
    for file in BUILT_IN:
        with TTFont(file, recalcTimestamp=False) as font:
            _add(font, _NO_BREAK, [], 0)
            for symbols in DRAWN:
                for value, character in zip("01", CHARACTERS[symbols], strict=True):
                    _add(font, character, outlines_of(symbols, value), _WIDTH)
            font.save(file)


def _add(
    font: TTFont, character: str, outlines: list[list[tuple[float, float]]], width: float
) -> None:
    em = font["head"].unitsPerEm
    scale = em / SYMBOL_SIZE
    pen = TTGlyphPen(None)
    for outline in outlines:
        points = [(width / 2 * em + x * scale, CAP_HEIGHT / 2 * em - y * scale) for x, y in outline]
        pen.moveTo(points[0])
        for point in points[1:]:
            pen.lineTo(point)
        pen.closePath()
    name = font.getBestCmap().get(ord(character), f"uni{ord(character):04X}")
    glyph = pen.glyph(round=round)
    if name not in font.getGlyphOrder():
        font.setGlyphOrder([*font.getGlyphOrder(), name])
    glyph.recalcBounds(font["glyf"])
    font["glyf"][name] = glyph
    font["hmtx"][name] = (round(width * em), glyph.xMin)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[ord(character)] = name


def outlines_of(symbols: Symbols, value: str) -> list[Points]:
    """The closed outlines of a symbol around its middle, in units."""
    return [*chain.from_iterable(map(_outlines, shapes_of(Mark(0, 0, value, symbols))))]


def _outlines(shape: Shape) -> Iterator[Points]:
    """The closed outlines of what a shape paints with ink; holes run the other way."""
    match shape:
        case Circle(x, y, radius, fill, stroke):
            yield _arc(x, y, radius + stroke / 2, 0, 2 * pi)
            if fill == "paper":
                yield _arc(x, y, radius - stroke / 2, 2 * pi, 0)
        case Polygon(points):
            yield [*points]
        case Rect(x, y, width, height, fill, stroke):
            for side in (stroke / 2, -stroke / 2)[: 1 + (fill == "paper")]:
                left, top, right, bottom = x - side, y - side, x + width + side, y + height + side
                corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
                yield corners if side >= 0 else corners[::-1]
        case Segments(segments, width):
            for x1, y1, x2, y2 in segments:
                angle = atan2(y2 - y1, x2 - x1)
                end = _arc(x2, y2, width / 2, angle - pi / 2, angle + pi / 2)
                yield end + _arc(x1, y1, width / 2, angle + pi / 2, angle + 3 * pi / 2)


def _arc(x: float, y: float, radius: float, start: float, end: float) -> Points:
    steps = (start + (end - start) * k / _CORNERS for k in range(_CORNERS))
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in steps]


if __name__ == "__main__":
    main()
