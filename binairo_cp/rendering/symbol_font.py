"""Circles, suns and moons as the digits of a font, so that a board on a page is a few texts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from math import atan2, cos, pi, sin

from binairo_cp.deduction.styles import Symbols
from binairo_cp.rendering.shapes import CELL, Circle, Mark, Polygon, Segments, Shape, shapes_of

SYMBOL_FONTS: tuple[Symbols, ...] = ("circles", "sunmoon")

Points = list[tuple[float, float]]

_EM = 1000
"""A cell, in units of the font."""
_CORNERS = 64
"""A circle is a polygon with so many corners."""


def family(symbols: Symbols) -> str:
    """The name of the font."""
    return f"Binairo {symbols}"


@cache
def symbol_font(symbols: Symbols) -> bytes:
    """Return a TrueType font with the symbols as the digits 0 and 1, centred on the baseline."""
    from fontTools.fontBuilder import FontBuilder

    names = {ord("0"): "zero", ord("1"): "one", ord(" "): "space"}
    glyphs = {name: _glyph(symbols, chr(code)) for code, name in names.items()}
    glyphs[".notdef"] = glyphs["space"]
    builder = FontBuilder(_EM, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap(names)
    builder.setupGlyf(glyphs)
    # A glyph starts at its bearing, which is 0 for one without outlines.
    bearings = {name: getattr(glyph, "xMin", 0) for name, glyph in glyphs.items()}
    builder.setupHorizontalMetrics({name: (_EM, each) for name, each in bearings.items()})
    builder.setupHorizontalHeader(ascent=_EM // 2, descent=-_EM // 2)
    name = family(symbols)
    builder.setupNameTable(
        {"familyName": name, "styleName": "Regular", "fullName": name, "psName": symbols}
    )
    builder.setupOS2()
    builder.setupPost()
    # The same font has the same bytes.
    builder.font.recalcTimestamp = False
    builder.updateHead(created=0, modified=0)
    file = io.BytesIO()
    builder.save(file)
    return file.getvalue()


def _glyph(symbols: Symbols, value: str) -> object:
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    scale = _EM / CELL
    for shape in shapes_of(Mark(0, 0, value, symbols)) if value != " " else ():
        for points in _outlines(shape):
            first, *others = [(_EM / 2 + x * scale, -y * scale) for x, y in points]
            pen.moveTo(first)
            for point in others:
                pen.lineTo(point)
            pen.closePath()
    return pen.glyph(round=round)


def _outlines(shape: Shape) -> Iterator[Points]:
    """The closed outlines of what a shape paints with ink; holes run the other way."""
    match shape:
        case Circle(x, y, radius, fill, stroke):
            yield _arc(x, y, radius + stroke / 2, 0, 2 * pi)
            if fill == "paper":
                yield _arc(x, y, radius - stroke / 2, 2 * pi, 0)
        case Polygon(points):
            yield [*points]
        case Segments(segments, width):
            for x1, y1, x2, y2 in segments:
                angle = atan2(y2 - y1, x2 - x1)
                end = _arc(x2, y2, width / 2, angle - pi / 2, angle + pi / 2)
                yield end + _arc(x1, y1, width / 2, angle + pi / 2, angle + 3 * pi / 2)


def _arc(x: float, y: float, radius: float, start: float, end: float) -> Points:
    steps = (start + (end - start) * k / _CORNERS for k in range(_CORNERS))
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in steps]
