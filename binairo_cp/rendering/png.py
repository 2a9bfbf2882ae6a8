"""Pictures as PNG, with Pillow: painted at a higher resolution and scaled down for smooth edges."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING

from binairo_cp.errors import RenderError
from binairo_cp.rendering.shapes import (
    CELL,
    COLOURS,
    Circle,
    Picture,
    Polygon,
    Rect,
    Segments,
    Shape,
    Text,
)
from binairo_cp.rendering.text_layout import Typeface, check_text, typeface, unusable
from binairo_cp.workers.extras import require_extra

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

MOST_PIXELS = 16_000_000
"""The largest picture, in pixels."""

_DEFAULT_CELL = 48
_NO_CHARACTER = "\U0010fffe"
_COLOURED = ("filled", "reason", "line", "supposed", "broken")
_MAX_PAINTED_PIXELS = 64_000_000
_BOLD = 0.03
"""The outline of bold text in a font without bold letters, as a fraction of the text size."""


def paint(picture: Picture, cell: int | None, font: str | None = None) -> bytes:
    """Return a picture as a PNG file.

    Args:
        picture: the picture.
        cell: pixels per cell; None for the default, or fewer if the picture would be too large.
        font: a TrueType or OpenType file; None for the built-in font.

    Raises:
        RenderError: Pillow is missing or can't use the font, or the picture would be too large.
    """
    with require_extra("png", RenderError):
        from PIL import Image, ImageDraw

    scale = _scale(picture, cell)
    width, height = (max(1, round(side * scale)) for side in (picture.width, picture.height))
    factor = next(n for n in (4, 3, 2) if width * height * n * n <= _MAX_PAINTED_PIXELS)
    # Most puzzles are black and white; greyscale needs a third of the bytes.
    inks = {getattr(shape, name, None) for shape in picture.painted() for name in ("fill", "ink")}
    mode = "L" if inks.isdisjoint(_COLOURED) else "RGB"
    painted = Image.new(mode, (width * factor, height * factor), COLOURS["paper"])
    brush = _Brush(ImageDraw.Draw(painted), scale * factor, typeface(font))
    for shape in picture.painted():
        brush.paint(shape)
    file = io.BytesIO()
    painted.reduce(factor).save(file, "png", optimize=False, compress_level=6)
    return file.getvalue()


def _scale(picture: Picture, cell: int | None) -> float:
    """Pixels per unit."""
    area = picture.width * picture.height
    scale = (cell or _DEFAULT_CELL) / CELL
    if area * scale * scale <= MOST_PIXELS:
        return scale
    # Slightly less than the limit, because the sides are rounded.
    largest = float(0.999 * (MOST_PIXELS / area) ** 0.5)
    if cell is not None:
        raise RenderError(
            f"with {cell} pixels per cell the picture has {area * scale * scale:,.0f} pixels; "
            f"expected at most {MOST_PIXELS:,} ({int(largest * CELL)} per cell)"
        )
    return largest


class _Brush:
    """Paints shapes on an image, at a scale in pixels per unit."""

    def __init__(self, draw: ImageDraw.ImageDraw, scale: float, face: Typeface) -> None:
        self._draw = draw
        self._scale = scale
        self._face = face
        self._load = cache(_load)

    def paint(self, shape: Shape) -> None:
        draw, scale = self._draw, self._scale
        match shape:
            case Rect():
                if shape.fill:
                    draw.rectangle(self._corners(shape, 0), COLOURS[shape.fill])
                if shape.stroke:
                    width = self._width(shape.stroke)
                    draw.rectangle(self._corners(shape, width / 2), None, COLOURS[shape.ink], width)
            case Segments():
                self._paint_segments(shape)
            case Circle():
                center, radius = (shape.x * scale, shape.y * scale), shape.radius * scale
                if shape.stroke:
                    width = self._width(shape.stroke)
                    draw.circle(center, radius + width / 2, COLOURS[shape.ink])
                    radius -= width / 2
                if shape.fill:
                    draw.circle(center, radius, COLOURS[shape.fill])
            case Polygon():
                points = [(x * scale, y * scale) for x, y in shape.points]
                draw.polygon(points, COLOURS[shape.fill])
            case Text():
                size = shape.size * scale
                font = self._load(self._face.bold if shape.bold else self._face.regular, size)
                _check(font, shape.text)
                is_outlined = shape.bold and not self._face.has_bold
                draw.text(
                    (shape.x * scale, shape.y * scale),
                    shape.text,
                    COLOURS[shape.ink],
                    font,
                    anchor={"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor],
                    stroke_width=_BOLD * size if is_outlined else 0,
                )

    def _corners(self, shape: Rect, more: float) -> tuple[int, int, int, int]:
        scale = self._scale
        left, top = round(shape.x * scale - more), round(shape.y * scale - more)
        right = round((shape.x + shape.width) * scale + more) - 1
        bottom = round((shape.y + shape.height) * scale + more) - 1
        return left, top, right, bottom

    def _paint_segments(self, shape: Segments) -> None:
        width, colour = self._width(shape.width), COLOURS[shape.ink]
        for segment in shape.segments:
            x1, y1, x2, y2 = (number * self._scale for number in segment)
            self._draw.line((x1, y1, x2, y2), colour, width)
            if (x1 != x2 and y1 != y2) or abs(x2 - x1) + abs(y2 - y1) < CELL * self._scale:
                for x, y in ((x1, y1), (x2, y2)):
                    self._draw.circle((x, y), width / 2, colour)

    def _width(self, width: float) -> int:
        return max(1, round(width * self._scale))


def _load(font: str, size: float) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(font, size)
    except ImportError as error:
        raise RenderError("PNG needs a build of Pillow with FreeType support") from error
    except OSError as error:
        raise unusable(font, error) from error


def _check(font: ImageFont.FreeTypeFont, text: str) -> None:
    """Reject characters that would be drawn as empty boxes."""
    if text.isascii() and text.isprintable():
        return
    missing_glyph = bytes(font.getmask(_NO_CHARACTER))
    check_text(
        text, lambda c: c.isprintable() and (c.isascii() or bytes(font.getmask(c)) != missing_glyph)
    )
