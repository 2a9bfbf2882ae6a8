"""Give the built-in fonts the symbols of boards as characters, for sentences that show symbols.

Run it after a new subset of the fonts is made, as `rendering/fonts/README.md` says, and after a
change of the symbols. The same fonts and symbols give the same bytes.
"""

from __future__ import annotations

from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from binairo_cp.deduction.styles import CHARACTERS
from binairo_cp.rendering.pdf import SYMBOL_FONTS, outlines_of
from binairo_cp.rendering.shapes import CAP_HEIGHT, CELL
from binairo_cp.rendering.text_layout import BUILT_IN

_SIZE = 1.25
"""The side of a cell, in the size of the text: symbols are then as high as capitals."""

_WIDTH = 0.92
_NO_BREAK = "\u2060"


def main() -> None:
    """Change both files."""
    for file in BUILT_IN:
        with TTFont(file, recalcTimestamp=False) as font:
            _add(font, _NO_BREAK, [], 0)
            for symbols in SYMBOL_FONTS:
                for value, character in zip("01", CHARACTERS[symbols], strict=True):
                    _add(font, character, outlines_of(symbols, value), _WIDTH)
            font.save(file)


def _add(
    font: TTFont, character: str, outlines: list[list[tuple[float, float]]], width: float
) -> None:
    em = font["head"].unitsPerEm
    scale = _SIZE * em / CELL
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
    font["glyf"][name] = glyph
    font["hmtx"][name] = (round(width * em), getattr(glyph, "xMin", 0))
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[ord(character)] = name


if __name__ == "__main__":
    main()
